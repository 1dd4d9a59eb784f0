// SPDX-License-Identifier: Apache-2.0
//! Sections of a block's work: what its warps issue between two barriers.
//!
//! A barrier opens when the last warp issues it. Older instructions of other warps may then still be in their
//! collectors, so that the time of an access does not tell its section; the place in program order does.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{CTA_WARPS, MAX_CTAS};

use crate::sm::executing::Executing;
use crate::sm::names::BlockId;

#[derive(BorshSerialize, BorshDeserialize)]
pub struct Sections {
    /// By resident block, and by the warp's number in it: the number of the warp's first instruction in the
    /// present section. A block may change its slot.
    first: Vec<u32>,
    /// By resident block.
    present: [u32; MAX_CTAS],
}

impl Sections {
    pub fn new() -> Self {
        Sections { first: vec![0; MAX_CTAS * CTA_WARPS], present: [0; MAX_CTAS] }
    }

    /// The next instruction of a block's warp, of this number, is the first in a new section.
    pub fn pass(&mut self, block: BlockId, warp: u16, serial: u32) {
        self.first[place(block, warp)] = serial;
    }

    /// A section of a block begins; its number. It differs from that of every section before, by more than 1
    /// if a new block comes into its place.
    pub fn begin(&mut self, block: BlockId, is_new: bool) -> u32 {
        self.present[block.0] = self.present[block.0].wrapping_add(1 + u32::from(is_new));
        self.present[block.0]
    }

    /// Returns true if an instruction is from before the present section of its block.
    pub fn is_late(&self, executing: &Executing) -> bool {
        let first = self.first[place(executing.block, executing.number)];
        (executing.serial.wrapping_sub(first) as i32) < 0
    }

    /// The section of an instruction that is under way.
    pub fn of(&self, executing: &Executing) -> u32 {
        self.present[executing.block.0].wrapping_sub(u32::from(self.is_late(executing)))
    }
}

fn place(block: BlockId, warp: u16) -> usize {
    block.0 * CTA_WARPS + usize::from(warp)
}
