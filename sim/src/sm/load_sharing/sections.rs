//! Sections of a block's work: what its warps issue between two barriers.
//!
//! A barrier opens when the last warp issues it. Older instructions of other warps may then still be in their
//! collectors, so that the time of an access does not tell its section; the place in program order does.

use gpurf_blocks::{MAX_WARPS, SUB_CORES};

use crate::sm::executing::Executing;
use crate::sm::names::BlockId;

/// Slots for blocks, at most.
pub const BLOCK_SLOTS: usize = 32;

pub struct Sections {
    /// By warp slot: the number of the warp's first instruction in the present section.
    first: [u32; SUB_CORES * MAX_WARPS],
    /// By block slot.
    present: [u32; BLOCK_SLOTS],
}

impl Sections {
    pub fn new() -> Self {
        Sections { first: [0; SUB_CORES * MAX_WARPS], present: [0; BLOCK_SLOTS] }
    }

    /// A warp's next instruction, of this number, is the first in a new section.
    pub fn pass(&mut self, slot: usize, serial: u32) {
        self.first[slot] = serial;
    }

    /// A section of a block begins; its number. It differs from that of every section before, by more than 1 if a
    /// new block comes into the slot.
    pub fn begin(&mut self, block: BlockId, is_new: bool) -> u32 {
        self.present[block.0] = self.present[block.0].wrapping_add(1 + u32::from(is_new));
        self.present[block.0]
    }

    /// Whether an instruction is from before the present section of its block.
    pub fn is_late(&self, executing: &Executing) -> bool {
        (executing.serial.wrapping_sub(self.first[executing.warp_slot()]) as i32) < 0
    }

    /// The section of an instruction that is under way.
    pub fn of(&self, executing: &Executing) -> u32 {
        self.present[executing.block.0].wrapping_sub(u32::from(self.is_late(executing)))
    }
}
