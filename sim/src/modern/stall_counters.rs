// SPDX-License-Identifier: Apache-2.0
//! Reference model of the stall counters: H §4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{StallCountersIn, StallCountersOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, WarpSet, MAX_WARPS};

use crate::bits::{members, warp_flags, warp_mask};

/// How long each warp has still to wait because its last instruction says so.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct StallCounters {
    counters: [u8; MAX_WARPS],
    /// Warps whose counter is not 0, a bit each.
    waiting: WarpSet,
    rule: StallRule,
    warps: usize,
    #[borsh(skip)]
    inputs: StallCountersIn,
}

/// The meaning of stall counts.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct StallRule {
    long_stall: u8,
    collapsed: u8,
}

impl StallRule {
    /// With these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        StallRule { long_stall: parameters.long_stall as u8, collapsed: parameters.collapsed as u8 }
    }

    /// Cycles from an instruction with this stall count and yield bit to the next one of its warp.
    #[inline]
    pub fn cycles(&self, stall: u8, yields: bool) -> u8 {
        match (stall, yields) {
            (0, true) => self.long_stall,
            (0, false) => 1,
            (1, true) => 2,
            (12.., false) => self.collapsed,
            _ => stall,
        }
    }
}

impl StallCounters {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        StallCounters {
            counters: [0; MAX_WARPS],
            waiting: 0,
            rule: StallRule::new(parameters),
            warps: parameters.warps,
            inputs: StallCountersIn::default(),
        }
    }

    /// Warps that have waited for as long as their last instruction says.
    #[inline]
    pub fn free(&self) -> WarpSet {
        !self.waiting
    }

    /// A clock edge, unless the pipeline stands still. `issued`: a warp whose instruction issues, with what
    /// that says.
    #[inline]
    pub fn edge(&mut self, issued: Option<(WarpId, u8, bool)>, launch: WarpSet) {
        for warp in members(self.waiting) {
            let counter = &mut self.counters[warp];
            *counter -= 1;
            self.waiting &= !(WarpSet::from(*counter == 0) << warp);
        }
        if let Some((warp, stall, yields)) = issued {
            let rest = self.rule.cycles(stall, yields) - 1;
            self.counters[warp.index()] = rest;
            self.waiting |= WarpSet::from(rest > 0) << warp.index();
        }
        self.launch(launch);
    }

    /// New warps start, and wait for nothing.
    #[inline]
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
        let launch = warp_mask(&launch);
        match hold {
            true => self.launch(launch),
            false => self.edge(issued.then_some((WarpId(warp as u8), stall as u8, yields)), launch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles until the next instruction may issue.
    fn waits(stall: u8, yields: bool) -> usize {
        let mut counters = StallCounters::new(&Parameters::default());
        counters.edge(Some((WarpId(3), stall, yields)), 0);
        let mut cycles = 1;
        while counters.free() & WarpId(3).bit() == 0 {
            assert_eq!(counters.free(), !WarpId(3).bit());
            counters.edge(None, 0);
            cycles += 1;
        }
        cycles
    }

    #[test]
    fn a_warp_waits_as_its_instruction_says() {
        assert_eq!([1, 2, 4, 11].map(|stall| waits(stall, false)), [1, 2, 4, 11]);
        assert_eq!([1, 2, 12, 15].map(|stall| waits(stall, true)), [2, 2, 12, 15]);
        assert_eq!((waits(0, false), waits(0, true), waits(12, false)), (1, 45, 2));
    }
}
