// SPDX-License-Identifier: Apache-2.0
//! Scenarios of the sub-core.

use std::ops::Range;

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Data, IssueLatch, Parameters, MAX_SLOTS};

use crate::collector::window::Windows;
use crate::{expect, expect_eq, value, Drive, Scenario};

type Bench<'a, D> = Drive<'a, SubCoreIn<D>, SubCoreOut<D>>;

/// First row of either warp.
fn base_of(warp: usize, parameters: &Parameters) -> u32 {
    (warp * parameters.rows / 2) as u32
}

fn value_of<D: Data>(warp: usize, register: usize) -> D {
    value((32 * warp + register) as u32)
}

fn idle<D: Data>() -> SubCoreIn<D> {
    SubCoreIn { unit_ready: 0xff, ..Default::default() }
}

/// A far result; whether it enters a collector.
fn write<D: Data>(
    bench: &mut Bench<D>,
    warp: usize,
    (register, base): (usize, u32),
    data: D,
) -> Result<bool, String> {
    let mut inputs = SubCoreIn::<D>::default();
    let bank = (register + 1 + warp) % bench.parameters.banks;
    inputs.write_valid[bank] = true;
    inputs.write_warp[bank] = warp as u32;
    inputs.write_register[bank] = register as u32;
    inputs.write_base[bank] = base;
    inputs.write_data[bank] = data;
    Ok(bench.cycle(inputs)?.write_cached[bank])
}

/// A near source of the next instruction of a warp; slots of all warps are counted as one.
fn name_source<D: Data>(inputs: &mut SubCoreIn<D>, slot: usize, register: usize) {
    inputs.head_source_valid[slot] = true;
    inputs.head_source_register[slot] = register as u32;
    inputs.head_source_near[slot] = true;
}

/// A warp's instruction, with which it is ready, is issued: what its slots find, and what is shown when it is
/// dispatched.
fn run<D: Data>(
    bench: &mut Bench<D>,
    warp: usize,
    mut ready: SubCoreIn<D>,
) -> Result<([bool; MAX_SLOTS], SubCoreOut<D>), String> {
    ready.ready[warp] = true;
    let (mut is_issued, mut found) = (false, None);
    for _ in 0..4 * bench.parameters.slots {
        let out = bench.cycle(if is_issued { idle() } else { ready })?;
        is_issued |= out.issued;
        match found {
            Some(hit) if out.dispatch.contains(&true) => return Ok((hit, out)),
            Some(_) => {}
            // With latches it enters a collector later than it issues.
            None => found = out.issue.contains(&true).then_some(out.hit),
        }
    }
    Err(format!("warp {warp} is not dispatched"))
}

/// An instruction of the warp whose slots read as many registers as a cache table has entries, in turn from
/// this one on.
fn read_in_turn<D: Data>(bench: &mut Bench<D>, warp: usize, first: usize) -> Result<(), String> {
    let Parameters { slots, entries, .. } = bench.parameters;
    let read = |slot: usize| (first + slot) % entries;
    let mut ready = idle();
    ready.head_base[warp] = base_of(warp, &bench.parameters);
    for slot in 0..slots {
        name_source(&mut ready, slots * warp + slot, read(slot));
    }
    let (_, out) = run(bench, warp, ready)?;
    let right: Vec<D> = (0..slots).map(|slot| value_of(warp, read(slot))).collect();
    expect_eq!(out.operand_data[..slots], right, "each slot has the value of its register")
}

/// How warps share the rows of a bank: they have as many equal parts, and change them, so that rows use all
/// bits.
#[derive(Clone, Copy)]
struct Parts {
    count: usize,
    /// Rows of each, of those that registers have numbers for.
    rows: usize,
    /// The last row first: then every bit of its number is the other.
    backwards: bool,
}

impl Parts {
    fn new(count: usize, parameters: &Parameters) -> Self {
        let rows = (parameters.rows / count).min(256 / parameters.banks);
        Parts { count, rows, backwards: false }
    }

    /// The first row of the registers that a warp reads one after another, and the row of the one of this
    /// number.
    fn place(&self, warp: usize, number: usize) -> (usize, usize) {
        let (part, row) = ((warp + number / self.rows) % self.count, number % self.rows);
        match self.backwards {
            false => (part * self.rows, row),
            true => ((self.count - 1 - part) * self.rows, self.rows - 1 - row),
        }
    }
}

/// While a bank writes, an instruction of each of these warps is issued with sources in these slots, which
/// all live in that bank; then all are dispatched. `read`: how many registers each warp has read so far, one
/// after another.
fn read_of_one_bank<D: Data>(
    bench: &mut Bench<D>,
    bank: usize,
    parts: Parts,
    instructions: &[(usize, Range<usize>)],
    read: &mut [usize],
) -> Result<(), String> {
    let Parameters { banks, slots: all, .. } = bench.parameters;
    let lives_here = |warp: usize| (8 * banks + bank - 1 - warp) % banks;
    // It writes a register that no warp reads, into row 0.
    let (writer, row) = (parts.count % 8, 256 / banks - 1);
    let mut held = 0;
    for &(warp, ref slots) in instructions {
        let mut inputs = idle();
        inputs.write_valid[bank] = true;
        inputs.write_warp[bank] = writer as u32;
        inputs.write_register[bank] = (row * banks + lives_here(writer)) as u32;
        inputs.write_base[bank] = (256 - row) as u32;
        inputs.ready[warp] = true;
        inputs.head_base[warp] = parts.place(warp, read[warp]).0 as u32;
        for slot in slots.clone() {
            let register = parts.place(warp, read[warp]).1 * banks + lives_here(warp);
            name_source(&mut inputs, all * warp + slot, register);
            read[warp] += 1;
        }
        let out = bench.cycle(inputs)?;
        expect(out.issued, format!("warp {warp} is issued"))?;
        expect(!out.bank_read[bank], "the bank writes")?;
        held += 1 - usize::from(out.dispatch.contains(&true));
    }
    for _ in 0..instructions.len() * all + 6 {
        held -= usize::from(bench.cycle(idle())?.dispatch.contains(&true));
    }
    expect_eq!(held, 0, "all are dispatched")
}

