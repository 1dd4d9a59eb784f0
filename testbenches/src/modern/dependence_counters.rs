// SPDX-License-Identifier: Apache-2.0
//! Testbench of the dependence counters.

use gpurf_blocks::ports::{DependenceCountersIn, DependenceCountersOut};
use gpurf_blocks::{Parameters, DECREMENTS, DEPENDENCE_COUNTERS, MAX_WARPS};
use gpurf_hw::modern::DependenceCounters;

use crate::{expect, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for DependenceCounters {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::modern::DependenceCounters::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let counters = [[0; DEPENDENCE_COUNTERS]; MAX_WARPS];
        Box::new(DependenceCountersStimulus { warps: parameters.warps, counters, few: 1, rises: 50 })
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(DependenceCounters);

/// No counter.
const NONE: u32 = 7;

/// Instructions of few warps or of all, and as many results and reads as there are instructions; as the
/// check, the counters.
struct DependenceCountersStimulus {
    warps: usize,
    counters: [[u32; DEPENDENCE_COUNTERS]; MAX_WARPS],
    /// Warps that have instructions.
    few: usize,
    /// Chance of an instruction, in percent: counters rise above it, and fall below.
    rises: usize,
}

impl Stimulus<DependenceCountersIn, DependenceCountersOut> for DependenceCountersStimulus {
    fn next(&mut self, random: &mut Random) -> DependenceCountersIn {
        if random.percent(1) {
            self.few = random.pick(&[1, 2, self.warps]);
            self.rises = random.pick(&[10, 60, 95]);
        }
        let mut inputs = DependenceCountersIn { control: random.percent(self.rises), ..Default::default() };
        let warp = random.below(self.few);
        inputs.warp = warp as u32;
        let counter = |random: &mut Random| match random.percent(30) {
            true => NONE,
            false => random.below(DEPENDENCE_COUNTERS) as u32,
        };
        (inputs.write_counter, inputs.read_counter) = (counter(random), counter(random));
        let is_full = |counter: u32| counter != NONE && self.counters[warp][counter as usize] > 61;
        inputs.control &= !is_full(inputs.write_counter) && !is_full(inputs.read_counter);
        inputs.limit_valid = random.percent(20);
        inputs.limit_counter = random.below(DEPENDENCE_COUNTERS) as u32;
        let level = self.counters[warp][inputs.limit_counter as usize];
        let any = random.below(64) as u32;
        inputs.limit_value = random.pick(&[0, 1, level, level.saturating_sub(1), any]);
        inputs.limit_mask = if random.percent(60) { 0 } else { random.below(64) as u32 };
        let mut left = self.counters;
        let falls = if self.rises > 90 { 20 } else { 60 };
        for place in 0..DECREMENTS {
            let (warp, counter) = (random.below(self.warps), random.below(DEPENDENCE_COUNTERS));
            // Of the warps that have instructions there are more.
            let warp = if left[warp][counter] == 0 { random.below(self.few) } else { warp };
            inputs.decrement_valid[place] = left[warp][counter] > 0 && random.percent(falls);
            inputs.decrement_warp[place] = warp as u32;
            inputs.decrement_counter[place] = counter as u32;
            left[warp][counter] -= u32::from(inputs.decrement_valid[place]);
        }
        for warp in 0..self.warps {
            let one = 1 << random.below(DEPENDENCE_COUNTERS);
            let any = random.below(64) as u32;
            inputs.wait_mask[warp] = random.pick(&[0, one, any]);
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &DependenceCountersIn,
        outputs: &DependenceCountersOut,
    ) -> Result<(), String> {
        for warp in 0..self.warps {
            let waits = |counter: &usize| {
                inputs.wait_mask[warp] >> counter & 1 == 1 && self.counters[warp][*counter] > 0
            };
            if outputs.free[warp] && (0..DEPENDENCE_COUNTERS).any(|counter| waits(&counter)) {
                return Err(format!("warp {warp} does not wait"));
            }
        }
        for place in (0..DECREMENTS).filter(|&place| inputs.decrement_valid[place]) {
            let counter = inputs.decrement_counter[place] as usize;
            self.counters[inputs.decrement_warp[place] as usize][counter] -= 1;
        }
        for counter in [inputs.write_counter, inputs.read_counter] {
            if inputs.control && counter != NONE {
                self.counters[inputs.warp as usize][counter as usize] += 1;
            }
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, DependenceCountersIn, DependenceCountersOut>;

fn idle() -> DependenceCountersIn {
    DependenceCountersIn { write_counter: NONE, read_counter: NONE, ..Default::default() }
}

/// An instruction of warp 3 leaves Control.
fn control(write_counter: u32, read_counter: u32) -> DependenceCountersIn {
    DependenceCountersIn { control: true, warp: 3, write_counter, read_counter, ..idle() }
}

/// So many results of warp 3 and this counter.
fn results(counter: u32, count: usize) -> DependenceCountersIn {
    let mut inputs = idle();
    for place in 0..count {
        inputs.decrement_valid[place] = true;
        inputs.decrement_warp[place] = 3;
        inputs.decrement_counter[place] = counter;
    }
    inputs
}

/// Returns true if an instruction of warp 3 that waits for these counters may issue.
fn is_free(bench: &mut Bench, mask: u32) -> Result<bool, String> {
    let mut inputs = idle();
    inputs.wait_mask[3] = mask;
    Ok(bench.peek(inputs)?.free[3])
}

fn scenarios() -> Vec<Scenario<DependenceCountersIn, DependenceCountersOut>> {
    vec![
        Scenario {
            name: "a_counter_rises_behind_control",
            rule: "H 4: counters are incremented in Control, the cycle after issue, and seen in the cycle after that",
            play: |bench| {
                let mut inputs = control(2, NONE);
                inputs.wait_mask[3] = 0b100;
                expect(bench.cycle(inputs)?.free[3], "not in the cycle of Control")?;
                expect(!is_free(bench, 0b100)?, "in the next it is")?;
                expect(is_free(bench, 0b011)?, "and no other is")
            },
        },
        Scenario {
            name: "a_result_and_a_read_have_counters_of_their_own",
            rule: "H 4: one is decremented at write-back, one when the sources are read",
            play: |bench| {
                bench.cycle(control(0, 5))?;
                expect(!is_free(bench, 1)? && !is_free(bench, 0b10_0000)?, "both are up")?;
                bench.cycle(results(5, 1))?;
                expect(!is_free(bench, 1)? && is_free(bench, 0b10_0000)?, "the sources are read")?;
                bench.cycle(results(0, 1))?;
                expect(is_free(bench, 0b11_1111)?, "the result is written")
            },
        },
        Scenario {
            name: "one_counter_counts_several",
            rule: "H 4: a counter goes from 0 to 63",
            play: |bench| {
                for count in 1..64 {
                    bench.cycle(control(4, NONE))?;
                    expect(!is_free(bench, 0b1_0000)?, format!("{count} are under way"))?;
                }
                for left in (0..63).rev() {
                    expect(!is_free(bench, 0b1_0000)?, format!("{left} are left and one"))?;
                    bench.cycle(results(4, 1))?;
                }
                expect(is_free(bench, 0b1_0000)?, "none is left")
            },
        },
        Scenario {
            name: "changes_of_a_cycle_add",
            rule: "our decision: as many results and reads as come in a cycle count",
            play: |bench| {
                for _ in 0..3 {
                    bench.cycle(control(1, 1))?;
                }
                let mut both = results(1, DECREMENTS);
                (both.control, both.warp, both.write_counter) = (true, 3, 1);
                bench.cycle(both)?;
                bench.cycle(results(1, 2))?;
                expect(!is_free(bench, 0b10)?, "six and one, less six")?;
                bench.cycle(results(1, 1))?;
                expect(is_free(bench, 0b10)?, "and the last")
            },
        },
        Scenario {
            name: "warps_do_not_wait_for_each_other",
            rule: "H 4: each warp has six counters",
            play: |bench| {
                bench.cycle(control(0, NONE))?;
                let mut inputs = idle();
                inputs.wait_mask = [0b11_1111; MAX_WARPS];
                let out = bench.cycle(inputs)?;
                let warps = bench.parameters.warps;
                expect((0..warps).all(|warp| out.free[warp] == (warp != 3)), "warp 3 alone waits")
            },
        },
        Scenario {
            name: "a_limit_holds_from_the_cycle_after_control",
            rule: "H 4: DEPBAR.LE waits until a counter is at most a value; what issues right behind it does not wait",
            play: |bench| {
                for _ in 0..3 {
                    bench.cycle(control(2, NONE))?;
                }
                let mut limit = control(NONE, NONE);
                (limit.limit_valid, limit.limit_counter, limit.limit_value) = (true, 2, 1);
                expect(bench.cycle(limit)?.free[3], "not in the cycle of Control")?;
                expect(!is_free(bench, 0)?, "three are above one")?;
                bench.cycle(results(2, 1))?;
                expect(!is_free(bench, 0)?, "two are above one")?;
                bench.cycle(results(2, 1))?;
                expect(is_free(bench, 0)?, "one is not")?;
                // The wait is over, whatever comes.
                bench.cycle(control(2, NONE))?;
                expect(is_free(bench, 0)?, "and stays so")
            },
        },
        Scenario {
            name: "a_limit_has_counters_that_must_be_zero",
            rule: "H 4: DEPBAR.LE SBx, n, {...} waits for the others to be zero",
            play: |bench| {
                bench.cycle(control(0, 1))?;
                let mut limit = control(NONE, NONE);
                (limit.limit_valid, limit.limit_counter, limit.limit_mask) = (true, 5, 0b10);
                bench.cycle(limit)?;
                expect(!is_free(bench, 0)?, "counter 1 is not")?;
                bench.cycle(results(1, 1))?;
                expect(is_free(bench, 0)?, "counter 0 does not matter")
            },
        },
    ]
}
