// SPDX-License-Identifier: Apache-2.0
//! Testbench of the loads that wait for scoreboards.

use gpurf_blocks::ports::{PendingLoadsIn, PendingLoadsOut};
use gpurf_blocks::{Parameters, PENDING, SUB_CORES};
use gpurf_hw::multicast::PendingLoads;

use crate::{expect, expect_eq, register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const V: usize, const A: usize> Testbench for PendingLoads<V, A> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::multicast::PendingLoads::new(parameters))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(PendingLoadsStimulus)
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        vec![
            Scenario {
                name: "both_sub_cores_are_asked",
                rule: "I 3.1: before data are moved from SMEM to RF, the two sub-cores must check their dependencies",
                play: |bench| {
                    expect(bench.cycle(load(5, Some(6), 9))?.accepted, "there is a place")?;
                    let out = bench.cycle(PendingLoadsIn::default())?;
                    expect_eq!(out.ask_valid, [false, true, true, false], "sub-cores 1 and 2 are asked")?;
                    expect(out.ask_register[1] == 9 && out.ask_warp[2] == 6, "about the destination")?;
                    bench.cycle(answer([false, true, false, false]))?;
                    let out = bench.cycle(answer([false, false, true, false]))?;
                    expect(!out.load_valid, "it waits for the second answer")?;
                    let out = bench.cycle(PendingLoadsIn { load_ready: true, ..Default::default() })?;
                    expect(out.load_valid && out.load_second_valid, "and leaves for both warps")?;
                    expect(!bench.cycle(PendingLoadsIn::default())?.load_valid, "once")
                },
            },
            Scenario {
                name: "one_warps_loads_into_a_register_keep_their_order",
                rule: "I 3.1: a load into a register that a waiting load writes for the same warp waits outside",
                play: |bench| {
                    bench.cycle(load(5, None, 9))?;
                    expect(!bench.cycle(load(5, None, 9))?.accepted, "the same register of the same warp")?;
                    expect(bench.cycle(load(9, None, 9))?.accepted, "of another warp")?;
                    expect(!bench.cycle(load(3, Some(9), 9))?.accepted, "a second warp counts as well")?;
                    expect(bench.cycle(load(5, None, 8))?.accepted, "another register")
                },
            },
            Scenario {
                name: "four_places",
                rule: "I 3.1: multicast loads wait for the scoreboards; this project has four places for them",
                play: |bench| {
                    for register in 0..PENDING as u32 {
                        expect(bench.cycle(load(5, None, register))?.accepted, "a place")?;
                    }
                    expect(!bench.cycle(load(5, None, 99))?.accepted, "no more")
                },
            },
        ]
    }
}

register!(PendingLoads<V, A>);

fn load(first: u32, second: Option<u32>, destination: u32) -> PendingLoadsIn {
    PendingLoadsIn {
        offer: true,
        offer_destination: destination,
        offer_first_warp: first,
        offer_second_valid: second.is_some(),
        offer_second_warp: second.unwrap_or(0),
        ..Default::default()
    }
}

fn answer(enable: [bool; SUB_CORES]) -> PendingLoadsIn {
    PendingLoadsIn { enable, ..Default::default() }
}

/// Few warps and registers, so that loads clash; scoreboards and a memory that are slow or fast.
struct PendingLoadsStimulus;

impl Stimulus<PendingLoadsIn, PendingLoadsOut> for PendingLoadsStimulus {
    fn next(&mut self, random: &mut Random) -> PendingLoadsIn {
        let (warps, registers) = (random.pick(&[2, 8, 64]), random.pick(&[1, 4, 256]));
        let first = random.below(warps);
        let mut inputs = PendingLoadsIn {
            offer: random.percent(60),
            offer_address: random.below(1 << 16) as u32,
            offer_source: random.below(256) as u32,
            offer_destination: random.below(registers) as u32,
            offer_first_warp: first as u32,
            offer_second_valid: random.percent(50),
            offer_second_warp: ((first + 1 + random.below(warps - 1)) % warps) as u32,
            load_ready: random.percent(50),
            ..Default::default()
        };
        let density = random.pick(&[10, 50, 90]);
        inputs.enable.fill_with(|| random.percent(density));
        inputs
    }
}
