// SPDX-License-Identifier: Apache-2.0
//! Reference model of the prefetcher of register intervals: LTRF, F §VI-A.

use std::ops::Range;

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

    /// The warp enters an interval in this cycle.
    fn enters(&self, warp: usize) -> bool {
        let IntervalPrefetcherIn { arrive, interval, forget, .. } = &self.inputs;
        arrive[warp] && (forget[warp] || self.fetches[warp].interval != Some(interval[warp]))
    }

    /// The registers that a warp still has to ask for, in view of the interval that it enters or forgets; bit
    /// i: the register at place i.
    fn missing(&self, warp: usize) -> u16 {
        match (self.enters(warp), self.inputs.forget[warp]) {
            (true, _) => {
                let wanted = self.inputs.wanted[list(warp)].iter().enumerate();
                wanted.fold(0, |missing, (place, &is)| missing | u16::from(is) << place)
            }
            (false, true) => 0,
            (false, false) => self.fetches[warp].missing,
        }
    }

    /// Places of the registers that the next batch of a warp has.
    fn batch(&self, warp: usize) -> impl Iterator<Item = usize> {
        let missing = self.missing(warp);
        (0..INTERVAL_REGISTERS).filter(move |place| missing >> place & 1 == 1).take(self.slots)
    }
}

/// Places of a warp's list in the inputs.
fn list(warp: usize) -> Range<usize> {
    INTERVAL_REGISTERS * warp..INTERVAL_REGISTERS * (warp + 1)
}

impl Clocked for IntervalPrefetcher {
    type In = IntervalPrefetcherIn;
    type Out = IntervalPrefetcherOut;

    fn settle(&mut self, inputs: &IntervalPrefetcherIn) -> IntervalPrefetcherOut {
        self.inputs = *inputs;
        let mut outputs = IntervalPrefetcherOut::default();
        for warp in 0..self.warps {
            let asks = self.missing(warp) != 0;
            let comes = self.fetches[warp].reading != 0 || inputs.filling[warp];
            (outputs.asks[warp], outputs.waits[warp]) = (asks, !asks && comes);
        }
        let warp = inputs.warp as usize;
        let registers = match self.enters(warp) {
            true => &inputs.registers[list(warp)],
            false => &self.fetches[warp].registers[..],
        };
        for (slot, place) in self.batch(warp).enumerate() {
            (outputs.batch_valid[slot], outputs.batch[slot]) = (true, registers[place]);
        }
        outputs
    }

    fn tick(&mut self) {
        let IntervalPrefetcherIn { warp, issue, leave, leave_warp, .. } = self.inputs;
        let asked = self.batch(warp as usize).fold(0, |asked, place| asked | 1 << place);
        for warp in 0..self.warps {
            let missing = self.missing(warp);
            if self.enters(warp) {
                self.fetches[warp].interval = Some(self.inputs.interval[warp]);
                self.fetches[warp].registers.copy_from_slice(&self.inputs.registers[list(warp)]);
            } else if self.inputs.forget[warp] {
                self.fetches[warp].interval = None;
            }
            self.fetches[warp].missing = missing;
        }
        if issue {
            self.fetches[warp as usize].missing &= !asked;
            self.fetches[warp as usize].reading += 1;
        }
        if leave {
            self.fetches[leave_warp as usize].reading -= 1;
        }
    }

    model_state!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warp_goes_on_when_all_has_come() {
        let mut prefetcher = IntervalPrefetcher::new(&Parameters { slots: 3, ..Parameters::default() });
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
