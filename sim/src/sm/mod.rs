//! Streaming multiprocessors that run instruction streams, cycle by cycle, around the register-file
//! hardware of their four sub-cores. [`Gpu`] holds one or several of them.
//!
//! Kernels run one after the other, thread blocks as they fit. Instructions issue in order, one per
//! sub-core and cycle, under a scoreboard; fetch is ideal. Every operand is checked at dispatch, see
//! [`crate::statistics::Counters::token_checks`].
//!
//! What the stream leaves open, and what is assumed:
//! - A warp ends with its stream; its block leaves when everything its warps did is completed,
//!   stores included. `EXIT` itself does nothing.
//! - An instruction with any active lane writes its destinations as a whole. One without active lanes
//!   issues, reads its operands and is dispatched, and writes nothing.
//! - Predicates and uniform registers are not tracked: the stream does not name them.
//! - Generic addresses lie in the space of the instruction's first one.
//! - A block has one barrier, which waits for all of its warps that have instructions left.
//!
//! Where no sub-core can issue, write, read or dispatch before the next completion, time jumps to it;
//! the counters are those of the cycles passed over. An operand stage sees no clock edge in a cycle
//! in which its collectors are free and its inputs idle.

mod context;
mod decoded;
mod design;
mod error;
mod gpu;
mod memory;
mod monolithic;
mod residency;
mod sub_core;
mod two_level;
mod warp;

use gpurf_hw::dialect::Clocked;
use gpurf_hw::sub_core::{SubCoreIn, SubCoreOut};
use gpurf_trace::{KernelReader, Program, ThreadBlock};

use crate::config::{Config, Organisation, SUB_CORES};
use crate::statistics::{Counters, Stalls};

pub use design::{Collector, Design};
pub use error::SmError;
pub use gpu::Gpu;
pub use two_level::TwoLevel;

use context::Context;
use decoded::Decoded;
use monolithic::Monolithic;
use residency::{Occupancy, Resident};
use sub_core::SubCore;

/// Cycles after which a run is given up if nothing moves; more than any unit keeps instructions out.
const PATIENCE: u64 = 200_000;

/// An SM whose sub-cores' hardware is run by engines of type `E`.
struct Sm<E> {
    sub_cores: [SubCore<E>; SUB_CORES],
    context: Context,
    /// Which blocks of a kernel are its own: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    running: Option<Running>,
    monolithic: Option<Monolithic>,
    /// Jump over cycles in which nothing can happen.
    jump: bool,
}

/// A kernel under way.
struct Running {
    kernel: KernelReader,
    occupancy: Occupancy,
    /// Number of the block to read next.
    number: u64,
    next_block: Option<ThreadBlock>,
    blocks: u64,
    /// Counters at its start.
    counters: Counters,
    stalls: Stalls,
}

/// What a kernel took.
struct Finished {
    counters: Counters,
    stalls: Stalls,
    blocks: u64,
    /// Blocks that are resident at a time, at most.
    resident_blocks: usize,
}

