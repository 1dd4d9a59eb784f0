// SPDX-License-Identifier: Apache-2.0
//! Testbench of the issue latches.

use gpurf_blocks::ports::{IssueLatchesIn, IssueLatchesOut};
use gpurf_blocks::{IssueLatch, Parameters, LATCH_ORDER, MAX_WARPS, UNITS};
use gpurf_hw::issue::IssueLatches;

use crate::{expect, expect_eq, register, Drive, Engine, Random, Scenario, Stimulus, Testbench};

impl Testbench for IssueLatches {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::issue::IssueLatches::of_ports(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(IssueLatchesStimulus { parameters: *parameters, held: [None; UNITS], issues: 50, takes: 50 })
    }

    fn protocol(_: &Parameters) -> Vec<String> {
        vec!["!taken | offers".into(), "!issue | room[unit]".into()]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios()
    }
}

register!(IssueLatches);

/// Instructions of any unit that has room, many or few for some time, and collectors that take them or not.
/// No warp owns two collectors.
///
/// The oracle has what went into each latch, and checks what comes out.
struct IssueLatchesStimulus {
    parameters: Parameters,
    /// By unit.
    held: [Option<IssueLatchesIn>; UNITS],
    /// Cycles of a hundred in which an instruction issues, and in which one is taken.
    issues: usize,
    takes: usize,
}

/// The warp has a collector, and that one is occupied.
fn is_blocked(inputs: &IssueLatchesIn, warp: u32) -> bool {
    let owns = |c: usize| inputs.owned[c] && inputs.occupied[c] && inputs.held_warp[c] == warp;
    (0..inputs.owned.len()).any(owns)
}

impl IssueLatchesStimulus {
    /// The unit whose instruction is offered: none that goes before it holds one that could be.
    fn offered(&self, inputs: &IssueLatchesIn) -> Option<usize> {
        let passes = self.parameters.issue_latch == IssueLatch::Passing;
        let place = |unit: &usize| LATCH_ORDER.iter().position(|other| other == unit);
        let could =
            |unit: &usize| self.held[*unit].is_some_and(|held| !(passes && is_blocked(inputs, held.warp)));
        (0..UNITS).filter(could).min_by_key(place)
    }
}

impl Stimulus<IssueLatchesIn, IssueLatchesOut> for IssueLatchesStimulus {
    fn next(&mut self, random: &mut Random) -> IssueLatchesIn {
        if random.percent(3) {
            self.issues = random.pick(&[10, 50, 100]);
            self.takes = random.pick(&[10, 50, 100]);
        }
        let mut inputs = IssueLatchesIn {
            unit: random.below(UNITS) as u32,
            payload: random.word(),
            warp: random.below(MAX_WARPS) as u32,
            base: random.below(256) as u32,
            flush: random.percent(30),
            ..IssueLatchesIn::default()
        };
        for slot in 0..self.parameters.slots {
            inputs.source_valid[slot] = random.percent(50);
            inputs.source_register[slot] = random.below(256) as u32;
            inputs.source_near[slot] = random.percent(50);
        }
        for destination in 0..self.parameters.destinations {
            inputs.destination_valid[destination] = random.percent(50);
            inputs.destination_register[destination] = random.below(256) as u32;
        }
        let owners = random.shuffled(MAX_WARPS);
        for collector in 0..self.parameters.collectors {
            inputs.owned[collector] = random.percent(80);
            inputs.occupied[collector] = random.percent(60);
            inputs.held_warp[collector] = owners[collector] as u32;
        }
        let offered = self.offered(&inputs);
        inputs.taken = offered.is_some() && random.percent(self.takes);
        let leaves = offered.filter(|_| inputs.taken) == Some(inputs.unit as usize);
        let has_room = self.held[inputs.unit as usize].is_none() || leaves;
        inputs.issue = has_room && random.percent(self.issues);
        inputs
    }

