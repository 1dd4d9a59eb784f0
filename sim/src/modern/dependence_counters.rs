//! Reference model of the dependence counters: H §4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{DependenceCountersIn, DependenceCountersOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, DECREMENTS, DEPENDENCE_COUNTERS, MAX_WARPS};

/// Six counters of each warp, and what its last `DEPBAR` waits for.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct DependenceCounters {
    warps: usize,
    of_warp: [OfWarp; MAX_WARPS],
    #[borsh(skip)]
    inputs: DependenceCountersIn,
}

#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct OfWarp {
    counters: [u8; DEPENDENCE_COUNTERS],
    /// Bit c: counter c is not zero.
    busy: u8,
    limit: Option<CounterLimit>,
}

/// What a `DEPBAR` waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct CounterLimit {
    /// A counter.
    pub counter: u8,
    /// What it may be at most.
    pub value: u8,
    /// Bit c: counter c must be zero.
    pub mask: u8,
}

/// A counter wraps at this number.
const WRAP: u8 = 64;

impl OfWarp {
    fn change(&mut self, counter: u8, by: u8) {
        // 7 is none, and so is 6.
        if let Some(value) = self.counters.get_mut(usize::from(counter)) {
            *value = (*value + by) % WRAP;
            self.busy = self.busy & !(1 << counter) | u8::from(*value != 0) << counter;
        }
    }

    fn is_over(&self, limit: &CounterLimit) -> bool {
        let level = self.counters.get(usize::from(limit.counter)).copied().unwrap_or(0);
        level > limit.value || self.busy & limit.mask != 0
    }
}

impl DependenceCounters {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        DependenceCounters {
            warps: parameters.warps,
            of_warp: [OfWarp::default(); MAX_WARPS],
            inputs: DependenceCountersIn::default(),
        }
    }

    /// Whether the next instruction of the warp, which waits for the counters of the mask, may issue.
    #[inline]
    pub fn is_free(&self, warp: WarpId, mask: u8) -> bool {
        let of_warp = &self.of_warp[warp.index()];
        of_warp.busy & mask == 0 && !of_warp.limit.is_some_and(|limit| of_warp.is_over(&limit))
    }

    /// What a counter of the warp is.
    pub fn value(&self, warp: WarpId, counter: u8) -> u8 {
        self.of_warp[warp.index()].counters[usize::from(counter)]
    }

    /// An instruction leaves Control: the counters that it names go up; 7 is none.
    pub fn increment(&mut self, warp: WarpId, counters: [u8; 2]) {
        for counter in counters {
            self.of_warp[warp.index()].change(counter, 1);
        }
    }

    /// A result is written, or sources have been read.
    pub fn decrement(&mut self, warp: WarpId, counter: u8) {
        self.of_warp[warp.index()].change(counter, WRAP - 1);
    }

    /// A `DEPBAR` leaves Control.
    pub fn limit(&mut self, warp: WarpId, limit: CounterLimit) {
        self.of_warp[warp.index()].limit = Some(limit);
    }

    /// A cycle passes: warps whose `DEPBAR` was content in it wait no longer. Counters change after it.
    pub fn forget_limits(&mut self) {
        for of_warp in &mut self.of_warp[..self.warps] {
            of_warp.limit = of_warp.limit.filter(|limit| of_warp.is_over(limit));
        }
    }
}

impl Clocked for DependenceCounters {
    type In = DependenceCountersIn;
    type Out = DependenceCountersOut;

    fn settle(&mut self, inputs: &DependenceCountersIn) -> DependenceCountersOut {
        self.inputs = *inputs;
        let mut outputs = DependenceCountersOut::default();
        for warp in 0..self.warps {
            outputs.free[warp] = self.is_free(WarpId(warp as u8), inputs.wait_mask[warp] as u8);
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
            self.increment(warp, [inputs.write_counter as u8, inputs.read_counter as u8]);
            if inputs.limit_valid {
                self.limit(
                    warp,
                    CounterLimit {
                        counter: inputs.limit_counter as u8,
                        value: inputs.limit_value as u8,
                        mask: inputs.limit_mask as u8,
                    },
                );
            }
        }
    }
}
