// SPDX-License-Identifier: Apache-2.0
//! Testbench of the round-robin arbiter.

use gpurf_blocks::ports::RoundRobinIn;
use gpurf_blocks::Parameters;
use gpurf_hw::cells::RoundRobin;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for RoundRobin {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::RoundRobin::new(parameters.collectors))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RoundRobinStimulus { requesters: parameters.collectors })
    }
}

register!(RoundRobin);

struct RoundRobinStimulus {
    requesters: usize,
}

impl<O> Stimulus<RoundRobinIn, O> for RoundRobinStimulus {
    fn next(&mut self, random: &mut Random) -> RoundRobinIn {
        let mut inputs = RoundRobinIn::default();
        let density = random.pick(&[10, 50, 90]);
        inputs.request[..self.requesters].fill_with(|| random.percent(density));
        inputs.advance = inputs.request.contains(&true) && random.percent(80);
        inputs
    }
}
