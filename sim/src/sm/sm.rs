// SPDX-License-Identifier: Apache-2.0
//! One SM: in each cycle completed instructions come back, memory takes the next one, the sub-cores step, and
//! blocks come, go and switch.

use std::any::Any;
use std::sync::Arc;

use gpurf_blocks::SUB_CORES;
use gpurf_trace::{Kernel, Liveness};

use super::block_dispatcher::BlockDispatcher;
use super::code::Code;
use super::context::Context;
use super::core::Core;
use super::draw::{ClusterPlan, Drawing};
use super::error::SmError;
use super::load_sharing::LoadSharing;
use super::machine::Machine;
use super::marking::PartnerMarks;
use super::memory::{Exchange, WaitsForL2};
use super::monolithic::Monolithic;
use super::names::BlockId;
use super::occupancy::Occupancy;
use super::operations::Operations;
use super::pipeline::Pipeline;
use super::pool::own_registers;
use super::prefetch::IntervalLists;
use super::switching::Switching;
use crate::bits::members;
use crate::checkpoint::checkpoint;
use crate::config::{Config, Organisation};
use crate::design::{Dependences, Design};
use crate::engines::{Engines, RunsSubCore, SubCoreEngine};
use crate::finereg::Location;
use crate::statistics::{Counters, Stalls};

/// Cycles after which a run is given up if nothing moves; more than any unit keeps instructions out.
const PATIENCE: u64 = 200_000;
/// Cycles in which nothing issues or completes, however many blocks are switched, before the shared pool of
/// registers gives more than it has; more than a switch takes.
const SWITCHING_PATIENCE: u64 = 1_000;

/// [`Sm::run_engines`] on the models: their hot loop is compiled here, with all that it calls, and once. A
/// crate that runs models would else have one of its own, in pieces.
#[inline(never)]
fn run_models(sm: &mut Sm<SubCoreEngine>, end: u64, once: bool) -> Result<bool, SmError> {
    sm.run_engines(end, once)
}

/// Lets the pool of a sub-core have more registers, of one in which a warp waits for them if there is one.
/// Whether any needs them.
fn overdraw<E: RunsSubCore>(sub_cores: &mut [Core<E>], blocks_circle: bool) -> bool {
    [false, blocks_circle].into_iter().any(|circle| sub_cores.iter_mut().any(|core| core.overdraw(circle)))
}

/// An SM whose sub-cores' hardware is run by engines of type `E`.
pub(super) struct Sm<E> {
    pub machine: Machine<E>,
    pub switching: Switching,
    design: Design,
    /// Which blocks of a kernel are its own: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    /// The kernel that is to start.
    launched: Option<Launch>,
    /// The kernel under way.
    front: Option<BlockDispatcher>,
    /// The units that share loads have something to do in this cycle.
    shares: bool,
    /// Jump over cycles in which nothing can happen.
    pub jump: bool,
}

checkpoint! {
    [<E: RunsSubCore>] Sm<E> {
        parts: machine switching front;
        fixed: design share launched shares jump;
    }
}

/// A kernel to be run. What its readers do first, they do on their SM's thread.
#[derive(Clone)]
pub(super) struct Launch {
    pub kernel: Kernel,
    /// Its multicasting loads.
    pub marks: PartnerMarks,
    pub liveness: Option<Arc<Liveness>>,
    /// The part of it that is drawn, if not all of it is simulated.
    pub plan: Option<ClusterPlan>,
}

/// The statistics of a kernel that has ended.
pub(super) struct Finished {
    pub counters: Counters,
    pub stalls: Stalls,
    pub blocks: u64,
    /// Blocks that are resident at a time, at most.
    pub resident_blocks: usize,
    /// If not all blocks were simulated; with the counters at the kernel's start.
    pub drawing: Option<(Drawing, Counters)>,
}

impl<E: RunsSubCore> Sm<E> {
    pub fn new(config: &Config, design: Design, share: (u64, u64), engines: &mut Engines<E>) -> Self {
        let number = share.0 as usize;
        let (unit, table) = (&mut engines.multicasting_unit, &mut engines.skip_table);
        let table = |index| table(SUB_CORES * number + index);
        let sharing = LoadSharing::new(design.shared_loads(), config, || unit(number), table);
        let monolithic = (config.organisation == Organisation::Monolithic)
            .then(|| Monolithic::new(design.two_level, &config.hardware));
        let mut machine = Machine {
            sub_cores: std::array::from_fn(|index| {
                Core::new(index, SUB_CORES * number + index, engines, config, &design)
            }),
            context: Context::new(config, sharing),
            monolithic,
            next_serial: 0,
        };
        if design.dependences == Dependences::ControlBits {
            machine.context.memory.keep_order();
        }
        Sm {
            machine,
            switching: Switching::new(design.residency, engines, number),
            design,
            share,
            launched: None,
            front: None,
            shares: false,
            jump: true,
        }
    }

