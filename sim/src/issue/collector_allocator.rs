// SPDX-License-Identifier: Apache-2.0
//! Reference model of the collector allocator: W §6, F §IV-B2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CollectorAllocatorIn, CollectorAllocatorOut};
use gpurf_blocks::{Allocation, Choice, Clocked, CollectorId, Parameters, Waiting, WarpId};

use crate::bits::{all, first_from, mask};
use crate::cells::{AgeMatrix, Lfsr};

/// The rule, the counter of waited cycles, and the source of random choices.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CollectorAllocator {
    collectors: usize,
    /// How collectors are allocated.
    pub allocation: Allocation,
    waiting: Waiting,
    choice: Choice,
    counter: u32,
    seed: u8,
    random: Lfsr,
    /// Collectors by the time since they were taken.
    ages: AgeMatrix,
    answer: Option<AllocatorAnswer>,
}

/// The answer to a warp that could issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum AllocatorAnswer {
    /// The collector that has its data, or one whose data nobody will miss.
    Collector(CollectorId),
    /// A collector with near values, which are lost: the warp has waited for long enough.
    GivenUp(CollectorId),
    /// A collector is free, but it holds near values.
    Wait,
    /// Its own collector, or every one, is occupied.
    Occupied,
}

impl AllocatorAnswer {
    /// The collector that is taken, if one is.
    pub fn collector(self) -> Option<CollectorId> {
        match self {
            AllocatorAnswer::Collector(collector) | AllocatorAnswer::GivenUp(collector) => Some(collector),
            AllocatorAnswer::Wait | AllocatorAnswer::Occupied => None,
        }
    }
}

impl CollectorAllocator {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, allocation, waiting, choice, seed, .. } = *parameters;
        let (counter, random) = (0, Lfsr::default());
        CollectorAllocator {
            collectors,
            allocation,
            waiting,
            choice,
            counter,
            seed: seed as u8,
            random,
            ages: AgeMatrix::new(collectors),
            answer: None,
        }
    }

    /// `own`: the collector that has the warp's data. `free`, `near`: a bit per collector.
    pub fn answer(
        &self,
        warp: WarpId,
        own: Option<CollectorId>,
        free: u8,
        near: u8,
        sthld: u32,
    ) -> AllocatorAnswer {
        let own = match self.allocation {
            Allocation::AnyFree => None,
            Allocation::Private => Some(CollectorId(warp.0)),
            Allocation::OwnElseAnyFree | Allocation::OwnElseLru | Allocation::Malekeh => own,
        };
        if let Some(own) = own {
            return if free & own.bit() != 0 {
                AllocatorAnswer::Collector(own)
            } else {
                AllocatorAnswer::Occupied
            };
        }
        let Some(any) = self.pick(free) else {
            return AllocatorAnswer::Occupied;
        };
        if self.allocation != Allocation::Malekeh {
            return AllocatorAnswer::Collector(any);
        }
        let waits = match self.waiting {
            Waiting::Below => self.counter < sthld,
            Waiting::UpTo => self.counter <= sthld,
        };
        match self.pick(free & !near) {
            Some(far) => AllocatorAnswer::Collector(far),
            None if waits => AllocatorAnswer::Wait,
            None => AllocatorAnswer::GivenUp(any),
        }
    }

    /// The clock edge for an answer.
    pub fn take(&mut self, answer: AllocatorAnswer) {
        match answer {
            AllocatorAnswer::Wait => self.counter += 1,
            AllocatorAnswer::GivenUp(_) => self.counter = 0,
            AllocatorAnswer::Collector(_) | AllocatorAnswer::Occupied => {}
        }
        let Some(collector) = answer.collector() else { return };
        if self.allocation == Allocation::OwnElseLru {
            self.ages.renew(collector.bit().into());
        } else if self.choice == Choice::Random {
            self.random.advance();
        }
    }

    /// The first collector in the mask from a random one on, around; or the one of them that was taken the
    /// longest time ago.
    fn pick(&self, mask: u8) -> Option<CollectorId> {
        if self.allocation == Allocation::OwnElseLru {
            return self.ages.oldest(mask.into()).map(|collector| CollectorId(collector as u8));
        }
        // There are 1, 2, 4 or 8.
        let first = usize::from(self.random.value() ^ self.seed) & (self.collectors - 1);
        first_from(mask, first).map(|collector| CollectorId(collector as u8))
    }
}

impl Clocked for CollectorAllocator {
    type In = CollectorAllocatorIn;
    type Out = CollectorAllocatorOut;

    fn settle(&mut self, inputs: &CollectorAllocatorIn) -> CollectorAllocatorOut {
        let has_data = |&c: &usize| inputs.owned[c] && inputs.held_warp[c] == inputs.warp;
        let own = (0..self.collectors).find(has_data).map(|c| CollectorId(c as u8));
        let free = !mask(&inputs.occupied) & all(self.collectors);
        let answer = self.answer(WarpId(inputs.warp as u8), own, free, mask(&inputs.near), inputs.sthld);
        self.answer = Some(answer).filter(|_| inputs.request);
        let waiting = self.answer == Some(AllocatorAnswer::Wait);
        let mut outputs = CollectorAllocatorOut { waiting, ..Default::default() };
        if let Some(collector) = self.answer.and_then(AllocatorAnswer::collector) {
            outputs.grant[collector.index()] = true;
            outputs.granted = true;
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some(answer) = self.answer {
            self.take(answer);
        }
    }
}
