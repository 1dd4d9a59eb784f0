// SPDX-License-Identifier: Apache-2.0
//! Testbench of the STHLD controller.

use gpurf_blocks::ports::{SthldControllerIn, SthldControllerOut};
use gpurf_blocks::Parameters;
use gpurf_hw::issue::SthldController;

use crate::{expect, expect_eq, register, spread, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for SthldController {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::issue::SthldController::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SthldControllerStimulus::new(parameters.interval))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { interval, .. } = *parameters;
        // An instruction of each sub-core in a cycle, and so no more in an interval than that.
        vec![
            "issued <= 4".into(),
            format!("instructions <= {}", 4 * (interval - 1)),
            format!("previous <= {}", 4 * interval),
        ]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(SthldController);

/// A rate of issue that mostly stays the same from interval to interval, with a few instructions more or
/// less: changes are small and large, and now and then close to the threshold.
struct SthldControllerStimulus {
    interval: usize,
    cycle: usize,
    rate: u32,
    /// For a hundred cycles, those in which the rate is not kept.
    jitter: usize,
}

impl SthldControllerStimulus {
    fn new(interval: usize) -> Self {
        SthldControllerStimulus { interval, cycle: 0, rate: 0, jitter: 0 }
    }
}

impl<O> Stimulus<SthldControllerIn, O> for SthldControllerStimulus {
    fn next(&mut self, random: &mut Random) -> SthldControllerIn {
        if self.cycle % self.interval == 0 {
            if random.percent(30) {
                self.rate = random.below(5) as u32;
            }
            self.jitter = random.pick(&[0, 1, 2, 5]);
        }
        self.cycle += 1;
        let issued = if random.percent(self.jitter) { random.below(5) as u32 } else { self.rate };
        SthldControllerIn { issued }
    }
}

type Bench<'a> = Drive<'a, SthldControllerIn, SthldControllerOut>;

/// An interval with so many instructions, evenly spread; what stands after it.
fn interval(bench: &mut Bench, instructions: usize) -> Result<SthldControllerOut, String> {
    let interval = bench.parameters.interval;
    for cycle in 0..interval {
        let until = |cycle: usize| cycle * instructions / interval;
        let issued = (until(cycle + 1) - until(cycle)) as u32;
        let out = bench.cycle(SthldControllerIn { issued })?;
        expect_eq!(out.interval_end, (cycle + 1 == interval), "an interval ends with its last cycle")?;
    }
    bench.peek(SthldControllerIn::default())
}

/// Intervals with the same number of instructions in every cycle of an interval.
fn rates(bench: &mut Bench, rates: &[usize]) -> Result<SthldControllerOut, String> {
    let cycles = bench.parameters.interval;
    rates.iter().try_fold(SthldControllerOut::default(), |_, rate| interval(bench, rate * cycles))
}

/// The most instructions of an interval, and the inverse of the threshold.
fn bounds(bench: &Bench) -> (usize, usize) {
    let inverse = bench.parameters.sthld_table.inverse_threshold as usize;
    (4 * bench.parameters.interval, inverse)
}

/// One interval after another with so many instructions. Every change is judged as the table says.
fn judged(bench: &mut Bench, counts: &[usize]) -> Result<(), String> {
    let table = bench.parameters.sthld_table;
    let mut previous = 0;
    for &count in counts {
        let before = bench.peek(SthldControllerIn::default())?;
        let out = interval(bench, count)?;
        let is_small =
            count == previous || count.abs_diff(previous) * (table.inverse_threshold as usize) < previous;
        let edges = table.state[before.state as usize - 1];
        let edge = if is_small { edges.small } else { edges.large };
        let sthld = (before.sthld as i32 + edge.step).clamp(0, table.maximum as i32);
        let (found, expected) = ((out.state, out.sthld as i32), (edge.next, sthld));
        expect_eq!(
            found,
            expected,
            format!("{count} after {previous}: state and STHLD are {found:?}, not {expected:?}"),
        )?;
        previous = count;
    }
    Ok(())
}

fn scenarios() -> Vec<Scenario<SthldControllerIn, SthldControllerOut>> {
    vec![
        Scenario {
            name: "starts_in_state_1",
            rule: "F IV-B3: the algorithm starts from state 1, and sets STHLD at the end of each interval",
            play: |bench| {
                let out = bench.peek(SthldControllerIn::default())?;
                expect_eq!((out.state, out.sthld), (1, 0), "state 1 and no waiting")?;
                let out = rates(bench, &[1])?;
                expect(out.state == 2 && out.sthld > 0, "then state 2, whatever the first interval was")
            },
        },
        Scenario {
            name: "climbs_the_flat_region",
            rule: "F IV-B3, Fig. 9a: while changes are small STHLD is increased",
            play: |bench| {
                let mut before = rates(bench, &[2])?;
                for _ in 0..4 {
                    let out = rates(bench, &[2])?;
                    expect(out.state == 2 && out.sthld > before.sthld, "a step up in state 2")?;
                    before = out;
                }
                Ok(())
            },
        },
        Scenario {
            name: "stops_at_the_maximum",
            rule: "our decision: STHLD saturates at its maximum",
            play: |bench| {
                let maximum = bench.parameters.sthld_table.maximum;
                let out = rates(bench, &[3; 35])?;
                expect_eq!(out.sthld, maximum, format!("STHLD is {} at its maximum {maximum}", out.sthld))
            },
        },
        Scenario {
            name: "small_is_below_a_fiftieth",
            rule: "F IV-B3: a relative difference of less than 0.02 is considered small",
            play: |bench| {
                let cycles = bench.parameters.interval;
                let threshold = cycles.div_ceil(50);
                rates(bench, &[1])?;
                let out = interval(bench, cycles + threshold - 1)?;
                expect_eq!(out.state, 2, "just below the threshold")?;
                rates(bench, &[1, 1])?;
                let before = rates(bench, &[1])?;
                expect(before.state != 6, "still on its way")?;
                let out = interval(bench, cycles - threshold)?;
                expect(out.state != before.state || out.sthld < before.sthld, "at the threshold")
            },
        },
        Scenario {
            name: "no_large_change_is_too_large",
            rule: "F IV-B3: a change is large from 0.02 on, whatever the product in place of a division amounts to",
            play: |bench| {
                let (full, inverse) = bounds(bench);
                // Products in which one place is one and at most a few lower ones are.
                let differences = (0..).map(|place| (1_usize << place) / inverse + 1);
                let mut differences: Vec<usize> =
                    differences.take_while(|difference| *difference <= full).collect();
                differences.dedup();
                let counts: Vec<usize> =
                    differences.iter().flat_map(|difference| [full, full - difference]).collect();
                judged(bench, &counts)
            },
        },
        Scenario {
            name: "any_number_of_instructions_counts",
            rule: "F IV-B3: a relative difference of less than 0.02 is considered small, at any rate of issue",
            play: |bench| {
                let (full, inverse) = bounds(bench);
                let counts: Vec<usize> = (0..32)
                    .flat_map(|number| {
                        let any = spread(number, 17) as usize % (full + 1);
                        // Of a quarter of them the threshold is a whole number, and the product of the least
                        // large change just what it is compared with; of another quarter that of the largest
                        // small change is one below.
                        let before = match number / 8 {
                            0 => any - any % inverse,
                            1 => any - any % inverse + 1,
                            _ => any,
                        };
                        // The least large change, or the largest small one; up or down.
                        let difference = before.div_ceil(inverse).saturating_sub(number / 2 % 2);
                        let up = number / 4 % 2 == 0;
                        let after = if up { before + difference } else { before - difference };
                        [before, after.min(full)]
                    })
                    .collect();
                judged(bench, &counts)
            },
        },
        Scenario {
            name: "every_place_of_a_count_tells",
            rule: "F IV-B3: the number of instructions is compared with that of the previous interval, in all its bits",
            play: |bench| {
                let (full, inverse) = bounds(bench);
                let places = (0..).map(|place| 1_usize << place).take_while(|place| *place <= full);
                let places: Vec<usize> = places.collect();
                let all: usize = places.iter().sum();
                // Two numbers that differ in one place, down and up. Any other place, above or below, is one
                // in one pair and zero in the other, as far as the change is still a large one.
                let counts = places.iter().rev().flat_map(|place| {
                    let [one, other] = [0x8aaa, 0x7555].map(|pattern| {
                        let mut rest = pattern & all & !place;
                        for bit in places.iter().rev() {
                            if place + rest > full.min(place * inverse - 1) {
                                rest &= !bit;
                            }
                        }
                        rest
                    });
                    [place + one, one, other, place + other]
                });
                judged(bench, &counts.collect::<Vec<_>>())
            },
        },
        Scenario {
            name: "which_count_is_larger_tells_a_single_place",
            rule: "F IV-B3: a relative difference of less than 0.02 is considered small, upwards and downwards",
            play: |bench| {
                let (full, inverse) = bounds(bench);
                // Two counts that differ in one place are nearly alike only if it is known which is the
                // larger one.
                let places: Vec<usize> =
                    (0..).map(|bit| 1 << bit).take_while(|place| place * inverse < full / 2).collect();
                let all: usize = places.iter().sum();
                let lowest = (full - all) & !all;
                // One place after another comes, and one after another goes.
                let steps: Vec<usize> =
                    (1..=places.len()).map(|number| places[..number].iter().sum()).collect();
                let upwards = steps.iter().map(|step| lowest + step);
                let downwards = steps.iter().map(|step| lowest + all - step);
                // And two counts that are nearly alike, of any size.
                let sizes = (0..).map(|bit| (inverse << bit) * 4 / 3).take_while(|size| *size < full);
                let alike = sizes.flat_map(|size| {
                    let change = size.div_ceil(inverse) - 1;
                    [size, size + change, size, size - change]
                });
                judged(bench, &[lowest].into_iter().chain(upwards).chain(downwards).chain(alike).collect::<Vec<_>>())
            },
        },
        Scenario {
            name: "speculates_after_a_large_change",
            rule: "F IV-B3: in case of a large change, it takes a speculative move by increasing STHLD and moves to state 3",
            play: |bench| {
                let before = rates(bench, &[4, 4, 4])?;
                let out = rates(bench, &[2])?;
                expect(out.state == 3 && out.sthld > before.sthld, "state 3, one more step up")
            },
        },
        Scenario {
            name: "goes_on_if_speculation_was_right",
            rule: "F IV-B3: if the new phase corresponds to a wider curve, the speculative move was correct",
            play: |bench| {
                let before = rates(bench, &[2, 2, 2, 4])?;
                let out = rates(bench, &[4])?;
                expect(before.state == 3 && out.state == 2, "back to the climb")?;
                expect(out.sthld > before.sthld, "and another step up")
            },
        },
        Scenario {
            name: "retreats_if_speculation_was_wrong",
            rule: "F IV-B3: after realizing that this speculative step is detrimental, the scheme decreases STHLD",
            play: |bench| {
                let before = rates(bench, &[4, 4, 4, 2])?;
                let out = rates(bench, &[1])?;
                expect(out.state == 4 && out.sthld < before.sthld, "state 4, below the speculative step")?;
                let lower = rates(bench, &[2])?;
                expect(lower.state == 4 && lower.sthld < out.sthld, "and down while changes are large")
            },
        },
        Scenario {
            name: "stops_at_zero",
            rule: "our decision: STHLD saturates at 0",
            play: |bench| {
                let out = rates(bench, &[4, 2, 1, 2, 4, 2, 4])?;
                expect(out.state == 4 && out.sthld == 0, format!("STHLD is {}", out.sthld))
            },
        },
        Scenario {
            name: "holds_until_a_large_change",
            rule: "F IV-B3: remains in state 6 when finding the knee point until a large IPC change is detected",
            play: |bench| {
                let rest = rates(bench, &[4, 4, 4, 4, 2, 1, 2, 4, 4, 4])?;
                expect_eq!(rest.state, 6, format!("state {} after the retreat", rest.state))?;
                for _ in 0..4 {
                    let out = rates(bench, &[4])?;
                    expect_eq!((out.state, out.sthld), (6, rest.sthld), "nothing moves")?;
                }
                let out = rates(bench, &[3])?;
                expect(out.state == 3 && out.sthld > rest.sthld, "a speculative step")
            },
        },
        Scenario {
            name: "idle_intervals_are_alike",
            rule: "our decision: two intervals without instructions differ little, waking up is a large change",
            play: |bench| {
                let out = rates(bench, &[0, 0, 0])?;
                expect_eq!(out.state, 2, "idle intervals differ little")?;
                let out = rates(bench, &[1])?;
                expect_eq!(out.state, 3, "waking up is a large change")
            },
        },
    ]
}
