// SPDX-License-Identifier: Apache-2.0
//! The collectors of a sub-core, as the SM knows them: which ones hold an instruction, and which. Latches
//! before them too.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{CollectorId, WarpId, MAX_COLLECTORS, UNITS};
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
    /// Contents of the latches before them, by unit; none if there are no latches.
    latched: Vec<Collecting>,
    /// The latches that hold an instruction, one bit each.
    pub waiting: u8,
}

/// Where an instruction lies on its way to its unit.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Collector(CollectorId),
    /// The latch of its unit.
    Latch(u8),
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
    pub fn new(count: usize, has_latches: bool) -> Self {
        let held = std::array::from_fn(|_| Collecting::default());
        let latched = vec![Collecting::default(); if has_latches { UNITS } else { 0 }];
        Collectors { held, occupied: 0, all: all(count), latched, waiting: 0 }
    }

    /// A collector or a latch is taken; what it held last is to be replaced.
    #[inline]
    pub fn take(&mut self, place: Place) -> &mut Collecting {
        match place {
            Place::Collector(collector) => self.enter(collector),
            Place::Latch(unit) => {
                self.waiting |= 1 << unit;
                &mut self.latched[usize::from(unit)]
            }
        }
    }

    /// The instruction of this unit goes from its latch into a collector. Returns false if there is none.
    pub fn pass(&mut self, unit: u8, collector: CollectorId) -> bool {
        let passes = self.waiting >> unit & 1 == 1;
        if passes {
            self.waiting &= !(1 << unit);
            self.occupied |= collector.bit();
            std::mem::swap(&mut self.latched[usize::from(unit)], &mut self.held[collector.index()]);
        }
        passes
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

    /// The contents of those that are occupied, and of latches.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = &Collecting> {
        let latched = members(self.waiting).map(|unit| &self.latched[unit]);
        members(self.occupied).map(|collector| &self.held[collector]).chain(latched)
    }
}