    /// Launches a kernel.
    pub fn launch(&mut self, launch: Launch) {
        self.launched = Some(launch);
    }

    /// Starts the kernel that was launched last, unless that has been done.
    pub fn start(&mut self) -> Result<(), SmError> {
        let Some(Launch { kernel, marks, liveness, plan }) = self.launched.take() else { return Ok(()) };
        let reader = kernel.open()?;
        let Machine { sub_cores, context, .. } = &mut self.machine;
        let header = reader.header();
        let occupancy = Occupancy::new(header, &context.config, &self.design)?;
        self.switching.start_kernel(&header.name, liveness.as_deref());
        context.records.kernel = header.name.clone();
        context.records.show(Pipeline::start_kernel);
        context.blocks.start_kernel(&occupancy);
        context.memory.unit.start_kernel(occupancy.shared_memory);

        let mut code = Code::new(header.clone(), marks);
        code.operations = Operations::of(&self.design, &context.config)?;
        if self.design.fetches_intervals() {
            let parameters = self.design.parameters(&context.config, 0);
            code.intervals =
                liveness.as_ref().map(|liveness| Arc::new(IntervalLists::new(liveness, &parameters)));
        }
        let renames = context.config.finereg.renaming;
        let shared = occupancy.pool.zip(liveness.as_deref()).map(|((own, sections), liveness)| {
            (own_registers(liveness, occupancy.registers, own, renames), sections)
        });
        (code.own, code.liveness) = (shared.map(|(own, _)| own), liveness);
        context.code = code;
        for sub_core in sub_cores {
            sub_core.share_registers(shared);
            sub_core.start_kernel();
        }

        let launch_end = context.clock.now + context.config.sm.launch_latency;
        context.clock.last_progress = launch_end;
        let share = self.share;
        self.front = Some(BlockDispatcher::new(
            reader,
            occupancy,
            share,
            launch_end,
            plan.as_ref(),
            &mut self.machine,
        )?);
        Ok(())
    }

    /// After the state was restored, behind [`Sm::start`]: the stream of the kernel under way is read to
    /// where it was.
    pub fn catch_up(&mut self) -> Result<(), SmError> {
        match &mut self.front {
            Some(front) => front.catch_up(&mut self.machine.context),
            None => Ok(()),
        }
    }

    /// Runs until cycle `end`, or until the kernel is over, or the SM needs a reply of a shared L2 that is
    /// not known. Whether the kernel is over.
    pub fn run_until(&mut self, end: u64) -> Result<bool, SmError> {
        self.run(end, false)
    }

    /// The cycle that the SM is in, whose accesses to memory it has not or not all performed; `None` if it
    /// performs none before cycle `end`.
    pub fn reached(&self, end: u64) -> Option<u64> {
        let is_over = || self.front.as_ref().is_none_or(|front| front.is_over(&self.machine));
        (self.now() < end && !is_over()).then(|| self.now())
    }

    /// Runs for a cycle, and on to the next one in which something can happen, but not beyond `end`. Whether
    /// the kernel is over.
    pub fn take_turn(&mut self, end: u64) -> Result<bool, SmError> {
        self.run(end, true)
    }

    fn run(&mut self, end: u64, once: bool) -> Result<bool, SmError> {
        self.start()?;
        match (self as &mut dyn Any).downcast_mut() {
            Some(models) => run_models(models, end, once),
            None => self.run_engines(end, once),
        }
    }

    /// Runs until cycle `end`, or until the kernel is over; for a turn only if `once`. Whether the kernel is
    /// over.
    fn run_engines(&mut self, end: u64, once: bool) -> Result<bool, SmError> {
        let Some(mut front) = self.front.take() else { return Ok(true) };
        let (memory, mut around) = self.machine.context.memory_path();
        memory.take_replies(&mut around);
        let launching = front.launch_end.min(end).saturating_sub(self.now());
        self.rest(launching);
        self.machine.context.records.stalls.launch += SUB_CORES as u64 * launching;
        let observes = self.design.switches() || self.machine.context.records.usage.is_some();
        let mut over = false;
        let mut free = self.switching.free_slot(&front, &self.machine);
        while self.now() < end {
            if !self.machine.context.memory.waits() {
                if self.machine.context.memory.horizon().is_some_and(|horizon| self.now() >= horizon) {
                    break;
                }
                if let Some((slot, region)) = free {
                    self.switching.launch(slot, region, &mut front, &mut self.machine)?;
                }
                if self.machine.context.blocks.count() == 0 {
                    over = true;
                    break;
                }
                self.begin_step(&front);
            }
            let Ok(mut active) = self.step(&front) else { break };
            if observes {
                active |= self.switching.step(&mut front, &mut self.machine)?;
            }
            if self.design.residency.pool {
                self.machine.sub_cores.iter_mut().for_each(Core::end_cycle);
            }
            free = self.switching.free_slot(&front, &self.machine);
            self.advance(active || free.is_some(), end)?;
            if once {
                break;
            }
        }
        // Nothing is resident either if the last block left in the last cycle.
        over |= front.is_over(&self.machine);
        if let Some(drawing) = front.drawing.as_mut().filter(|_| over) {
            drawing.end(&self.machine.context.records.counters);
        }
        self.front = Some(front);
        Ok(over)
    }

