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
//! Under some designs more blocks are resident than have warp slots: see `switching`.
//!
//! Where no sub-core can issue, write, read or dispatch before the next completion, time jumps to it;
//! the counters are those of the cycles passed over. The hardware of a sub-core sees no clock edge in a cycle
//! in which its collectors are free and its inputs idle, nor in one that finds it standing still, with its
//! inputs as they were.

mod context;
mod core;
mod decoded;
mod design;
mod error;
mod execution;
mod gpu;
mod launch;
mod load_sharing;
mod memory;
mod monolithic;
mod mover;
mod occupancy;
mod pipeline;
mod pool;
mod prefetch;
mod register_cache;
mod residency;
mod switching;
mod two_level;
mod usage;
mod warp;

use std::sync::Arc;

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, SUB_CORES};
use gpurf_trace::{Intervals, KernelReader, Liveness, ThreadBlock};

use crate::bits::wide_members;
use crate::config::{Config, Organisation};
use crate::finereg::Location;
use crate::statistics::{Counters, Stalls};

pub use design::{Caching, CollectorKind, Design, Residency, SharedLoads};
pub use error::SmError;
pub use gpu::Gpu;
pub use load_sharing::MulticastingUnit;
pub use occupancy::Limit;
pub use pipeline::{PipelineInstruction, PipelineListener, Stage};
pub use register_cache::RegisterCacheEngine;
pub use switching::{RmuEngine, StatusMonitorEngine};
pub use two_level::TwoLevel;

use self::core::Core;
use context::Context;
use load_sharing::PartnerMarks;
use monolithic::Monolithic;
use occupancy::Occupancy;
use pipeline::Pipeline;
use pool::Pool;
use switching::Switching;

/// Cycles after which a run is given up if nothing moves; more than any unit keeps instructions out.
const PATIENCE: u64 = 200_000;
/// Cycles in which nothing issues or completes, however many blocks are switched, before the shared pool of registers
/// gives more than it has; more than a switch takes.
const SWITCHING_PATIENCE: u64 = 1_000;

