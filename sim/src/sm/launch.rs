//! Thread blocks come onto the SM.

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::Clocked;
use gpurf_trace::{Program, ThreadBlock};

use super::decoded::Decoded;
use super::design::Residency;
use super::occupancy::Occupancy;
use super::residency::Resident;
use super::{Running, Sm, SmError};
use crate::finereg::Location;

impl<E> Sm<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    /// Reads the SM's next block that has any instruction, and decodes what is new in it.
    pub(super) fn fetch_block(&mut self, running: &mut Running) -> Result<Option<ThreadBlock>, SmError> {
        let (own, count) = self.share;
        while let Some(block) = running.kernel.next_block()? {
            let number = running.number;
            running.number += 1;
            if number % count != own || block.instruction_count() == 0 {
                continue;
            }
            let occupancy = &running.occupancy;
            if let Some(warp) = block.warps.iter().find(|warp| warp.id as usize >= occupancy.warps) {
                return Err(SmError::WarpBeyond {
                    kernel: self.context.kernel.name.clone(),
                    block: block.id,
                    warp: warp.id,
                    warps: occupancy.warps,
                });
            }
            self.decode(running.kernel.program(), occupancy)?;
            return Ok(Some(block));
        }
        Ok(None)
    }

    fn decode(&mut self, program: &Program, occupancy: &Occupancy) -> Result<(), SmError> {
        let config = &self.context.config;
        for instruction in &program.instructions()[self.context.decoded.len()..] {
            let named = instruction.sources.iter().chain(&instruction.destinations);
            let highest = named.copied().max().unwrap_or(0);
            if usize::from(highest) >= occupancy.registers {
                return Err(SmError::RegisterBeyond {
                    kernel: self.context.kernel.name.clone(),
                    pc: instruction.pc,
                    opcode: instruction.opcode.to_string(),
                    register: highest,
                    registers: occupancy.registers,
                });
            }
            let (mlds, multicasts) = self.context.marks.of(instruction);
            let mut decoded = Decoded::new(instruction, config, mlds, multicasts).ok_or_else(|| {
                SmError::TooManySources {
                    kernel: self.context.kernel.name.clone(),
                    pc: instruction.pc,
                    opcode: instruction.opcode.to_string(),
                    needed: instruction.sources.len(),
                    slots: config.hardware.slots,
                }
            })?;
            if let (Some(own), Some(liveness)) = (self.context.own, &self.context.liveness) {
                let live = liveness.at(instruction.pc);
                decoded.needs_pool = !live.union(decoded.touches).is_subset(&own);
            }
            self.context.decoded.push(decoded);
            if let Some(pipeline) = &mut self.context.pipeline {
                pipeline.decode(instruction);
            }
        }
        Ok(())
    }

    /// Where the next block could start: a slot, and a region for its registers.
    pub(super) fn free_slot(&self, running: &Running) -> Option<(usize, usize)> {
        if running.next_block.is_none() || self.context.resident_count == running.occupancy.residents {
            return None;
        }
        let free = |&slot: &usize| self.context.slots[slot].is_none() && !self.switching.reserves(slot);
        let mut slots = (0..running.occupancy.blocks).filter(free);
        if !running.occupancy.switching {
            return slots.next().map(|slot| (slot, slot));
        }
        slots.find_map(|slot| Some((slot, self.free_region(&running.occupancy, slot)?)))
    }

    /// Launches a block and reads the next one.
    pub(super) fn launch_block(
        &mut self,
        slot: usize,
        region: usize,
        mut block: ThreadBlock,
        running: &mut Running,
    ) -> Result<(), SmError> {
        let occupancy = running.occupancy;
        // Without switching, the number of the slot.
        let mut numbers = std::iter::once(slot).chain(0..occupancy.residents);
        let resident =
            numbers.find(|&number| self.context.residents[number].is_none()).expect("there is room");
        let mut warps = 0;
        for warp in &mut block.warps {
            let instructions = std::mem::take(&mut warp.instructions);
            if instructions.is_empty() {
                continue;
            }
            let number = warp.id as usize;
            let (sub_core, local) = occupancy.place(slot, number);
            let serial = self.context.serial;
            self.context.serial = serial.wrapping_add(instructions.len() as u32);
            let base = occupancy.base(region, number);
            self.sub_cores[sub_core].launch(local, (resident, number as u16), base, instructions, serial);
            warps += 1;
        }
        self.context.residents[resident] = Some(Resident::new(block, warps, slot, region));
        self.sub_cores.iter().for_each(|sub_core| sub_core.begin_block(resident, &mut self.context));
        self.context.slots[slot] = Some(resident);
        self.context.resident_count += 1;
        let baseline = self.design.residency == Residency::Baseline;
        self.context.residency.unswitchable += u64::from(!baseline && !occupancy.switching);
        if occupancy.switching {
            self.switching.monitor.set(resident, Location::InUse, Location::InUse);
        }
        running.blocks += 1;
        running.next_block = self.fetch_block(running)?;
        Ok(())
    }
}
