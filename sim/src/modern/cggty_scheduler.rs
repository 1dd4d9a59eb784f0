// SPDX-License-Identifier: Apache-2.0
//! Reference model of the greedy-then-youngest scheduler: H §5.1.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CggtySchedulerIn, CggtySchedulerOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, WarpSet};

use crate::bits::warp_mask;
use crate::cells::YouthMatrix;

/// The order of the warps, and which one issued last.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CggtyScheduler {
    ages: YouthMatrix,
    /// The warp that issued last, or holds the scheduler.
    last: Option<WarpId>,
    constant_wait: u8,
    /// Cycles for which a constant has held the scheduler.
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
            ages: YouthMatrix::new(parameters.warps),
            last: None,
            constant_wait: parameters.constant_wait as u8,
            held: 0,
            launched: 0,
            decided: None,
        }
    }

    /// The warp that issued last while it is eligible, else the youngest eligible one.
    #[inline]
    pub fn select(&self, eligible: WarpSet) -> Option<WarpId> {
        let last = self.last.filter(|warp| eligible & warp.bit() != 0);
        last.or_else(|| self.ages.youngest(eligible).map(|warp| WarpId(warp as u8)))
    }

    /// The same, where some warps miss their constants: one of them holds the scheduler, for as long as it
    /// may.
    pub fn select_with_constants(&self, eligible: WarpSet, misses: WarpSet) -> Option<Selection> {
        let candidates = if self.held == self.constant_wait { eligible & !misses } else { eligible };
        let warp = self.select(candidates)?;
        Some(Selection { warp, waits: misses & warp.bit() != 0 })
    }

    /// The clock edge of a cycle in which a warp issues, and new warps start: the higher-numbered is the
    /// younger.
    #[inline]
    pub fn edge(&mut self, issued: Option<WarpId>, launch: WarpSet) {
        if let Some(warp) = issued {
            (self.last, self.held) = (Some(warp), 0);
        }
        if launch != 0 {
            self.last = self.last.filter(|warp| launch & warp.bit() == 0);
            self.ages.renew(launch);
        }
    }

    /// The clock edge of a cycle in which the selected warp waits for a constant: it holds the scheduler.
    pub fn hold(&mut self, warp: WarpId) {
        self.last = Some(warp);
        self.held += 1;
    }
}

impl Clocked for CggtyScheduler {
    type In = CggtySchedulerIn;
    type Out = CggtySchedulerOut;

    fn settle(&mut self, inputs: &CggtySchedulerIn) -> CggtySchedulerOut {
        let selected = self.select_with_constants(warp_mask(&inputs.eligible), warp_mask(&inputs.misses));
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
        if let Some(Selection { warp, waits: true }) = self.decided {
            self.hold(warp);
        }
        let issued = self.decided.filter(|decided| !decided.waits).map(|decided| decided.warp);
        self.edge(issued, self.launched);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_warp_goes_on_and_then_the_youngest() {
        let mut scheduler = CggtyScheduler::new(&Parameters::default());
        scheduler.edge(None, 0b0001);
        scheduler.edge(None, 0b0110);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(2)), "of two launched at once the higher-numbered");
        scheduler.edge(Some(WarpId(0)), 0);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(0)));
        assert_eq!(scheduler.select(0b0110), Some(WarpId(2)));
        scheduler.edge(None, 0b0001);
        assert_eq!(scheduler.select(0b0111), Some(WarpId(0)), "now the youngest");
        assert_eq!(scheduler.select(0), None);
    }
}
