//! Reference model of the dependence counters: H §4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, DEPENDENCE_COUNTERS, MAX_WARPS};

/// What each warp waits for that has no fixed latency: six counters a warp.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct DependenceCounters {
    counters: [[u8; DEPENDENCE_COUNTERS]; MAX_WARPS],
    /// Bit c: counter c is not 0.
    busy: [u8; MAX_WARPS],
}

impl DependenceCounters {
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

    fn note(&mut self, warp: WarpId, counter: u8) {
        let busy = u8::from(self.counters[warp.index()][usize::from(counter)] != 0);
        let set = &mut self.busy[warp.index()];
        *set = *set & !(1 << counter) | busy << counter;
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
