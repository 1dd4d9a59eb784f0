// SPDX-License-Identifier: Apache-2.0
//! A sub-core: warps and their scoreboards, execution units and write-back, around the hardware that an
//! engine runs: issue stage and operand stage.
//!
//! In a cycle, in this order:
//! 1. each warp whose situation changed is classified: ready, or why not, and what it would issue;
//! 2. one waiting result per bank is written back; its register is free from the next cycle on, so
//!    that no instruction looks a register up in the cycle of its write;
//! 3. the hardware, given all of this, dispatches at most one instruction and issues at most one of a ready
//!    warp; the operands of the former are checked, and it enters its unit.

mod cached;
mod checks;
mod collectors;
mod dispatch;
mod eligible;
mod fetch;
mod heads;
mod issue;
mod latches;
mod leaving;
mod permission;
mod prefetching;
mod renaming;
mod results;
mod selection;
mod shape;
mod shown;
mod standstill;
mod transfer;
mod units;
mod warp_states;
mod window;
mod write_back;

use gpurf_blocks::{Row, WarpId, WarpSet, MAX_WARPS};
use gpurf_trace::DynamicInstruction;

use crate::bits::count;
use crate::checkpoint::checkpoint;
use crate::config::Config;
use crate::design::Design;
use crate::statistics::Stalls;

use cached::CachePath;
use collectors::Collectors;
use eligible::Eligible;
use leaving::Leaving;
use results::ResultQueues;
use selection::Schedulers;
use shape::CoreShape;
use standstill::Standstill;
use units::Units;
use warp_states::Situation;
use window::Window;

pub use window::WINDOW_PLACE_BITS;

use super::context::Context;
use super::names::BlockId;
use super::pool::Pool;
use super::prefetch::Prefetcher;
use super::register_cache::RegisterCacheUnit;
use super::renamed::RenamedRegisters;
use super::warp::{State, Warp};
use crate::engines::{Engines, RunsSubCore};
use crate::issue::ActiveSet;
use crate::words::{CycleIn, CycleOut};

/// `E` runs the issue stage and the operand stage.
pub(super) struct Core<E> {
    shape: CoreShape,
    hardware: Hardware<E>,
    warps: [Warp; MAX_WARPS],
    /// Warps of resident blocks, oldest first.
    ages: Vec<WarpId>,
    situation: Situation,
    schedulers: Schedulers,
    collectors: Collectors,
    units: Units,
    results: ResultQueues,
    /// Registers being read for a block that leaves.
    leaving: Leaving,
    pool: Option<Pool>,
    /// Under DARSIE.
    renamed: Option<RenamedRegisters>,
    cached: CachePath,
    /// In place of collectors.
    window: Option<Window>,
}

checkpoint! {
    [<E: RunsSubCore>] Core<E> {
        values: warps ages situation schedulers collectors units results leaving;
        parts: hardware pool renamed cached window;
        fixed: shape;
    }
}

/// The engine of the hardware, and its inputs.
struct Hardware<E> {
    /// None without collectors.
    engine: Option<Engine<E>>,
    /// Instructions at the heads of the warps' buffers stay until they issue.
    inputs: CycleIn<u32>,
    still: Standstill,
}

checkpoint! {
    [<E: RunsSubCore>] Hardware<E> {
        values: inputs still;
        parts: engine;
    }
}

struct Engine<E> {
    engine: E,
}

checkpoint! {
    [<E: RunsSubCore>] Engine<E> {
        engines: engine;
    }
}

impl<E: RunsSubCore> Core<E> {
    /// The sub-core of this number in its SM, and of that number among all.
    pub fn new(
        index: usize,
        number: usize,
        engines: &mut Engines<E>,
        config: &Config,
        design: &Design,
    ) -> Self {
        let cache = RegisterCacheUnit::new(design, config, || (engines.register_cache)(number));
        let prefetcher =
            design.fetches_intervals().then(|| Prefetcher::new((engines.interval_prefetcher)(number)));
        Core {
            shape: CoreShape::new(index, config, design),
            hardware: Hardware {
                engine: (!design.reads_in_window()).then(|| Engine { engine: (engines.sub_core)(number) }),
                inputs: CycleIn::default(),
                still: Standstill::default(),
            },
            warps: std::array::from_fn(|_| Warp::empty()),
            ages: Vec::with_capacity(MAX_WARPS),
            situation: Situation::default(),
            schedulers: Schedulers::new(config, design),
            collectors: Collectors::new(design.collectors(config), design.on(config).has_latches()),
            units: Units::default(),
            results: ResultQueues::new(config.hardware.banks),
            leaving: Leaving::new(design.parameters(config, 0).transfer_ports > 0),
            pool: design.residency.pool.then(|| Pool::new((engines.register_pool)(number))),
            renamed: design
                .renames_registers(config)
                .then(|| RenamedRegisters::new((engines.renaming_table)(number))),
            cached: CachePath::new(cache, prefetcher),
            window: Window::new(design, config, || (engines.modern_sub_core)(number)),
        }
    }

