// SPDX-License-Identifier: Apache-2.0
//! Cycles in which the hardware of a sub-core need not be asked.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::WarpSet;

/// True if the hardware stands still: what it was given last did not move it, and nothing was under way in
/// it.
#[derive(Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Standstill {
    /// Ready warps and ready units.
    inputs: (WarpSet, u32),
    /// Cycles since it moved.
    cycles: u8,
}

impl Standstill {
    /// The hardware has seen a cycle, in which it moved or did not.
    #[inline]
    pub fn note(&mut self, inputs: (WarpSet, u32), moves: bool) {
        self.cycles = if moves { 0 } else { self.cycles.saturating_add(1) };
        self.inputs = inputs;
    }

    /// The same inputs, with nothing else, will not move it either. What a bank read when it moved last
    /// crosses to a collector in the first cycle after that, and is there in the second.
    #[inline]
    pub fn lasts(&self, inputs: (WarpSet, u32)) -> bool {
        self.cycles >= 2 && self.inputs == inputs
    }
}