fn has_latches<D: Data>(bench: &Bench<D>) -> bool {
    bench.parameters.issue_latch != IssueLatch::None
}

/// Rules of every kind of sub-core.
pub fn of_every_sub_core<D: Data>() -> Vec<Scenario<SubCoreIn<D>, SubCoreOut<D>>> {
    vec![
        Scenario {
            name: "an_instruction_passes_its_latch",
            rule: "Accel-Sim: an instruction issues into a register of its unit, and enters a collector in a later cycle",
            play: |bench| {
                let latched = has_latches(bench);
                let mut ready = idle::<D>();
                (ready.ready[0], ready.head_unit[0]) = (true, 3);
                let out = bench.cycle(ready)?;
                expect(out.issued, "the warp issues")?;
                expect_eq!(out.issue.contains(&true), !latched, "without latches it enters a collector")?;
                let out = bench.cycle(idle())?;
                expect_eq!(out.issue.contains(&true), latched, "with latches in the next cycle")?;
                expect_eq!(out.entering_unit[0], if latched { 3 } else { 0 }, "from the latch of its unit")
            },
        },
        Scenario {
            name: "any_slot_waits_at_any_place_of_a_queue",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank; writes always have priority",
            play: |bench| {
                let Parameters { slots, banks, accesses, collectors, .. } = bench.parameters;
                // A second access serves a read while the first writes. An instruction enters as it issues.
                if accesses > 1 || collectors < 2 || has_latches(bench) {
                    return Ok(());
                }
                let (parts, mut read) = (Parts::new(2, &bench.parameters), [0; 2]);
                for bank in 0..banks {
                    for before in 0..=slots {
                        for first in 0..slots {
                            let instructions = [(0, 0..before), (1, first..slots)];
                            read_of_one_bank(bench, bank, parts, &instructions, &mut read)?;
                        }
                    }
                }
                Ok(())
            },
        },
        Scenario {
            name: "any_slot_finds_any_entry",
            rule: "F III-C1: the ready bit is set for the values found in the CT; in any slot, of any entry",
            play: |bench| {
                let Parameters { slots, entries, collectors, .. } = bench.parameters;
                let warps = 0..collectors.min(2);
                for warp in warps.clone() {
                    let base = base_of(warp, &bench.parameters);
                    for register in 0..entries {
                        write(bench, warp, (register, base), value_of(warp, register))?;
                    }
                }
                // Each instruction reads one register on: after so many a cache table has as many as it has
                // entries.
                for first in 0..2 * entries - slots {
                    for warp in warps.clone() {
                        read_in_turn(bench, warp, first)?;
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
        let Parameters { slots, destinations: places, .. } = self.parameters;
        let mut inputs = idle();
        for (slot, (source, _)) in sources.iter().enumerate() {
            name_source(&mut inputs, slots * warp + slot, *source);
        }
        for (place, &(register, writes)) in destinations.iter().enumerate() {
            inputs.head_destination_valid[places * warp + place] = writes;
            inputs.head_destination_register[places * warp + place] = register as u32;
        }
        let (hit, out) = run(self, warp, inputs)?;
        Ok((hit[..sources.len()].to_vec(), out.operand_data[..sources.len()].to_vec()))
    }

    fn write(&mut self, warp: usize, register: usize, data: D) -> Result<bool, String> {
        write(self, warp, (register, 0), data)
    }
}

/// Rules of the sub-core with bypassing operand collectors, one for each warp.
pub fn of_bypassing_sub_core<D: Data>() -> Vec<Scenario<SubCoreIn<D>, SubCoreOut<D>>> {
    vec![
        Scenario {
            name: "all_slots_wait_for_one_bank",
            rule: "F II: conflicting reads are stored in a FIFO queue associated with each bank; writes always have priority",
            play: |bench| {
                let Parameters { slots, banks, accesses, collectors, window, .. } = bench.parameters;
                let parts = Parts::new(collectors, &bench.parameters);
                // A second access serves a read while the first writes. An instruction enters as it issues.
                // No source may be in the window.
                if accesses > 1 || has_latches(bench) || (window + 1) * slots > parts.rows {
                    return Ok(());
                }
                for (bank, backwards) in (0..banks).flat_map(|bank| [(bank, false), (bank, true)]) {
                    let (parts, mut read) = (Parts { backwards, ..parts }, vec![0; collectors]);
                    // The same again, in a window that has nothing.
                    for warp in 0..collectors {
                        let mut flushes = idle();
                        flushes.head_flush[warp] = true;
                        run(bench, warp, flushes)?;
                    }
                    for first in 0..collectors {
                        // The first has ever fewer sources, so that the others stand at other places.
                        let instruction = |number: usize| {
                            let from = if number == 0 { first.min(slots - 1) } else { 0 };
                            ((first + number) % collectors, from..slots)
                        };
                        let instructions: Vec<_> = (0..collectors).map(instruction).collect();
                        read_of_one_bank(bench, bank, parts, &instructions, &mut read)?;
                    }
                }
                Ok(())
            },
        },
    ]
}
