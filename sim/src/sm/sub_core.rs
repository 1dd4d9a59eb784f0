//! A sub-core: warps, scheduler, operand stage, execution units and write-back.
//!
//! In a cycle, in this order:
//! 1. each warp whose situation changed is classified: ready, or why not;
//! 2. the scheduler offers ready warps to the collector allocator until one issues;
//! 3. one waiting result per bank is written back; its register is free from the next cycle on, so
//!    that no instruction looks a register up in the cycle of its write;
//! 4. the operand stage, given all of this, dispatches at most one instruction, whose operands are
//!    checked, and which enters its unit.

use std::collections::VecDeque;

use gpurf_hw::dialect::Clocked;
use gpurf_hw::operand_stage::{OperandStageIn, OperandStageOut, MAX_BANKS, MAX_COLLECTORS};
use gpurf_trace::{DynamicInstruction, Unit};

use crate::config::{Config, Occupied, Timing, SUB_CORES, SUB_CORE_WARPS};
use crate::statistics::Stalls;

use super::context::{Context, Executing};
use super::decoded::Decoded;
use super::design::Allocation;
use super::random::Random;
use super::registers::RegisterSet;
use super::warp::{token, Expected, State, Warp};

/// `E` runs the operand stage.
pub(super) struct SubCore<E> {
    index: usize,
    pub engine: E,
    warps: [Warp; SUB_CORE_WARPS],
    /// Warps of resident blocks, oldest first.
    ages: Vec<u8>,
    /// One bit per warp of a resident block, in one of these.
    situation: Situation,
    /// Warps to be classified again, one bit each.
    changed: u8,
    last_issued: Option<u8>,
    collectors: [Collecting; MAX_COLLECTORS],
    /// Collectors that there are, one bit each.
    all_collectors: u8,
    /// Those that hold an instruction.
    occupied: u8,
    /// The warp that each served last.
    owners: [Option<u8>; MAX_COLLECTORS],
    units: [ExecutionUnit; Unit::ALL.len()],
    /// Results that wait for their bank.
    results: [VecDeque<Result>; MAX_BANKS],
    banks: usize,
    random: Random,
}

/// Warps by what they wait for, one bit each.
#[derive(Clone, Copy, Default)]
struct Situation {
    ready: u8,
    memory: u8,
    dependence: u8,
    barrier: u8,
    issued: u8,
}

impl Situation {
    fn set(&mut self, warp: u8, state: State) {
        let bit = 1 << warp;
        self.clear(bit);
        *match state {
            State::Ready => &mut self.ready,
            State::Memory => &mut self.memory,
            State::Dependence => &mut self.dependence,
            State::Barrier => &mut self.barrier,
            State::Issued => &mut self.issued,
        } |= bit;
    }

    fn clear(&mut self, warps: u8) {
        for set in
            [&mut self.ready, &mut self.memory, &mut self.dependence, &mut self.barrier, &mut self.issued]
        {
            *set &= !warps;
        }
    }

    /// The counter of a cycle in which nothing issues.
    fn stall<'a>(&self, stalls: &'a mut Stalls) -> &'a mut u64 {
        match self {
            Situation { ready: 1.., .. } => &mut stalls.collector,
            Situation { memory: 1.., .. } => &mut stalls.memory,
            Situation { dependence: 1.., .. } => &mut stalls.dependence,
            Situation { barrier: 1.., .. } => &mut stalls.barrier,
            Situation { issued: 1.., .. } => &mut stalls.drain,
            _ => &mut stalls.no_warp,
        }
    }
}

/// An instruction in a collector.
#[derive(Clone, Copy, Default)]
struct Collecting {
    executing: Option<Executing>,
    reads: RegisterSet,
    expected: Expected,
}

struct ExecutionUnit {
    timing: Timing,
    /// The next cycle in which it takes an instruction.
    free: u64,
}

/// A register to be written.
#[derive(Clone, Copy)]
struct Result {
    warp: u8,
    register: u8,
    near: bool,
    token: u32,
}

/// The allocator's answer to a warp that could issue.
enum Grant {
    Collector(usize),
    /// Not this warp.
    Pass,
    /// No warp in this cycle.
    Stall,
}