    /// Its requests to a shared L2.
    pub fn exchange(&self) -> &Exchange {
        &self.machine.context.memory.unit.l2.exchange
    }

    /// The present cycle.
    pub fn now(&self) -> u64 {
        self.machine.context.clock.now
    }

    /// Waits for the other SMs until cycle `end`, after the kernel is over.
    pub fn idle_until(&mut self, end: u64) {
        let cycles = end.saturating_sub(self.now());
        self.rest(cycles);
        let Machine { sub_cores, context, .. } = &mut self.machine;
        for sub_core in sub_cores {
            sub_core.idle(cycles, &mut context.records.stalls, false);
        }
    }

    /// Cycles without a block.
    fn rest(&mut self, cycles: u64) {
        let Machine { sub_cores, context, .. } = &mut self.machine;
        sub_cores.iter_mut().for_each(|sub_core| sub_core.rest(cycles, context));
        self.pass(cycles);
    }

    /// Closes the kernel, also one that is cut short.
    pub fn finish(&mut self) -> Option<Finished> {
        let front = self.front.take()?;
        let records = &self.machine.context.records;
        let (counters, stalls) =
            (records.counters.since(&front.counters), records.stalls.since(&front.stalls));
        self.check_kernel(&counters, &stalls);
        let (blocks, resident_blocks) = (front.blocks, front.occupancy.residents);
        let drawing = front.drawing.map(|drawing| (drawing, front.counters));
        Some(Finished { counters, stalls, blocks, resident_blocks, drawing })
    }

    /// A cycle begins: the part before accesses to memory.
    fn begin_step(&mut self, front: &BlockDispatcher) {
        self.complete(&front.occupancy);
        let (memory, mut around) = self.machine.context.memory_path();
        self.shares = memory.step_sharing(&mut around);
    }

    /// The rest of a cycle; whether another one right after it may see anything happen.
    ///
    /// # Errors
    /// An access waits for replies of a shared L2: the same step, when they are known.
    fn step(&mut self, front: &BlockDispatcher) -> Result<bool, WaitsForL2> {
        let Machine { sub_cores, context, monolithic, next_serial } = &mut self.machine;
        let (memory, mut around) = context.memory_path();
        let mut active = self.shares;
        if let Some(executing) = memory.step(&mut around)? {
            let destinations = &context.code.of(&executing.instruction).destinations;
            sub_cores[executing.sub_core].takes_long(executing.warp, destinations);
        }
        let left = context.memory.unit.take_left();
        if left != 0 {
            members(left).for_each(|sub_core| sub_cores[sub_core].leave_address_unit());
        }
        if let Some(monolithic) = monolithic {
            monolithic.select(sub_cores, *next_serial, context);
            active |= monolithic.rotates();
        }
        for sub_core in sub_cores {
            active |= sub_core.step(context);
        }
        active |= self.end_blocks(&front.occupancy);
        self.observe_use(&front.occupancy);
        Ok(active)
    }

    /// Instructions that leave their units, and loads that memory answers.
    fn complete(&mut self, occupancy: &Occupancy) {
        let Machine { sub_cores, context, .. } = &mut self.machine;
        let (memory, mut around) = context.memory_path();
        memory.receive(&mut around);
        while let Some(mut executing) = context.completions.next(context.clock.now) {
            context.clock.progress();
            if occupancy.switching {
                let located =
                    context.blocks.locate(executing, occupancy, context.code.decoded(), context.clock.now);
                let Some(located) = located else { continue };
                executing = located;
            }
            sub_cores[executing.sub_core].complete(executing, context);
            if context.memory.sharing.is_some() {
                let (memory, mut around) = context.memory_path();
                memory.complete(&executing, &mut around);
            }
        }
    }

