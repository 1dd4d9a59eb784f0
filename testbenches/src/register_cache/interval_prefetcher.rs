// SPDX-License-Identifier: Apache-2.0
//! Testbench of the prefetcher of register intervals.

use gpurf_blocks::ports::{IntervalPrefetcherIn, IntervalPrefetcherOut};
use gpurf_blocks::{Parameters, INTERVAL_REGISTERS};
use gpurf_hw::register_cache::IntervalPrefetcher;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for IntervalPrefetcher {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::IntervalPrefetcher::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(IntervalPrefetcherStimulus {
            slots: parameters.slots,
            warps: vec![Warp::default(); parameters.warps],
            moves: 10,
            forgets: 2,
            issues: 60,
            leaves: 30,
            fills: 30,
        })
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let mut rules =
            vec![format!("warp < {}", parameters.warps), format!("leave_warp < {}", parameters.warps)];
        for warp in 0..parameters.warps {
            rules.push(format!("!(issue & warp == {warp}) | asks[{warp}] & reading[{warp}*4 +: 4] < 15"));
            rules.push(format!("!(leave & leave_warp == {warp}) | reading[{warp}*4 +: 4] > 0"));
        }
        rules
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(IntervalPrefetcher);

/// Most batches of a warp that are in collectors.
const MOST: usize = 8;

/// A warp, as the account has it.
#[derive(Clone, Debug, Default)]
struct Warp {
    /// The interval of its next instruction.
    next: u32,
    /// The one whose registers it has, or fetches.
    interval: Option<u32>,
    /// Registers that it still has to ask for, in their order.
    left: Vec<u32>,
    /// Batches in collectors, and registers behind them.
    reading: usize,
    filling: usize,
}

/// Warps that go through intervals, and are pending now and then; the account of what each has still to ask
/// for, and what is under way for it, is the check.
struct IntervalPrefetcherStimulus {
    slots: usize,
    warps: Vec<Warp>,
    /// Chances that a warp goes on to another interval, or becomes pending, that a batch is taken, that one
    /// leaves its collector, and that a value enters the cache, in percent.
    moves: usize,
    forgets: usize,
    issues: usize,
    leaves: usize,
    fills: usize,
}

/// The registers of an interval, each once; others for each interval.
fn registers(interval: u32) -> impl Iterator<Item = u32> {
    (0..INTERVAL_REGISTERS as u32)
        .map(move |place| (interval * 7 + place * 9 + (interval >> place & 1)) & 0xff)
}

impl Stimulus<IntervalPrefetcherIn, IntervalPrefetcherOut> for IntervalPrefetcherStimulus {
    fn next(&mut self, random: &mut Random) -> IntervalPrefetcherIn {
        if random.percent(2) {
            self.moves = random.pick(&[0, 3, 30, 100]);
            self.forgets = random.pick(&[0, 2, 20]);
            self.issues = random.pick(&[10, 60, 100]);
            self.leaves = random.pick(&[5, 30, 90]);
            self.fills = random.pick(&[5, 30, 90]);
        }
        let mut inputs = IntervalPrefetcherIn::default();
        let density = random.pick(&[0, 10, 60, 100]);
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let is_done = warp.left.is_empty() && warp.reading == 0 && warp.filling == 0;
            if is_done && random.percent(self.moves) {
                warp.next = random.pick(&[0, 1, 0x8000, 0xffff, warp.next ^ 0x100, warp.next + 1]) & 0xffff;
            }
            inputs.arrive[number] = random.percent(70);
            inputs.interval[number] = warp.next;
            inputs.forget[number] = random.percent(self.forgets);
            inputs.filling[number] = warp.filling > 0;
            for (place, register) in (INTERVAL_REGISTERS * number..).zip(registers(warp.next)) {
                inputs.registers[place] = register;
                inputs.wanted[place] = random.percent(density);
            }
            if warp.filling > 0 && random.percent(self.fills) {
                warp.filling -= 1;
            }
        }
        let asks = |number: usize| {
            let warp = &self.warps[number];
            let enters = inputs.arrive[number]
                && (inputs.forget[number] || warp.interval != Some(inputs.interval[number]));
            let wanted = INTERVAL_REGISTERS * number..INTERVAL_REGISTERS * (number + 1);
            match enters {
                true => inputs.wanted[wanted].contains(&true),
                false => !warp.left.is_empty() && !inputs.forget[number],
            }
        };
        let asking: Vec<usize> = (0..self.warps.len())
            .filter(|&number| asks(number) && self.warps[number].reading < MOST)
            .collect();
        inputs.warp = random.below(self.warps.len()) as u32;
        if !asking.is_empty() && random.percent(self.issues) {
            (inputs.issue, inputs.warp) = (true, random.pick(&asking) as u32);
        }
        let read: Vec<usize> =
            (0..self.warps.len()).filter(|&number| self.warps[number].reading > 0).collect();
        if !read.is_empty() && random.percent(self.leaves) {
            (inputs.leave, inputs.leave_warp) = (true, random.pick(&read) as u32);
        }
        inputs
    }

    fn observe(
        &mut self,
        inputs: &IntervalPrefetcherIn,
        outputs: &IntervalPrefetcherOut,
    ) -> Result<(), String> {
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if inputs.forget[number] {
                (warp.interval, warp.left) = (None, vec![]);
            }
            let interval = Some(inputs.interval[number]);
            if inputs.arrive[number] && warp.interval != interval {
                let list = (INTERVAL_REGISTERS * number..).take(INTERVAL_REGISTERS);
                let wanted = list.filter(|&place| inputs.wanted[place]);
                warp.left = wanted.map(|place| inputs.registers[place]).collect();
                warp.interval = interval;
            }
            let under_way = warp.reading > 0 || inputs.filling[number];
            let expected = (!warp.left.is_empty(), warp.left.is_empty() && under_way);
            let shown = (outputs.asks[number], outputs.waits[number]);
            if shown != expected {
                return Err(format!("warp {number} asks, and waits: {shown:?} instead of {expected:?}"));
            }
        }
        let warp = &mut self.warps[inputs.warp as usize];
        let batch = batch(outputs, self.slots);
        let expected: Vec<u32> = warp.left.iter().copied().take(self.slots).collect();
        if batch != expected {
            return Err(format!("warp {} asks for {batch:?} instead of {expected:?}", inputs.warp));
        }
        if inputs.issue {
            warp.left.drain(..expected.len());
            warp.reading += 1;
        }
        if inputs.leave {
            let warp = &mut self.warps[inputs.leave_warp as usize];
            warp.reading -= 1;
            warp.filling += 2;
        }
        Ok(())
    }
}

