//! A sub-core: warps and their scoreboards, execution units and write-back, around the hardware that an
//! engine runs: issue stage and operand stage.
//!
//! In a cycle, in this order:
//! 1. each warp whose situation changed is classified: ready, or why not, and what it would issue;
//! 2. one waiting result per bank is written back; its register is free from the next cycle on, so
//!    that no instruction looks a register up in the cycle of its write;
//! 3. the hardware, given all of this, dispatches at most one instruction and issues at most one of a ready warp; the
//!    operands of the former are checked, and it enters its unit.

mod cached;
mod checks;
mod heads;
mod permission;
mod prefetching;
mod results;
mod shown;
mod standstill;
mod transfer;
mod warp_states;

use std::collections::VecDeque;

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, MAX_BANKS, MAX_COLLECTORS, SUB_CORES, WARPS};
use gpurf_trace::{DynamicInstruction, RegisterSet, Unit};

use crate::bits::{all, flags, mask, members};
use crate::config::{Config, Organisation};
use crate::statistics::Stalls;

use permission::Permission;
use results::Result;
use standstill::Standstill;
use warp_states::WarpStates;

use super::context::{Context, Executing};
use super::design::Design;
use super::pool::Pool;
use super::prefetch::{Batch, Prefetch};
use super::register_cache::{Found, RegisterCacheUnit};
use super::two_level::ActiveSet;
use super::warp::{Expected, State, Warp};

/// `E` runs the issue stage and the operand stage.
pub(super) struct Core<E> {
    index: usize,
    pub engine: E,
    warps: [Warp; WARPS],
    /// Warps of resident blocks, oldest first.
    ages: Vec<u8>,
    /// One bit per warp of a resident block, in one of these.
    situation: WarpStates,
    /// Warps to be classified again, one bit each.
    changed: u8,
    /// Those whose next instruction is at the head of their buffer, as far as they are ready.
    presented: u8,
    /// What the hardware is given. Instructions at the heads of the warps' buffers stay until they issue.
    inputs: SubCoreIn<u32>,
    /// Warps launched since the last cycle, one bit each.
    launched: u8,
    /// Those that may issue, under a two-level scheduler of the sub-core.
    active: Option<ActiveSet>,
    /// What the SM's one scheduler, if it has that, says in this cycle.
    permission: Option<Permission>,
    collectors: [Collecting; MAX_COLLECTORS],
    /// Collectors that there are, one bit each.
    all_collectors: u8,
    /// A collector can take an instruction in the cycle of its dispatch.
    issues_on_dispatch: bool,
    /// Those that hold an instruction.
    occupied: u8,
    /// The warp that each served last.
    owners: [Option<u8>; MAX_COLLECTORS],
    /// The next cycle in which each unit takes an instruction.
    units: [u64; Unit::ALL.len()],
    /// Those that do not take one yet, one bit each.
    busy_units: u8,
    /// Results that wait for their bank.
    results: [VecDeque<Result>; MAX_BANKS],
    banks: usize,
    /// A register being read for a block that leaves, and registers still to be written for one that comes.
    save: Option<Save>,
    restoring: u32,
    /// What was written into each bank, row by row, if registers that leave are read from there.
    copies: Option<[Vec<u32>; MAX_BANKS]>,
    pool: Option<Pool>,
    pub cache: Option<RegisterCacheUnit>,
    prefetches: [Prefetch; WARPS],
    slots: usize,
    still: Standstill,
    /// Leave out cycles in which the hardware is idle or stands still.
    pub skips: bool,
}

/// The read of a register that leaves the banks. It goes through issue and collector as an instruction with this
/// one source would, and ends at its dispatch.
#[derive(Clone, Copy)]
struct Save {
    warp: u8,
    register: u8,
    base: u32,
    collector: Option<usize>,
    value: Option<u32>,
}

