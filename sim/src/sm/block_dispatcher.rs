// SPDX-License-Identifier: Apache-2.0
//! The block dispatcher of an SM: a kernel under way, whose thread blocks come onto the SM.

use gpurf_trace::{KernelReader, ThreadBlock};

use super::context::Context;
use super::draw::{ClusterPlan, Drawing};
use super::error::SmError;
use super::machine::Machine;
use super::names::{BlockId, Region, Slot};
use super::occupancy::Occupancy;
use super::resident::Resident;
use crate::checkpoint::checkpoint;
use crate::engines::RunsSubCore;
use crate::statistics::{Counters, Stalls};

/// Gives the thread blocks of a kernel under way to the SM.
pub(super) struct BlockDispatcher {
    reader: KernelReader,
    /// Blocks read so far, and by the present reader: less after the state of a run was restored.
    read: u64,
    read_here: u64,
    pub occupancy: Occupancy,
    next_block: Option<ThreadBlock>,
    /// The cycle in which the first block can start.
    pub launch_end: u64,
    /// Blocks launched so far.
    pub blocks: u64,
    /// If not all blocks are simulated.
    pub drawing: Option<Drawing>,
    /// The next block's number among those that are.
    number: u64,
    /// Counters at the kernel's start.
    pub counters: Counters,
    pub stalls: Stalls,
}

checkpoint! {
    [] BlockDispatcher {
        values: read next_block launch_end blocks number counters stalls;
        parts: drawing;
        fixed: reader read_here occupancy;
    }
}

impl BlockDispatcher {
    /// The dispatcher of a kernel whose first block can start in cycle `launch_end`. Those of its blocks come
    /// onto this SM whose number leaves the remainder `share.0`, by `share.1`; if there is a plan, those of
    /// them that are drawn.
    pub fn new<E>(
        mut reader: KernelReader,
        occupancy: Occupancy,
        share: (u64, u64),
        launch_end: u64,
        plan: Option<&ClusterPlan>,
        machine: &mut Machine<E>,
    ) -> Result<Self, SmError> {
        let (counters, stalls) = (machine.context.records.counters, machine.context.records.stalls);
        reader.restrict(share.0, share.1);
        let drawing = plan.map(|plan| Drawing::new(plan, share));
        let mut front = BlockDispatcher {
            reader,
            read: 0,
            read_here: 0,
            occupancy,
            next_block: None,
            launch_end,
            blocks: 0,
            drawing,
            number: 0,
            counters,
            stalls,
        };
        front.fetch_block(machine)?;
        Ok(front)
    }

    /// Returns true if a block is left that has not come onto the SM.
    pub fn has_block(&self) -> bool {
        self.next_block.is_some()
    }

    /// Returns true if all blocks have come and gone.
    pub fn is_over<E>(&self, machine: &Machine<E>) -> bool {
        !self.has_block() && machine.context.blocks.count() == 0
    }

    /// Returns true if there is a block left, and room for another resident one.
    pub fn can_launch<E>(&self, machine: &Machine<E>) -> bool {
        self.has_block() && machine.context.blocks.count() < self.occupancy.residents
    }

    /// Reads the SM's next block that has any instruction, and decodes what is new in it and in those before
    /// it that are not simulated.
    fn fetch_block<E>(&mut self, machine: &mut Machine<E>) -> Result<(), SmError> {
        let Machine { context, .. } = machine;
        while let Some(block) = self.reader.next_block()? {
            self.read += 1;
            self.read_here += 1;
            let program = self.reader.program();
            let number = match &mut self.drawing {
                Some(drawing) => drawing.read(&block, program),
                None => Some(self.blocks + 1),
            };
            if block.instruction_count() == 0 {
                continue;
            }
            if let Some(warp) = block.warps.iter().find(|warp| warp.id as usize >= self.occupancy.warps) {
                return Err(SmError::WarpBeyond {
                    kernel: context.code.header.name.clone(),
                    block: block.id,
                    warp: warp.id,
                    warps: self.occupancy.warps,
                });
            }
            let registers = self.occupancy.registers;
            context.code.decode(program, registers, &context.config, &mut context.records)?;
            if let Some(number) = number {
                (self.next_block, self.number) = (Some(block), number);
                return Ok(());
            }
            if let Some(drawing) = &mut self.drawing {
                drawing.pass(&block, &context.code, &mut context.memory.unit);
            }
        }
        if let Some(drawing) = &mut self.drawing {
            drawing.end_stream(&context.records.counters);
        }
        Ok(())
    }

    /// Reads on to where the run was as its state was saved, and decodes what is new up to there.
    pub fn catch_up(&mut self, context: &mut Context) -> Result<(), SmError> {
        while self.read_here < self.read && self.reader.next_block()?.is_some() {
            self.read_here += 1;
        }
        let Context { code, config, records, .. } = context;
        code.decode(self.reader.program(), self.occupancy.registers, config, records)
    }

    /// Launches the next block, if there is one, and reads the one after it.
    pub fn launch_block<E: RunsSubCore>(
        &mut self,
        slot: Slot,
        region: Region,
        machine: &mut Machine<E>,
    ) -> Result<Option<BlockId>, SmError> {
        let Some(mut block) = self.next_block.take() else { return Ok(None) };
        let launched = self.number;
        let Machine { sub_cores, context, next_serial, .. } = machine;
        let id = context.blocks.free_number(slot);
        let mut warps = 0;
        for warp in &mut block.warps {
            let instructions = std::mem::take(&mut warp.instructions);
            if instructions.is_empty() {
                continue;
            }
            let number = warp.id as usize;
            let (sub_core, local) = self.occupancy.place(slot, number);
            let serial = *next_serial;
            *next_serial = serial.wrapping_add(instructions.len() as u32);
            let base = self.occupancy.base(region, number);
            sub_cores[sub_core].launch(local, (id, number as u16), base, instructions, serial);
            warps += 1;
        }
        context.blocks.enter(id, Resident::new(block, warps, slot, region));
        sub_cores.iter().for_each(|sub_core| sub_core.begin_block(id, context));
        self.blocks += 1;
        if let Some(drawing) = &mut self.drawing {
            let context = &mut machine.context;
            drawing.launch(launched, &context.records.counters);
            drawing.warm(&mut context.memory.unit, context.clock.now);
        }
        self.fetch_block(machine)?;
        // If no block has ended before, nothing but the launches themselves lies behind.
        if !self.has_block() && self.blocks > machine.context.blocks.count() as u64 {
            let Machine { context, .. } = machine;
            let counters = &mut context.records.counters;
            counters.fed_cycles += context.clock.now - self.launch_end;
            counters.fed_instructions += counters.warp_instructions - self.counters.warp_instructions;
        }
        Ok(Some(id))
    }
}