/// The registers of a batch, which has so many slots.
fn batch(outputs: &IntervalPrefetcherOut, slots: usize) -> Vec<u32> {
    (0..slots).filter(|&slot| outputs.batch_valid[slot]).map(|slot| outputs.batch[slot]).collect()
}

/// A warp is about to issue an instruction of this interval, which has these registers, and issue has picked
/// the warp.
fn arrive(warp: u32, interval: u32, registers: &[u32]) -> IntervalPrefetcherIn {
    let mut inputs = IntervalPrefetcherIn { warp, ..IntervalPrefetcherIn::default() };
    (inputs.arrive[warp as usize], inputs.interval[warp as usize]) = (true, interval);
    for (place, &register) in (INTERVAL_REGISTERS * warp as usize..).zip(registers) {
        (inputs.registers[place], inputs.wanted[place]) = (register, true);
    }
    inputs
}

/// A collector takes the batch too.
fn take(inputs: IntervalPrefetcherIn) -> IntervalPrefetcherIn {
    IntervalPrefetcherIn { issue: true, ..inputs }
}

fn leave(warp: u32) -> IntervalPrefetcherIn {
    IntervalPrefetcherIn { leave: true, leave_warp: warp, ..IntervalPrefetcherIn::default() }
}

/// Takes all batches of an interval; their registers.
fn fetch(
    bench: &mut Drive<IntervalPrefetcherIn, IntervalPrefetcherOut>,
    inputs: IntervalPrefetcherIn,
) -> Result<Vec<u32>, String> {
    let (slots, warp) = (bench.parameters.slots, inputs.warp as usize);
    let mut fetched = vec![];
    while bench.peek(inputs)?.asks[warp] {
        let out = bench.cycle(take(inputs))?;
        fetched.extend(batch(&out, slots));
    }
    Ok(fetched)
}

