//! The heads of the warps' instruction buffers, as the hardware is given them.

use gpurf_blocks::ports::SubCoreIn;
use gpurf_blocks::{Row, WarpId, MAX_SLOTS};
use gpurf_trace::{RegisterId, Unit};

use super::super::context::Context;
use super::Core;
use crate::bits::{all, flags};
use crate::engines::RunsSubCore;

/// Puts sources at the head of the buffer of a warp, which has so many slots. `used`, `near`: a bit per slot.
// It is no loop where the compiler knows the number of slots.
#[inline(always)]
fn put_sources(
    inputs: &mut SubCoreIn<u32>,
    (warp, slots): (usize, usize),
    (used, near): (u8, u8),
    numbers: &[u32; MAX_SLOTS],
) {
    let of_warp = slots * warp..slots * warp + slots;
    inputs.head_source_valid[of_warp.clone()].copy_from_slice(&flags::<MAX_SLOTS>(used)[..slots]);
    inputs.head_source_near[of_warp.clone()].copy_from_slice(&flags::<MAX_SLOTS>(near)[..slots]);
    inputs.head_source_register[of_warp].copy_from_slice(&numbers[..slots]);
}

impl<E: RunsSubCore> Core<E> {
    /// Puts the next instruction of a warp at the head of its buffer.
    #[inline(never)]
    pub(super) fn present(&mut self, warp: WarpId, context: &Context) {
        let warp = warp.index();
        let slot = &self.warps[warp];
        let (instruction, serial) = slot.head();
        let decoded = context.code.of(instruction);
        self.inputs.head_unit[warp] = decoded.unit.into();
        self.inputs.head_payload[warp] = serial;
        self.inputs.head_base[warp] = slot.base.0;
        let hardware = &context.config.hardware;
        let used = all(decoded.sources().len());
        let near = instruction.near_sources as u8 & used;
        // The default number of slots, and any other.
        let (inputs, sources, numbers) = (&mut self.inputs, (used, near), &decoded.source_numbers);
        match hardware.slots {
            7 => put_sources(inputs, (warp, 7), sources, numbers),
            slots => put_sources(inputs, (warp, slots), sources, numbers),
        }
        let leaves = self.has_windows && slot.leaves_window(decoded.pc, hardware.window);
        self.inputs.head_flush[warp] = leaves || slot.has_come_back;
        if self.has_windows {
            self.present_destinations(warp, decoded.destinations(), hardware.destinations);
        }
    }

    /// Puts what an instruction writes at the head of the buffer of a warp, which has so many places for that. Collectors without
    /// windows have no such ports.
    fn present_destinations(&mut self, warp: usize, destinations: &[RegisterId], places: usize) {
        for destination in 0..places {
            let place = places * warp + destination;
            let register = destinations.get(destination);
            self.inputs.head_destination_valid[place] = register.is_some();
            self.inputs.head_destination_register[place] = register.map_or(0, |&register| register.into());
        }
    }

    /// Puts reads of registers at the head of a warp's buffer, as an instruction for the uniform unit, which it does not
    /// reach. `base`: row of the warp's first register. What the collector keeps may be of a warp that was there before,
    /// so that all are read from the banks.
    pub(super) fn present_reads(
        &mut self,
        warp: WarpId,
        base: Row,
        registers: &[RegisterId],
        context: &Context,
    ) {
        let warp = warp.index();
        self.inputs.head_unit[warp] = Unit::Uniform as u32;
        self.inputs.head_payload[warp] = 0;
        self.inputs.head_base[warp] = base.0;
        let hardware = &context.config.hardware;
        let mut numbers = [0; MAX_SLOTS];
        numbers.iter_mut().zip(registers).for_each(|(number, &register)| *number = register.into());
        put_sources(&mut self.inputs, (warp, hardware.slots), (all(registers.len()), 0), &numbers);
        self.inputs.head_flush[warp] = true;
        let places = hardware.destinations;
        self.inputs.head_destination_valid[places * warp..places * (warp + 1)].fill(false);
    }
}
