// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the operand stage.

use std::ops::Range;

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::{Data, Parameters};

use crate::collector::window::Windows;
use crate::{expect, expect_eq, value, Drive, Scenario};

type Bench<'a, D> = Drive<'a, OperandStageIn<D>, OperandStageOut<D>>;

/// Warp 0 into collector 0; register r lives in bank (r + 1) mod banks; unit 1.
fn issue<D: Data>(collector: usize, registers: &[u32]) -> OperandStageIn<D> {
    let mut inputs = OperandStageIn { unit: 1, payload: 40, unit_ready: 0xff, ..Default::default() };
    inputs.issue[collector] = true;
    for (slot, register) in registers.iter().enumerate() {
        inputs.source_valid[slot] = true;
        inputs.source_register[slot] = *register;
        inputs.source_near[slot] = true;
    }
    inputs
}

fn idle<D: Data>() -> OperandStageIn<D> {
    OperandStageIn { unit_ready: 0xff, ..Default::default() }
}

/// A near result of warp 0.
fn write<D: Data>(inputs: OperandStageIn<D>, register: u32, banks: usize) -> OperandStageIn<D> {
    write_of(0, inputs, register, banks)
}

/// A near result of a warp.
fn write_of<D: Data>(
    warp: u32,
    mut inputs: OperandStageIn<D>,
    register: u32,
    banks: usize,
) -> OperandStageIn<D> {
    let bank = bank_of(warp, register, banks);
    inputs.write_valid[bank] = true;
    inputs.write_warp[bank] = warp;
    inputs.write_register[bank] = register;
    inputs.write_near[bank] = true;
    inputs.write_data[bank] = value(register);
    inputs
}

/// Where a warp's register lives.
fn bank_of(warp: u32, register: u32, banks: usize) -> usize {
    (register + warp + 1) as usize % banks
}

/// Cycles from an instruction's issue to its dispatch, with one read that waits for nothing.
fn latency(parameters: &Parameters) -> usize {
    3 - usize::from(parameters.grant_at_issue) - usize::from(parameters.dispatch_on_arrival)
}

/// Waits for the dispatch of collector 0.
fn dispatched<D: Data>(bench: &mut Bench<D>) -> Result<OperandStageOut<D>, String> {
    dispatched_within(bench, 0, 10)
}

/// Waits for so many cycles for the dispatch of a collector.
fn dispatched_within<D: Data>(
    bench: &mut Bench<D>,
    collector: usize,
    cycles: usize,
) -> Result<OperandStageOut<D>, String> {
    for _ in 0..cycles {
        let out = bench.cycle(idle())?;
        if out.dispatch[collector] {
            return Ok(out);
        }
    }
    Err(format!("collector {collector} is not dispatched within {cycles} cycles"))
}

/// Waits until a collector's instruction is dispatched and the next one can be issued.
fn away<D: Data>(bench: &mut Bench<D>, collector: usize) -> Result<(), String> {
    dispatched_within(bench, collector, bench.parameters.slots + 10)?;
    // It takes the next instruction in the next cycle, or one later.
    bench.cycle(idle()).map(drop)
}

/// Rows from which a warp reads one after another, all of them near, so many that no value is in its
/// collector when its turn comes again.
const FRESH: usize = 63;

/// Which rows of a bank are read.
#[derive(Clone, Copy)]
struct Rows {
    bank: usize,
    /// The last ones of the bank, or the first.
    last: bool,
    /// From the other end: what is read of the last ones so has all bits of a row's number other than what is
    /// read of the first.
    backwards: bool,
}

