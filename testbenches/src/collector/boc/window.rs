//! What a window holds no longer, as an operand stage and a sub-core show it.

use gpurf_blocks::{Data, Parameters};

use crate::{expect, value};

/// Ports of something that has a bypassing collector for each of some warps.
pub trait Windows<D> {
    /// How many warps.
    fn warps(&self) -> usize;

    /// A warp's instruction reads these registers, one in each slot, and shows those of destinations that it does not have.
    /// Which slots find their registers, and their operands.
    fn execute(
        &mut self,
        warp: usize,
        sources: &[usize],
        not_written: &[usize],
    ) -> Result<(Vec<bool>, Vec<D>), String>;

    /// A result of a warp; whether it enters the warp's collector.
    fn write(&mut self, warp: usize, register: usize, data: D) -> Result<bool, String>;
}

/// Numbers of registers that use all bits, so that two of them differ in more than one; half of them are the others upside down.
fn register(number: usize, is_other: bool) -> usize {
    (0x49 * number ^ if is_other { 0xff } else { 0 }) & 0xff
}

/// Of [`results_make_sources_old`].
pub const RULE: &str =
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
    for warp in 0..windows.warps() {
        for turn in 0..slots * window {
            // The slots of a register change from turn to turn, and so does the place of an instruction.
            let is_other = 2 * turn >= slots * window;
            let of_slot = |slot: usize| (slot + turn) % slots;
            let sources: Vec<usize> = (0..slots).map(|slot| register(of_slot(slot), is_other)).collect();
            let not_written: Vec<usize> =
                (0..destinations.min(slots)).map(|place| register(place, is_other) ^ 7).collect();
            let data = |slot: usize| value::<D>((2048 * warp + 8 * turn + slot) as u32);
            let values: Vec<D> = (0..slots).map(data).collect();
            for (&source, &value) in sources.iter().zip(&values) {
                expect(!windows.write(warp, source, value)?, "no instruction of the window writes it")?;
            }
            for is_there in [false, true] {
                let (found, operands) = windows.execute(warp, &sources, &not_written)?;
                expect(found == vec![is_there; slots], format!("warp {warp}: {found:?}, not {is_there}"))?;
                expect(operands == values, "each slot has the latest value of its register")?;
            }
            for &other in &not_written {
                expect(!windows.write(warp, other, value(1))?, "nor that one")?;
            }
            if window % 2 == 0 {
                windows.execute(warp, &[], &[])?;
            }
        }
    }
    Ok(())
}
