// SPDX-License-Identifier: Apache-2.0
//! Reference model of the dependence counters: H §4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{DependenceCountersIn, DependenceCountersOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, WarpSet, DECREMENTS, DEPENDENCE_COUNTERS, MAX_WARPS};

/// Counts of the things without fixed latency that each warp waits for: six counters a warp.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct DependenceCounters {
    counters: [[u8; DEPENDENCE_COUNTERS]; MAX_WARPS],
    /// Bit c: counter c is not 0.
    busy: [u8; MAX_WARPS],
    /// The condition that the last `DEPBAR` of a warp waits for.
    limits: [Option<CounterLimit>; MAX_WARPS],
    /// Warps that have such a condition.
    limited: WarpSet,
    /// Warps that ports tell of.
    warps: usize,
    #[borsh(skip)]
    inputs: DependenceCountersIn,
}

/// The condition that a `DEPBAR` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct CounterLimit {
    /// A counter.
    pub counter: u8,
    /// The highest value of the counter at which the condition holds.
    pub value: u8,
    /// Bit c: counter c must be zero.
    pub mask: u8,
}

impl DependenceCounters {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        DependenceCounters { warps: parameters.warps, ..Default::default() }
    }

    /// Bit c: counter c of a warp is not 0.
    #[inline]
    pub fn busy(&self, warp: WarpId) -> u8 {
        self.busy[warp.index()]
    }

    /// One more is under way.
    pub fn increment(&mut self, warp: WarpId, counter: u8) {
        let value = &mut self.counters[warp.index()][usize::from(counter)];
        *value = value.wrapping_add(1) & 63;
        self.note(warp, counter);
    }

    /// One is over.
    pub fn decrement(&mut self, warp: WarpId, counter: u8) {
        let value = &mut self.counters[warp.index()][usize::from(counter)];
        *value = value.wrapping_sub(1) & 63;
        self.note(warp, counter);
    }

    /// Returns true if the next instruction of a warp may issue, which waits for the counters of the mask.
    #[inline]
    pub fn is_free(&self, warp: WarpId, mask: u8) -> bool {
        self.busy(warp) & mask == 0 && !self.is_over(warp)
    }

    /// The last `DEPBAR` of a warp waits.
    #[inline]
    fn is_over(&self, warp: WarpId) -> bool {
        self.limits[warp.index()].is_some_and(|CounterLimit { counter, value, mask }| {
            self.counters[warp.index()][usize::from(counter)] > value || self.busy(warp) & mask != 0
        })
    }

    /// A `DEPBAR` leaves Control.
    pub fn limit(&mut self, warp: WarpId, limit: CounterLimit) {
        self.limits[warp.index()] = Some(limit);
        self.limited |= warp.bit();
    }

    /// A clock edge, before counters change: a `DEPBAR` that did not wait in the cycle that ends is over.
    pub fn forget_limits(&mut self) {
        for warp in WarpId::all_of(self.limited) {
            if !self.is_over(warp) {
                self.limits[warp.index()] = None;
                self.limited &= !warp.bit();
            }
        }
    }

    fn note(&mut self, warp: WarpId, counter: u8) {
        let busy = u8::from(self.counters[warp.index()][usize::from(counter)] != 0);
        let set = &mut self.busy[warp.index()];
        *set = *set & !(1 << counter) | busy << counter;
    }
}

impl Clocked for DependenceCounters {
    type In = DependenceCountersIn;
    type Out = DependenceCountersOut;

    fn settle(&mut self, inputs: &DependenceCountersIn) -> DependenceCountersOut {
        self.inputs = *inputs;
        let mut outputs = DependenceCountersOut::default();
        for (warp, mask) in inputs.wait_mask.iter().enumerate().take(self.warps) {
            outputs.free[warp] = self.is_free(WarpId(warp as u8), *mask as u8);
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.forget_limits();
        for place in (0..DECREMENTS).filter(|&place| inputs.decrement_valid[place]) {
            self.decrement(WarpId(inputs.decrement_warp[place] as u8), inputs.decrement_counter[place] as u8);
        }
        if inputs.control {
            let warp = WarpId(inputs.warp as u8);
            // 7 is none.
            let counters = [inputs.write_counter as u8, inputs.read_counter as u8];
            for counter in counters.into_iter().filter(|&counter| usize::from(counter) < DEPENDENCE_COUNTERS)
            {
                self.increment(warp, counter);
            }
            if inputs.limit_valid {
                let (counter, value) = (inputs.limit_counter as u8, inputs.limit_value as u8);
                self.limit(warp, CounterLimit { counter, value, mask: inputs.limit_mask as u8 });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_busy_until_all_is_over() {
        let (mut counters, warp) = (DependenceCounters::default(), WarpId(2));
        counters.increment(warp, 5);
        counters.increment(warp, 5);
        counters.increment(warp, 0);
        assert_eq!((counters.busy(warp), counters.busy(WarpId(1))), (0b100001, 0));
        counters.decrement(warp, 5);
        assert_eq!(counters.busy(warp), 0b100001);
        counters.decrement(warp, 5);
        assert_eq!(counters.busy(warp), 1);
    }
}
