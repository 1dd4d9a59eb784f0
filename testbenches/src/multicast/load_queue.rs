// SPDX-License-Identifier: Apache-2.0
//! Testbench of the request queue.

use gpurf_blocks::ports::{LoadQueueIn, LoadQueueOut};
use gpurf_blocks::{Parameters, QUEUE_DEPTH, SUB_CORES};
use gpurf_hw::multicast::LoadQueue;

use crate::{expect, expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for LoadQueue<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::LoadQueue::new(parameters))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::<LoadQueueStimulus>::default()
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![
            Scenario {
                name: "two_places_for_each_sub_core",
                rule: "I 5.2.3: double buffering, two entries per sub-core",
                play: |bench| {
                    for number in 0..QUEUE_DEPTH as u32 {
                        let out = bench.cycle(from(2, number))?;
                        expect_eq!(out.ready, [true; SUB_CORES], format!("a place for request {number}"))?;
                    }
                    let out = bench.cycle(from(2, 9))?;
                    expect(!out.ready[2] && out.ready[1], "no third place, and others are not in the way")?;
                    for number in 0..QUEUE_DEPTH as u32 {
                        let out = bench.cycle(LoadQueueIn { pop: true, ..LoadQueueIn::default() })?;
                        expect(out.head_valid && out.head_address == number, "first in, first out")?;
                    }
                    expect(!bench.cycle(LoadQueueIn::default())?.head_valid, "the third was not taken")
                },
            },
            Scenario {
                name: "sub_cores_take_turns",
                rule: "I 3.1: requests of the sub-cores are served in turn",
                play: |bench| {
                    let mut inputs = LoadQueueIn::default();
                    for sub_core in 0..SUB_CORES {
                        (inputs.push[sub_core], inputs.push_address[sub_core]) = (true, sub_core as u32);
                    }
                    bench.cycle(inputs)?;
                    for sub_core in 0..SUB_CORES as u32 {
                        // The head stays until it is done.
                        let out = bench.cycle(LoadQueueIn::default())?;
                        expect_eq!(out.head_address, sub_core, format!("sub-core {sub_core}"))?;
                        bench.cycle(LoadQueueIn { pop: true, ..LoadQueueIn::default() })?;
                    }
                    Ok(())
                },
            },
        ]
    }
}

register!(LoadQueue<V, A>);

fn from(sub_core: usize, address: u32) -> LoadQueueIn {
    let mut inputs = LoadQueueIn::default();
    (inputs.push[sub_core], inputs.push_address[sub_core]) = (true, address);
    inputs
}

/// As many requests for some time as fill the queue, or so few that it is empty again and again.
#[derive(Default)]
struct LoadQueueStimulus {
    density: usize,
    /// Requests in the queue.
    held: usize,
}

impl Stimulus<LoadQueueIn, LoadQueueOut> for LoadQueueStimulus {
    fn next(&mut self, random: &mut Random) -> LoadQueueIn {
        let mut inputs = LoadQueueIn::default();
        if random.percent(5) {
            self.density = random.pick(&[2, 10, 30, 80]);
        }
        for sub_core in 0..SUB_CORES {
            inputs.push[sub_core] = random.percent(self.density);
            inputs.push_release[sub_core] = random.percent(20);
            inputs.push_warp[sub_core] = random.below(64) as u32;
            inputs.push_address[sub_core] = random.below(1 << 16) as u32;
            inputs.push_source[sub_core] = random.below(256) as u32;
            inputs.push_destination[sub_core] = random.below(256) as u32;
        }
        inputs.pop = random.percent(50) && self.held > 0;
        inputs
    }

    fn observe(&mut self, inputs: &LoadQueueIn, outputs: &LoadQueueOut) -> Result<(), String> {
        self.held += (0..SUB_CORES).filter(|&from| inputs.push[from] && outputs.ready[from]).count();
        self.held -= usize::from(inputs.pop);
        Ok(())
    }
}
