// SPDX-License-Identifier: Apache-2.0
//! Reference model of the free space monitor: R §V-C.

use bitvec::prelude::*;
use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{FreeSpaceMonitorIn, FreeSpaceMonitorOut};
use gpurf_blocks::{Clocked, Parameters};

use crate::checkpoint::flags;

/// A flag per PCRF entry, and the number of those that are set.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct FreeSpaceMonitor {
    /// In words as the port has them.
    #[borsh(serialize_with = "flags::save", deserialize_with = "flags::restore")]
    occupied: BitVec<u32>,
    used: usize,
    #[borsh(skip)]
    inputs: FreeSpaceMonitorIn,
}

impl FreeSpaceMonitor {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let entries = parameters.pcrf_entries;
        FreeSpaceMonitor { occupied: bitvec![u32, Lsb0; 0; entries], used: 0, inputs: Default::default() }
    }

    /// The free entry with the lowest number.
    pub fn first_free(&self) -> Option<usize> {
        self.occupied.first_zero()
    }

    /// Entries that are free.
    pub fn free_count(&self) -> usize {
        self.occupied.len() - self.used
    }

    /// For each entry, whether it is taken.
    pub fn occupied(&self) -> &BitSlice<u32> {
        &self.occupied
    }

    /// One clock edge: an entry is taken, another one freed.
    pub fn edge(&mut self, taken: Option<usize>, freed: Option<usize>) {
        if let Some(entry) = taken {
            self.occupied.set(entry, true);
            self.used += 1;
        }
        if let Some(entry) = freed {
            self.occupied.set(entry, false);
            self.used -= 1;
        }
    }
}

impl Clocked for FreeSpaceMonitor {
    type In = FreeSpaceMonitorIn;
    type Out = FreeSpaceMonitorOut;

    fn settle(&mut self, inputs: &FreeSpaceMonitorIn) -> FreeSpaceMonitorOut {
        self.inputs = *inputs;
        let first = self.first_free();
        let mut outputs = FreeSpaceMonitorOut {
            any_free: first.is_some(),
            first_free: first.unwrap_or(0) as u32,
            free_count: self.free_count() as u32,
            ..Default::default()
        };
        let flags = self.occupied.as_raw_slice();
        outputs.occupied[..flags.len()].copy_from_slice(flags);
        outputs
    }

    fn tick(&mut self) {
        let FreeSpaceMonitorIn { take, free, free_entry } = self.inputs;
        let taken = self.first_free().filter(|_| take);
        self.edge(taken, free.then_some(free_entry as usize));
    }
}