    fn observe(&mut self, inputs: &IssueLatchesIn, outputs: &IssueLatchesOut) -> Result<(), String> {
        let offered = self.offered(inputs);
        expect_eq!(outputs.offers, offered.is_some(), "an instruction is offered")?;
        let warp = offered.and_then(|unit| self.held[unit]).map_or(0, |held| held.warp);
        expect_eq!(outputs.offered_warp, warp, "it is that of the first latch")?;
        let leaving = offered.filter(|_| inputs.taken);
        let room = |unit: &usize| self.held[*unit].is_none() || leaving == Some(*unit);
        let room = (0..UNITS).filter(room).fold(0, |units, unit| units | 1 << unit);
        expect_eq!(outputs.room, room, "latches have room")?;
        let left = leaving.and_then(|unit| self.held[unit].take()).unwrap_or_default();
        let entering = (
            (outputs.entering_unit, outputs.entering_payload),
            (outputs.entering_warp, outputs.entering_base, outputs.entering_flush),
            (outputs.entering_source_valid, outputs.entering_source_register, outputs.entering_source_near),
            (outputs.entering_destination_valid, outputs.entering_destination_register),
        );
        let wanted = (
            (left.unit, left.payload),
            (left.warp, left.base, left.flush),
            (left.source_valid, left.source_register, left.source_near),
            (left.destination_valid, left.destination_register),
        );
        expect_eq!(entering, wanted, "an instruction leaves as it came")?;
        if inputs.issue {
            self.held[inputs.unit as usize] = Some(*inputs);
        }
        Ok(())
    }
}

type Bench<'a> = Drive<'a, IssueLatchesIn, IssueLatchesOut>;

/// An instruction of this unit and warp issues.
fn issue(unit: usize, warp: u32) -> IssueLatchesIn {
    IssueLatchesIn { issue: true, unit: unit as u32, warp, payload: 100 + warp, ..Default::default() }
}

/// The instruction that is offered enters a collector.
fn take() -> IssueLatchesIn {
    IssueLatchesIn { taken: true, ..Default::default() }
}

/// One instruction for each unit, of the warp of the unit's number, those that go first last.
fn fill(bench: &mut Bench) -> Result<(), String> {
    for unit in LATCH_ORDER.into_iter().rev() {
        bench.cycle(issue(unit, unit as u32))?;
    }
    Ok(())
}

fn scenarios() -> Vec<Scenario<IssueLatchesIn, IssueLatchesOut>> {
    vec![
        Scenario {
            name: "offered_from_the_next_cycle_on",
            rule: "Accel-Sim: collectors are given what issued in an earlier cycle",
            play: |bench| {
                let out = bench.cycle(issue(0, 5))?;
                expect(!out.offers, "nothing is offered in the cycle of the issue")?;
                let out = bench.cycle(take())?;
                expect_eq!((out.offers, out.offered_warp, out.entering_payload), (true, 5, 105), "it goes on")?;
                expect(!bench.cycle(IssueLatchesIn::default())?.offers, "and is gone")
            },
        },
        Scenario {
            name: "units_in_their_order",
            rule: "Accel-Sim: the first register set that has an instruction; FP32, special functions, load/store, FP64, \
                   integer, branch, tensor",
            play: |bench| {
                fill(bench)?;
                for unit in [1, 3, 5, 2, 0, 6, 4, 7] {
                    let out = bench.cycle(take())?;
                    expect_eq!((out.entering_unit, out.entering_warp), (unit, unit), "in the order of the ports")?;
                }
                expect(!bench.cycle(IssueLatchesIn::default())?.offers, "all have left")
            },
        },
        Scenario {
            name: "a_latch_takes_another_as_it_leaves",
            rule: "Accel-Sim: collectors are filled before instructions issue, in each cycle",
            play: |bench| {
                for unit in 0..UNITS {
                    bench.cycle(issue(unit, 1))?;
                    for warp in 2..6 {
                        let out = bench.cycle(IssueLatchesIn { taken: true, ..issue(unit, warp) })?;
                        expect_eq!(out.room >> unit & 1, 1, "it has room")?;
                        expect_eq!(out.entering_payload, 99 + warp, "the one before leaves")?;
                    }
                    let out = bench.cycle(IssueLatchesIn::default())?;
                    expect_eq!(out.room, 0xff & !(1 << unit), "it is full while nothing leaves")?;
                    bench.cycle(take())?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "who_waits_for_its_own_collector",
            rule: "the code of F's first author: if the first fails, all fail (SharedCache_ZeroDesign), or others are tried \
                   (stallthresh)",
            play: |bench| {
                fill(bench)?;
                let mut inputs = IssueLatchesIn::default();
                (inputs.owned[0], inputs.occupied[0], inputs.held_warp[0]) = (true, true, 1);
                let next = match bench.parameters.issue_latch {
                    IssueLatch::Passing => 3,
                    _ => 1,
                };
                expect_eq!(bench.cycle(inputs)?.offered_warp, next, "the first one's collector is occupied")?;
                inputs.occupied[0] = false;
                expect_eq!(bench.cycle(inputs)?.offered_warp, 1, "and is free again")
            },
        },
    ]
}
