// SPDX-License-Identifier: Apache-2.0
//! Testbench of the LRU order.

use gpurf_blocks::ports::LruOrderIn;
use gpurf_blocks::{LruStorage, Parameters};
use gpurf_hw::cells::LruOrder;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const I: usize> Testbench for LruOrder<I> {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::LruOrder::new(1 << I))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LruOrderStimulus { entries: 1 << I })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        if parameters.lru_order != LruStorage::Ranks {
            return vec![];
        }
        // No two entries have one rank.
        let rank = |entry: usize| format!("rank[{} +: {I}]", I * entry);
        let pairs = (0..1 << I).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.map(|(one, other)| format!("{} != {}", rank(one), rank(other))).collect()
    }
}

register!(LruOrder<I>);

struct LruOrderStimulus {
    entries: usize,
}

impl<O> Stimulus<LruOrderIn, O> for LruOrderStimulus {
    fn next(&mut self, random: &mut Random) -> LruOrderIn {
        let mut inputs = LruOrderIn::default();
        let density = random.pick(&[0, 10, 50, 90]);
        inputs.touch[..self.entries].fill_with(|| random.percent(density));
        inputs
    }
}
