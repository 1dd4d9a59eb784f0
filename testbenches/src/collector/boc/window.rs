// SPDX-License-Identifier: Apache-2.0
//! Tests of a window's values, kept and dropped, as a collector, an operand stage and a sub-core show them.

use gpurf_blocks::{Data, Parameters, Ports};

use crate::{expect, expect_eq, value, Drive, Scenario};

/// A bench of something that has bypassing collectors.
pub trait Windows<D> {
    /// How many collectors, one for each warp.
    fn collectors(&self) -> usize;

    /// Executes an instruction of a warp that reads these registers, one in each slot; the banks have these
    /// values. Its ports show those destinations; the instruction writes each, or does not have it. Returns
    /// which slots find their registers, and their operands.
    fn execute(
        &mut self,
        warp: usize,
        sources: &[(usize, D)],
        destinations: &[(usize, bool)],
    ) -> Result<(Vec<bool>, Vec<D>), String>;

    /// A result of a warp; whether it enters the warp's collector.
    fn write(&mut self, warp: usize, register: usize, data: D) -> Result<bool, String>;
}

/// Masks for the exclusive-or with numbers of registers, so that registers of each bank use all bits.
const SETS: [usize; 4] = [0, 0xff, 0x01, 0xfe];

/// Any two of a set differ in more than one bit.
fn register(number: usize, set: usize) -> usize {
    (0x49 * number) & 0xff ^ SETS[set]
}

/// Rules of whatever has such collectors.
pub fn scenarios<D, I, O>() -> Vec<Scenario<I, O>>
where
    D: Data,
    I: Ports,
    O: Ports,
    for<'a> Drive<'a, I, O>: Windows<D>,
{
    vec![
        Scenario {
            name: "any_result_of_the_window_is_found",
            rule: "F VI-B: operand values found are forwarded, rather than requested from the RF banks; any result of any \
                   instruction of any collector's window, in any slot",
            play: |bench| results_are_found(bench),
        },
        Scenario {
            name: "results_make_sources_old",
            rule: "our decision: a result makes old what the window has of its register, and goes to the bank alone if no \
                   instruction of the window writes it; any slot of any collector",
            play: |bench| results_make_sources_old(bench),
        },
        Scenario {
            name: "a_result_enters_the_destination_that_an_instruction_has",
            rule: "our decision: what stands at a destination that an instruction does not have is of no meaning, be it the register \
                   of another one; any destination of any instruction of any collector's window",
            play: |bench| one_destination_has_it(bench),
        },
    ]
}

/// Each instruction reads what the one before it has written, in each place of the window a few times.
fn results_are_found<D, I, O>(bench: &mut Drive<I, O>) -> Result<(), String>
where
    D: Data,
    I: Ports,
    O: Ports,
    for<'a> Drive<'a, I, O>: Windows<D>,
{
    let Parameters { slots, window, destinations: results, banks, rows, .. } = bench.parameters;
    // One after another, they use all bits, which do not follow those of the number.
    let register = |number: usize| {
        let scattered = 0x95 * number % (banks * rows).min(256);
        scattered ^ scattered >> 3
    };
    for warp in 0..bench.collectors() {
        let numbers = |turn: usize| turn * results..(turn + 1) * results;
        let data = |number: usize| value::<D>((4096 * warp + number) as u32);
        for turn in 1..=12 * window {
            let written: Vec<usize> = numbers(turn).map(register).collect();
            for (number, &register) in numbers(turn).zip(&written) {
                // Nothing is before the first one.
                let is_awaited = bench.write(warp, register, data(number))?;
                expect_eq!(is_awaited, turn > 1, "the instruction before has it as a destination")?;
            }
            let of_slot = |slot: usize| (slot + turn) % results;
            let values: Vec<D> = (0..slots).map(|slot| data(numbers(turn).start + of_slot(slot))).collect();
            let sources: Vec<_> = (0..slots).map(|slot| (written[of_slot(slot)], values[slot])).collect();
            let next: Vec<_> = numbers(turn + 1).map(|number| (register(number), true)).collect();
            let (found, operands) = bench.execute(warp, &sources, &next)?;
            expect(turn == 1 || found == vec![true; slots], format!("warp {warp}: {found:?}, not all"))?;
            expect_eq!(operands, values, "each slot has the result of its register")?;
        }
    }
    Ok(())
}

/// A result makes old what any slot of any instruction in the window has read of its register, and enters no
/// destination that an instruction does not have.
fn results_make_sources_old<D, I, O>(bench: &mut Drive<I, O>) -> Result<(), String>
where
    D: Data,
    I: Ports,
    O: Ports,
    for<'a> Drive<'a, I, O>: Windows<D>,
{
    let Parameters { slots, window, destinations, banks, rows, .. } = bench.parameters;
    if banks * rows < 256 {
        return Ok(());
    }
    // The slots of a register change from turn to turn, by one more each time, and so does the place of an
    // instruction. A collector alone has time for each register of each set in each slot of each place.
    let turns = slots * window * if bench.collectors() == 1 { SETS.len() } else { 1 };
    for warp in 0..bench.collectors() {
        for turn in 0..turns {
            let set = SETS.len() * turn / turns;
            let of_slot = |slot: usize| (slot + turn * (turn + 1) / 2) % slots;
            let not_written: Vec<_> =
                (0..destinations.min(slots)).map(|place| (register(place, set) ^ 7, false)).collect();
            let data = |slot: usize| value::<D>((turns * slots * warp + slots * turn + slot) as u32);
            let values: Vec<D> = (0..slots).map(data).collect();
            let sources: Vec<_> =
                (0..slots).map(|slot| (register(of_slot(slot), set), values[slot])).collect();
            for &(source, value) in &sources {
                expect(!bench.write(warp, source, value)?, "no instruction of the window writes it")?;
            }
            for is_there in [false, true] {
                let (found, operands) = bench.execute(warp, &sources, &not_written)?;
                expect_eq!(found, vec![is_there; slots], format!("warp {warp}: {found:?}, not {is_there}"))?;
                expect_eq!(operands, values, "each slot has the latest value of its register")?;
            }
            for &(other, _) in &not_written {
                expect(!bench.write(warp, other, value(1))?, "nor that one")?;
            }
            if window % 2 == 0 {
                bench.execute(warp, &[], &[])?;
            }
        }
    }
    Ok(())
}

/// Each instruction reads what the one before it has written, whose destinations all show that register: one
/// of them has it.
fn one_destination_has_it<D, I, O>(bench: &mut Drive<I, O>) -> Result<(), String>
where
    D: Data,
    I: Ports,
    O: Ports,
    for<'a> Drive<'a, I, O>: Windows<D>,
{
    let Parameters { window, destinations, .. } = bench.parameters;
    for warp in 0..bench.collectors() {
        let next = |turn: usize| -> Vec<_> {
            (0..destinations).map(|place| (turn + 1, place == turn / window % destinations)).collect()
        };
        bench.execute(warp, &[], &next(0))?;
        for turn in 1..=window * destinations {
            let data = value::<D>((64 * warp + turn) as u32);
            expect(bench.write(warp, turn, data)?, "the instruction before has it as a destination")?;
            let (found, operands) = bench.execute(warp, &[(turn, data)], &next(turn))?;
            expect_eq!(found, [true], "it is in the window")?;
            expect_eq!(operands, [data], "with its value")?;
        }
    }
    Ok(())
}
