//! Reference model of the stall counters: H §4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{StallCountersIn, StallCountersOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, WarpSet, MAX_WARPS};

use crate::bits::{members, warp_flags, warp_mask};

/// What each warp has still to wait, in cycles in which the pipeline moves.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct StallCounters {
    warps: usize,
    long_stall: u8,
    collapsed: u8,
    rest: [u8; MAX_WARPS],
    /// Warps that wait.
    waiting: WarpSet,
    #[borsh(skip)]
    inputs: StallCountersIn,
}

impl StallCounters {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { warps, long_stall, collapsed, .. } = *parameters;
        StallCounters {
            warps,
            long_stall: long_stall as u8,
            collapsed: collapsed as u8,
            rest: [0; MAX_WARPS],
            waiting: 0,
            inputs: StallCountersIn::default(),
        }
    }

    /// Cycles from an instruction with this stall count to the next one of its warp.
    pub fn distance(&self, stall: u8, yields: bool) -> u8 {
        match (stall, yields) {
            (0, true) => self.long_stall,
            (12.., false) => self.collapsed,
            (_, true) => stall.max(2),
            (_, false) => stall.max(1),
        }
    }

    /// Warps that have waited for as long as their last instructions say.
    #[inline]
    pub fn free(&self) -> WarpSet {
        !self.waiting
    }

    /// A cycle passes in which the pipeline moves.
    #[inline]
    pub fn count(&mut self) {
        for warp in members(self.waiting) {
            self.rest[warp] -= 1;
            if self.rest[warp] == 0 {
                self.waiting &= !(1 << warp);
            }
        }
    }

    /// The warp issued an instruction with this stall count in the cycle that ends.
    pub fn issue(&mut self, warp: WarpId, stall: u8, yields: bool) {
        let rest = self.distance(stall, yields) - 1;
        self.rest[warp.index()] = rest;
        self.waiting = self.waiting & !warp.bit() | if rest > 0 { warp.bit() } else { 0 };
    }

    /// New warps start here, which wait for nothing.
    pub fn launch(&mut self, warps: WarpSet) {
        self.waiting &= !warps;
    }
}

impl Clocked for StallCounters {
    type In = StallCountersIn;
    type Out = StallCountersOut;

    fn settle(&mut self, inputs: &StallCountersIn) -> StallCountersOut {
        self.inputs = *inputs;
        let all = ((1u32 << self.warps) - 1) as WarpSet;
        StallCountersOut { free: warp_flags(self.free() & all) }
    }

    fn tick(&mut self) {
        let StallCountersIn { issued, warp, stall, yields, launch, hold } = self.inputs;
        if !hold {
            self.count();
        }
        if issued {
            self.issue(WarpId(warp as u8), stall as u8, yields);
        }
        self.launch(warp_mask(&launch));
    }
}
