// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the bypassing operand collector.

use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::Data;

use super::window::Windows;
use crate::collector::Bench;
use crate::{expect, expect_eq, value, Scenario};

fn issue<D: Data>(sources: &[u32], destinations: &[u32]) -> CollectorIn<D> {
    let mut inputs = CollectorIn { issue: true, ..Default::default() };
    for (slot, register) in sources.iter().enumerate() {
        (inputs.source_valid[slot], inputs.source_register[slot]) = (true, *register);
    }
    for (slot, register) in destinations.iter().enumerate() {
        (inputs.destination_valid[slot], inputs.destination_register[slot]) = (true, *register);
    }
    inputs
}

fn arrive<D: Data>(slot: usize, data: D) -> CollectorIn<D> {
    CollectorIn { s_valid: true, s_slot: slot as u32, s_data: data, ..Default::default() }
}

fn result<D: Data>(mut inputs: CollectorIn<D>, bank: usize, register: u32, number: u32) -> CollectorIn<D> {
    inputs.write_valid[bank] = true;
    inputs.write_register[bank] = register;
    inputs.write_data[bank] = value(number);
    inputs
}

fn dispatch<D: Data>() -> CollectorIn<D> {
    CollectorIn { dispatch: true, ..Default::default() }
}

/// Issues an instruction, serves its requests with the value of each register's number, and dispatches it.
/// Returns which sources hit.
fn run<D: Data>(bench: &mut Bench<D>, sources: &[u32], destinations: &[u32]) -> Result<Vec<bool>, String> {
    finish(bench, issue(sources, destinations), sources)
}

/// The same from the inputs of the issue.
fn finish<D: Data>(
    bench: &mut Bench<D>,
    inputs: CollectorIn<D>,
    sources: &[u32],
) -> Result<Vec<bool>, String> {
    let issued = bench.cycle(inputs)?;
    for (slot, register) in sources.iter().enumerate() {
        if issued.request[slot] {
            bench.cycle(arrive(slot, value(*register)))?;
        }
    }
    let out = bench.cycle(dispatch())?;
    expect(out.ready, "ready once all requests are served")?;
    Ok(issued.hit[..sources.len()].to_vec())
}

/// Issues an instruction that reads R`register`, which must be found with the value of `number`.
fn finds<D: Data>(bench: &mut Bench<D>, register: u32, number: u32) -> Result<(), String> {
    let issued = bench.cycle(issue(&[register], &[]))?;
    expect(issued.hit[0] && !issued.request[0], format!("R{register} is found"))?;
    let out = bench.cycle(dispatch())?;
    expect(out.ready, "ready in the cycle after issue")?;
    expect_eq!(out.operand_data[0], value(number), format!("R{register} has the value of {number}"))
}

/// Lets the window slide by so many instructions that name nothing else.
fn slide<D: Data>(bench: &mut Bench<D>, instructions: usize) -> Result<(), String> {
    for number in 0..instructions {
        run(bench, &[200 + number as u32], &[])?;
    }
    Ok(())
}

impl<D: Data> Windows<D> for Bench<'_, D> {
    fn collectors(&self) -> usize {
        1
    }

    fn execute(
        &mut self,
        _: usize,
        sources: &[(usize, D)],
        destinations: &[(usize, bool)],
    ) -> Result<(Vec<bool>, Vec<D>), String> {
        let registers: Vec<u32> = sources.iter().map(|(source, _)| *source as u32).collect();
        let mut inputs = issue(&registers, &[]);
        for (place, &(register, writes)) in destinations.iter().enumerate() {
            (inputs.destination_valid[place], inputs.destination_register[place]) = (writes, register as u32);
        }
        let issued = self.cycle(inputs)?;
        for (slot, &(_, value)) in sources.iter().enumerate().filter(|(slot, _)| issued.request[*slot]) {
            self.cycle(arrive(slot, value))?;
        }
        let out = self.cycle(dispatch())?;
        Ok((issued.hit[..sources.len()].to_vec(), out.operand_data[..sources.len()].to_vec()))
    }

    fn write(&mut self, _: usize, register: usize, data: D) -> Result<bool, String> {
        let bank = (register + 1) % self.parameters.banks;
        let mut inputs = result(CollectorIn::default(), bank, register as u32, 0);
        inputs.write_data[bank] = data;
        Ok(self.cycle(inputs)?.cached[bank])
    }
}

