//! A streaming multiprocessor that runs instruction streams, cycle by cycle, around the operand
//! stages of its four sub-cores.
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
mod memory;
mod random;
mod registers;
mod residency;
mod sub_core;
mod warp;

use gpurf_hw::dialect::Clocked;
use gpurf_hw::operand_stage::{OperandStageIn, OperandStageOut};
use gpurf_trace::{Command, KernelReader, Program, Reuse, ThreadBlock, Workload};

use crate::config::{Config, SUB_CORES};
use crate::statistics::{ratio, Counters, Interval, KernelStatistics, Statistics, Summary};

pub use design::{Allocation, Collector, Design, Scheduler};
pub use error::SmError;

use context::Context;
use decoded::Decoded;
use residency::{Occupancy, Resident};
use sub_core::SubCore;

/// Cycles after which a run is given up if nothing moves; more than any unit keeps instructions out.
const PATIENCE: u64 = 200_000;

/// An SM whose operand stages are run by engines of type `E`.
pub struct Sm<E> {
    sub_cores: [SubCore<E>; SUB_CORES],
    context: Context,
    seed: u64,
    cycle_limit: u64,
    /// Counters at the start of the present interval.
    interval_start: Counters,
    intervals: Vec<Interval>,
    kernels: Vec<KernelStatistics>,
    /// Jump over cycles in which nothing can happen.
    jump: bool,
}

