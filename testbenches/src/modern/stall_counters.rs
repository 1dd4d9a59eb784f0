// SPDX-License-Identifier: Apache-2.0
//! Testbench of the stall counters.

use gpurf_blocks::ports::{StallCountersIn, StallCountersOut};
use gpurf_blocks::{Parameters, MAX_WARPS};
use gpurf_hw::modern::StallCounters;

use crate::{expect, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for StallCounters {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::StallCounters::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(StallCountersStimulus {
            parameters: *parameters,
            moves: 0,
            earliest: [0; MAX_WARPS],
            holds: 0,
            long: false,
        })
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        vec!["!(issued & hold)".into()]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(StallCounters);

/// Cycles from an instruction to the next one of its warp.
fn distance(parameters: &Parameters, stall: u32, yields: bool) -> u64 {
    let Parameters { long_stall, collapsed, .. } = *parameters;
    match (stall, yields) {
        (0, false) => 1,
        (0, true) => long_stall as u64,
        (1, true) => 2,
        (12.., false) => collapsed as u64,
        (stall, _) => stall.into(),
    }
}

/// Instructions of free warps, and times in which the pipeline stands; as the check, the cycle from which on
/// each warp is free, counted in cycles in which it moves.
struct StallCountersStimulus {
    parameters: Parameters,
    moves: u64,
    earliest: [u64; MAX_WARPS],
    /// Chance that the pipeline stands, in percent.
    holds: usize,
    /// Counts of any length, or mostly short ones.
    long: bool,
}

impl Stimulus<StallCountersIn, StallCountersOut> for StallCountersStimulus {
    fn next(&mut self, random: &mut Random) -> StallCountersIn {
        if random.percent(3) {
            self.holds = random.pick(&[0, 20, 80]);
            self.long = random.percent(50);
        }
        let warps = self.parameters.warps;
        let free: Vec<usize> = (0..warps).filter(|&warp| self.earliest[warp] <= self.moves).collect();
        let mut inputs = StallCountersIn { hold: random.percent(self.holds), ..Default::default() };
        inputs.warp = random.below(warps) as u32;
        if !free.is_empty() && !inputs.hold && random.percent(80) {
            inputs.issued = true;
            inputs.warp = free[random.below(free.len())] as u32;
        }
        inputs.stall = random.below(if self.long { 16 } else { 4 }) as u32;
        // A long stall is rare: else all warps wait.
        inputs.yields = random.percent(if inputs.stall == 0 { 10 } else { 50 });
        for warp in 0..warps {
            inputs.launch[warp] = random.percent(2) && !(inputs.issued && inputs.warp == warp as u32);
        }
        inputs
    }

    fn observe(&mut self, inputs: &StallCountersIn, outputs: &StallCountersOut) -> Result<(), String> {
        for warp in 0..self.parameters.warps {
            if outputs.free[warp] != (self.earliest[warp] <= self.moves) {
                return Err(format!("warp {warp} is free: {}", outputs.free[warp]));
            }
        }
        if inputs.issued {
            let distance = distance(&self.parameters, inputs.stall, inputs.yields);
            self.earliest[inputs.warp as usize] = self.moves + distance;
        }
        self.moves += u64::from(!inputs.hold);
        for warp in (0..self.parameters.warps).filter(|&warp| inputs.launch[warp]) {
            self.earliest[warp] = self.moves;
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, StallCountersIn, StallCountersOut>;

/// Cycles until warp 2 is free, after an instruction with this count.
fn wait(bench: &mut Bench, stall: u32, yields: bool) -> Result<u64, String> {
    let issue = StallCountersIn { issued: true, warp: 2, stall, yields, ..Default::default() };
    expect(bench.cycle(issue)?.free[2], "the warp is free before it issues")?;
    for cycles in 1..100 {
        if bench.peek(StallCountersIn::default())?.free[2] {
            return Ok(cycles);
        }
        bench.cycle(StallCountersIn::default())?;
    }
    Err("the wait has no end".into())
}

fn waits(bench: &mut Bench, stall: u32, yields: bool, expected: u64) -> Result<(), String> {
    let waited = wait(bench, stall, yields)?;
    expect(waited == expected, format!("stall {stall}, yield {yields}: {waited} cycles and not {expected}"))
}

fn scenarios() -> Vec<Scenario<StallCountersIn, StallCountersOut>> {
    vec![
        Scenario {
            name: "a_count_is_in_cycles",
            rule: "H 4: the stall counter of a warp is set at issue and decreases by one in each cycle",
            play: |bench| (1..12).try_for_each(|stall| waits(bench, stall, false, stall.into())),
        },
        Scenario {
            name: "a_yield_gives_the_next_cycle_away",
            rule: "H 4: with its yield bit set, the next cycle goes to another warp; beyond a stall of 1 it adds nothing",
            play: |bench| {
                waits(bench, 1, true, 2)?;
                (2..16).try_for_each(|stall| waits(bench, stall, true, stall.into()))
            },
        },
        Scenario {
            name: "a_long_count_needs_its_yield",
            rule: "H 4: a count above 11 without yield lasts 1 or 2 cycles",
            play: |bench| {
                let collapsed = bench.parameters.collapsed as u64;
                (12..16).try_for_each(|stall| waits(bench, stall, false, collapsed))
            },
        },
        Scenario {
            name: "no_count_and_a_yield_wait_for_long",
            rule: "H 4: a count of 0 with yield lasts 45 cycles; without yield our decision: the next cycle",
            play: |bench| {
                let long = bench.parameters.long_stall as u64;
                waits(bench, 0, true, long)?;
                waits(bench, 0, false, 1)
            },
        },
        Scenario {
            name: "counts_stand_with_the_pipeline",
            rule: "our inference from H 5.3, bubbles come in front: counts are of cycles in which the pipeline moves",
            play: |bench| {
                bench.cycle(StallCountersIn { issued: true, warp: 1, stall: 3, ..Default::default() })?;
                for _ in 0..5 {
                    let out = bench.cycle(StallCountersIn { hold: true, ..Default::default() })?;
                    expect(!out.free[1] && out.free[0], "nobody's count changes")?;
                }
                for left in [2, 1] {
                    let out = bench.cycle(StallCountersIn::default())?;
                    expect(!out.free[1], format!("{left} cycles are left"))?;
                }
                expect(bench.cycle(StallCountersIn::default())?.free[1], "the wait ends")
            },
        },
        Scenario {
            name: "a_new_warp_waits_for_nothing",
            rule: "our decision: the count of the warp before it is not its own",
            play: |bench| {
                bench.cycle(StallCountersIn { issued: true, warp: 4, stall: 11, ..Default::default() })?;
                let mut launch = StallCountersIn::default();
                launch.launch[4] = true;
                expect(!bench.cycle(launch)?.free[4], "the old warp waits")?;
                expect(bench.cycle(StallCountersIn::default())?.free[4], "the new one does not")
            },
        },
    ]
}
