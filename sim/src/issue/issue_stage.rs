// SPDX-License-Identifier: Apache-2.0
//! Reference model of the issue stage: W §5 and §6, F §IV-B and Fig. 6.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{IssueStageIn, IssueStageOut};
use gpurf_blocks::{Allocation, Clocked, CollectorId, Parameters, WarpId, WarpSet, MAX_COLLECTORS};

use super::collector_allocator::AllocatorAnswer;
use super::{CollectorAllocator, WarpScheduler};
use crate::bits::{all, mask, members, warp_mask};

/// Scheduler and allocator together.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct IssueStage {
    /// The ones that there are, a bit each.
    collectors: u8,
    slots: usize,
    destinations: usize,
    scheduler: WarpScheduler,
    allocator: CollectorAllocator,
    launched: WarpSet,
    /// The selected warp and what it was told.
    decided: Option<(WarpId, AllocatorAnswer)>,
}

/// Collectors as the issue stage sees them: a bit each, and whose data each has.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Holders {
    /// Bit c: collector c can take no instruction.
    pub occupied: u8,
    /// Bit c: collector c holds a register whose next use is near.
    pub near: u8,
    /// Bit c: collector c caches registers of a warp.
    pub owned: u8,
    /// The warp whose registers each of those collectors caches.
    pub owner: [WarpId; MAX_COLLECTORS],
}

impl Holders {
    /// The warps whose registers these collectors cache.
    #[inline]
    fn owners(&self, collectors: u8) -> WarpSet {
        members(collectors).fold(0, |warps, collector| warps | self.owner[collector].bit())
    }
}

impl IssueStage {
    /// In front of an operand stage of these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, destinations, .. } = *parameters;
        IssueStage {
            collectors: all(collectors),
            slots,
            destinations,
            scheduler: WarpScheduler::new(parameters),
            allocator: CollectorAllocator::new(parameters),
            launched: 0,
            decided: None,
        }
    }

    /// The warp that is selected among the ready ones, and what the allocator tells it. `launch`: new warps.
    // In every cycle of a sub-core: of its callers that one is hot.
    #[inline(always)]
    pub fn decide(
        &mut self,
        ready: WarpSet,
        launch: WarpSet,
        holders: &Holders,
        sthld: u32,
    ) -> Option<(WarpId, AllocatorAnswer)> {
        self.launched = launch;
        let free = !holders.occupied & self.collectors;
        // If none is free, whoever were selected would be told so.
        self.decided = match free == 0 || ready == 0 {
            true => None,
            false => self.choose(ready, free, holders, sthld),
        };
        self.decided
    }

    #[inline(always)]
    fn choose(
        &self,
        ready: WarpSet,
        free: u8,
        holders: &Holders,
        sthld: u32,
    ) -> Option<(WarpId, AllocatorAnswer)> {
        let with_data = || holders.owners(holders.owned);
        let blocked = match self.allocator.allocation {
            // No warp has a collector of its own to wait for.
            Allocation::AnyFree => 0,
            _ => holders.owners(holders.owned & holders.occupied),
        };
        self.scheduler.select(ready, with_data, blocked).map(|warp| {
            let own = members(holders.owned).find(|&collector| holders.owner[collector] == warp);
            let own = own.map(|collector| CollectorId(collector as u8));
            (warp, self.allocator.answer(warp, own, free, holders.near, sthld))
        })
    }

    /// The clock edge.
    #[inline]
    pub fn edge(&mut self) {
        if let Some((warp, answer)) = self.decided {
            self.allocator.take(answer);
            if answer.collector().is_some() {
                self.scheduler.issue(warp);
            }
        }
        if self.launched != 0 {
            self.scheduler.launch(self.launched);
        }
    }
}

/// The instruction of a warp, of those at the heads of the warps' buffers, at ports that take one.
macro_rules! take_head {
    ($inputs:expr, $warp:expr, ($slots:expr, $destinations:expr) => $to:expr) => {{
        let (inputs, to, warp) = ($inputs, &mut $to, $warp.index());
        (to.warp, to.base, to.flush) = ($warp.into(), inputs.head_base[warp], inputs.head_flush[warp]);
        (to.unit, to.payload) = (inputs.head_unit[warp], inputs.head_payload[warp]);
        for slot in 0..$slots {
            let place = $slots * warp + slot;
            to.source_valid[slot] = inputs.head_source_valid[place];
            to.source_register[slot] = inputs.head_source_register[place];
            to.source_near[slot] = inputs.head_source_near[place];
        }
        for destination in 0..$destinations {
            let place = $destinations * warp + destination;
            to.destination_valid[destination] = inputs.head_destination_valid[place];
            to.destination_register[destination] = inputs.head_destination_register[place];
        }
    }};
}
pub(crate) use take_head;

impl Clocked for IssueStage {
    type In = IssueStageIn;
    type Out = IssueStageOut;

    fn settle(&mut self, inputs: &IssueStageIn) -> IssueStageOut {
        let holders = Holders {
            occupied: mask(&inputs.occupied),
            near: mask(&inputs.near),
            owned: mask(&inputs.owned),
            owner: inputs.held_warp.map(|warp| WarpId(warp as u8)),
        };
        let decided =
            self.decide(warp_mask(&inputs.ready), warp_mask(&inputs.launch), &holders, inputs.sthld);
        let mut outputs = IssueStageOut::default();
        outputs.waiting = matches!(decided, Some((_, AllocatorAnswer::Wait)));
        if let Some((warp, collector)) = decided.and_then(|(warp, answer)| Some((warp, answer.collector()?)))
        {
            outputs.issued = true;
            outputs.issue[collector.index()] = true;
            take_head!(inputs, warp, (self.slots, self.destinations) => outputs);
        }
        outputs
    }

    fn tick(&mut self) {
        self.edge();
    }
}