/// While a bank writes, instructions come into these collectors, whose sources in these slots all live in
/// that bank; then they are read, and all are dispatched. `read`: how many rows each warp, which has its
/// collector's number, has read so far.
fn read_of_one_bank<D: Data>(
    bench: &mut Bench<D>,
    Rows { bank, last, backwards }: Rows,
    instructions: &[(usize, Range<usize>)],
    read: &mut [usize],
) -> Result<(), String> {
    let Parameters { banks, rows: all, .. } = bench.parameters;
    let of_bank = |warp: usize, row: usize| (row * banks + (8 * banks + bank - 1 - warp) % banks) as u32;
    let mut reads = 0;
    for &(collector, ref slots) in instructions {
        let mut inputs = issue(collector, &[]);
        inputs.warp = collector as u32;
        inputs.base = if last { all.saturating_sub(FRESH + 1) as u32 } else { 0 };
        for slot in slots.clone() {
            inputs.source_valid[slot] = true;
            let row = read[collector] % FRESH;
            inputs.source_register[slot] = of_bank(collector, if backwards { FRESH - row } else { row });
            inputs.source_near[slot] = true;
            read[collector] += 1;
            reads += 1;
        }
        let out = bench.cycle(write(inputs, of_bank(0, FRESH), banks))?;
        expect(!out.bank_read[bank], "the bank writes")?;
    }
    let mut granted = 0;
    for _ in 0..reads + latency(&bench.parameters) + 2 {
        granted += usize::from(bench.cycle(idle())?.bank_read[bank]);
    }
    expect_eq!(granted, reads, format!("{granted} of {reads} reads"))?;
    let occupied = bench.peek(idle())?.collector_occupied;
    expect(!occupied.contains(&true), "all are dispatched")
}