/// An instruction in a collector.
#[derive(Clone, Default)]
struct Collecting {
    executing: Option<Executing>,
    reads: RegisterSet,
    expected: Expected,
    /// What it found in the register cache, if there is one.
    found: Found,
    /// It is no instruction, but fetches these registers.
    prefetch: Batch,
}

impl<E> Core<E>
where
    E: Clocked<In = SubCoreIn<u32>, Out = SubCoreOut<u32>>,
{
    pub fn new(index: usize, engine: E, config: &Config, design: &Design) -> Self {
        Core {
            index,
            engine,
            warps: std::array::from_fn(|_| Warp::empty()),
            ages: Vec::with_capacity(WARPS),
            situation: WarpStates::default(),
            changed: 0,
            presented: 0,
            inputs: SubCoreIn::default(),
            launched: 0,
            active: match config.organisation {
                Organisation::SubCores => {
                    design.two_level.map(|policy| ActiveSet::new(policy, config.active_warps))
                }
                Organisation::Monolithic => None,
            },
            permission: None,
            collectors: std::array::from_fn(|_| Collecting::default()),
            all_collectors: all(design.collectors(config)),
            issues_on_dispatch: config.hardware.issue_on_dispatch,
            occupied: 0,
            owners: [None; MAX_COLLECTORS],
            units: [0; Unit::ALL.len()],
            busy_units: 0,
            results: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            banks: config.hardware.banks,
            save: None,
            restoring: 0,
            copies: config.finereg.acrf_port.then(|| std::array::from_fn(|_| vec![0; design.rows(config)])),
            pool: None,
            cache: design.register_cache_unit(config),
            prefetches: [Prefetch::default(); WARPS],
            slots: config.hardware.slots,
            still: Standstill::default(),
            skips: true,
        }
    }

    /// Puts warp `number` of resident `block` into warp slot `warp`, with its registers from row `base` on.
    pub fn launch(
        &mut self,
        warp: u8,
        (block, number): (usize, u16),
        base: u32,
        instructions: Vec<DynamicInstruction>,
        serial: u32,
    ) {
        self.warps[warp as usize].launch((block, number), base, instructions, serial);
        self.prefetches[warp as usize] = Prefetch::default();
        self.ages.push(warp);
        self.presented &= !(1 << warp);
        self.changed |= 1 << warp;
        self.launched |= 1 << warp;
    }

    /// The barrier of resident `block` opens.
    pub fn open_barrier(&mut self, block: usize, context: &mut Context) {
        for &warp in &self.ages {
            let slot = &mut self.warps[warp as usize];
            if slot.block == block {
                slot.at_barrier = false;
                self.changed |= 1 << warp;
                context.pass_barrier(usize::from(warp) * SUB_CORES + self.index, slot.next_serial());
            }
        }
    }

    /// Resident `block` is complete: its warps, a bit each in the result, leave.
    pub fn retire(&mut self, block: usize) -> u8 {
        let warps = &self.warps;
        let leaves = |warp: u8| warps[warp as usize].block == block;
        let leaving = self.ages.iter().filter(|&&warp| leaves(warp)).fold(0, |set, warp| set | 1 << warp);
        self.situation.clear(leaving);
        self.changed &= !leaving;
        self.ages.retain(|&warp| !leaves(warp));
        self.leave_pool(leaving);
        if let Some(active) = &mut self.active {
            active.leave(leaving.into());
        }
        leaving
    }

    /// One cycle; whether anything happened, or will without an event from outside.
    pub fn step(&mut self, context: &mut Context) -> bool {
        self.classify(context);
        let writes = self.results[..self.banks].iter().any(|queue| !queue.is_empty());
        let saves = self.save.filter(|save| save.collector.is_none());
        let caches = self.cache.as_ref().is_some_and(RegisterCacheUnit::is_busy);
        let busy = writes || self.launched != 0 || saves.is_some() || caches;
        if self.situation.ready == 0 && self.occupied == 0 && !busy {
            *self.situation.stall(&mut context.stalls, context.depleted) += 1;
            self.rest(1, context);
            return false;
        }
        // A warp is known to the scheduler from the cycle after its launch on.
        let mut ready = self.situation.ready & !self.launched;
        let mut pending_ready = false;
        if let Some(active) = &mut self.active {
            let waiting = self.situation.dependence | self.situation.prefetch;
            let warps = &mut self.warps;
            let ends_strand = |warp: usize| warps[warp].ends_strand(&context.decoded);
            let allowed = active.update(ready.into(), waiting.into(), ends_strand) as u8;
            pending_ready = ready & !allowed != 0;
            ready &= allowed;
            let (left, active) = (active.take_left() as u8, active.active() as u8);
            self.activate(left, active, context);
        }
        let mut elsewhere = false;
        if let Some(permission) = self.permission {
            pending_ready = ready & !permission.active != 0;
            elsewhere = permission.any && ready & permission.active != 0;
            ready &= permission.issue;
        }
        let emptying = ready & self.cache.as_ref().map_or(0, RegisterCacheUnit::emptying);
        ready &= !emptying;
        if let Some(save) = saves {
            self.presented &= !(1 << save.warp);
            self.present_reads(save.warp, save.base, &[save.register], context);
            ready |= 1 << save.warp;
        }
        let unit_ready = self.unit_ready(context);
        if self.skips && !busy && self.still.lasts((ready, unit_ready)) {
            self.charge(ready, pending_ready, elsewhere, context);
            return true;
        }
        self.inputs.ready = flags(ready);
        self.inputs.launch = flags(self.launched);
        let launching = self.situation.ready & std::mem::take(&mut self.launched);
        self.inputs.sthld = context.sthld;
        match self.cache {
            Some(_) => self.write_into_cache(context),
            None => self.write_back(context),
        }
        self.inputs.unit_ready = unit_ready;
        let occupied = self.occupied;
        let (outputs, conflict) = self.settle(ready, context);
        self.engine.tick();
        if let Some(cache) = &mut self.cache {
            cache.engine.tick();
        }
        self.still.note((ready, unit_ready), busy, &outputs);
        self.count(&outputs, context);
        self.dispatch(&outputs, occupied, context);
        let freed = if self.issues_on_dispatch { mask(&outputs.dispatch) } else { 0 };
        let occupied = occupied & !freed;
        self.check_occupancy(&outputs, occupied, context);
        let save_issued =
            outputs.issued && saves.is_some_and(|save| u32::from(save.warp) == outputs.issued_warp);
        if save_issued {
            self.issue_save(&outputs, context);
        } else if outputs.issued {
            if !self.issue_prefetch(&outputs, context) {
                self.issue(&outputs, ready, occupied, context);
            }
        } else if outputs.waiting {
            context.stalls.waiting += 1;
        } else if conflict || ready == 0 && emptying != 0 {
            context.stalls.register_cache += 1;
        } else if ready == 0 && launching != 0 {
            context.stalls.launch += 1;
        } else {
            self.charge(ready, pending_ready, elsewhere, context);
        }
        self.show_reads(&outputs, outputs.issued && !save_issued, context);
        true
    }

    /// Cycles in which nothing is asked of the hardware, which sees them if none are to be left out.
    pub fn rest(&mut self, cycles: u64, context: &Context) {
        if self.skips {
            return;
        }
        (self.inputs.ready, self.inputs.launch) = (flags(0), flags(0));
        self.inputs.write_valid = [false; MAX_BANKS];
        self.inputs.unit_ready = self.unit_ready(context);
        for _ in 0..cycles {
            self.engine.settle(&self.inputs);
            self.engine.tick();
            if let Some(cache) = &mut self.cache {
                cache.offer();
                cache.engine.tick();
            }
        }
    }

    /// Charges a cycle in which nothing issues to its cause.
    fn charge(&self, ready: u8, pending_ready: bool, elsewhere: bool, context: &mut Context) {
        *match ready {
            0 if elsewhere => &mut context.stalls.elsewhere,
            0 if pending_ready => &mut context.stalls.pending,
            _ => self.situation.stall(&mut context.stalls, context.depleted),
        } += 1;
    }

    /// Charges `cycles` more cycles in which nothing happens.
    pub fn idle(&self, cycles: u64, stalls: &mut Stalls, depleted: bool) {
        *self.situation.stall(stalls, depleted) += cycles;
    }

    fn classify(&mut self, context: &mut Context) {
        while self.changed != 0 {
            let warp = self.changed.trailing_zeros() as u8;
            self.changed &= self.changed - 1;
            let mut state = self.warps[warp as usize].state(&context.decoded);
            if self.pool.is_some() {
                state = self.ask_pool(warp, state, context);
            }
            if state == State::Ready && context.intervals.is_some() {
                state = self.ask_prefetch(warp, context);
            }
            self.situation.set(warp, state);
            if state == State::Ready && self.presented >> warp & 1 == 0 {
                self.presented |= 1 << warp;
                self.present(warp, context);
                let (now, serial) = (context.now, self.warps[usize::from(warp)].next_serial());
                context.show(|pipeline| pipeline.ready(now, serial));
            }
        }
    }

    /// The instruction that the hardware has taken leaves its warp's buffer.
    fn issue(&mut self, outputs: &SubCoreOut<u32>, ready: u8, occupied: u8, context: &mut Context) {
        let (warp, entered) = (outputs.issued_warp as u8, mask(&outputs.issue) & self.all_collectors);
        let collector = entered.trailing_zeros() as usize;
        if entered.count_ones() != 1 || entered & occupied != 0 || ready >> warp & 1 == 0 {
            context.counters.stage_errors += 1;
            let index = self.index;
            context.report(|| {
                format!(
                    "sub-core {index}: warp {warp} of ready {ready:#b} enters collectors {entered:#b}, \
                     {occupied:#b} occupied"
                )
            });
            return;
        }
        context.last_progress = context.now;
        let slot = &mut self.warps[warp as usize];
        let serial = slot.head().1;
        let (instruction, expected) = slot.issue(&context.decoded, self.cache.is_some());
        let decoded = *context.decoded(&instruction);

        let now = context.now;
        let resident = context.resident(slot.block);
        resident.first_issue.get_or_insert(now);
        resident.diverged = false;
        let opened = if slot.is_issued() {
            resident.finish_warp()
        } else if decoded.barrier && instruction.mask != 0 {
            slot.at_barrier = true;
            resident.arrive()
        } else {
            false
        };
        context.opened |= u128::from(opened) << slot.block;

        let (block, number) = (slot.block, slot.number);
        if let Some(usage) = &mut context.usage {
            usage.issue(self.index, warp, decoded.touches);
        }

        let executing = Executing { sub_core: self.index, warp, block, number, serial, instruction };
        if decoded.multicasts && instruction.mask != 0 {
            context.issue_load(&executing);
        }
        let found = self.cache.as_mut().map_or_else(Found::default, |cache| {
            cache.reading = Some(collector);
            cache.found
        });
        self.collectors[collector] = Collecting {
            executing: Some(executing),
            reads: decoded.reads,
            expected,
            found,
            ..Collecting::default()
        };
        self.occupied |= 1 << collector;
        self.owners[collector] = Some(warp);
        self.presented &= !(1 << warp);
        self.changed |= 1 << warp;
        self.show_issue(&executing, collector, &outputs.hit, context);

        let sources = decoded.sources().len();
        let hits = outputs.hit[..sources].iter().filter(|&&hit| hit).count();
        context.counters.warp_instructions += 1;
        context.counters.operand_reads += sources as u64;
        context.counters.named_operand_reads += u64::from(decoded.named);
        context.counters.hits += hits as u64 + u64::from(found.whole.count_ones());
    }

    /// Bit u: unit u takes an instruction in this cycle.
    fn unit_ready(&mut self, context: &Context) -> u32 {
        for unit in members(self.busy_units) {
            self.busy_units &= !(u8::from(self.units[unit] <= context.now) << unit);
        }
        let full = u8::from(!context.memory.accepts(self.index)) << Unit::LoadStore as u8;
        (!(self.busy_units | full)).into()
    }

    fn count(&self, outputs: &SubCoreOut<u32>, context: &mut Context) {
        let count = |events: &[bool]| events.iter().map(|&event| u64::from(event)).sum::<u64>();
        let counters = &mut context.counters;
        counters.bank_reads += count(&outputs.bank_read[..self.banks]);
        counters.bank_conflicts += count(&outputs.bank_conflict[..self.banks]);
        if !self.inputs.write_valid[..self.banks].contains(&true) {
            return;
        }
        counters.cache_writes += count(&outputs.write_cached[..self.banks]);
        counters.cache_writes_filtered += count(&outputs.write_filtered[..self.banks]);
        let near = outputs.write_filtered.iter().zip(&self.inputs.write_near).take(self.banks);
        counters.cache_writes_lost += near.filter(|(filtered, near)| **filtered && **near).count() as u64;
    }

    /// Sends the dispatched instruction, if there is one, to its unit.
    fn dispatch(&mut self, outputs: &SubCoreOut<u32>, occupied: u8, context: &mut Context) {
        let dispatched = mask(&outputs.dispatch);
        if dispatched == 0 {
            return;
        }
        let collector = dispatched.trailing_zeros() as usize;
        if dispatched.count_ones() > 1 || dispatched & occupied == 0 {
            context.counters.stage_errors += 1;
            let index = self.index;
            context.report(|| {
                format!("sub-core {index}: dispatch {dispatched:#b}, collectors {occupied:#b} occupied")
            });
            return;
        }
        let saves = |save: &&mut Save| save.collector == Some(collector) && save.value.is_none();
        if let Some(save) = self.save.as_mut().filter(saves) {
            save.value = Some(outputs.operand_data[0]);
            self.occupied &= !(1 << collector);
            return;
        }
        if self.end_prefetch(collector, outputs) {
            return;
        }
        let Collecting { executing, expected, found, .. } = self.collectors[collector].clone();
        let executing = executing.expect("an occupied collector holds an instruction");
        let decoded = *context.decoded(&executing.instruction);
        self.check_instruction(outputs, &executing, &decoded, context);
        let operands = self.operands(outputs, &found);
        let lanes = if self.cache.is_some() { executing.instruction.mask } else { u32::MAX };
        self.check_operands(&operands, lanes, &executing, &decoded, &expected, context);
        self.fill(executing.warp, (decoded.sources(), &decoded.positions), &found, &operands);

        context.last_progress = context.now;
        self.occupied &= !(1 << collector);
        let reading = self.reading(executing.warp);
        self.warps[executing.warp as usize].dispatch(reading);
        self.changed |= 1 << executing.warp;

        self.units[usize::from(decoded.unit)] = context.now + decoded.timing.initiation;
        self.busy_units |= 1 << decoded.unit;
        let (now, serial, idle) = (context.now, executing.serial, executing.instruction.mask == 0);
        context
            .show(|pipeline| if idle { pipeline.leave(now, serial) } else { pipeline.dispatch(now, serial) });
        if idle {
            // No lane is active: it read its operands, and that is all.
            self.complete_part(executing.warp, context);
        } else if decoded.memory.is_some() {
            context.send_to_memory(executing);
        } else {
            context.plan(context.now + decoded.timing.latency, executing);
        }
    }

    /// Operands of the warp's instructions that are still in collectors.
    fn reading(&self, warp: u8) -> RegisterSet {
        let of_warp = members(self.occupied).filter(|&collector| self.owners[collector] == Some(warp));
        let filling = self.cache.as_ref().map_or_else(RegisterSet::default, |cache| cache.filling(warp));
        of_warp.fold(filling, |set, collector| set.union(self.collectors[collector].reads))
    }
}