impl<E> SubCore<E>
where
    E: Clocked<In = OperandStageIn<u32>, Out = OperandStageOut<u32>>,
{
    pub fn new(index: usize, engine: E, config: &Config, seed: u64) -> Self {
        // The load/store unit's own timing lies in memory; here it takes an instruction a cycle.
        let load_store = Timing { latency: 1, initiation: 1 };
        let units = Unit::ALL.map(|unit| match unit {
            Unit::Int => &config.int,
            Unit::Fp32 => &config.fp32,
            Unit::Fp64 => &config.fp64,
            Unit::Sfu => &config.sfu,
            Unit::Tensor => &config.tensor,
            Unit::LoadStore => &load_store,
            Unit::Branch => &config.branch,
            Unit::Uniform => &config.uniform,
        });
        SubCore {
            index,
            engine,
            warps: std::array::from_fn(|_| Warp::empty()),
            ages: Vec::with_capacity(SUB_CORE_WARPS),
            situation: Situation::default(),
            changed: 0,
            last_issued: None,
            collectors: [Collecting::default(); MAX_COLLECTORS],
            all_collectors: (u8::MAX as u32 >> (MAX_COLLECTORS - config.collectors)) as u8,
            occupied: 0,
            owners: [None; MAX_COLLECTORS],
            units: units.map(|timing| ExecutionUnit { timing: timing.clone(), free: 0 }),
            results: std::array::from_fn(|_| VecDeque::with_capacity(64)),
            banks: config.banks,
            random: Random::new(seed, index as u64),
        }
    }

    /// Puts a warp of the block in slot `block` into warp slot `warp`.
    pub fn launch(&mut self, warp: u8, block: usize, rows: usize, instructions: Vec<DynamicInstruction>) {
        let base = warp as usize * rows;
        self.warps[warp as usize].launch(block, base as u32, instructions);
        self.ages.push(warp);
        self.changed |= 1 << warp;
    }

    /// The barrier of the block in slot `block` opens.
    pub fn open_barrier(&mut self, block: usize) {
        for &warp in &self.ages {
            let slot = &mut self.warps[warp as usize];
            if slot.block == block {
                slot.at_barrier = false;
                self.changed |= 1 << warp;
            }
        }
    }

    /// The block in slot `block` is complete: its warps leave.
    pub fn retire(&mut self, block: usize) {
        let warps = &self.warps;
        let leaves = |warp: u8| warps[warp as usize].block == block;
        let leaving = self.ages.iter().filter(|&&warp| leaves(warp)).fold(0, |set, warp| set | 1 << warp);
        self.situation.clear(leaving);
        self.changed &= !leaving;
        self.ages.retain(|&warp| !leaves(warp));
        self.last_issued = self.last_issued.filter(|warp| leaving >> warp & 1 == 0);
    }

    /// One cycle; whether anything happened, or will without an event from outside.
    pub fn step(&mut self, context: &mut Context) -> bool {
        self.classify(context);
        let writes = self.results[..self.banks].iter().any(|queue| !queue.is_empty());
        if self.situation.ready == 0 && self.occupied == 0 && !writes {
            *self.situation.stall(&mut context.stalls) += 1;
            return false;
        }
        let occupied = self.occupied;
        let mut inputs = OperandStageIn::default();
        let issued = self.issue(&mut inputs, context);
        self.write_back(&mut inputs, context);
        inputs.unit_ready = self.unit_ready(context);
        let outputs = self.engine.settle(&inputs);
        self.engine.tick();
        self.count(&outputs, issued, context);
        self.check_occupancy(&outputs, occupied, context);
        self.dispatch(&outputs, occupied, context);
        true
    }

    /// Charges `cycles` more cycles in which nothing happens.
    pub fn idle(&self, cycles: u64, stalls: &mut Stalls) {
        *self.situation.stall(stalls) += cycles;
    }

    fn classify(&mut self, context: &Context) {
        while self.changed != 0 {
            let warp = self.changed.trailing_zeros() as u8;
            self.changed &= self.changed - 1;
            self.situation.set(warp, self.warps[warp as usize].state(&context.decoded));
        }
    }

    /// Issues an instruction if it can; the number of its source registers.
    fn issue(&mut self, inputs: &mut OperandStageIn<u32>, context: &mut Context) -> Option<usize> {
        let mut candidates = self.situation.ready;
        while let Some(warp) = context.design.scheduler.choose(candidates, self.last_issued, &self.ages) {
            match self.allocate(warp, context) {
                Grant::Collector(collector) => return Some(self.enter(warp, collector, inputs, context)),
                Grant::Pass => candidates &= !(1 << warp),
                Grant::Stall => break,
            }
        }
        *self.situation.stall(&mut context.stalls) += 1;
        None
    }

    fn allocate(&mut self, warp: u8, context: &Context) -> Grant {
        let free = self.all_collectors & !self.occupied;
        if context.design.allocation == Allocation::OwnElseAnyFree {
            if let Some(own) = self.owners.iter().position(|&owner| owner == Some(warp)) {
                return match (free >> own & 1, context.config.occupied) {
                    (1, _) => Grant::Collector(own),
                    (_, Occupied::Skip) => Grant::Pass,
                    (_, Occupied::Stall) => Grant::Stall,
                };
            }
        }
        self.random.pick(free).map_or(Grant::Stall, Grant::Collector)
    }

    fn enter(
        &mut self,
        warp: u8,
        collector: usize,
        inputs: &mut OperandStageIn<u32>,
        context: &mut Context,
    ) -> usize {
        let serial = context.serial;
        context.serial = context.serial.wrapping_add(1);
        context.last_progress = context.now;
        let slot = &mut self.warps[warp as usize];
        let (instruction, expected) = slot.issue(&context.decoded, serial);
        let decoded = *context.decoded(&instruction);

        inputs.issue[collector] = true;
        inputs.warp = warp.into();
        inputs.unit = decoded.unit.into();
        inputs.payload = serial;
        inputs.base = slot.base;
        for (index, &source) in decoded.sources().iter().enumerate() {
            inputs.source_valid[index] = true;
            inputs.source_register[index] = source.into();
            inputs.source_near[index] = instruction.near_sources >> index & 1 == 1;
        }

        let resident = context.resident(slot.block);
        let opened = if slot.is_issued() {
            resident.finish_warp()
        } else if decoded.barrier && instruction.mask != 0 {
            slot.at_barrier = true;
            resident.arrive()
        } else {
            false
        };
        context.opened |= u32::from(opened) << slot.block;

        let executing = Executing { sub_core: self.index, warp, block: slot.block, serial, instruction };
        self.collectors[collector] =
            Collecting { executing: Some(executing), reads: decoded.reads, expected };
        self.occupied |= 1 << collector;
        self.owners[collector] = Some(warp);
        self.last_issued = Some(warp);
        self.changed |= 1 << warp;

        let sources = decoded.sources().len();
        context.counters.warp_instructions += 1;
        context.counters.operand_reads += sources as u64;
        context.counters.named_operand_reads += u64::from(decoded.named);
        sources
    }

    fn write_back(&mut self, inputs: &mut OperandStageIn<u32>, context: &mut Context) {
        for bank in 0..self.banks {
            let Some(result) = self.results[bank].pop_front() else {
                continue;
            };
            let slot = &mut self.warps[result.warp as usize];
            inputs.write_valid[bank] = true;
            inputs.write_warp[bank] = result.warp.into();
            inputs.write_register[bank] = result.register.into();
            inputs.write_base[bank] = slot.base;
            inputs.write_near[bank] = result.near;
            inputs.write_data[bank] = result.token;
            slot.write(result.register);
            self.complete_part(result.warp, context);
            context.counters.bank_writes += 1;
        }
    }

    /// Bit u: unit u takes an instruction in this cycle.
    fn unit_ready(&self, context: &Context) -> u32 {
        let free =
            self.units.iter().enumerate().map(|(number, unit)| u32::from(unit.free <= context.now) << number);
        let ready = free.sum::<u32>();
        match context.memory.accepts(self.index) {
            true => ready,
            false => ready & !(1 << Unit::LoadStore as u32),
        }
    }

    fn count(&self, outputs: &OperandStageOut<u32>, issued: Option<usize>, context: &mut Context) {
        let count = |events: &[bool]| events.iter().filter(|&&event| event).count() as u64;
        let counters = &mut context.counters;
        counters.hits += count(&outputs.hit[..issued.unwrap_or(0)]);
        counters.bank_reads += count(&outputs.bank_read[..self.banks]);
        counters.bank_conflicts += count(&outputs.bank_conflict[..self.banks]);
        counters.cache_writes += count(&outputs.write_cached[..self.banks]);
        counters.cache_writes_filtered += count(&outputs.write_filtered[..self.banks]);
    }

    /// The operand stage and the SM must agree about which collectors are occupied.
    fn check_occupancy(&self, outputs: &OperandStageOut<u32>, occupied: u8, context: &mut Context) {
        let reported = mask(&outputs.collector_occupied) & self.all_collectors;
        if reported != occupied {
            context.counters.stage_errors += 1;
            let index = self.index;
            context.report(|| {
                format!("sub-core {index}: collectors {reported:#b} are occupied, {occupied:#b} should be")
            });
        }
    }

    /// Sends the dispatched instruction, if there is one, to its unit.
    fn dispatch(&mut self, outputs: &OperandStageOut<u32>, occupied: u8, context: &mut Context) {
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
        let Collecting { executing, expected, .. } = self.collectors[collector];
        let executing = executing.expect("an occupied collector holds an instruction");
        let decoded = *context.decoded(&executing.instruction);
        self.check_instruction(outputs, &executing, &decoded, context);
        self.check_operands(outputs, &executing, &decoded, &expected, context);

        context.last_progress = context.now;
        self.occupied &= !(1 << collector);
        let reading = self.reading(executing.warp);
        self.warps[executing.warp as usize].dispatch(reading);
        self.changed |= 1 << executing.warp;

        let unit = &mut self.units[usize::from(decoded.unit)];
        unit.free = context.now + unit.timing.initiation;
        if executing.instruction.mask == 0 {
            // No lane is active: it read its operands, and that is all.
            self.complete_part(executing.warp, context);
        } else if decoded.memory.is_some() {
            context.memory.push(self.index, executing);
        } else {
            context.plan(context.now + unit.timing.latency, executing);
        }
    }

    /// Operands of the warp's instructions that are still in collectors.
    fn reading(&self, warp: u8) -> RegisterSet {
        let collecting = (0..MAX_COLLECTORS).filter(|collector| self.occupied >> collector & 1 == 1);
        let of_warp = collecting.filter(|&collector| self.owners[collector] == Some(warp));
        of_warp.fold(RegisterSet::default(), |set, collector| set.union(self.collectors[collector].reads))
    }

    fn check_instruction(
        &self,
        outputs: &OperandStageOut<u32>,
        executing: &Executing,
        decoded: &Decoded,
        context: &mut Context,
    ) {
        let reported = (outputs.dispatch_payload, outputs.dispatch_warp, outputs.dispatch_unit);
        let expected = (executing.serial, u32::from(executing.warp), u32::from(decoded.unit));
        if reported != expected || self.unit_ready(context) >> decoded.unit & 1 == 0 {
            context.counters.stage_errors += 1;
            let index = self.index;
            context.report(|| {
                format!("sub-core {index}: dispatched (payload, warp, unit) {reported:?}, should be {expected:?} and the unit ready")
            });
        }
    }

    /// Each operand must be what the latest older writer in program order wrote.
    fn check_operands(
        &self,
        outputs: &OperandStageOut<u32>,
        executing: &Executing,
        decoded: &Decoded,
        expected: &Expected,
        context: &mut Context,
    ) {
        for (index, &source) in decoded.sources().iter().enumerate() {
            if expected.known >> index & 1 == 0 {
                context.counters.uninitialised_reads += 1;
                continue;
            }
            context.counters.token_checks += 1;
            let (valid, value) = (outputs.operand_valid[index], outputs.operand_data[index]);
            if !valid || value != expected.tokens[index] {
                context.counters.token_errors += 1;
                let warp = usize::from(executing.warp) * SUB_CORES + self.index;
                let (pc, token) = (decoded.pc, expected.tokens[index]);
                context.report(|| {
                    let value = if valid { format!("token {value:#010x}") } else { "nothing".into() };
                    format!("pc 0x{pc:04x}, warp slot {warp}: R{source} is {value}, should be token {token:#010x}")
                });
            }
        }
    }

    /// The instruction leaves its unit, or memory answers.
    pub fn complete(&mut self, executing: Executing, context: &mut Context) {
        let Executing { warp, serial, instruction, .. } = executing;
        let decoded = context.decoded(&instruction);
        for (index, &register) in decoded.destinations().iter().enumerate() {
            let near = instruction.near_destinations >> index & 1 == 1;
            let bank = (usize::from(register) + 1 + usize::from(warp)) % self.banks;
            self.results[bank].push_back(Result { warp, register, near, token: token(serial, register) });
        }
        let results = decoded.destinations().len() as u32;
        // Its results take the instruction's place among what is outstanding.
        self.warps[warp as usize].outstanding += results;
        self.complete_part(warp, context);
    }

    /// One outstanding part of a warp's work is done.
    fn complete_part(&mut self, warp: u8, context: &mut Context) {
        let slot = &mut self.warps[warp as usize];
        slot.outstanding -= 1;
        self.changed |= 1 << warp;
        if slot.outstanding == 0 && slot.is_issued() && context.resident(slot.block).complete_warp() {
            context.completed |= 1 << slot.block;
        }
    }
}

/// Bit i: element i is set.
fn mask(bits: &[bool]) -> u8 {
    bits.iter().enumerate().fold(0, |mask, (index, &bit)| mask | u8::from(bit) << index)
}