    /// The engine that runs its collectors.
    pub fn engine(&self) -> Option<&E> {
        self.hardware.engine.as_ref().map(|Engine { engine }| engine)
    }

    /// Clocks the hardware in every cycle from now on.
    pub fn skip_nothing(&mut self) {
        self.shape.skips = false;
    }

    /// A register cache stands before its banks.
    pub fn has_cache(&self) -> bool {
        self.cached.cache.is_some()
    }

    /// Puts warp `number` of resident `block` into warp slot `warp`, with its registers from row `base` on.
    pub fn launch(
        &mut self,
        warp: WarpId,
        (block, number): (BlockId, u16),
        base: Row,
        instructions: Vec<DynamicInstruction>,
        serial: u32,
    ) {
        self.warps[warp.index()].launch((block, number), base, instructions, serial);
        self.cached.come(warp);
        self.ages.push(warp);
        self.situation.renew(warp);
        self.situation.launched |= warp.bit();
    }

    /// The barrier of resident `block` opens.
    pub fn open_barrier(&mut self, block: BlockId, context: &mut Context) {
        for &warp in &self.ages {
            let slot = &mut self.warps[warp.index()];
            if slot.block == block {
                slot.at_barrier = false;
                self.situation.changed |= warp.bit();
                context.memory.pass_barrier(block, slot.number, slot.next_serial());
            }
        }
    }

    /// Resident `block` is complete: its warps, a bit each in the result, leave.
    pub fn retire(&mut self, block: BlockId) -> WarpSet {
        let warps = &self.warps;
        let leaves = |warp: WarpId| warps[warp.index()].block == block;
        let leaving = self.ages.iter().filter(|&&warp| leaves(warp)).fold(0, |set, warp| set | warp.bit());
        self.situation.forget(leaving);
        self.ages.retain(|&warp| !leaves(warp));
        self.leave_pool(leaving);
        if let Some(renamed) = &mut self.renamed {
            renamed.forget(leaving);
        }
        if let Some(active) = &mut self.schedulers.active {
            active.leave(leaving.into());
        }
        leaving
    }

    /// One cycle; whether anything happened, or will without an event from outside.
    #[inline]
    pub fn step(&mut self, context: &mut Context) -> bool {
        let active = self.step_warps(context);
        if let Some(prefetcher) = &mut self.cached.prefetcher {
            prefetcher.end_cycle();
        }
        active
    }

    #[inline]
    fn step_warps(&mut self, context: &mut Context) -> bool {
        if self.situation.changed != 0 {
            self.classify(context);
        }
        if self.window.is_some() {
            if self.holds() || self.is_busy() {
                return self.work_in_window(context);
            }
        } else {
            let busy = self.is_busy();
            if busy || self.holds() || !self.shape.is_plain && self.rotates() {
                return match self.shape.is_plain {
                    true => self.work::<true>(busy, context),
                    false => self.work::<false>(busy, context),
                };
            }
        }
        *self.situation.states.stall(&mut context.records.stalls, context.blocks.depleted) += 1;
        self.rest(1, context);
        false
    }

    /// Something in it waits for the hardware.
    pub fn holds(&self) -> bool {
        self.situation.states.ready != 0 || self.collectors.occupied | self.collectors.waiting != 0
    }

    /// Its two-level scheduler goes on where no warp can issue: see [`ActiveSet::rotates`]. Any other sees
    /// what has changed while the instruction that changed it is still in a collector.
    fn rotates(&self) -> bool {
        self.schedulers.active.as_ref().is_some_and(ActiveSet::rotates)
    }

    /// The next cycle in which one of its units takes instructions again, if any wait.
    pub fn next_unit(&self) -> Option<u64> {
        self.units.next().filter(|_| self.holds())
    }

    /// There is something to do besides issue and dispatch.
    #[inline]
    fn is_busy(&self) -> bool {
        let caches = || self.cached.cache.as_ref().is_some_and(RegisterCacheUnit::is_busy);
        let reads = || self.window.as_ref().is_some_and(Window::is_busy);
        let special = || self.leaving.is_busy() || caches() || reads();
        !self.results.is_empty() || self.situation.launched != 0 || !self.shape.is_plain && special()
    }

