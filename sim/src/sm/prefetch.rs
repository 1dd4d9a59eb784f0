// SPDX-License-Identifier: Apache-2.0
//! Prefetch of register intervals into the register cache: LTRF.
//!
//! The compiler cuts a kernel into intervals whose registers all fit into a warp's part of the cache
//! ([`gpurf_trace::Intervals`]). Before its first instruction of an interval, and when it becomes active, an
//! active warp fetches the interval's registers that are live there and that it does not have; it issues
//! again when all have come. Meanwhile the other active warps issue. F and C name LTRF and give none of its
//! hardware, so this is decided here:
//! - A prefetch reads up to as many registers as a collector has slots, through issue, collector and banks as
//!   an instruction with these sources would, and ends at its dispatch, where what the cache did not have
//!   becomes fills.
//! - Registers still to be written are left out: their results enter the cache themselves.
//! - The cache has 16 entries in two sets, by the number's lowest bit, for results and fills alike. An
//!   interval has at most 8 registers of each. LRU, so that looking for what is there keeps it there.
//! - Warps become active and pending as under RFC, and a pending warp is flushed.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::Parameters;
use gpurf_trace::{Intervals, Liveness, RegisterId, RegisterSet, Registers};

/// The registers that a warp fetches.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Prefetch {
    /// The interval in which it is.
    interval: Option<usize>,
    /// Registers still to be asked for.
    missing: RegisterSet,
}

/// Registers of one read.
pub(super) type Batch = Registers;

impl Prefetch {
    /// The warp is about to issue the instruction at `pc`, while the registers of `pending` are still to be
    /// written.
    pub fn reach(&mut self, pc: u32, intervals: &Intervals, liveness: &Liveness, pending: RegisterSet) {
        let Some((number, registers)) = intervals.at(pc) else { return };
        if self.interval != Some(number) {
            self.interval = Some(number);
            let live: RegisterSet =
                registers.iter().filter(|&register| liveness.at(pc).contains(register)).collect();
            self.missing = live.difference(pending);
        }
    }

    /// All is asked for.
    #[inline]
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// The registers that are read next; nothing if all are asked for.
    pub fn batch(&self, slots: usize) -> Batch {
        self.missing.iter().take(slots).collect()
    }

    /// Notes that these registers are asked for.
    pub fn ask(&mut self, batch: &[RegisterId]) {
        batch.iter().for_each(|&register| self.missing.remove(register));
    }
}

/// The set of the cache that a register is fetched into, as a place in an instruction: that of a result.
pub(super) fn position(register: RegisterId) -> u8 {
    register.0 & 3
}

/// Returns true if an interval can have these registers.
pub(super) fn fits(registers: RegisterSet, parameters: &Parameters) -> bool {
    let Parameters { rc_entries, rc_ways, .. } = *parameters;
    let sets = rc_entries / rc_ways;
    let of_set = |set: usize| registers.iter().filter(|&register| register.index() % sets == set).count();
    (0..sets).all(|set| of_set(set) <= rc_ways)
}