    /// Barriers open, and blocks that are complete go. Whether any does.
    fn end_blocks(&mut self, occupancy: &Occupancy) -> bool {
        let Machine { sub_cores, context, monolithic, .. } = &mut self.machine;
        if context.blocks.opened.is_empty() && context.blocks.completed.is_empty() {
            return false;
        }
        let opened = std::mem::take(&mut context.blocks.opened);
        let completed = std::mem::take(&mut context.blocks.completed);
        for block in opened.union(completed).iter() {
            if opened.contains(block) {
                sub_cores.iter_mut().for_each(|sub_core| sub_core.open_barrier(block, context));
                context.memory.separate_loads(block, false);
            }
            if completed.contains(block) {
                for (index, sub_core) in sub_cores.iter_mut().enumerate() {
                    let leaving = sub_core.retire(block);
                    if let Some(monolithic) = monolithic {
                        monolithic.leave(index, leaving);
                    }
                }
                context.memory.separate_loads(block, true);
                context.blocks.leave(block);
                if occupancy.switching {
                    self.switching.leave(block);
                }
            }
        }
        !completed.is_empty()
    }

    /// Notes how many registers are used, if that is wanted and as often as it is.
    fn observe_use(&mut self, occupancy: &Occupancy) {
        let context = &mut self.machine.context;
        if let Some(used) = context.records.usage.as_mut().and_then(|usage| usage.end_window()) {
            let active = context.blocks.active_count() * occupancy.warps * occupancy.registers;
            context.records.blocks.windows += 1;
            context.records.blocks.window_use += 1_000_000 * used.min(active as u64) / active.max(1) as u64;
        }
    }

    /// Goes to the next cycle, or, if nothing can happen before, to the next event, at most to cycle `end`.
    fn advance(&mut self, active: bool, end: u64) -> Result<(), SmError> {
        let Machine { sub_cores, context, .. } = &mut self.machine;
        let now = context.clock.now;
        // Blocks whose warps all wait for the pool may take each other's place forever.
        let circles = now > context.clock.last_progress + SWITCHING_PATIENCE;
        if active && !circles {
            self.pass(1);
            return Ok(());
        }
        let units = sub_cores.iter().filter_map(Core::next_unit);
        let event = context.next_event().into_iter().chain(units).min();
        let next = match event {
            None if (circles || !active) && overdraw(sub_cores, circles) => {
                context.records.blocks.pool_overdrawn += 1;
                context.clock.progress();
                now + 1
            }
            _ if active => now + 1,
            None if sub_cores.iter().any(Core::holds) => now + 1,
            Some(_) if !self.jump => now + 1,
            Some(event) => event.max(now + 1),
            None => return Err(self.stuck("no instruction can issue and none is under way")),
        };
        let passed = next.min(end) - now;
        self.pass(passed);
        let Machine { sub_cores, context, .. } = &mut self.machine;
        for sub_core in sub_cores {
            sub_core.idle(passed - 1, &mut context.records.stalls, context.blocks.depleted);
        }
        if event.is_none() && context.clock.now > context.clock.last_progress + PATIENCE {
            return Err(self.stuck("an operand stage holds an instruction and does not dispatch it"));
        }
        Ok(())
    }

    fn stuck(&self, reason: &'static str) -> SmError {
        let Context { code, clock, .. } = &self.machine.context;
        SmError::Stuck {
            kernel: code.header.name.clone(),
            cycle: clock.now,
            cycles: clock.now - clock.last_progress,
            reason,
        }
    }

    fn pass(&mut self, cycles: u64) {
        let Context { clock, blocks, records, .. } = &mut self.machine.context;
        records.counters.cycles += cycles;
        clock.now += cycles;
        records.blocks.active_cycles += blocks.active_count() as u64 * cycles;
        records.blocks.resident_cycles += blocks.count() as u64 * cycles;
        records.blocks.stall_cycles += std::mem::take(&mut blocks.stalled);
    }

    /// Checks the conditions that hold for a kernel that ran to its end.
    fn check_kernel(&mut self, counters: &Counters, stalls: &Stalls) {
        let context = &mut self.machine.context;
        if context.blocks.count() > 0 {
            return;
        }
        let (now, records) = (context.clock.now, &mut context.records);
        // Registers that leave with their block are read too.
        let saved = records.blocks.registers_saved;
        let saved = saved - std::mem::replace(&mut self.switching.saved_before, saved);
        let Counters { hits, bank_reads, operand_reads, rc_prefetched, .. } = *counters;
        if hits + bank_reads != operand_reads + rc_prefetched + saved {
            records.stage_error(now, || {
                format!(
                    "{hits} hits and {bank_reads} bank reads are not {operand_reads} operand reads and \
                     {rc_prefetched} registers fetched"
                )
            });
        }
        if counters.token_checks + counters.uninitialised_reads != counters.operand_reads {
            records.stage_error(now, || "not every operand was checked at dispatch".into());
        }
        for block in 0..context.blocks.room() {
            self.switching.check_status(BlockId(block), Location::NotLaunched, context);
        }
        let slots = SUB_CORES as u64 * counters.cycles;
        assert_eq!(
            counters.warp_instructions + stalls.sum(),
            slots,
            "every cycle of a sub-core issues or has a cause"
        );
    }
}