fn scenarios() -> Vec<Scenario<IntervalPrefetcherIn, IntervalPrefetcherOut>> {
    vec![
        Scenario {
            name: "an_interval_is_fetched_before_its_first_instruction",
            rule: "our decision: the registers of an interval are read batch by batch when a warp enters it",
            play: |bench| {
                let registers: Vec<u32> = (0..INTERVAL_REGISTERS as u32).map(|place| 3 * place + 1).collect();
                let inputs = arrive(5, 7, &registers);
                let out = bench.peek(inputs)?;
                expect(out.asks[5] && !out.waits[5], "warp 5 asks at once")?;
                expect(!out.asks[4] && !out.waits[4], "and no other warp")?;
                expect_eq!(fetch(bench, inputs)?, registers, "each is asked for once, in their order")?;
                let out = bench.cycle(inputs)?;
                expect(out.waits[5] && batch(&out, bench.parameters.slots).is_empty(), "all are asked for")
            },
        },
        Scenario {
            name: "a_warp_goes_on_when_all_have_come",
            rule: "our decision: batches leave their collectors in any order, and then enter the cache",
            play: |bench| {
                let inputs = arrive(0, 7, &[4, 5]);
                bench.cycle(take(inputs))?;
                for _ in 0..3 {
                    expect(bench.cycle(inputs)?.waits[0], "the collector has them")?;
                }
                expect(bench.cycle(leave(0))?.waits[0], "they leave it")?;
                let mut filling = inputs;
                filling.filling[0] = true;
                expect(bench.cycle(filling)?.waits[0], "they are on their way into the cache")?;
                let out = bench.cycle(inputs)?;
                expect(!out.asks[0] && !out.waits[0], "the warp goes on")?;
                let out = bench.cycle(arrive(0, 8, &[6]))?;
                expect(out.asks[0], "until it enters another interval")
            },
        },
        Scenario {
            name: "only_registers_that_are_wanted_are_fetched",
            rule: "our decision: not those that are dead, or that the scoreboard waits for",
            play: |bench| {
                let mut inputs = arrive(1, 3, &[10, 11, 12, 13]);
                inputs.wanted[INTERVAL_REGISTERS + 1] = false;
                inputs.wanted[INTERVAL_REGISTERS + 2] = false;
                expect_eq!(fetch(bench, inputs)?, [10, 13], "two of four")?;
                bench.cycle(leave(1))?;
                let out = bench.cycle(arrive(1, 3, &[10, 11, 12, 13]))?;
                expect(!out.asks[1], "the others are not fetched later")
            },
        },
        Scenario {
            name: "a_warp_whose_registers_are_all_dead_goes_on_at_once",
            rule: "our decision: a list without a register that is wanted",
            play: |bench| {
                let mut inputs = arrive(2, 3, &[10]);
                inputs.wanted.fill(false);
                for _ in 0..2 {
                    let out = bench.cycle(inputs)?;
                    expect(!out.asks[2] && !out.waits[2], "nothing is fetched")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_pending_warp_fetches_its_interval_again",
            rule: "F VI-A: registers of active warps are cached",
            play: |bench| {
                let inputs = arrive(3, 9, &[20, 21]);
                bench.cycle(take(inputs))?;
                let mut pending = IntervalPrefetcherIn::default();
                pending.forget[3] = true;
                let out = bench.cycle(pending)?;
                expect(!out.asks[3] && out.waits[3], "its batch is under way still")?;
                let out = bench.cycle(take(inputs))?;
                expect_eq!(batch(&out, bench.parameters.slots), [20, 21], "it asks again")?;
                bench.cycle(leave(3))?;
                expect(bench.cycle(leave(3))?.waits[3], "both batches have to leave")?;
                expect(!bench.cycle(inputs)?.waits[3], "then it goes on")
            },
        },
        Scenario {
            name: "another_warp_begins_where_the_first_one_ended",
            rule: "our decision: a slot forgets its interval when another warp comes",
            play: |bench| {
                let inputs = arrive(6, 2, &[1, 2]);
                bench.cycle(take(inputs))?;
                bench.cycle(leave(6))?;
                expect(!bench.cycle(inputs)?.asks[6], "it has its interval")?;
                let mut next = inputs;
                next.forget[6] = true;
                let out = bench.cycle(take(next))?;
                expect_eq!(batch(&out, bench.parameters.slots), [1, 2], "the next one fetches its own")
            },
        },
        Scenario {
            name: "the_batch_is_that_of_the_picked_warp",
            rule: "our decision: one search for all warps",
            play: |bench| {
                let mut inputs = arrive(0, 1, &[1]);
                let other = arrive(7, 2, &[99]);
                (inputs.arrive[7], inputs.interval[7]) = (true, 2);
                (inputs.registers[7 * INTERVAL_REGISTERS], inputs.wanted[7 * INTERVAL_REGISTERS]) =
                    (99, true);
                for warp in [0, 7, 0] {
                    let out = bench.cycle(IntervalPrefetcherIn { warp, ..inputs })?;
                    let expected = if warp == 7 { 99 } else { 1 };
                    expect_eq!(batch(&out, bench.parameters.slots), [expected], "its own register")?;
                }
                bench.cycle(take(inputs))?;
                let out = bench.cycle(IntervalPrefetcherIn { warp: 7, ..other })?;
                expect(out.asks[7] && out.waits[0], "the other one asks still")
            },
        },
    ]
}