    /// Simulates a cycle in which the hardware may have something to do. Returns true if another cycle may
    /// change something without an event from outside, or a unit that is ready again.
    ///
    /// `PLAIN` is [`CoreShape::is_plain`], known when the loop is compiled. Most designs are plain, and their
    /// loop has no test of what only few designs have. The loop is compiled twice; all that it calls with
    /// `PLAIN` is alike in both.
    #[inline(never)]
    fn work<const PLAIN: bool>(&mut self, busy: bool, context: &mut Context) -> bool {
        let Eligible { ready, pending_ready, elsewhere, emptying, saves } = self.eligible::<PLAIN>(context);
        // Warps that become pending are flushed from this cycle on.
        let busy = busy || !PLAIN && self.is_busy();
        let unit_ready = self.unit_ready(context);
        if self.shape.skips && !busy && self.hardware.still.lasts((ready, unit_ready)) {
            self.charge(ready, pending_ready, elsewhere, context);
            // Around other hardware there may be more that goes on.
            return !PLAIN;
        }
        (self.hardware.inputs.ready, self.hardware.inputs.launch) = (ready, self.situation.launched);
        let launching = self.situation.states.ready & std::mem::take(&mut self.situation.launched);
        self.hardware.inputs.sthld = context.sthld;
        match self.cached.cache {
            Some(_) if !PLAIN => self.write_into_cache(context),
            _ => self.write_back(context),
        }
        self.hardware.inputs.unit_ready = unit_ready;
        if !PLAIN {
            self.offer_transfer();
        }
        let occupied = self.collectors.occupied;
        let mut outputs = CycleOut::default();
        let conflict = match PLAIN {
            true => {
                if let Some(Engine { engine }) = &mut self.hardware.engine {
                    engine.cycle(&self.hardware.inputs, self.shape.places, &mut outputs);
                }
                false
            }
            false => self.clock_around_cache(ready, &mut outputs, context),
        };
        if let Some(waits) = &mut context.shared_waits {
            waits.note(self.shape.index, outputs.waiting, outputs.issue != 0);
            context.sthld = waits.told();
        }
        let dispatched = outputs.dispatch;
        let accesses = self.count(&outputs, context);
        let moves = busy | outputs.issued | outputs.waiting | accesses | (dispatched | outputs.issue != 0);
        self.hardware.still.note((ready, unit_ready), moves);
        if !PLAIN {
            self.take_transfer(&outputs, context);
        }
        if dispatched != 0 {
            self.dispatch::<PLAIN>(dispatched, &outputs, occupied, context);
        }
        let freed = if self.shape.issues_on_dispatch { dispatched } else { 0 };
        let occupied = occupied & !freed;
        self.check_occupancy(&outputs, occupied, context);
        if self.shape.has_latches && outputs.issue != 0 {
            self.leave_latch(&outputs, occupied, context);
        }
        let save_issued =
            outputs.issued && saves.is_some_and(|save| u32::from(save.warp) == outputs.issued_warp);
        if save_issued {
            self.issue_save(&outputs, context);
        } else if outputs.issued {
            match !PLAIN && self.prefetches(WarpId(outputs.issued_warp as u8)) {
                true => self.issue_prefetch(&outputs, context),
                false => self.issue::<PLAIN>(&outputs, ready, occupied, context),
            }
        } else if outputs.waiting {
            context.records.stalls.waiting += 1;
        } else if conflict || ready == 0 && emptying {
            context.records.stalls.register_cache += 1;
        } else if ready == 0 && launching != 0 {
            context.records.stalls.launch += 1;
        } else {
            self.charge(ready, pending_ready, elsewhere, context);
        }
        let enters = if self.shape.has_latches { outputs.issue != 0 } else { outputs.issued };
        self.show_reads(&outputs, enters && !save_issued, context);
        true
    }

    /// A cycle of the hardware, and of a register cache before it. Whether an issue fails because of that.
    fn clock_around_cache(
        &mut self,
        ready: WarpSet,
        outputs: &mut CycleOut<u32>,
        context: &mut Context,
    ) -> bool {
        self.decide(outputs);
        let conflict = self.cached.cache.is_some() && self.look_up(ready, outputs, context);
        self.tick();
        conflict
    }

    /// Cycles in which nothing is asked of the hardware, which sees them if none are to be left out. What a
    /// register cache has to do still, it does.
    #[inline]
    pub fn rest(&mut self, cycles: u64, context: &mut Context) {
        for _ in 0..cycles {
            if self.shape.skips && !self.cached.cache.as_ref().is_some_and(RegisterCacheUnit::is_busy) {
                break;
            }
            self.clock_idle(context);
        }
    }

