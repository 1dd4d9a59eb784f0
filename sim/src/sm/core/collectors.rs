// SPDX-License-Identifier: Apache-2.0
//! The collectors of a sub-core, as the SM knows them: which ones hold an instruction, and which.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{CollectorId, WarpId, MAX_COLLECTORS};
use gpurf_trace::RegisterSet;

use super::super::executing::Executing;
use super::super::prefetch::Batch;
use super::super::warp::Expected;
use crate::bits::{all, members};
use crate::checkpoint::list;

#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Collectors {
    held: [Collecting; MAX_COLLECTORS],
    /// The ones that hold an instruction, one bit each.
    pub occupied: u8,
    /// The ones that there are, one bit each.
    pub all: u8,
}

/// The contents of a collector.
#[derive(Clone, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Collecting {
    pub warp: WarpId,
    /// An instruction; `None` for reads that are no instruction's.
    pub executing: Option<Executing>,
    /// Which round of it.
    pub round: u8,
    pub reads: RegisterSet,
    pub expected: Expected,
    /// It is no instruction, but fetches these registers.
    #[borsh(serialize_with = "list::save", deserialize_with = "list::restore")]
    pub prefetch: Batch,
}

impl Collecting {
    /// The instruction.
    #[inline]
    pub fn instruction(&self) -> &Executing {
        self.executing.as_ref().expect("an occupied collector holds an instruction")
    }
}

impl Collectors {
    pub fn new(count: usize) -> Self {
        Collectors { held: std::array::from_fn(|_| Collecting::default()), occupied: 0, all: all(count) }
    }

    /// A collector is taken; what it held last is to be replaced.
    #[inline]
    pub fn enter(&mut self, collector: CollectorId) -> &mut Collecting {
        self.occupied |= collector.bit();
        &mut self.held[collector.index()]
    }

    #[inline]
    pub fn leave(&mut self, collector: CollectorId) {
        self.occupied &= !collector.bit();
    }

    /// The contents of a collector, present or last.
    #[inline]
    pub fn last(&self, collector: CollectorId) -> Option<&Collecting> {
        self.held.get(collector.index())
    }

    /// Some hold rounds of the instruction with this number.
    pub fn hold(&self, serial: u32) -> bool {
        self.iter().any(|held| held.executing.is_some_and(|executing| executing.serial == serial))
    }

    /// The contents of those that are occupied.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Collecting> {
        members(self.occupied).map(|collector| &self.held[collector])
    }
}