/// Rules of both kinds of stage.
pub fn of_every_stage<D: Data>() -> Vec<Scenario<OperandStageIn<D>, OperandStageOut<D>>> {
    vec![
        Scenario {
            name: "a_read_takes_its_time",
            rule: "timing of the stage: issue, grant, crossing, dispatch",
            play: |bench| {
                let (banks, latency) = (bench.parameters.banks, latency(&bench.parameters));
                let granted = usize::from(!bench.parameters.grant_at_issue);
                bench.cycle(write(idle(), 3, banks))?;
                for cycle in 0..=latency {
                    let out = bench.cycle(if cycle == 0 { issue(0, &[3]) } else { idle() })?;
                    expect_eq!(out.bank_read[4 % banks], (cycle == granted), "granted when it may be")?;
                    expect_eq!(out.dispatch[0], (cycle == latency), "dispatched when the value is there")?;
                    if cycle == latency {
                        expect_eq!(out.operand_data[0], value(3), "with its value")?;
                        expect(out.dispatch_unit == 1 && out.dispatch_payload == 40, "to its unit")?;
                    }
                }
                expect(!bench.cycle(idle())?.dispatch[0], "once")
            },
        },
        Scenario {
            name: "an_instruction_holds_its_collector",
            rule: "timing of the stage: a collector takes the next instruction with the dispatch, or a cycle later",
            play: |bench| {
                let hold = latency(&bench.parameters) + usize::from(!bench.parameters.issue_on_dispatch);
                for register in [3, 5, 7] {
                    bench.cycle(issue(0, &[register]))?;
                    for _ in 1..hold {
                        expect(bench.cycle(idle())?.collector_occupied[0], "held")?;
                    }
                    expect(!bench.peek(idle())?.collector_occupied[0], "free for the next")?;
                }
                Ok(())
            },
        },
        Scenario {
            name: "port_s_takes_one_value_per_access",
            rule: "F II: granted only if the port of the OCU and the bank it needs are available",
            play: |bench| {
                let accesses = bench.parameters.accesses;
                let registers = [3, 4, 5];
                bench.cycle(issue(0, &registers[..=accesses]))?;
                for _ in 0..latency(&bench.parameters) {
                    expect(!bench.cycle(idle())?.dispatch[0], "a source more than it takes adds a cycle")?;
                }
                expect(bench.cycle(idle())?.dispatch[0], "and only one")
            },
        },
        Scenario {
            name: "two_operands_of_a_bank_arrive_in_a_cycle",
            rule: "our decision: with two accesses per cycle, two sources take no longer than one",
            play: |bench| {
                let Parameters { banks, accesses, .. } = bench.parameters;
                if accesses == 1 {
                    return Ok(());
                }
                let other = 3 + banks as u32;
                bench.cycle(write(idle(), 3, banks))?;
                bench.cycle(write(idle(), other, banks))?;
                bench.cycle(issue(0, &[3, other]))?;
                for _ in 1..latency(&bench.parameters) {
                    expect(!bench.cycle(idle())?.dispatch[0], "not before its time")?;
                }
                let out = bench.cycle(idle())?;
                expect(out.dispatch[0], "both at once")?;
                expect_eq!(out.operand_data[..2], [value(3), value(other)], "each with its value")
            },
        },
        Scenario {
            name: "operands_of_two_banks_arrive_in_a_cycle",
            rule: "our decision: with two accesses per cycle, port S takes values of two banks",
            play: |bench| {
                let Parameters { banks, accesses, .. } = bench.parameters;
                if accesses == 1 {
                    return Ok(());
                }
                bench.cycle(write(write(idle(), 3, banks), 4, banks))?;
                bench.cycle(issue(0, &[3, 4]))?;
                for _ in 1..latency(&bench.parameters) {
                    expect(!bench.cycle(idle())?.dispatch[0], "not before its time")?;
                }
                let out = bench.cycle(idle())?;
                expect(out.dispatch[0], "both at once")?;
                expect_eq!(out.operand_data[..2], [value(3), value(4)], "each with its value")
            },
        },
        Scenario {
            name: "no_sources_no_wait",
            rule: "F II: ready when all valid source slots are",
            play: |bench| {
                bench.cycle(issue(0, &[]))?;
                expect(bench.cycle(idle())?.dispatch[0], "dispatched in the cycle after issue")
            },
        },
        Scenario {
            name: "write_and_read_collide",
            rule: "F II: single-ported banks serve one access per cycle, writes first; our decision: with two, a read goes beside \
                   a write",
            play: |bench| {
                let banks = bench.parameters.banks as u32;
                let bank = 4 % banks as usize;
                let collides = |inputs| write(inputs, 3 + banks, banks as usize);
                let out = match bench.parameters.grant_at_issue {
                    true => bench.cycle(collides(issue(0, &[3])))?,
                    false => {
                        bench.cycle(issue(0, &[3]))?;
                        bench.cycle(collides(idle()))?
                    }
                };
                if bench.parameters.accesses > 1 {
                    let beside = out.second_read[bank] && !out.bank_read[bank] && !out.bank_conflict[bank];
                    return expect(beside, "with a second access the read goes beside the write");
                }
                expect(out.bank_conflict[bank] && !out.bank_read[bank], "the read waits")?;
                expect(bench.cycle(idle())?.bank_read[bank], "one cycle")
            },
        },
        Scenario {
            name: "waits_for_its_unit",
            rule: "F III-C1: the instruction is dispatched to the corresponding execution unit",
            play: |bench| {
                bench.cycle(issue(0, &[]))?;
                for _ in 0..3 {
                    let busy = OperandStageIn { unit_ready: 0xfd, ..Default::default() };
                    expect(!bench.cycle(busy)?.dispatch[0], "unit 1 takes nothing")?;
                }
                let free = OperandStageIn { unit_ready: 0x02, ..Default::default() };
                expect(bench.cycle(free)?.dispatch[0], "now it does")
            },
        },
        Scenario {
            name: "one_dispatch_per_cycle",
            rule: "our decision: ready collectors are dispatched in turn, one per cycle",
            play: |bench| {
                if bench.parameters.collectors < 2 {
                    return Ok(());
                }
                let blocked = |mut inputs: OperandStageIn<D>| {
                    inputs.unit_ready = 0;
                    inputs
                };
                bench.cycle(blocked(issue(1, &[])))?;
                let mut other = issue(0, &[]);
                other.warp = 1;
                bench.cycle(blocked(other))?;
                let first = bench.cycle(idle())?;
                let second = bench.cycle(idle())?;
                expect_eq!(first.dispatch[..2], [true, false], "collector 0")?;
                expect_eq!(second.dispatch[..2], [false, true], "then collector 1")
            },
        },
        Scenario {
            name: "any_slot_waits_at_any_place_of_a_queue",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank; writes always have priority",
            play: |bench| {
                let Parameters { collectors, slots, banks, accesses, rows: all, .. } = bench.parameters;
                // A second access serves a read while the first writes. Larger queues are the arbiter's own
                // scenario.
                if accesses > 1 || collectors != 2 || all <= FRESH {
                    return Ok(());
                }
                let mut read = [0, 0];
                for bank in 0..banks {
                    let [ahead, last] = if bank % 2 == 0 { [0, 1] } else { [1, 0] };
                    for before in 0..=slots {
                        for first in 0..slots {
                            let instructions = [(ahead, 0..before), (last, first..slots)];
                            let rows = Rows { bank, last: (before + first) % 2 == 1, backwards: false };
                            read_of_one_bank(bench, rows, &instructions, &mut read)?;
                        }
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "operands_of_one_bank_queue_up",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank",
            play: |bench| {
                let banks = bench.parameters.banks as u32;
                bench.cycle(issue(0, &[banks - 1, 2 * banks - 1, 3 * banks - 1]))?;
                let mut cycles = 1;
                while !bench.cycle(idle())?.dispatch[0] {
                    cycles += 1;
                    expect(cycles < 10, "dispatched in time")?;
                }
                let expected = latency(&bench.parameters) + 3usize.div_ceil(bench.parameters.accesses) - 1;
                expect_eq!(cycles, expected, format!("{expected} cycles for three reads of a bank, not {cycles}"))
            },
        },
    ]
}

/// Rules of the stage with caching collector units.
pub fn of_caching_stage<D: Data>() -> Vec<Scenario<OperandStageIn<D>, OperandStageOut<D>>> {
    vec![
        Scenario {
            name: "a_hit_needs_no_bank",
            rule: "F III-C1: the ready bit is set for the values found in the CT",
            play: |bench| {
                let banks = bench.parameters.banks;
                bench.cycle(issue(0, &[]))?;
                bench.cycle(idle())?;
                let out = bench.cycle(write(idle(), 3, banks))?;
                expect(out.write_cached[4 % banks], "a near result of the collector's warp is cached")?;
                expect(bench.cycle(issue(0, &[3]))?.hit[0], "the next instruction finds it")?;
                let out = bench.cycle(idle())?;
                let any = out.bank_read.contains(&true) || out.second_read.contains(&true);
                expect(!any, "no bank is read")?;
                expect(out.dispatch[0] && out.operand_data[0] == value(3), "dispatched at once")
            },
        },
        Scenario {
            name: "far_result_makes_the_old_value_invalid",
            rule: "our decision: a result that is kept out invalidates its register's entry",
            play: |bench| {
                let (banks, stage) = (bench.parameters.banks, bench.parameters);
                if stage.cache_far || !stage.invalidate {
                    return Ok(());
                }
                bench.cycle(issue(0, &[3]))?;
                for _ in 0..3 {
                    bench.cycle(idle())?;
                }
                let mut far = write(idle(), 3, banks);
                far.write_near = Default::default();
                expect(bench.cycle(far)?.write_filtered[4 % banks], "the far result is kept out")?;
                expect(!bench.cycle(issue(0, &[3]))?.hit[0], "and the next instruction reads the bank")?;
                expect_eq!(dispatched(bench)?.operand_data[0], value(3), "which has the new value")
            },
        },
        Scenario {
            name: "a_result_keeps_its_entry",
            rule: "our decision: what a result finds makes no room in that cycle; any entry of any collector",
            play: |bench| {
                let Parameters { collectors, entries, slots, banks, allocate_on_arrival, .. } =
                    bench.parameters;
                if allocate_on_arrival {
                    return Ok(());
                }
                let into = |collector: usize, warp: u32, registers: &[u32]| OperandStageIn {
                    warp,
                    source_near: Default::default(),
                    ..issue(collector, registers)
                };
                let registers: Vec<u32> = (0..(entries + slots) as u32).collect();
                let (cached, others) = registers.split_at(entries);
                for collector in 0..collectors {
                    for (number, &register) in cached.iter().enumerate() {
                        // Another warp's, so that the entries are filled from the first on.
                        let warp = (2 * collector + number % 2) as u32;
                        for some in cached.chunks(slots) {
                            bench.cycle(into(collector, warp, some))?;
                            away(bench, collector)?;
                        }
                        let inputs = write_of(warp, into(collector, warp, others), register, banks);
                        let bank = bank_of(warp, register, banks);
                        expect(bench.cycle(inputs)?.write_cached[bank], "a near result is cached")?;
                        away(bench, collector)?;
                        let out = bench.cycle(into(collector, warp, &[register]))?;
                        expect(out.hit[0], format!("collector {collector} has R{register}"))?;
                        away(bench, collector)?;
                    }
                }
                Ok(())
            },
        },
    ]
}

impl<D: Data> Windows<D> for Bench<'_, D> {
    fn collectors(&self) -> usize {
        self.parameters.collectors
    }

    fn execute(
        &mut self,
        warp: usize,
        sources: &[(usize, D)],
        destinations: &[(usize, bool)],
    ) -> Result<(Vec<bool>, Vec<D>), String> {
        let registers: Vec<u32> = sources.iter().map(|(source, _)| *source as u32).collect();
        let mut inputs = OperandStageIn { warp: warp as u32, ..issue(warp, &registers) };
        for (place, &(register, writes)) in destinations.iter().enumerate() {
            (inputs.destination_valid[place], inputs.destination_register[place]) = (writes, register as u32);
        }
        let found = self.cycle(inputs)?.hit[..sources.len()].to_vec();
        let out = dispatched_within(self, warp, self.parameters.slots + 10)?;
        self.cycle(idle())?;
        Ok((found, out.operand_data[..sources.len()].to_vec()))
    }

    fn write(&mut self, warp: usize, register: usize, data: D) -> Result<bool, String> {
        let bank = bank_of(warp as u32, register as u32, self.parameters.banks);
        let mut inputs = write_of(warp as u32, idle(), register as u32, self.parameters.banks);
        inputs.write_data[bank] = data;
        Ok(self.cycle(inputs)?.write_cached[bank])
    }
}

/// Rules of the stage with bypassing operand collectors.
pub fn of_bypassing_stage<D: Data>() -> Vec<Scenario<OperandStageIn<D>, OperandStageOut<D>>> {
    /// One for each warp.
    const COLLECTORS: usize = 8;

    /// An instruction of warp 0 that writes R3.
    fn producer<D: Data>() -> OperandStageIn<D> {
        let mut inputs = issue(0, &[]);
        (inputs.destination_valid[0], inputs.destination_register[0]) = (true, 3);
        inputs
    }

    /// A far result.
    fn write_far<D: Data>(inputs: OperandStageIn<D>, register: u32, banks: usize) -> OperandStageIn<D> {
        OperandStageIn { write_near: Default::default(), ..write(inputs, register, banks) }
    }

    vec![
        Scenario {
            name: "a_forwarded_result_needs_no_bank",
            rule: "F VI-B: operand values found are forwarded, rather than requested from the RF banks",
            play: |bench| {
                let banks = bench.parameters.banks;
                bench.cycle(producer())?;
                bench.cycle(idle())?;
                let out = bench.cycle(write_far(idle(), 3, banks))?;
                let bank = 4 % banks;
                expect(out.write_cached[bank] && !out.write_filtered[bank], "far results enter too")?;
                expect(bench.cycle(issue(0, &[3]))?.hit[0], "the next instruction finds it")?;
                let out = bench.cycle(idle())?;
                let any = out.bank_read.contains(&true) || out.second_read.contains(&true);
                expect(!any, "no bank is read")?;
                expect(out.dispatch[0] && out.operand_data[0] == value(3), "dispatched at once")
            },
        },
        Scenario {
            name: "results_are_written_through",
            rule: "F VI-B3: BOW writes all values in both the RF and the cache",
            play: |bench| {
                let banks = bench.parameters.banks;
                bench.cycle(producer())?;
                bench.cycle(idle())?;
                expect(bench.cycle(write_far(idle(), 3, banks))?.write_cached[4 % banks], "cached")?;
                let flushed = OperandStageIn { flush: true, ..issue(0, &[3]) };
                expect(!bench.cycle(flushed)?.hit[0], "after a flush the window has nothing")?;
                expect_eq!(
                    dispatched(bench)?.operand_data[0], value(3),
                    "so the bank is read, which has the value",
                )
            },
        },
        Scenario {
            name: "a_window_is_private",
            rule: "F VI-B: BOW uses private BOCs per warp",
            play: |bench| {
                let banks = bench.parameters.banks;
                bench.cycle(producer())?;
                let mut other = issue(1, &[]);
                (other.warp, other.destination_valid[0], other.destination_register[0]) = (1, true, 3);
                bench.cycle(other)?;
                bench.cycle(idle())?;
                let out = bench.cycle(idle())?;
                let owners: Vec<u32> = (0..8).collect();
                let owned = out.collector_owned == [true; 8] && out.collector_warp[..] == owners;
                expect(owned, "warp w has collector w")?;
                bench.cycle(write(idle(), 3, banks))?;
                expect(bench.peek(issue(0, &[3]))?.hit[0], "warp 0 finds its R3")?;
                let mut reader = issue(1, &[3]);
                reader.warp = 1;
                expect(!bench.cycle(reader)?.hit[0], "warp 1 does not")
            },
        },
        Scenario {
            name: "all_slots_wait_for_one_bank",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank; writes always have priority",
            play: |bench| {
                let Parameters { slots, banks, accesses, window, rows: all, .. } = bench.parameters;
                // A second access serves a read while the first writes. And no source may be in the window.
                if accesses > 1 || window * slots >= FRESH || all <= FRESH {
                    return Ok(());
                }
                let rows_of = |bank| [false, true].map(|last| Rows { bank, last, backwards: last });
                for rows in (0..banks).flat_map(rows_of) {
                    // The same again, in a window that has nothing.
                    let mut read = [0; COLLECTORS];
                    for collector in 0..COLLECTORS {
                        let warp = collector as u32;
                        bench.cycle(OperandStageIn { flush: true, warp, ..issue(collector, &[]) })?;
                        away(bench, collector)?;
                    }
                    for first in 0..COLLECTORS {
                        // The first has ever fewer sources, so that the others stand at other places.
                        let instruction = |number: usize| {
                            let from = if number == 0 { first.min(slots - 1) } else { 0 };
                            ((first + number) % COLLECTORS, from..slots)
                        };
                        let instructions: Vec<_> = (0..COLLECTORS).map(instruction).collect();
                        read_of_one_bank(bench, rows, &instructions, &mut read)?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "any_slot_finds_any_source_of_the_window",
            rule: "F VI-B: operand values found are forwarded, rather than requested from the RF banks; in any collector",
            play: |bench| {
                let Parameters { slots, banks, window, .. } = bench.parameters;
                // Instructions take turns at so many sets of registers: what one reads, only the oldest that
                // stays has read.
                let sets = window - 1;
                for collector in 0..COLLECTORS {
                    let warp = collector as u32;
                    let value = |register: u32| value(register + 64 * warp);
                    for register in 0..(sets * slots) as u32 {
                        let mut inputs = write_of(warp, idle(), register, banks);
                        inputs.write_data[bank_of(warp, register, banks)] = value(register);
                        bench.cycle(inputs)?;
                    }
                    // Each place of the window three times, with other slots each time.
                    for number in 0..6 * slots {
                        let (set, turn) = (number % sets, number / sets);
                        let register = |slot: usize| (set * slots + (slot + turn) % slots) as u32;
                        let registers: Vec<u32> = (0..slots).map(register).collect();
                        let out = bench.cycle(OperandStageIn { warp, ..issue(collector, &registers) })?;
                        let found = out.hit[..slots].iter().all(|hit| *hit);
                        expect_eq!(found, (turn > 0), "a window has what its instructions have read")?;
                        let out = dispatched_within(bench, collector, 2 * slots + 4)?;
                        let right: Vec<D> = registers.iter().map(|register| value(*register)).collect();
                        expect_eq!(out.operand_data[..slots], right, "each slot has the value of its register")?;
                        // The collector takes the next instruction in the next cycle, or one later.
                        bench.cycle(idle())?;
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "a_result_without_a_slot_goes_to_the_bank_alone",
            rule: "F VI-B3: if the slot slides out before write-back, the data is written only in the RF",
            play: |bench| {
                let banks = bench.parameters.banks;
                bench.cycle(producer())?;
                for _ in 0..bench.parameters.window {
                    bench.cycle(idle())?;
                    bench.cycle(issue(0, &[]))?;
                }
                let out = bench.cycle(write(idle(), 3, banks))?;
                let bank = 4 % banks;
                expect(out.write_filtered[bank] && !out.write_cached[bank], "no slot waits any more")?;
                expect(!bench.cycle(issue(0, &[3]))?.hit[0], "and the next instruction reads the bank")?;
                expect_eq!(dispatched(bench)?.operand_data[0], value(3), "which has the value")
            },
        },
    ]
}
