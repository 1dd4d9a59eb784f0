//! What a window holds, and holds no longer, as a collector, an operand stage and a sub-core show it.

use gpurf_blocks::{Data, Parameters};

use crate::{expect, value};

/// Ports of something that has bypassing collectors.
pub trait Windows<D> {
    /// How many collectors, one for each warp.
    fn collectors(&self) -> usize;

    /// A warp's instruction reads these registers, one in each slot, and shows those as its destinations, which it writes or does
    /// not have. Which slots find their registers, and their operands.
    fn execute(
        &mut self,
        warp: usize,
        sources: &[usize],
        destinations: &[usize],
        writes: bool,
    ) -> Result<(Vec<bool>, Vec<D>), String>;

    /// A result of a warp; whether it enters the warp's collector.
    fn write(&mut self, warp: usize, register: usize, data: D) -> Result<bool, String>;
}

/// What numbers of registers are exclusive-or'ed with, so that registers of each bank use all bits.
const SETS: [usize; 4] = [0, 0xff, 0x01, 0xfe];

/// Any two of a set differ in more than one bit.
fn register(number: usize, set: usize) -> usize {
    (0x49 * number) & 0xff ^ SETS[set]
}

/// Of [`results_are_found`].
pub const FOUND: &str =
    "F VI-B: operand values found are forwarded, rather than requested from the RF banks; any result of any \
                         instruction of any collector's window, in any slot";

/// Each instruction reads what the one before it has written, in each place of the window a few times.
pub fn results_are_found<D: Data>(
    windows: &mut impl Windows<D>,
    parameters: &Parameters,
) -> Result<(), String> {
    let Parameters { slots, window, destinations: results, banks, rows, .. } = *parameters;
    // One after another, they use all bits, which do not follow those of the number.
    let register = |number: usize| {
        let scattered = 0x95 * number % (banks * rows).min(256);
        scattered ^ scattered >> 3
    };
    for warp in 0..windows.collectors() {
        let numbers = |turn: usize| turn * results..(turn + 1) * results;
        let data = |number: usize| value::<D>((4096 * warp + number) as u32);
        for turn in 1..=12 * window {
            let written: Vec<usize> = numbers(turn).map(register).collect();
            for (number, &register) in numbers(turn).zip(&written) {
                // Nothing is before the first one.
                let is_awaited = windows.write(warp, register, data(number))?;
                expect(is_awaited == (turn > 1), "the instruction before has it as a destination")?;
            }
            let of_slot = |slot: usize| (slot + turn) % results;
            let sources: Vec<usize> = (0..slots).map(|slot| written[of_slot(slot)]).collect();
            let next: Vec<usize> = numbers(turn + 1).map(register).collect();
            let (found, operands) = windows.execute(warp, &sources, &next, true)?;
            expect(turn == 1 || found == vec![true; slots], format!("warp {warp}: {found:?}, not all"))?;
            let values: Vec<D> = (0..slots).map(|slot| data(numbers(turn).start + of_slot(slot))).collect();
            expect(operands == values, "each slot has the result of its register")?;
        }
    }
    Ok(())
}

/// Of [`results_make_sources_old`].
pub const OLD: &str =
    "our decision: a result makes old what the window has of its register, and goes to the bank alone if no \
                        instruction of the window writes it; any slot of any collector";

/// A result makes old what any slot of any instruction in the window has read of its register, and enters no destination that an
/// instruction does not have.
pub fn results_make_sources_old<D: Data>(
    windows: &mut impl Windows<D>,
    parameters: &Parameters,
) -> Result<(), String> {
    let Parameters { slots, window, destinations, banks, rows, .. } = *parameters;
    if banks * rows < 256 {
        return Ok(());
    }
    // The slots of a register change from turn to turn, by one more each time, and so does the place of an instruction. A collector
    // alone has time for each register of each set in each slot of each place.
    let turns = slots * window * if windows.collectors() == 1 { SETS.len() } else { 1 };
    for warp in 0..windows.collectors() {
        for turn in 0..turns {
            let set = SETS.len() * turn / turns;
            let of_slot = |slot: usize| (slot + turn * (turn + 1) / 2) % slots;
            let sources: Vec<usize> = (0..slots).map(|slot| register(of_slot(slot), set)).collect();
            let not_written: Vec<usize> =
                (0..destinations.min(slots)).map(|place| register(place, set) ^ 7).collect();
            let data = |slot: usize| value::<D>((turns * slots * warp + slots * turn + slot) as u32);
            let values: Vec<D> = (0..slots).map(data).collect();
            for (&source, &value) in sources.iter().zip(&values) {
                expect(!windows.write(warp, source, value)?, "no instruction of the window writes it")?;
            }
            for is_there in [false, true] {
                let (found, operands) = windows.execute(warp, &sources, &not_written, false)?;
                expect(found == vec![is_there; slots], format!("warp {warp}: {found:?}, not {is_there}"))?;
                expect(operands == values, "each slot has the latest value of its register")?;
            }
            for &other in &not_written {
                expect(!windows.write(warp, other, value(1))?, "nor that one")?;
            }
            if window % 2 == 0 {
                windows.execute(warp, &[], &[], false)?;
            }
        }
    }
    Ok(())
}
