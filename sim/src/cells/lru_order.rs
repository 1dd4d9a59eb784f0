// SPDX-License-Identifier: Apache-2.0
//! Reference model of the LRU order: W §3.2, F §III-C.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LruOrderIn, LruOrderOut};
use gpurf_blocks::{Clocked, MAX_ENTRIES};

use crate::bits::members;

/// For each entry, those used more recently.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct LruOrder {
    /// A bit per entry.
    newer: [u16; MAX_ENTRIES],
    entries: usize,
    touched: u16,
}

impl LruOrder {
    /// `entries`: 4, 8 or 16. At first, entry 0 counts as the most recently used.
    pub fn new(entries: usize) -> Self {
        LruOrder { newer: std::array::from_fn(|entry| (1 << entry) - 1), entries, touched: 0 }
    }

    /// The least recently used entry of a set.
    #[inline]
    pub fn oldest(&self, set: u16) -> Option<usize> {
        members(set).find(|&entry| set & !self.newer[entry] == 1 << entry)
    }

    /// The entries of the mask become the most recently used; they and the others keep their order.
    #[inline]
    pub fn touch(&mut self, mask: u16) {
        for (entry, newer) in self.newer.iter_mut().enumerate() {
            *newer = if mask >> entry & 1 == 1 { *newer & mask } else { *newer | mask };
        }
    }
}

impl Clocked for LruOrder {
    type In = LruOrderIn;
    type Out = LruOrderOut;

    fn settle(&mut self, inputs: &LruOrderIn) -> LruOrderOut {
        self.touched = 0;
        let mut outputs = LruOrderOut::default();
        for entry in 0..self.entries {
            self.touched |= (inputs.touch[entry] as u16) << entry;
            outputs.newer[entry] = (self.newer[entry] & ((1u32 << self.entries) - 1) as u16).into();
        }
        outputs
    }

    fn tick(&mut self) {
        self.touch(self.touched);
    }
}
