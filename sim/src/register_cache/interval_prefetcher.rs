// SPDX-License-Identifier: Apache-2.0
//! Reference model of the prefetcher of register intervals: LTRF, F §VI-A.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{IntervalPrefetcherIn, IntervalPrefetcherOut};
use gpurf_blocks::{Clocked, Parameters, INTERVAL_REGISTERS, MAX_WARPS};

use crate::checkpoint::model_state;

/// The intervals that warps are in, and what they still have to fetch.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct IntervalPrefetcher {
    slots: usize,
    warps: usize,
    fetches: [Fetch; MAX_WARPS],
    #[borsh(skip)]
    inputs: IntervalPrefetcherIn,
}

/// The interval of a warp.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Fetch {
    interval: Option<u32>,
    registers: [u32; INTERVAL_REGISTERS],
    /// Bit i: the register at place i is still to be asked for.
    missing: u16,
    /// Batches in collectors.
    reading: u8,
}

impl IntervalPrefetcher {
    /// After reset: no warp is in an interval.
    pub fn new(parameters: &Parameters) -> Self {
        IntervalPrefetcher {
            slots: parameters.slots,
            warps: parameters.warps,
            fetches: [Fetch::default(); MAX_WARPS],
            inputs: IntervalPrefetcherIn::default(),
        }
    }

    /// A warp that may have entered an interval, or have forgotten its own.
    fn arrived(&self, warp: usize) -> Fetch {
        let (inputs, mut fetch) = (&self.inputs, self.fetches[warp]);
        if inputs.forget[warp] {
            (fetch.interval, fetch.missing) = (None, 0);
        }
        let interval = Some(inputs.interval[warp]);
        if inputs.arrive[warp] && fetch.interval != interval {
            let list = INTERVAL_REGISTERS * warp..INTERVAL_REGISTERS * (warp + 1);
            let wanted = inputs.wanted[list.clone()].iter().enumerate();
            fetch.missing = wanted.fold(0, |missing, (place, &is)| missing | u16::from(is) << place);
            fetch.registers.copy_from_slice(&inputs.registers[list]);
            fetch.interval = interval;
        }
        fetch
    }
}

impl Fetch {
    /// Places of the registers that the next batch has, which has room for so many.
    fn places(&self, slots: usize) -> impl Iterator<Item = usize> {
        let missing = self.missing;
        (0..INTERVAL_REGISTERS).filter(move |place| missing >> place & 1 == 1).take(slots)
    }
}

impl Clocked for IntervalPrefetcher {
    type In = IntervalPrefetcherIn;
    type Out = IntervalPrefetcherOut;

    fn settle(&mut self, inputs: &IntervalPrefetcherIn) -> IntervalPrefetcherOut {
        self.inputs = *inputs;
        let mut outputs = IntervalPrefetcherOut::default();
        for warp in 0..self.warps {
            let Fetch { missing, reading, .. } = self.arrived(warp);
            outputs.asks[warp] = missing != 0;
            outputs.waits[warp] = missing == 0 && (reading != 0 || inputs.filling[warp]);
        }
        let picked = self.arrived(inputs.warp as usize);
        for (slot, place) in picked.places(self.slots).enumerate() {
            (outputs.batch_valid[slot], outputs.batch[slot]) = (true, picked.registers[place]);
        }
        outputs
    }

    fn tick(&mut self) {
        let IntervalPrefetcherIn { issue, leave, .. } = self.inputs;
        let [warp, leave_warp] = [self.inputs.warp, self.inputs.leave_warp].map(|warp| warp as usize);
        self.fetches = std::array::from_fn(|warp| self.arrived(warp));
        if issue {
            let fetch = &mut self.fetches[warp];
            let asked = fetch.places(self.slots).fold(0, |asked, place| asked | 1 << place);
            fetch.missing &= !asked;
            fetch.reading += 1;
        }
        if leave {
            self.fetches[leave_warp].reading -= 1;
        }
    }

    model_state!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_goes_on_when_all_has_come() {
        let mut prefetcher =
            IntervalPrefetcher::new(&Parameters { slots: 3, ..Parameters::default() });
        let mut inputs = IntervalPrefetcherIn { warp: 2, issue: true, ..IntervalPrefetcherIn::default() };
        (inputs.arrive[2], inputs.interval[2]) = (true, 7);
        for (place, register) in [1, 2, 5, 9].into_iter().enumerate() {
            inputs.registers[2 * INTERVAL_REGISTERS + place] = register;
            inputs.wanted[2 * INTERVAL_REGISTERS + place] = register != 2;
        }
        let mut cycle = |inputs: &IntervalPrefetcherIn| {
            let outputs = prefetcher.settle(inputs);
            prefetcher.tick();
            let batch = (0..3).filter(|&slot| outputs.batch_valid[slot]).map(|slot| outputs.batch[slot]);
            (outputs.asks[2], outputs.waits[2], batch.collect::<Vec<_>>())
        };
        assert_eq!(cycle(&inputs), (true, false, vec![1, 5, 9]));
        inputs.issue = false;
        assert_eq!(cycle(&inputs), (false, true, vec![]));
        (inputs.leave, inputs.leave_warp) = (true, 2);
        assert_eq!(cycle(&inputs), (false, true, vec![]));
        (inputs.leave, inputs.filling[2]) = (false, true);
        assert_eq!(cycle(&inputs), (false, true, vec![]));
        inputs.filling[2] = false;
        assert_eq!(cycle(&inputs), (false, false, vec![]));
    }
}
