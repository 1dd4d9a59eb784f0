//! Results on their way from the units to the banks.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;

use super::super::context::{Context, Executing};
use super::super::warp::token;
use super::Core;
use crate::register_file::home;

/// A register to be written.
#[derive(Clone, Copy)]
pub(super) struct Result {
    pub warp: u8,
    pub register: u8,
    pub near: bool,
    pub token: u32,
    /// Number of the instruction whose result it is.
    pub serial: u32,
    pub base: u32,
    /// It comes back with its block, and is no result of an instruction.
    pub restored: bool,
}

impl<E> Core<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// One waiting result per bank is written.
    pub(super) fn write_back(&mut self, context: &mut Context) {
        for bank in 0..self.banks {
            self.inputs.write_valid[bank] = false;
            let Some(result) = self.results[bank].pop_front() else {
                continue;
            };
            let inputs = &mut self.inputs;
            let slot = &mut self.warps[result.warp as usize];
            inputs.write_valid[bank] = true;
            inputs.write_warp[bank] = result.warp.into();
            inputs.write_register[bank] = result.register.into();
            inputs.write_base[bank] = result.base;
            inputs.write_near[bank] = result.near;
            inputs.write_data[bank] = result.token;
            context.counters.bank_writes += 1;
            if let Some(copies) = &mut self.copies {
                let (_, row) = home(self.banks, result.warp.into(), result.base, result.register.into());
                copies[bank][row as usize] = result.token;
            }
            if result.restored {
                self.restoring -= 1;
                context.residency.registers_restored += 1;
                continue;
            }
            slot.write(result.register);
            let now = context.now;
            context.show(|pipeline| pipeline.write(now, result.serial));
            self.complete_part(result.warp, context);
        }
    }

    /// The instruction leaves its unit, or memory answers.
    pub fn complete(&mut self, executing: Executing, context: &mut Context) {
        let Executing { warp, serial, instruction, .. } = executing;
        let decoded = *context.decoded(&instruction);
        let cached = self.send_to_cache(&executing, decoded.destinations());
        for (index, &register) in decoded.destinations().iter().enumerate().filter(|_| !cached) {
            let near = instruction.near_destinations >> index & 1 == 1;
            let (token, base) = (token(serial, register), self.warps[warp as usize].base);
            let (bank, _) = home(self.banks, warp.into(), base, register.into());
            self.results[bank].push_back(Result {
                warp,
                register,
                near,
                token,
                serial,
                base,
                restored: false,
            });
        }
        self.warps[warp as usize].arrive(decoded.destinations());
        let results = decoded.destinations().len() as u32;
        let now = context.now;
        context.show(|pipeline| pipeline.complete(now, serial, results));
        // Its results take the instruction's place among what is outstanding.
        self.warps[warp as usize].outstanding += results;
        self.complete_part(warp, context);
    }

    /// One outstanding part of a warp's work is done.
    pub(super) fn complete_part(&mut self, warp: u8, context: &mut Context) {
        let slot = &mut self.warps[warp as usize];
        slot.outstanding -= 1;
        self.changed |= 1 << warp;
        if slot.outstanding > 0 || !slot.is_issued() {
            return;
        }
        if let Some(cache) = &mut self.cache {
            cache.end(warp);
        }
        if context.resident(slot.block).complete_warp() {
            context.completed |= 1u128 << slot.block;
        }
    }
}
