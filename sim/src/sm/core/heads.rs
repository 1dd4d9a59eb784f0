// SPDX-License-Identifier: Apache-2.0
//! The heads of the warps' instruction buffers, as the hardware is given them.

use gpurf_blocks::{Row, WarpId};
use gpurf_trace::{RegisterId, Unit};

use super::super::context::Context;
use super::Core;
use crate::bits::all;
use crate::collector::Issue;
use crate::engines::RunsSubCore;

impl<E: RunsSubCore> Core<E> {
    /// Puts the next instruction of a warp, or the next round of it, at the head of its buffer.
    #[inline(never)]
    pub(super) fn present(&mut self, warp: WarpId, context: &Context) {
        let slot = &self.warps[warp.index()];
        let (instruction, serial) = slot.head();
        let decoded = context.code.of(instruction);
        let window = context.config.hardware.window;
        let leaves = self.shape.has_windows && slot.leaves_window(decoded.pc, window);
        let round = decoded.round(slot.round());
        let sources = all(round.sources().len());
        let head = &mut self.hardware.inputs.heads[warp.index()];
        head.warp = warp;
        head.base = slot.base;
        head.unit = decoded.unit.into();
        head.payload = serial;
        head.sources = sources;
        head.near = instruction.near_sources_from(round.first.into()) as u8 & sources;
        head.registers = round.slots;
        head.flush = leaves || slot.is_to_be_flushed;
        // Collectors without windows do not look at what an instruction writes.
        if self.shape.has_windows {
            let is_last = slot.round() == decoded.last_round();
            let kept = if is_last { self.shape.places.1 } else { 0 };
            let named = &decoded.destinations[..decoded.destinations.len().min(kept)];
            head.destinations = std::array::from_fn(|place| named.get(place).copied());
        }
        if self.renamed.is_some() {
            self.present_lenders(warp, context);
        }
    }

    /// Puts reads of registers at the head of a warp's buffer, as an instruction for the uniform unit, which
    /// it does not reach. `base`: row of the warp's first register. What the collector keeps may be of a warp
    /// that was there before, so that all are read from the banks.
    pub(super) fn present_reads(&mut self, warp: WarpId, base: Row, registers: &[RegisterId]) {
        let mut head = Issue { warp, base, unit: Unit::Uniform as u32, flush: true, ..Issue::default() };
        head.sources = all(registers.len());
        head.registers.iter_mut().zip(registers).for_each(|(slot, &register)| *slot = register);
        self.hardware.inputs.heads[warp.index()] = head;
    }
}
