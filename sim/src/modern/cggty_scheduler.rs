//! Reference model of the greedy-then-youngest scheduler: H §5.1.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CggtySchedulerIn, CggtySchedulerOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, WarpSet};

use crate::bits::warp_mask;
use crate::cells::YouthMatrix;

/// What it remembers of warps.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CggtyScheduler {
    constant_wait: u8,
    ages: YouthMatrix,
    /// The warp that issued last, or holds the scheduler.
    last: Option<WarpId>,
    /// Cycles that the scheduler has been held.
    held: u8,
    launched: WarpSet,
    decided: Option<Selection>,
}

/// The selected warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Selection {
    /// Its number.
    pub warp: WarpId,
    /// It waits for a constant, and nothing issues.
    pub waits: bool,
}

impl CggtyScheduler {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        CggtyScheduler {
            constant_wait: parameters.constant_wait as u8,
            ages: YouthMatrix::new(parameters.warps),
            last: None,
            held: 0,
            launched: 0,
            decided: None,
        }
    }

    /// The selected warp among the eligible ones, of which some miss their constants.
    #[inline]
    pub fn select(&self, eligible: WarpSet, misses: WarpSet) -> Option<Selection> {
        let candidates = if self.held == self.constant_wait { eligible & !misses } else { eligible };
        let last = self.last.filter(|warp| candidates & warp.bit() != 0);
        let warp = last.or_else(|| self.ages.youngest(candidates).map(|warp| WarpId(warp as u8)))?;
        Some(Selection { warp, waits: misses & warp.bit() != 0 })
    }

    /// The clock edge of a cycle in which an instruction could leave the scheduler.
    pub fn take(&mut self, selection: Selection) {
        self.last = Some(selection.warp);
        self.held = if selection.waits { self.held + 1 } else { 0 };
    }

    /// New warps start in these slots, a bit each.
    pub fn launch(&mut self, warps: WarpSet) {
        if warps != 0 {
            self.ages.renew(warps);
            self.last = self.last.filter(|warp| warps & warp.bit() == 0);
        }
    }
}

impl Clocked for CggtyScheduler {
    type In = CggtySchedulerIn;
    type Out = CggtySchedulerOut;

    fn settle(&mut self, inputs: &CggtySchedulerIn) -> CggtySchedulerOut {
        let selected = self.select(warp_mask(&inputs.eligible), warp_mask(&inputs.misses));
        self.decided = selected.filter(|_| inputs.open);
        self.launched = warp_mask(&inputs.launch);
        let mut outputs = CggtySchedulerOut::default();
        if let Some(Selection { warp, waits }) = selected {
            outputs.select[warp.index()] = true;
            outputs.issue = inputs.open && !waits;
            outputs.waits = inputs.open && waits;
            outputs.warp = if outputs.issue { warp.into() } else { 0 };
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some(decided) = self.decided {
            self.take(decided);
        }
        self.launch(self.launched);
    }
}
