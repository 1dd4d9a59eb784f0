// SPDX-License-Identifier: Apache-2.0
//! Testbench of the round-robin arbiter that holds its grant.

use gpurf_blocks::ports::HoldingArbiterIn;
use gpurf_blocks::Parameters;
use gpurf_hw::multicast::HoldingArbiter;

use crate::{expect, register, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for HoldingArbiter {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::HoldingArbiter::new(parameters.collectors))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(HoldingArbiterStimulus { requesters: parameters.collectors })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![Scenario {
            name: "holds_its_grant",
            rule: "I 3.1: a request stays at the head until it is done",
            play: |bench| {
                let last = bench.parameters.collectors - 1;
                let mut inputs = HoldingArbiterIn::default();
                inputs.request[last] = true;
                expect(bench.cycle(inputs)?.grant[last], "the only request is granted")?;
                inputs.request[0] = true;
                expect(bench.cycle(inputs)?.grant[last], "another one does not take the grant away")?;
                let granted = bench.cycle(HoldingArbiterIn { finish: true, ..inputs })?.grant[last];
                expect(granted, "it is granted in the cycle in which it is done")?;
                expect(bench.cycle(inputs)?.grant[0], "then the next one's turn has come")
            },
        }]
    }
}

register!(HoldingArbiter);

struct HoldingArbiterStimulus {
    requesters: usize,
}

impl<O> Stimulus<HoldingArbiterIn, O> for HoldingArbiterStimulus {
    fn next(&mut self, random: &mut Random) -> HoldingArbiterIn {
        let mut inputs = HoldingArbiterIn::default();
        let density = random.pick(&[10, 50, 90]);
        inputs.request[..self.requesters].fill_with(|| random.percent(density));
        inputs.finish = inputs.request.contains(&true) && random.percent(50);
        inputs
    }
}