    #[inline(never)]
    fn clock_idle(&mut self, context: &mut Context) {
        if let Some(window) = &mut self.window {
            return window.rest(context.clock.now);
        }
        (self.hardware.inputs.ready, self.hardware.inputs.launch, self.hardware.inputs.results.banks) =
            (0, 0, 0);
        self.write_into_cache(context);
        self.offer_transfer();
        self.hardware.inputs.unit_ready = self.unit_ready(context);
        self.decide(&mut CycleOut::default());
        self.tick();
    }

    /// The clock edge, of a register cache as well.
    fn tick(&mut self) {
        if let Some(Engine { engine }) = &mut self.hardware.engine {
            engine.tick();
        }
        if let Some(cache) = &mut self.cached.cache {
            cache.tick();
        }
    }

    /// Lets the hardware decide on its inputs before the clock edge. The outputs are zero before.
    #[inline]
    fn decide(&mut self, outputs: &mut CycleOut<u32>) {
        if let Some(Engine { engine }) = &mut self.hardware.engine {
            engine.decide(&self.hardware.inputs, self.shape.places, outputs);
        }
    }

    /// Charges a cycle in which nothing issues to its cause.
    fn charge(&self, ready: WarpSet, pending_ready: bool, elsewhere: bool, context: &mut Context) {
        if pending_ready {
            let has_room = self.collectors.occupied != self.collectors.all;
            context.records.counters.pending_ready_cycles += 1;
            context.records.counters.pending_issuable_cycles +=
                u64::from(ready == 0 && !elsewhere && has_room);
        }
        *match ready {
            0 if elsewhere => &mut context.records.stalls.elsewhere,
            0 if pending_ready => &mut context.records.stalls.pending,
            _ => self.situation.states.stall(&mut context.records.stalls, context.blocks.depleted),
        } += 1;
    }

    /// Charges `cycles` more cycles in which nothing happens.
    pub fn idle(&self, cycles: u64, stalls: &mut Stalls, depleted: bool) {
        let stall = match self.window.is_some() && self.situation.states.ready != 0 {
            true => self.window_stall(self.situation.states.ready, stalls, depleted),
            false => self.situation.states.stall(stalls, depleted),
        };
        *stall += cycles;
    }

    fn classify(&mut self, context: &mut Context) {
        while self.situation.changed != 0 {
            let warp = WarpId(self.situation.changed.trailing_zeros() as u8);
            self.situation.changed &= !warp.bit();
            let mut state = self.warps[warp.index()].state(context.code.decoded());
            if !self.shape.is_plain {
                state = self.ask_others(warp, state, context);
            }
            self.enter(warp, state, context);
        }
        if self.pool.is_some() {
            self.take_sections(context);
        }
    }

    /// A warp is in this state from now on.
    #[inline]
    fn enter(&mut self, warp: WarpId, state: State, context: &mut Context) {
        self.situation.states.set(warp, state);
        if state == State::Ready && self.situation.presented & warp.bit() == 0 {
            self.situation.presented |= warp.bit();
            match self.window.is_some() {
                true => self.present_to_window(warp, context),
                false => self.present(warp, context),
            }
            let (now, serial) = (context.clock.now, self.warps[warp.index()].next_serial());
            context.records.show(move |pipeline| pipeline.ready(now, serial));
        }
    }

    /// The state of a warp, with all other things that keep it from issuing.
    #[inline(never)]
    fn ask_others(&mut self, warp: WarpId, mut state: State, context: &mut Context) -> State {
        if self.pool.is_some() {
            state = self.ask_pool(warp, state, context);
        }
        if state == State::Ready && context.code.intervals.is_some() {
            state = self.ask_prefetch(warp, context);
        }
        self.window_state(warp, state)
    }

    /// Bit u: unit u takes an instruction in this cycle.
    fn unit_ready(&mut self, context: &Context) -> u32 {
        self.units.ready(context.clock.now, context.memory.unit.accepts(self.shape.index))
    }

    /// Counts what goes to the banks in a cycle; whether a read goes there or waits.
    #[inline(always)]
    fn count(&self, outputs: &CycleOut<u32>, context: &mut Context) -> bool {
        let count = |banks: u8| count(banks & self.shape.banks);
        let CycleOut { bank_read, second_read, bank_conflict, write_cached, write_filtered, .. } = *outputs;
        let counters = &mut context.records.counters;
        let reads = bank_read | second_read | bank_conflict != 0;
        if reads {
            counters.bank_reads += count(bank_read) + count(second_read);
            counters.bank_conflicts += count(bank_conflict);
        }
        if write_cached | write_filtered != 0 {
            counters.cache_writes += count(write_cached);
            counters.cache_writes_filtered += count(write_filtered);
            counters.cache_writes_lost += count(write_filtered & self.hardware.inputs.results.near);
        }
        reads
    }
}
