// SPDX-License-Identifier: Apache-2.0
//! Reference model of the issue stage: W §5 and §6, F §IV-B and Fig. 6.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{IssueStageIn, IssueStageOut};
use gpurf_blocks::{Allocation, Clocked, CollectorId, Parameters, WarpId, WarpSet, MAX_COLLECTORS};

use super::collector_allocator::AllocatorAnswer;
use super::{CollectorAllocator, IssueLatches, WarpScheduler};
use crate::bits::{all, mask, members, warp_mask};

/// Scheduler and allocator together, and latches between them if there are any. `H`: an instruction in a
/// latch.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct IssueStage<H> {
    /// The ones that there are, a bit each.
    collectors: u8,
    slots: usize,
    destinations: usize,
    scheduler: WarpScheduler,
    allocator: CollectorAllocator,
    latches: Option<IssueLatches<H>>,
    launched: WarpSet,
    /// The warp that the allocator was asked for, and what it was told.
    decided: Option<(WarpId, AllocatorAnswer)>,
    /// With latches: the warp that issues.
    selected: Option<WarpId>,
}

/// A cycle of an issue stage with latches.
#[derive(Clone, Copy, Debug)]
pub struct IssueCycle<H> {
    /// The warp whose instruction enters its latch.
    pub issues: Option<WarpId>,
    /// The instruction that goes from its latch into a collector.
    pub enters: Option<(CollectorId, H)>,
    /// A collector is free, and the instruction that is offered waits for it.
    pub waits: bool,
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

impl<H: Copy> IssueStage<H> {
    /// In front of an operand stage of these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, destinations, .. } = *parameters;
        IssueStage {
            collectors: all(collectors),
            slots,
            destinations,
            scheduler: WarpScheduler::new(parameters),
            allocator: CollectorAllocator::new(parameters),
            latches: IssueLatches::new(parameters),
            launched: 0,
            decided: None,
            selected: None,
        }
    }

    /// Returns true if instructions pass latches on their way to a collector.
    #[inline(always)]
    pub fn is_latched(&self) -> bool {
        self.latches.is_some()
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
        self.scheduler
            .select(ready, with_data, self.blocked(holders))
            .map(|warp| (warp, self.answer(warp, free, holders, sthld)))
    }

    /// Warps that wait for their own collector, if they have to have that one.
    #[inline(always)]
    fn blocked(&self, holders: &Holders) -> WarpSet {
        match self.allocator.allocation {
            // No warp has a collector of its own to wait for.
            Allocation::AnyFree => 0,
            _ => holders.owners(holders.owned & holders.occupied),
        }
    }

    #[inline(always)]
    fn answer(&self, warp: WarpId, free: u8, holders: &Holders, sthld: u32) -> AllocatorAnswer {
        let own = members(holders.owned).find(|&collector| holders.owner[collector] == warp);
        let own = own.map(|collector| CollectorId(collector as u8));
        self.allocator.answer(warp, own, free, holders.near, sthld)
    }

    /// The same with latches: the instruction that one of them offers goes to the allocator, and the warp
    /// that is selected into the latch of its unit. `head`: unit and instruction of a warp.
    ///
    /// # Panics
    /// If there are no latches.
    pub fn pass(
        &mut self,
        ready: WarpSet,
        launch: WarpSet,
        head: impl Fn(WarpId) -> (u32, H),
        holders: &Holders,
        sthld: u32,
    ) -> IssueCycle<H> {
        self.launched = launch;
        let free = !holders.occupied & self.collectors;
        let latches = self.latches.as_ref().expect("there are latches");
        let offered = latches.offered(self.blocked(holders));
        self.decided = offered.map(|(_, warp)| (warp, self.answer(warp, free, holders, sthld)));
        let (answer, latches) = (self.decided, self.latches.as_mut().expect("there are latches"));
        let entered = answer.and_then(|(_, answer)| answer.collector());
        let enters = entered.zip(offered).map(|(collector, (unit, _))| (collector, unit));
        let passage = enters.map(|(collector, unit)| (collector, *latches.of(unit)));
        let room = latches.leave(enters.map(|(_, unit)| unit));
        let has_room = |warp: &WarpId| room >> head(*warp).0 & 1 == 1;
        let able = members(ready).map(|warp| WarpId(warp as u8)).filter(has_room);
        let able = able.fold(0, |set, warp| set | warp.bit());
        self.selected = self.scheduler.select(able, || holders.owners(holders.owned), 0);
        latches.enter(self.selected.map(|warp| {
            let (unit, instruction) = head(warp);
            (unit as usize, warp, instruction)
        }));
        let waits = matches!(answer, Some((_, AllocatorAnswer::Wait)));
        IssueCycle { issues: self.selected, enters: passage, waits }
    }

    /// The clock edge.
    #[inline]
    pub fn edge(&mut self) {
        if let Some((warp, answer)) = self.decided {
            self.allocator.take(answer);
            if answer.collector().is_some() && !self.is_latched() {
                self.scheduler.issue(warp);
            }
        }
        if let Some(latches) = &mut self.latches {
            latches.edge();
            if let Some(warp) = self.selected.take() {
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

/// Alone it has instructions as its ports show them.
impl Clocked for IssueStage<IssueStageOut> {
    type In = IssueStageIn;
    type Out = IssueStageOut;

    fn settle(&mut self, inputs: &IssueStageIn) -> IssueStageOut {
        let holders = Holders {
            occupied: mask(&inputs.occupied),
            near: mask(&inputs.near),
            owned: mask(&inputs.owned),
            owner: inputs.held_warp.map(|warp| WarpId(warp as u8)),
        };
        let (ready, launch) = (warp_mask(&inputs.ready), warp_mask(&inputs.launch));
        let places = (self.slots, self.destinations);
        let head = |warp: WarpId| {
            let mut outputs = IssueStageOut::default();
            take_head!(inputs, warp, (places.0, places.1) => outputs);
            outputs
        };
        if self.is_latched() {
            let passing = |warp: WarpId| (inputs.head_unit[warp.index()], head(warp));
            let IssueCycle { issues, enters, waits } =
                self.pass(ready, launch, passing, &holders, inputs.sthld);
            let mut outputs = enters.map(|(_, instruction)| instruction).unwrap_or_default();
            (outputs.waiting, outputs.issued) = (waits, issues.is_some());
            outputs.issued_warp[0] = issues.map_or(0, u32::from);
            enters.into_iter().for_each(|(collector, _)| outputs.issue[collector.index()] = true);
            return outputs;
        }
        let decided = self.decide(ready, launch, &holders, inputs.sthld);
        let mut outputs = IssueStageOut::default();
        outputs.waiting = matches!(decided, Some((_, AllocatorAnswer::Wait)));
        if let Some((warp, collector)) = decided.and_then(|(warp, answer)| Some((warp, answer.collector()?)))
        {
            outputs = IssueStageOut { waiting: outputs.waiting, issued: true, ..head(warp) };
            outputs.issue[collector.index()] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        self.edge();
    }
}
