// SPDX-License-Identifier: Apache-2.0
//! Reference model of the warp scheduler: W §5, F §IV-B1.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WarpSchedulerIn, WarpSchedulerOut};
use gpurf_blocks::{Clocked, Occupied, Parameters, Scheduling, WarpId, WarpOrder, WarpSet};

use crate::bits::warp_mask;
use crate::cells::{AgeMatrix, RoundRobin};

/// The policy, and what it remembers of warps.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct WarpScheduler {
    collectors: usize,
    scheduling: Scheduling,
    occupied: Occupied,
    ages: AgeMatrix,
    turns: RoundRobin,
    last_issued: Option<WarpId>,
    launched: WarpSet,
    issued: Option<WarpId>,
}

impl WarpScheduler {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { warps, collectors, scheduling, occupied, .. } = *parameters;
        WarpScheduler {
            collectors,
            scheduling,
            occupied,
            ages: AgeMatrix::new(warps),
            turns: RoundRobin::new(warps),
            last_issued: None,
            launched: 0,
            issued: None,
        }
    }

    /// The warp to issue. A bit per warp: `ready`; `with_data`, those that have data in a collector;
    /// `blocked`, those of them whose collector is occupied.
    #[inline]
    pub fn select(
        &self,
        ready: WarpSet,
        with_data: impl Fn() -> WarpSet,
        blocked: WarpSet,
    ) -> Option<WarpId> {
        let ready = match self.occupied {
            Occupied::Skip => ready & !blocked,
            Occupied::Stall => ready,
        };
        let Scheduling { is_greedy, prefers_data, order, .. } = self.scheduling;
        // "The highest priority is to the same warp if it is ready" (F §IV-B1).
        let last = self.last_issued.filter(|warp| is_greedy && ready & warp.bit() != 0);
        let first = |warps: WarpSet| {
            let first = match order {
                WarpOrder::Age => self.ages.oldest(warps),
                WarpOrder::Turn => self.turns.grant(warps.into()),
            };
            first.map(|warp| WarpId(warp as u8))
        };
        let with_data = || if prefers_data { first(ready & with_data()) } else { None };
        last.or_else(with_data).or_else(|| first(ready))
    }

    /// The warp issues in this cycle.
    pub fn issue(&mut self, warp: WarpId) {
        self.last_issued = Some(warp);
        self.turns.advance(warp.index());
    }

    /// New warps start in these slots, a bit each.
    pub fn launch(&mut self, warps: WarpSet) {
        self.ages.renew(warps);
        self.last_issued = self.last_issued.filter(|warp| warps & warp.bit() == 0);
    }
}

impl Clocked for WarpScheduler {
    type In = WarpSchedulerIn;
    type Out = WarpSchedulerOut;

    fn settle(&mut self, inputs: &WarpSchedulerIn) -> WarpSchedulerOut {
        let (mut with_data, mut blocked) = (0, 0);
        for collector in (0..self.collectors).filter(|&collector| inputs.owned[collector]) {
            with_data |= 1 << inputs.held_warp[collector];
            blocked |= WarpSet::from(inputs.occupied[collector]) << inputs.held_warp[collector];
        }
        let selected = self.select(warp_mask(&inputs.ready), || with_data, blocked);
        self.launched = warp_mask(&inputs.launch);
        self.issued = selected.filter(|_| inputs.issue);
        let mut outputs = WarpSchedulerOut::default();
        if let Some(warp) = selected {
            (outputs.selected, outputs.warp) = (true, warp.into());
            outputs.select[warp.index()] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some(warp) = self.issued {
            self.issue(warp);
        }
        self.launch(self.launched);
    }
}