impl<E> Sm<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    fn new(config: &Config, design: Design, share: (u64, u64), mut engine: impl FnMut(usize) -> E) -> Self {
        Sm {
            sub_cores: std::array::from_fn(|index| SubCore::new(index, engine(index), config, &design)),
            context: Context::new(config),
            share,
            running: None,
            monolithic: (config.organisation == Organisation::Monolithic)
                .then(|| Monolithic::new(design.two_level, SUB_CORES * config.active_warps)),
            jump: true,
        }
    }

    /// Launches a kernel.
    fn start(&mut self, kernel: KernelReader) -> Result<(), SmError> {
        let occupancy = Occupancy::new(kernel.header(), &self.context.config)?;
        let mut running = Running {
            kernel,
            occupancy,
            number: 0,
            next_block: None,
            blocks: 0,
            counters: self.context.counters,
            stalls: self.context.stalls,
        };
        self.context.kernel = running.kernel.header().clone();
        self.context.decoded.clear();
        self.context.residents.clear();
        self.context.residents.resize_with(running.occupancy.blocks, || None);
        self.context.memory.start_kernel(running.occupancy.shared_memory);
        self.context.launch_end = self.context.now + self.context.config.sm.launch_latency;
        self.context.last_progress = self.context.launch_end;
        running.next_block = self.fetch_block(&mut running)?;
        self.running = Some(running);
        Ok(())
    }

    /// Runs until cycle `end`, or until the kernel is over. Whether it is.
    fn run_until(&mut self, end: u64) -> Result<bool, SmError> {
        let Some(mut running) = self.running.take() else { return Ok(true) };
        let launching = self.context.launch_end.min(end).saturating_sub(self.context.now);
        self.pass(launching);
        self.context.stalls.launch += SUB_CORES as u64 * launching;
        let mut over = false;
        while self.context.now < end {
            let free_slot = self.context.residents.iter().position(Option::is_none);
            if let (Some(slot), Some(block)) =
                (free_slot, running.next_block.take_if(|_| free_slot.is_some()))
            {
                self.launch_block(slot, block, &running.occupancy);
                running.next_block = self.fetch_block(&mut running)?;
                running.blocks += 1;
            }
            if self.context.residents.iter().all(Option::is_none) {
                over = true;
                break;
            }
            let active = self.step();
            let can_launch =
                running.next_block.is_some() && self.context.residents.iter().any(Option::is_none);
            self.advance(active || can_launch, end)?;
        }
        // Nothing is resident either if the last block left in the last cycle.
        over |= running.next_block.is_none() && self.context.residents.iter().all(Option::is_none);
        self.running = Some(running);
        Ok(over)
    }

    /// Waits for the other SMs until cycle `end`, after the kernel is over.
    fn idle_until(&mut self, end: u64) {
        let cycles = end.saturating_sub(self.context.now);
        self.pass(cycles);
        for sub_core in &self.sub_cores {
            sub_core.idle(cycles, &mut self.context.stalls);
        }
    }

    /// Closes the kernel, also one that is cut short.
    fn finish(&mut self) -> Option<Finished> {
        let running = self.running.take()?;
        let counters = self.context.counters.since(&running.counters);
        let stalls = self.context.stalls.since(&running.stalls);
        self.check_kernel(&counters, &stalls);
        let (blocks, resident_blocks) = (running.blocks, running.occupancy.blocks);
        Some(Finished { counters, stalls, blocks, resident_blocks })
    }

    /// Reads the SM's next block that has any instruction, and decodes what is new in it.
    fn fetch_block(&mut self, running: &mut Running) -> Result<Option<ThreadBlock>, SmError> {
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
        let slots = self.context.config.slots;
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
            let decoded = Decoded::new(instruction, slots).ok_or_else(|| SmError::TooManySources {
                kernel: self.context.kernel.name.clone(),
                pc: instruction.pc,
                opcode: instruction.opcode.to_string(),
                needed: instruction.sources.len(),
                slots,
            })?;
            self.context.decoded.push(decoded);
        }
        Ok(())
    }

    fn launch_block(&mut self, slot: usize, mut block: ThreadBlock, occupancy: &Occupancy) {
        let mut warps = 0;
        for warp in &mut block.warps {
            let instructions = std::mem::take(&mut warp.instructions);
            if instructions.is_empty() {
                continue;
            }
            let warp_slot = slot * occupancy.warps + warp.id as usize;
            let sub_core = &mut self.sub_cores[warp_slot % SUB_CORES];
            let serial = self.context.serial;
            self.context.serial = serial.wrapping_add(instructions.len() as u32);
            sub_core.launch((warp_slot / SUB_CORES) as u8, slot, occupancy.rows, instructions, serial);
            warps += 1;
        }
        self.context.residents[slot] = Some(Resident::new(block, warps));
    }

    /// One cycle; whether another one right after it may see anything happen.
    fn step(&mut self) -> bool {
        let context = &mut self.context;
        while let Some(executing) = context.completion() {
            self.sub_cores[executing.sub_core].complete(executing, context);
        }
        context.step_memory();
        if let Some(monolithic) = &mut self.monolithic {
            monolithic.select(&mut self.sub_cores, context);
        }
        let mut active = false;
        for sub_core in &mut self.sub_cores {
            active |= sub_core.step(context);
        }
        let (opened, completed) =
            (std::mem::take(&mut context.opened), std::mem::take(&mut context.completed));
        for block in 0..context.residents.len() {
            if opened >> block & 1 == 1 {
                self.sub_cores.iter_mut().for_each(|sub_core| sub_core.open_barrier(block));
            }
            if completed >> block & 1 == 1 {
                for (index, sub_core) in self.sub_cores.iter_mut().enumerate() {
                    let leaving = sub_core.retire(block);
                    if let Some(monolithic) = &mut self.monolithic {
                        monolithic.leave(index, leaving);
                    }
                }
                context.residents[block] = None;
            }
        }
        active || completed != 0
    }

    /// Goes to the next cycle, or, if nothing can happen before, to the next event, at most to cycle `end`.
    fn advance(&mut self, active: bool, end: u64) -> Result<(), SmError> {
        let now = self.context.now;
        let event = self.context.next_event();
        let next = match event {
            _ if active => now + 1,
            Some(_) if !self.jump => now + 1,
            Some(event) => event.max(now + 1),
            None => return Err(self.stuck("no instruction can issue and none is under way")),
        };
        let passed = next.min(end) - now;
        self.pass(passed);
        for sub_core in &self.sub_cores {
            sub_core.idle(passed - 1, &mut self.context.stalls);
        }
        if event.is_none() && self.context.now > self.context.last_progress + PATIENCE {
            return Err(self.stuck("an operand stage holds an instruction and does not dispatch it"));
        }
        Ok(())
    }

    fn stuck(&self, reason: &'static str) -> SmError {
        SmError::Stuck {
            kernel: self.context.kernel.name.clone(),
            cycle: self.context.now,
            cycles: self.context.now - self.context.last_progress,
            reason,
        }
    }

    fn pass(&mut self, cycles: u64) {
        self.context.counters.cycles += cycles;
        self.context.now += cycles;
    }

    /// What must hold of a kernel that ran to its end.
    fn check_kernel(&mut self, counters: &Counters, stalls: &Stalls) {
        if self.context.residents.iter().any(Option::is_some) {
            return;
        }
        if counters.hits + counters.bank_reads != counters.operand_reads {
            self.context.counters.stage_errors += 1;
            let Counters { hits, bank_reads, operand_reads, .. } = *counters;
            self.context.report(|| {
                format!("{hits} hits and {bank_reads} bank reads are not {operand_reads} operand reads")
            });
        }
        if counters.token_checks + counters.uninitialised_reads != counters.operand_reads {
            self.context.counters.stage_errors += 1;
            self.context.report(|| "not every operand was checked at dispatch".into());
        }
        let slots = SUB_CORES as u64 * counters.cycles;
        assert_eq!(
            counters.warp_instructions + stalls.sum(),
            slots,
            "every cycle of a sub-core issues or has a cause"
        );
    }
}