pub fn all<D: Data>() -> Vec<Scenario<CollectorIn<D>, CollectorOut<D>>> {
    vec![
        Scenario {
            name: "forwards_a_source",
            rule: "F VI-B: forward operand values found in the buffer to the next instruction",
            play: |bench| {
                expect_eq!(run(bench, &[4, 5], &[])?, [false, false], "an empty window has nothing")?;
                let issued = bench.cycle(issue(&[6, 5, 4], &[]))?;
                expect_eq!(issued.hit[..3], [false, true, true], "R5 and R4 are there, R6 is not")?;
                expect_eq!(issued.request[..3], [true, false, false], "a request for R6 alone")?;
                let passes = bench.parameters.dispatch_on_arrival;
                expect_eq!(bench.cycle(arrive(0, value(6)))?.ready, passes, "R6 is waited for, or passes")?;
                let out = bench.cycle(dispatch())?;
                let delivered = out.operand_data[..3] == [value(6), value(5), value(4)];
                expect(out.ready && delivered, "each slot has its register's value")
            },
        },
        Scenario {
            name: "forwards_a_result",
            rule: "F VI-B: BOCs buffer sources and destinations of instructions within a sliding window",
            play: |bench| {
                run(bench, &[], &[7])?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                expect(out.cached[0], "the destination's slot takes the result")?;
                finds(bench, 7, 70)
            },
        },
        Scenario {
            name: "slides",
            rule: "F VI-B: a sliding window; our decision: the new instruction is one of its instructions",
            play: |bench| {
                let window = bench.parameters.window;
                run(bench, &[4], &[])?;
                slide(bench, window - 2)?;
                let still = bench.peek(issue(&[4], &[]))?;
                expect(still.hit[0], "the oldest instruction that stays is seen")?;
                slide(bench, 1)?;
                let out = bench.cycle(issue(&[4], &[]))?;
                expect(!out.hit[0] && out.request[0], "the one that leaves is not")
            },
        },
        Scenario {
            name: "a_forwarded_value_stays_as_long_as_its_copy",
            rule: "F VI-B: the sources of each instruction in the window are buffered",
            play: |bench| {
                let window = bench.parameters.window;
                run(bench, &[4], &[])?;
                for _ in 0..3 * window {
                    slide(bench, window - 2)?;
                    finds(bench, 4, 4)?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "late_result",
            rule: "F VI-B3: if the slot slides out before write-back, the data is written only in the RF",
            play: |bench| {
                run(bench, &[], &[7])?;
                slide(bench, bench.parameters.window - 1)?;
                let awaited = bench.peek(result(CollectorIn::default(), 0, 7, 70))?;
                expect(awaited.cached[0], "the last cycle of the slot")?;
                slide(bench, 1)?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                expect(!out.cached[0], "no slot waits any more")?;
                expect(bench.cycle(issue(&[7], &[]))?.request[0], "R7 is read from the banks")
            },
        },
        Scenario {
            name: "result_as_its_slot_slides_out",
            rule: "our decision: a result comes after an instruction issued in the same cycle",
            play: |bench| {
                run(bench, &[], &[7])?;
                slide(bench, bench.parameters.window - 1)?;
                let out = bench.cycle(result(issue(&[], &[]), 0, 7, 70))?;
                expect(!out.cached[0], "the slot has gone")?;
                bench.cycle(dispatch())?;
                expect(bench.cycle(issue(&[7], &[]))?.request[0], "R7 is read from the banks")
            },
        },
        Scenario {
            name: "register_read_and_written",
            rule: "our decision: a result makes every older copy of its register invalid",
            play: |bench| {
                run(bench, &[7], &[7])?;
                bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                finds(bench, 7, 70)
            },
        },
        Scenario {
            name: "register_rewritten_in_the_window",
            rule: "our decision: a result makes every older copy of its register invalid",
            play: |bench| {
                run(bench, &[], &[7])?;
                bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                run(bench, &[], &[7])?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 7, 71))?;
                expect(out.cached[0], "the second result has a slot")?;
                finds(bench, 7, 71)
            },
        },
        Scenario {
            name: "destination_without_a_slot",
            rule:
                "F VI-B: 2 destinations per instruction; our decision: the others' old copies become invalid",
            play: |bench| {
                run(bench, &[7, 8], &[])?;
                // R7 is one destination more than there are slots.
                let kept: Vec<_> = (20..20 + bench.parameters.destinations as u32).collect();
                run(bench, &[], &kept)?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                expect(!out.cached[0], "it goes to the banks alone")?;
                let last = *kept.last().expect("at least one slot");
                let out = bench.cycle(result(CollectorIn::default(), 1, last, 71))?;
                expect(out.cached[1], "the last slot takes its result")?;
                if bench.parameters.window > 2 {
                    let out = bench.peek(issue(&[7, 8], &[]))?;
                    expect_eq!(out.hit[..2], [false, true], "R7 has to be read anew, R8 has not")?;
                }
                finds(bench, last, 71)
            },
        },
        Scenario {
            name: "all_results_of_a_cycle",
            rule: "F VI-B1: a much bigger crossbar; no result is kept out of a collector",
            play: |bench| {
                if bench.parameters.destinations < 2 {
                    return Ok(());
                }
                run(bench, &[], &[6, 7])?;
                let both = result(result(CollectorIn::default(), 0, 7, 70), 1, 6, 60);
                expect_eq!(bench.cycle(both)?.cached[..2], [true, true], "both enter")?;
                bench.cycle(issue(&[6, 7], &[]))?;
                let out = bench.cycle(dispatch())?;
                expect(out.ready && out.operand_data[..2] == [value(60), value(70)], "each in its slot")
            },
        },
        Scenario {
            name: "flush",
            rule: "our decision: a branch that leaves the window empties it",
            play: |bench| {
                run(bench, &[4], &[7])?;
                let idle = bench.cycle(CollectorIn { flush: true, ..Default::default() })?;
                expect(!idle.hit.contains(&true), "without an issue it does nothing")?;
                expect(bench.peek(issue(&[4], &[]))?.hit[0], "R4 is there")?;
                let flushed = CollectorIn { flush: true, ..issue(&[4, 9], &[8]) };
                expect_eq!(finish(bench, flushed, &[4, 9])?, [false, false], "and is not found")?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 7, 70))?;
                expect(!out.cached[0], "the slot of R7 has gone too")?;
                let out = bench.cycle(result(CollectorIn::default(), 0, 8, 80))?;
                expect(out.cached[0], "the new instruction's slots have not")?;
                finds(bench, 8, 80)
            },
        },
        Scenario {
            name: "register_named_twice",
            rule: "our decision: a register that is named twice takes two slots and one request",
            play: |bench| {
                let out = bench.cycle(issue(&[9, 9, 9], &[]))?;
                expect_eq!(out.request[..3], [true, false, false], "one request for R9")?;
                bench.cycle(arrive(0, value(9)))?;
                let out = bench.cycle(dispatch())?;
                expect(out.ready && out.operand_data[..3] == [value(9); 3], "one value for all slots")?;
                let out = bench.cycle(issue(&[9, 9], &[]))?;
                expect_eq!(out.hit[..2], [true, true], "both are forwarded")?;
                let out = bench.cycle(dispatch())?;
                expect(out.ready && out.operand_data[..2] == [value(9); 2], "with its value")
            },
        },
        Scenario {
            name: "result_that_never_comes",
            rule: "our decision: a destination without its result is found by nobody",
            play: |bench| {
                run(bench, &[7], &[7])?;
                finds(bench, 7, 7)
            },
        },
        Scenario {
            name: "one_instruction_at_a_time",
            rule: "W 2: released once its instruction is dispatched",
            play: |bench| {
                let out = bench.cycle(CollectorIn { unit: 3, payload: 77, ..issue(&[], &[]) })?;
                expect(!out.occupied && !out.ready, "free")?;
                let out = bench.cycle(dispatch())?;
                expect(out.occupied && out.ready, "no sources, no wait")?;
                expect(out.held_unit == 3 && out.held_payload == 77, "metadata kept")?;
                let out = bench.cycle(issue(&[1], &[]))?;
                expect(!out.occupied && !out.ready, "free in the cycle after dispatch")?;
                let out = bench.cycle(CollectorIn::default())?;
                expect(out.occupied && !out.ready, "the next instruction waits for its source")
            },
        },
    ]
}
