// SPDX-License-Identifier: Apache-2.0
//! The execution units of a sub-core: when each takes its next instruction.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::Unit;

use crate::bits::members;

#[derive(Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Units {
    /// The next cycle in which each takes an instruction.
    next: [u64; Unit::ALL.len()],
    /// The ones that do not take one yet, one bit each.
    busy: u8,
}

impl Units {
    /// An instruction enters a unit, which takes the next one in cycle `next`.
    #[inline]
    pub fn enter(&mut self, unit: u8, next: u64) {
        self.next[usize::from(unit)] = next;
        self.busy |= 1 << unit;
    }

    /// The next cycle in which one of those takes an instruction that do not take one yet.
    pub fn next(&self) -> Option<u64> {
        members(self.busy).map(|unit| self.next[unit]).min()
    }

    /// Bit u: unit u takes an instruction in cycle `now`. `memory`: so does the load/store unit.
    #[inline]
    pub fn ready(&mut self, now: u64, memory: bool) -> u32 {
        for unit in members(self.busy) {
            self.busy &= !(u8::from(self.next[unit] <= now) << unit);
        }
        let full = u8::from(!memory) << Unit::LoadStore as u8;
        (!(self.busy | full)).into()
    }
}