/// An SM whose sub-cores' hardware is run by engines of type `E`.
struct Sm<E> {
    sub_cores: [Core<E>; SUB_CORES],
    context: Context,
    design: Design,
    switching: Switching,
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
            sub_cores: std::array::from_fn(|index| Core::new(index, engine(index), config, &design)),
            context: Context::new(config, design.load_sharing(config)),
            design,
            switching: Switching::new(config, &design),
            share,
            running: None,
            monolithic: (config.organisation == Organisation::Monolithic)
                .then(|| Monolithic::new(design.two_level, SUB_CORES * config.active_warps)),
            jump: true,
        }
    }

    /// Launches a kernel, of which `marks` says what its multicasting loads are.
    fn start(
        &mut self,
        kernel: KernelReader,
        marks: PartnerMarks,
        liveness: Option<Arc<Liveness>>,
    ) -> Result<(), SmError> {
        let occupancy = Occupancy::new(kernel.header(), &self.context.config, &self.design)?;
        self.switching.start_kernel(&kernel.header().name);
        let parameters = self.design.parameters(&self.context.config, 0);
        let intervals = liveness.as_ref().filter(|_| self.design.register_cache == Some(Caching::Intervals));
        self.context.intervals = intervals.map(|liveness| {
            Arc::new(Intervals::of(liveness, |registers| prefetch::fits(registers, &parameters)))
        });
        self.context.liveness = liveness;
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
        self.context.show(Pipeline::start_kernel);
        self.context.marks = marks;
        self.context.residents.clear();
        self.context.residents.resize_with(running.occupancy.residents, || None);
        self.context.slots.clear();
        self.context.slots.resize(running.occupancy.blocks, None);
        (self.context.resident_count, self.context.resumable, self.context.depleted) = (0, 0, false);
        self.context.memory.start_kernel(running.occupancy.shared_memory);
        let renames = self.context.config.finereg.renaming;
        let pool =
            running.occupancy.pool.zip(self.context.liveness.as_deref()).map(|((own, warps), liveness)| {
                let registers = running.occupancy.registers;
                Pool::new(pool::own_registers(liveness, registers, own, renames), warps)
            });
        self.context.own = pool.map(|pool| pool.own);
        self.sub_cores.iter_mut().for_each(|sub_core| sub_core.share_registers(pool));
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
        self.rest(launching);
        self.context.stalls.launch += SUB_CORES as u64 * launching;
        let mut over = false;
        while self.context.now < end {
            if let Some((slot, region)) = self.free_slot(&running) {
                if let Some(block) = running.next_block.take() {
                    self.launch_block(slot, region, block, &mut running)?;
                }
            }
            if self.context.resident_count == 0 {
                over = true;
                break;
            }
            let mut active = self.step(&running.occupancy);
            if self.design.residency != Residency::Baseline || self.context.usage.is_some() {
                active |= self.step_switching(&mut running)?;
            }
            let can_launch = self.free_slot(&running).is_some();
            self.advance(active || can_launch, end)?;
        }
        // Nothing is resident either if the last block left in the last cycle.
        over |= running.next_block.is_none() && self.context.resident_count == 0;
        self.running = Some(running);
        Ok(over)
    }

    /// Waits for the other SMs until cycle `end`, after the kernel is over.
    fn idle_until(&mut self, end: u64) {
        let cycles = end.saturating_sub(self.context.now);
        self.rest(cycles);
        for sub_core in &self.sub_cores {
            sub_core.idle(cycles, &mut self.context.stalls, false);
        }
    }

    /// Cycles without a block.
    fn rest(&mut self, cycles: u64) {
        self.sub_cores.iter_mut().for_each(|sub_core| sub_core.rest(cycles, &self.context));
        self.pass(cycles);
    }

    /// Closes the kernel, also one that is cut short.
    fn finish(&mut self) -> Option<Finished> {
        let running = self.running.take()?;
        let counters = self.context.counters.since(&running.counters);
        let stalls = self.context.stalls.since(&running.stalls);
        self.check_kernel(&counters, &stalls);
        let (blocks, resident_blocks) = (running.blocks, running.occupancy.residents);
        Some(Finished { counters, stalls, blocks, resident_blocks })
    }

    /// One cycle; whether another one right after it may see anything happen.
    fn step(&mut self, occupancy: &Occupancy) -> bool {
        let context = &mut self.context;
        context.receive();
        while let Some(mut executing) = context.completion() {
            if occupancy.switching {
                let Some(located) = context.locate(executing, occupancy) else { continue };
                executing = located;
            }
            self.sub_cores[executing.sub_core].complete(executing, context);
            context.share_renamed(&executing);
        }
        let mut active = context.step_multicasting();
        if let Some(executing) = context.step_memory() {
            let destinations = context.decoded(&executing.instruction).destinations();
            self.sub_cores[executing.sub_core].takes_long(executing.warp, destinations);
        }
        if let Some(monolithic) = &mut self.monolithic {
            monolithic.select(&mut self.sub_cores, context);
        }
        for sub_core in &mut self.sub_cores {
            active |= sub_core.step(context);
        }
        let (opened, completed) =
            (std::mem::take(&mut context.opened), std::mem::take(&mut context.completed));
        for block in wide_members(opened | completed) {
            if opened >> block & 1 == 1 {
                self.sub_cores.iter_mut().for_each(|sub_core| sub_core.open_barrier(block, context));
                context.separate_loads(block, false);
            }
            if completed >> block & 1 == 1 {
                for (index, sub_core) in self.sub_cores.iter_mut().enumerate() {
                    let leaving = sub_core.retire(block);
                    if let Some(monolithic) = &mut self.monolithic {
                        monolithic.leave(index, leaving);
                    }
                }
                context.separate_loads(block, true);
                let resident = context.residents[block].take();
                let slot = resident.and_then(|resident| resident.slot).expect("what completes is active");
                context.slots[slot] = None;
                context.resident_count -= 1;
                if occupancy.switching {
                    self.switching.monitor.set(block, Location::NotLaunched, Location::NotLaunched);
                }
            }
        }
        if let Some(used) = context.usage.as_mut().and_then(|usage| usage.end_window()) {
            let active = context.slots.iter().flatten().count() * occupancy.warps * occupancy.registers;
            context.residency.windows += 1;
            context.residency.window_use += 1_000_000 * used.min(active as u64) / active.max(1) as u64;
        }
        active || completed != 0
    }

    /// Goes to the next cycle, or, if nothing can happen before, to the next event, at most to cycle `end`.
    fn advance(&mut self, active: bool, end: u64) -> Result<(), SmError> {
        let now = self.context.now;
        let event = self.context.next_event();
        // Blocks whose warps all wait for the pool may take each other's place for ever.
        let circles = now > self.context.last_progress + SWITCHING_PATIENCE;
        let next = match event {
            None if (circles || !active) && self.sub_cores.iter_mut().any(Core::overdraw) => {
                self.context.residency.pool_overdrawn += 1;
                self.context.last_progress = now;
                now + 1
            }
            _ if active => now + 1,
            Some(_) if !self.jump => now + 1,
            Some(event) => event.max(now + 1),
            None => return Err(self.stuck("no instruction can issue and none is under way")),
        };
        let passed = next.min(end) - now;
        self.pass(passed);
        for sub_core in &self.sub_cores {
            sub_core.idle(passed - 1, &mut self.context.stalls, self.context.depleted);
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
        let active = self.context.slots.iter().flatten().count() as u64;
        self.context.residency.active_cycles += active * cycles;
        self.context.residency.resident_cycles += self.context.resident_count as u64 * cycles;
    }

    /// What must hold of a kernel that ran to its end.
    fn check_kernel(&mut self, counters: &Counters, stalls: &Stalls) {
        if self.context.resident_count > 0 {
            return;
        }
        // Registers that leave with their block are read too.
        let saved = self.context.residency.registers_saved;
        let saved = saved - std::mem::replace(&mut self.switching.saved_before, saved);
        let Counters { hits, bank_reads, operand_reads, rc_prefetched, .. } = *counters;
        if hits + bank_reads != operand_reads + rc_prefetched + saved {
            self.context.counters.stage_errors += 1;
            self.context.report(|| {
                format!(
                    "{hits} hits and {bank_reads} bank reads are not {operand_reads} operand reads and \
                     {rc_prefetched} registers fetched"
                )
            });
        }
        if counters.token_checks + counters.uninitialised_reads != counters.operand_reads {
            self.context.counters.stage_errors += 1;
            self.context.report(|| "not every operand was checked at dispatch".into());
        }
        for block in 0..self.context.residents.len() {
            self.check_status(block, Location::NotLaunched);
        }
        let slots = SUB_CORES as u64 * counters.cycles;
        assert_eq!(
            counters.warp_instructions + stalls.sum(),
            slots,
            "every cycle of a sub-core issues or has a cause"
        );
    }
}