impl<E> Sm<E>
where
    E: Clocked<In = OperandStageIn<u32>, Out = OperandStageOut<u32>>,
{
    /// `engine` makes the operand stage of each sub-core, which must be one that
    /// [`Design::operand_stage`] describes. The seed decides random choices among free collectors.
    pub fn new(config: &Config, design: Design, seed: u64, mut engine: impl FnMut(usize) -> E) -> Self {
        Sm {
            sub_cores: std::array::from_fn(|index| SubCore::new(index, engine(index), config, seed)),
            context: Context::new(config, design),
            seed,
            cycle_limit: u64::MAX,
            interval_start: Counters::default(),
            intervals: Vec::new(),
            kernels: Vec::new(),
            jump: true,
        }
    }

    /// Ends the run after so many cycles, in the middle of a kernel if need be.
    pub fn limit_cycles(&mut self, cycles: u64) {
        self.cycle_limit = cycles;
    }

    /// Steps through the cycles in which nothing can happen too. The statistics are the same.
    pub fn visit_every_cycle(&mut self) {
        self.jump = false;
    }

    /// The engines, by sub-core.
    pub fn engines(&self) -> impl Iterator<Item = &E> {
        self.sub_cores.iter().map(|sub_core| &sub_core.engine)
    }

    /// Cycles run so far.
    pub fn cycles(&self) -> u64 {
        self.context.counters.cycles
    }

    /// Runs all copies and kernels. With `reuse`, instructions are annotated with it.
    pub fn run(&mut self, workload: &Workload, reuse: Option<&Reuse>) -> Result<(), SmError> {
        for command in &workload.commands {
            match command {
                Command::MemcpyHtoD { address, bytes } => self.copy_to_device(*address, *bytes),
                Command::Kernel(kernel) => self.run_kernel(match reuse {
                    Some(reuse) => kernel.open_annotated(reuse)?,
                    None => kernel.open()?,
                })?,
            }
        }
        Ok(())
    }

    /// A copy from the host, which leaves its data in L2 and takes no time.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        self.context.memory.copy_to_device(address, bytes);
    }

    /// Launches a kernel and runs it to its end, or to the limit of cycles.
    pub fn run_kernel(&mut self, mut kernel: KernelReader) -> Result<(), SmError> {
        if self.is_over() {
            return Ok(());
        }
        let occupancy = Occupancy::new(kernel.header(), &self.context.config)?;
        let (counters, stalls) = (self.context.counters, self.context.stalls);
        self.context.kernel = kernel.header().clone();
        self.context.decoded.clear();
        self.context.residents.clear();
        self.context.residents.resize_with(occupancy.blocks, || None);
        self.context.memory.start_kernel(occupancy.shared_memory);
        self.pass_launch();

        let mut blocks = 0;
        let mut next_block = self.fetch_block(&mut kernel, &occupancy)?;
        while !self.is_over() {
            let free_slot = self.context.residents.iter().position(Option::is_none);
            if let (Some(slot), Some(block)) = (free_slot, next_block.take_if(|_| free_slot.is_some())) {
                self.launch_block(slot, block, &occupancy);
                next_block = self.fetch_block(&mut kernel, &occupancy)?;
                blocks += 1;
            }
            if self.context.residents.iter().all(Option::is_none) {
                break;
            }
            let active = self.step();
            let can_launch = next_block.is_some() && self.context.residents.iter().any(Option::is_none);
            self.advance(active || can_launch)?;
        }

        let summary =
            Summary::new(self.context.counters.since(&counters), self.context.stalls.since(&stalls));
        self.check_kernel(&summary);
        let header = kernel.header();
        self.kernels.push(KernelStatistics {
            name: header.name.clone(),
            id: header.id,
            blocks,
            resident_blocks: occupancy.blocks,
            summary,
        });
        Ok(())
    }

    /// The statistics of everything run. `engine` names what ran the operand stages, `divergences`
    /// is the number of cycles in which two of them in lockstep differed.
    pub fn statistics(&self, engine: &str, divergences: u64) -> Statistics {
        let mut intervals = self.intervals.clone();
        if self.context.counters.cycles > self.interval_start.cycles {
            intervals.push(self.present_interval());
        }
        Statistics {
            design: self.context.design.name.into(),
            engine: engine.into(),
            seed: self.seed,
            version: env!("CARGO_PKG_VERSION").into(),
            summary: Summary::new(self.context.counters, self.context.stalls),
            divergences,
            errors: self.context.errors.clone(),
            intervals,
            kernels: self.kernels.clone(),
            config: self.context.config.clone(),
        }
    }

    fn is_over(&self) -> bool {
        self.context.counters.cycles >= self.cycle_limit
    }

    /// The cycles from a kernel's launch to its first block.
    fn pass_launch(&mut self) {
        let latency = self.context.config.sm.launch_latency;
        self.context.last_progress = self.context.now + latency;
        let passed = self.pass(latency);
        self.context.stalls.launch += SUB_CORES as u64 * passed;
    }

    /// Reads the next block that has any instruction, and decodes what is new in it.
    fn fetch_block(
        &mut self,
        kernel: &mut KernelReader,
        occupancy: &Occupancy,
    ) -> Result<Option<ThreadBlock>, SmError> {
        while let Some(block) = kernel.next_block()? {
            if block.instruction_count() == 0 {
                continue;
            }
            if let Some(warp) = block.warps.iter().find(|warp| warp.id as usize >= occupancy.warps) {
                return Err(SmError::WarpBeyond {
                    kernel: self.context.kernel.name.clone(),
                    block: block.id,
                    warp: warp.id,
                    warps: occupancy.warps,
                });
            }
            self.decode(kernel.program(), occupancy)?;
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
            sub_core.launch((warp_slot / SUB_CORES) as u8, slot, occupancy.rows, instructions);
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
                self.sub_cores.iter_mut().for_each(|sub_core| sub_core.retire(block));
                context.residents[block] = None;
            }
        }
        active || completed != 0
    }

    /// Goes to the next cycle, or, if nothing can happen before, to the next event.
    fn advance(&mut self, active: bool) -> Result<(), SmError> {
        let now = self.context.now;
        let event = self.context.next_event();
        let next = match event {
            _ if active => now + 1,
            Some(_) if !self.jump => now + 1,
            Some(event) => event.max(now + 1),
            None => return Err(self.stuck("no instruction can issue and none is under way")),
        };
        let passed = self.pass(next - now);
        for sub_core in &self.sub_cores {
            sub_core.idle(passed.saturating_sub(1), &mut self.context.stalls);
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

    /// Lets time pass, at most to the limit of cycles; how much has passed.
    fn pass(&mut self, cycles: u64) -> u64 {
        let counters = &mut self.context.counters;
        let end = self.cycle_limit.min(counters.cycles + cycles);
        let passed = end - self.context.counters.cycles;
        while self.context.counters.cycles < end {
            let interval_end = self.interval_start.cycles + self.context.config.interval;
            self.context.counters.cycles = interval_end.min(end);
            if self.context.counters.cycles == interval_end {
                let interval = self.present_interval();
                self.intervals.push(interval);
                self.interval_start = self.context.counters;
            }
        }
        self.context.now += cycles;
        passed
    }

    fn present_interval(&self) -> Interval {
        let counted = self.context.counters.since(&self.interval_start);
        Interval {
            cycle: self.context.counters.cycles,
            ipc: ratio(counted.warp_instructions, counted.cycles),
            hit_ratio: ratio(counted.hits, counted.operand_reads),
        }
    }

    /// What must hold of a kernel that ran to its end.
    fn check_kernel(&mut self, summary: &Summary) {
        if self.context.residents.iter().any(Option::is_some) {
            return;
        }
        let Summary { counters, stalls, .. } = summary;
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
