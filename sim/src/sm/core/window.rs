// SPDX-License-Identifier: Apache-2.0
//! A sub-core without collectors: what the SM adds to the hardware that an engine runs.
//!
//! In a cycle, in this order: results of variable latency come to the banks, in their order, as far as no
//! result of fixed latency waits there; the hardware has its cycle; the operands that leave it are checked,
//! and enter their units; the warp that issues moves on.
//!
//! An instruction of variable latency waits behind the hardware for its unit, and keeps its place in its
//! queue meanwhile. With address units a memory instruction keeps it until it leaves that for the load/store
//! unit; its results have a way back of their own, which takes one or two registers at a time: H §5.4.
//!
//! Real register files write single lanes. The hardware here writes whole rows; what a bank holds is kept
//! beside it, and lanes that are not written are written as they are.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{
    Row, WarpId, WarpSet, DECREMENTS, DEPENDENCE_COUNTERS, MAX_WARPS, READ_BANKS, VARIABLE_QUEUES,
};
use gpurf_trace::{RegisterId, RegisterSet, Unit};

use super::super::context::Context;
use super::super::executing::Executing;
use super::super::operations::{Entering, OTHER_PIPE};
use super::super::warp::{token, Expected, State};
use super::fetch::{Fetch, INSTRUCTION};
use super::standstill::Standstill;
use super::Core;
use crate::bits::{count, members};
use crate::checkpoint::checkpoint;
use crate::config::{Config, READ_IN_WINDOW};
use crate::design::{Dependences, Design};
use crate::engines::{ModernSubCoreEngine, RunsSubCore};
use crate::modern::{bank_of, row_at, Dispatch, FixedResult, Shown, StallRule, Told};
use crate::statistics::Stalls;

/// Bits of a payload that say which place an instruction has between its warp's buffer and its operands; the
/// bits above are those of its serial number, as far as there is room.
pub const WINDOW_PLACE_BITS: u32 = 6;
/// Instructions between a warp's buffer and their operands, at most: the next one of each warp, and those in
/// the hardware.
const MOST: usize = 1 << WINDOW_PLACE_BITS;
/// Cycles by which the scoreboard knows ahead that a result of fixed latency comes.
const AHEAD: usize = 32;

/// The register-file side, and what is under way in it.
pub(super) struct Window {
    engine: ModernSubCoreEngine,
    /// Inputs of the next cycle.
    told: Told<u32>,
    /// By place.
    flying: Vec<Flying>,
    /// Places that are free, a bit each, and that of each warp's next instruction.
    free: u64,
    next: [u8; MAX_WARPS],
    /// Instructions in the hardware.
    under_way: u32,
    /// The instruction in Allocate.
    allocating: Option<u32>,
    /// Instructions of each queue whose operands have left, and that wait for their unit. A round before the
    /// last needs none.
    behind: [VecDeque<Option<Executing>>; VARIABLE_QUEUES],
    /// Results of fixed latency that each bank is to write, in its order.
    arrived: [VecDeque<Arrived>; READ_BANKS],
    /// Results of variable latency that wait for their bank, in their order; those on memory's way back
    /// apart.
    results: [VecDeque<VariableResult>; 2],
    /// The ones that come to banks in this cycle.
    coming: Vec<VariableResult>,
    /// The first cycle in which the way back from memory is free.
    way_back: u64,
    /// Values that the banks hold.
    rows: [Vec<u32>; READ_BANKS],
    /// Dependence counters that are to go down.
    decrements: VecDeque<(WarpId, u8)>,
    /// The ones that are to go down later, and the cycle.
    later: Vec<(u64, WarpId, u8)>,
    /// Memory instructions pass an address unit.
    has_address_unit: bool,
    /// Cycles of memory's way back for a register, or two of shared memory.
    return_cycles: u8,
    latches: Latches,
    /// Instruction buffers and L0; None if all warps have their instructions.
    fetch: Option<Fetch>,
    /// Something is fetched, or a constant comes.
    fetches: bool,
    rule: StallRule,
    /// Cycles for which a stall count may still run.
    stalled: u8,
    /// In place of control bits.
    scoreboard: Option<Scoreboard>,
    still: Standstill,
    /// The obstacle of the last cycle.
    obstacle: Obstacle,
}

checkpoint! {
    [] Window {
        values: told flying free next under_way allocating behind arrived results coming way_back rows
            decrements later latches fetch fetches stalled scoreboard still obstacle;
        engines: engine;
        fixed: rule has_address_unit return_cycles;
    }
}

/// An instruction, or a round of it, whose operands are not complete.
#[derive(Clone, Default, BorshSerialize, BorshDeserialize)]
struct Flying {
    executing: Option<Executing>,
    round: u8,
    expected: Expected,
    /// Registers that are read at a time that nobody knows.
    reads: RegisterSet,
}

/// A result of fixed latency.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Arrived {
    warp: WarpId,
    register: RegisterId,
    row: Row,
    token: u32,
    serial: u32,
}

/// A register to be written, in some lanes. Code counts on that: under opposite predicates two loads into one
/// register are under way at a time, and complete in any order.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct VariableResult {
    warp: WarpId,
    register: RegisterId,
    row: Row,
    token: u32,
    lanes: u32,
    serial: u32,
    /// The dependence counter that goes down with it.
    counter: u8,
    /// Cycles for which it takes memory's way back; 0 beside the one before it.
    cycles: u8,
    /// It is no result: a load without an active lane, which does not complete before those that it follows.
    is_idle: bool,
}

/// The queue of results that come from memory, if that has a way back of its own; the other has all others.
const FROM_MEMORY: usize = 1;
/// The queue of memory instructions.
const MEMORY_QUEUE: usize = 0;

/// Input latches of units of fixed latency. Their time stands while the pipeline does.
#[derive(Default, BorshSerialize, BorshDeserialize)]
struct Latches {
    /// Cycles until each is free, and those that are not.
    cycles: [u8; Unit::ALL.len()],
    busy: u8,
}

impl Latches {
    /// A cycle passes in which the pipeline moves.
    #[inline]
    fn pass(&mut self) {
        for unit in members(self.busy) {
            self.cycles[unit] -= 1;
            self.busy &= !(u8::from(self.cycles[unit] == 0) << unit);
        }
    }

    /// An instruction issues that keeps the latch of its unit for so many cycles.
    #[inline]
    fn keep(&mut self, unit: u8, cycles: u8) {
        if cycles > 1 {
            self.cycles[usize::from(unit)] = cycles - 1;
            self.busy |= 1 << unit;
        }
    }
}

/// The obstacle that keeps all warps from issuing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
enum Obstacle {
    /// Nothing: one issues.
    #[default]
    Nothing,
    /// No warp has an instruction.
    Empty,
    /// The instruction in Allocate waits for its reads.
    Reads,
    /// A constant of the selected warp.
    Constants,
    /// The next instruction of every warp.
    Instructions,
    /// Dependence counters, of all warps that have waited for as long as they say.
    Counters,
    /// Stall counts.
    Stall,
    /// Units, queues or places for results.
    Units,
}

impl Obstacle {
    fn of(shown: &Shown<u32>, present: WarpSet) -> Obstacle {
        match shown {
            Shown { issued: Some(_), .. } => Obstacle::Nothing,
            Shown { constant_waits: true, .. } => Obstacle::Constants,
            _ if present == 0 => Obstacle::Empty,
            Shown { held: true, .. } => Obstacle::Reads,
            Shown { unstalled: false, .. } => Obstacle::Stall,
            Shown { counted: false, .. } => Obstacle::Counters,
            _ => Obstacle::Units,
        }
    }
}

/// When results of fixed latency may be used: a consumer of the same pipe issues as many cycles after them as
/// their latency is, and any other a cycle later. Cycles in which the pipeline stands do not count.
#[derive(BorshSerialize, BorshDeserialize)]
struct Scoreboard {
    now: usize,
    due: [Vec<Due>; AHEAD],
    /// Registers that were due in the last cycle: any pipe may use them from now on.
    fresh: Vec<Due>,
}

/// Registers that an instruction of a pipe writes.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Due {
    warp: WarpId,
    registers: RegisterSet,
    pipe: u8,
}

impl Scoreboard {
    fn new() -> Self {
        Scoreboard { now: 0, due: Default::default(), fresh: Vec::new() }
    }
}

/// The place of an instruction.
#[inline]
fn place_of(payload: u32) -> usize {
    payload as usize % MOST
}

impl Window {
    pub fn new(
        design: &Design,
        config: &Config,
        engine: impl FnOnce() -> ModernSubCoreEngine,
    ) -> Option<Window> {
        let parameters = &design.parameters(config, 0);
        design.reads_in_window().then(|| Window {
            engine: engine(),
            told: Told::default(),
            flying: vec![Flying::default(); MOST],
            free: u64::MAX << MAX_WARPS,
            next: std::array::from_fn(|warp| warp as u8),
            under_way: 0,
            allocating: None,
            behind: Default::default(),
            arrived: Default::default(),
            results: [(); 2].map(|()| VecDeque::with_capacity(64)),
            coming: Vec::with_capacity(READ_BANKS),
            way_back: 0,
            rows: [(); READ_BANKS].map(|()| vec![0; parameters.rows]),
            decrements: VecDeque::with_capacity(16),
            later: Vec::with_capacity(16),
            has_address_unit: config.memory.has_address_units(),
            return_cycles: config.memory.return_cycles.min(u8::MAX.into()) as u8,
            latches: Latches::default(),
            fetch: Fetch::new(config),
            fetches: false,
            rule: StallRule::new(parameters),
            stalled: 0,
            scoreboard: (design.dependences != Dependences::ControlBits).then(Scoreboard::new),
            still: Standstill::default(),
            obstacle: Obstacle::Nothing,
        })
    }

    /// Returns true if a cycle may change anything though no warp has an instruction.
    #[inline]
    pub fn is_busy(&self) -> bool {
        !self.stands_still()
            || self.waits_for_units()
            || self.scoreboard.as_ref().is_some_and(|scoreboard| !scoreboard.fresh.is_empty())
    }

    /// Nothing moves by itself: all waits for something outside.
    #[inline]
    fn stands_still(&self) -> bool {
        self.under_way == 0
            && self.stalled == 0
            && self.latches.busy == 0
            && !self.fetches
            && self.told.give_back == 0
            && self.results.iter().all(VecDeque::is_empty)
            && self.decrements.is_empty()
            && self.later.is_empty()
            && self.arrived.iter().all(VecDeque::is_empty)
    }

    /// Operands have left whose unit is not free.
    #[inline]
    fn waits_for_units(&self) -> bool {
        !self.behind.iter().all(VecDeque::is_empty)
    }

    /// Registers that instructions of a warp are still to read, at a time that nobody knows.
    fn reading(&self, warp: WarpId) -> RegisterSet {
        let of_warp =
            self.flying.iter().filter(|one| one.executing.is_some_and(|executing| executing.warp == warp));
        of_warp.fold(RegisterSet::default(), |set, one| set.union(one.reads))
    }

    /// A dependence counter is to go down.
    #[inline]
    fn decrement(&mut self, warp: WarpId, counter: u8) {
        if usize::from(counter) < DEPENDENCE_COUNTERS {
            self.decrements.push_back((warp, counter));
        }
    }

    /// A cycle in which nothing is asked of the hardware.
    pub fn rest(&mut self, now: u64) {
        self.tell(now, 0, 0);
        self.engine.cycle(&self.told, &mut Shown::default());
        self.forget();
    }

    /// The cycle begins: who may issue, and what comes. The banks, a bit each, to which a result of variable
    /// latency comes: in their order, since the compiler relies on that of one unit's.
    #[inline]
    fn tell(&mut self, now: u64, present: WarpSet, launch: WarpSet) -> u8 {
        let told = &mut self.told;
        (told.present, told.launch, told.unit_ready) = (present, launch, (!self.latches.busy).into());
        let waits = self.results.iter().any(|results| !results.is_empty());
        let loads = if waits { self.tell_results(now) } else { 0 };
        if !self.later.is_empty() {
            let Window { later, decrements, .. } = self;
            let due = later.extract_if(.., |(cycle, ..)| *cycle <= now);
            decrements.extend(due.map(|(_, warp, counter)| (warp, counter)));
        }
        while let Some(decrement) = self.decrements.pop_front() {
            self.told.decrements.push(decrement);
            if self.told.decrements.len() == DECREMENTS {
                break;
            }
        }
        loads
    }

    fn tell_results(&mut self, now: u64) -> u8 {
        let mut banks = 0;
        for queue in 0..self.results.len() {
            while let Some(&result) = self.results[queue].front() {
                let VariableResult { warp, register, row, token, lanes, counter, cycles, .. } = result;
                if result.is_idle {
                    self.results[queue].pop_front();
                    self.coming.push(result);
                    self.decrement(warp, counter);
                    continue;
                }
                let bank = bank_of(register);
                let is_late = cycles > 0 && now < self.way_back;
                if is_late || banks >> bank & 1 == 1 || !self.arrived[bank].is_empty() {
                    break;
                }
                if cycles > 0 {
                    self.way_back = now + u64::from(cycles);
                }
                let value = &mut self.rows[bank][row.index()];
                *value = token & lanes | *value & !lanes;
                let load = FixedResult { warp, register, row, data: *value, pipe: OTHER_PIPE };
                self.told.loads[bank] = Some(load);
                banks |= 1 << bank;
                self.results[queue].pop_front();
                self.coming.push(result);
                self.decrement(warp, counter);
            }
        }
        banks
    }

    /// The cycle is over: what came has come.
    #[inline]
    fn forget(&mut self) {
        let Told { give_back, decrements, results, loads, .. } = &mut self.told;
        (*give_back, *loads) = (0, [None; READ_BANKS]);
        decrements.clear();
        results.iter_mut().for_each(Vec::clear);
    }

    /// The instruction in Allocate goes: its registers that the reuse cache has in all their operands.
    #[inline(never)]
    fn count_hits(&self, hits: u8, context: &Context) -> u64 {
        let flying = self.allocating.map(|payload| &self.flying[place_of(payload)]);
        let Some(Flying { executing: Some(executing), round, .. }) = flying else { return 0 };
        let places = context.code.of(&executing.instruction).operations[usize::from(*round)].places;
        places.iter().filter(|&&place| place != 0 && place & !hits == 0).count() as u64
    }

    /// The clock edge of units and stall counts, behind a cycle in which the pipeline moves.
    #[inline]
    fn pass(&mut self, shown: &Shown<u32>) {
        self.allocating = shown.controlled();
        self.stalled = self.stalled.saturating_sub(1);
        self.latches.pass();
    }
}

impl<E: RunsSubCore> Core<E> {
    /// The state of a warp as far as the SM knows. If the control bits tell of dependences, the hardware
    /// knows them.
    pub(super) fn window_state(&self, warp: WarpId, state: State) -> State {
        match &self.window {
            Some(Window { scoreboard: None, .. }) => self.warps[warp.index()].place(),
            _ => state,
        }
    }

    /// Puts the next instruction of a warp, or the next round of it, at the head of its buffer.
    pub(super) fn present_to_window(&mut self, warp: WarpId, context: &Context) {
        let slot = &self.warps[warp.index()];
        let Some(window) = &mut self.window else { return };
        let instruction = slot.head().0;
        let mut head = context.code.of(instruction).operations[usize::from(slot.round())].head;
        (head.instruction.warp, head.instruction.base) = (warp, slot.base.0 as u8);
        head.instruction.payload = slot.head().1 << WINDOW_PLACE_BITS | u32::from(window.next[warp.index()]);
        if instruction.mask == 0 {
            head.writes = 0;
        }
        window.told.heads[warp.index()] = head;
    }

    /// A cycle. Whether another may change anything without an event from outside, or a unit that is ready
    /// again.
    #[inline(never)]
    pub(super) fn work_in_window(&mut self, context: &mut Context) -> bool {
        let unit_ready = self.unit_ready(context);
        let launch = std::mem::take(&mut self.situation.launched);
        let Some(window) = &mut self.window else { return false };
        let mut present = self.situation.states.ready & !launch;
        if let Some(scoreboard) = &window.scoreboard {
            for &Due { warp, registers, pipe } in &scoreboard.fresh {
                if present & warp.bit() == 0 {
                    continue;
                }
                let head = self.warps[warp.index()].head().0;
                let uses = context.code.of(head).touches.intersects(&registers);
                if uses && window.told.heads[warp.index()].instruction.pipe != pipe {
                    present &= !warp.bit();
                }
            }
        }
        let now = context.clock.now;
        let mut unfetched = false;
        if let Some(fetch) = &mut window.fetch {
            let before = present;
            fetch.launch(launch);
            present &= fetch.decoded(now);
            unfetched = before != 0 && present == 0;
            let (warps, code) = (&self.warps, &context.code);
            let constant_of = |warp: WarpId| code.of(warps[warp.index()].head().0).constant;
            window.told.misses = fetch.misses(now, present, constant_of);
            window.fetches |= window.told.misses != 0;
        }
        let inputs = (present, unit_ready);
        if self.shape.skips && launch == 0 && window.still.lasts(inputs) && window.stands_still() {
            let stall = self.window_stall(present, &mut context.records.stalls, context.blocks.depleted);
            *stall += 1;
            return false;
        }

        // Counters that reach 0 with this cycle change what the next one can do.
        let mut moves = !window.stands_still();
        let loads = window.tell(context.clock.now, present, launch);
        let mut shown = Shown::default();
        window.engine.cycle(&window.told, &mut shown);
        window.forget();
        if shown.reuse_hit != 0 {
            context.records.counters.hits += window.count_hits(shown.reuse_hit, context);
        }
        context.records.counters.bank_reads += count(shown.bank_read);
        context.records.counters.bank_conflicts += u64::from(shown.held);
        window.obstacle = match unfetched {
            true => Obstacle::Instructions,
            false => Obstacle::of(&shown, present),
        };
        if !shown.held {
            window.pass(&shown);
        }
        moves |= shown.issued.is_some();
        if let Some(dispatch) = &shown.dispatch {
            moves = true;
            self.leave_window(dispatch, &shown, context);
        }
        if self.window.as_ref().is_some_and(Window::waits_for_units) {
            moves |= self.enter_units(context);
        }
        if shown.bank_write | loads != 0
            || self.window.as_ref().is_some_and(|window| !window.coming.is_empty())
        {
            self.write_results(&shown, loads, context);
        }
        match shown.issued {
            Some(warp) => self.issue_into_window(warp, context),
            None if present == 0 && self.situation.states.ready & launch != 0 => {
                context.records.stalls.launch += 1;
            }
            None => {
                let depleted = context.blocks.depleted;
                *self.window_stall(present, &mut context.records.stalls, depleted) += 1;
            }
        }
        let Some(window) = &mut self.window else { return false };
        if let Some(fetch) = &mut window.fetch {
            window.fetches = fetch.step(now, &self.ages, &self.warps, &context.code);
        }
        window.still.note(inputs, moves);
        self.collectors.occupied = u8::from(window.under_way > 0 || window.waits_for_units());
        if !shown.held {
            self.release();
        }
        true
    }

    /// The banks write: results of fixed latency as the hardware has them in its queues, and those of
    /// variable latency that came to these banks.
    #[inline]
    fn write_results(&mut self, shown: &Shown<u32>, loads: u8, context: &mut Context) {
        let Some(window) = &mut self.window else { return };
        let now = context.clock.now;
        let waiting =
            (0..READ_BANKS).fold(0, |banks, bank| banks | u8::from(!window.arrived[bank].is_empty()) << bank);
        let (written, should) = ((shown.load_taken, shown.bank_write), (loads, loads | waiting));
        if written != should {
            let index = self.shape.index;
            context.records.stage_error(now, move || {
                format!("sub-core {index}: banks take loads and write {written:?}, and should {should:?}")
            });
        }
        for place in 0.. {
            let result = self.window.as_ref().and_then(|window| window.coming.get(place).copied());
            let Some(result) = result else { break };
            if !result.is_idle {
                context.records.counters.bank_writes += 1;
                context.records.show(move |pipeline| pipeline.write(now, result.serial));
                self.warps[result.warp.index()].write(result.register);
                self.situation.look_again(result.warp, self.situation.states.pending());
            }
            self.complete_part(result.warp, context);
        }
        if let Some(window) = &mut self.window {
            window.coming.clear();
        }
        for bank in members(waiting) {
            let Some(window) = &mut self.window else { return };
            let Some(result) = window.arrived[bank].pop_front() else { return };
            window.rows[bank][result.row.index()] = result.token;
            context.records.counters.bank_writes += 1;
            context.records.show(move |pipeline| pipeline.write(now, result.serial));
            // A scoreboard has released it before.
            if window.scoreboard.is_none() {
                self.warps[result.warp.index()].settle(result.register);
            }
            self.complete_part(result.warp, context);
        }
    }

    /// Operands leave; an instruction of fixed latency enters its unit when it has all of them, and any other
    /// waits for its unit.
    fn leave_window(&mut self, dispatch: &Dispatch, shown: &Shown<u32>, context: &mut Context) {
        let Some(window) = &mut self.window else { return };
        let place = place_of(dispatch.payload);
        let flying = &mut window.flying[place];
        let Some(executing) = flying.executing.take() else {
            let (index, payload) = (self.shape.index, dispatch.payload);
            return context.records.stage_error(context.clock.now, move || {
                format!("sub-core {index}: operands leave of payload {payload}, which is not under way")
            });
        };
        window.free |= 1 << place;
        window.under_way -= 1;
        let keeps_sources = context.goes_to_memory(&executing);
        let Context { code, clock, records, .. } = context;
        let decoded = code.of(&executing.instruction);
        let operation = &decoded.operations[usize::from(flying.round)];
        let head = operation.head;
        let (warp, queue) = (executing.warp, head.queue);
        let sources = head.instruction.sources.valid;
        let payload = executing.serial << WINDOW_PLACE_BITS | place as u32;
        let should = Dispatch { warp, unit: decoded.unit, payload, queue, sources };
        if *dispatch != should {
            let (index, dispatch) = (self.shape.index, *dispatch);
            records.stage_error(clock.now, move || {
                format!("sub-core {index}: {dispatch:?} leaves, and should be {should:?}")
            });
        }
        let operand = |source: usize| {
            let mut values = members(operation.places[source]).map(|place| shown.operand_data[place]);
            let first = values.next()?;
            values.all(|value| value == first).then_some(first)
        };
        let round = decoded.round(flying.round);
        Self::check_operands(
            operand,
            u32::MAX,
            &executing,
            (decoded.pc, round),
            &flying.expected,
            clock,
            records,
        );
        let is_last = flying.round == decoded.last_round();
        clock.progress();
        if !(keeps_sources && window.has_address_unit) {
            window.decrement(warp, head.counters[1]);
        }
        if window.scoreboard.is_some() {
            let reading = window.reading(warp);
            self.warps[warp.index()].dispatch(reading);
            self.situation.look_again(warp, self.situation.states.dependence);
        }
        let Some(window) = &mut self.window else { return };
        match queue {
            0 if is_last => self.enter_unit(executing, context),
            0 => {}
            queues => {
                members(queues)
                    .for_each(|queue| window.behind[queue].push_back(is_last.then_some(executing)));
            }
        }
    }

    /// The oldest instruction of each queue enters its unit, if that is free. Whether one does.
    #[inline]
    fn enter_units(&mut self, context: &mut Context) -> bool {
        let mut moves = false;
        for queue in 0..VARIABLE_QUEUES {
            let Some(window) = &self.window else { return moves };
            let Some(&executing) = window.behind[queue].front() else { continue };
            let entering = executing.map(|executing| {
                let decoded = context.code.of(&executing.instruction);
                (executing, decoded.unit, decoded.timing.initiation)
            });
            let keeps_place = window.has_address_unit
                && executing.is_some_and(|executing| context.goes_to_memory(&executing));
            if entering.is_some_and(|(_, unit, _)| self.unit_ready(context) >> unit & 1 == 0) {
                continue;
            }
            moves = true;
            if let Some(window) = &mut self.window {
                window.behind[queue].pop_front();
                if !(queue == MEMORY_QUEUE && keeps_place) {
                    window.told.give_back |= 1 << queue;
                }
            }
            if let Some((executing, unit, initiation)) = entering {
                self.units.enter(unit, context.clock.now + initiation);
                self.enter_unit(executing, context);
            }
        }
        moves
    }

    /// An instruction with all its operands enters its unit.
    fn enter_unit(&mut self, executing: Executing, context: &mut Context) {
        let (now, serial, warp, idle) =
            (context.clock.now, executing.serial, executing.warp, executing.is_idle());
        let decoded = context.code.of(&executing.instruction);
        if decoded.barrier && !idle && self.warps[warp.index()].at_barrier {
            let block = self.warps[warp.index()].block;
            if context.blocks.get_mut(block).arrive() {
                context.blocks.opened.insert(block);
            }
        }
        let timing = decoded.timing;
        let in_memory = context.goes_to_memory(&executing);
        context.records.show(move |pipeline| match idle {
            true => pipeline.leave(now, serial),
            false => pipeline.dispatch(now, serial),
        });
        if in_memory {
            self.keep_sources(&executing, context);
            context.send_to_memory(executing, None);
        } else if idle {
            self.end_counter(&executing, context);
            self.complete_part(warp, context);
        } else {
            let latency = timing.latency.saturating_sub(context.config.sm.result_registers);
            context.completions.plan(now + latency, &executing);
        }
    }

    /// The sources of an instruction that enters an address unit are read for some time, as H's Table 2 says.
    fn keep_sources(&mut self, executing: &Executing, context: &Context) {
        let Some(window) = self.window.as_mut().filter(|window| window.has_address_unit) else { return };
        let decoded = context.code.of(&executing.instruction);
        let counter = decoded.operations[usize::from(decoded.last_round())].head.counters[1];
        if usize::from(counter) < DEPENDENCE_COUNTERS {
            let cycle = context.clock.now + decoded.source_cycles - READ_IN_WINDOW + 1;
            window.later.push((cycle, executing.warp, counter));
        }
    }

    /// Another kernel starts, whose code is in no cache of instructions.
    pub fn start_kernel(&mut self) {
        if let Some(fetch) = self.window.as_mut().and_then(|window| window.fetch.as_mut()) {
            fetch.start_kernel();
        }
    }

    /// A memory instruction has left its address unit: there is a place for another one.
    pub fn leave_address_unit(&mut self) {
        if let Some(window) = &mut self.window {
            window.told.give_back |= 1 << MEMORY_QUEUE;
        }
    }

    /// Decrements the counter of an instruction without results: whoever waits for it need not wait longer.
    fn end_counter(&mut self, executing: &Executing, context: &Context) {
        let decoded = context.code.of(&executing.instruction);
        let counter = decoded.operations[usize::from(decoded.last_round())].head.counters[0];
        if let Some(window) = &mut self.window {
            window.decrement(executing.warp, counter);
        }
    }

    /// A load without an active lane waits behind the results on memory's way back, if there are any.
    fn follows_results(&mut self, executing: &Executing, context: &Context) -> bool {
        let &Executing { warp, serial, instruction, .. } = executing;
        let decoded = context.code.of(&instruction);
        let results = self.window.as_mut().map(|window| &mut window.results[FROM_MEMORY]);
        let Some(results) = results.filter(|results| decoded.memory.is_some() && !results.is_empty()) else {
            return false;
        };
        let counter = decoded.operations[usize::from(decoded.last_round())].head.counters[0];
        let (register, row, token) = (RegisterId::RZ, Row(0), 0);
        let (lanes, cycles, is_idle) = (0, 0, true);
        results.push_back(VariableResult {
            warp,
            register,
            row,
            token,
            lanes,
            serial,
            counter,
            cycles,
            is_idle,
        });
        true
    }

    /// The instruction leaves its unit, or memory answers.
    pub(super) fn complete_in_window(&mut self, executing: Executing, context: &mut Context) {
        let Executing { warp, serial, instruction, .. } = executing;
        let decoded = context.code.of(&instruction);
        if executing.is_idle() {
            if !self.follows_results(&executing, context) {
                self.end_counter(&executing, context);
                self.complete_part(warp, context);
            }
            return;
        }
        let head = &decoded.operations[usize::from(decoded.last_round())].head;
        let base = self.warps[warp.index()].base;
        let Some(window) = &mut self.window else { return };
        let returns = window.has_address_unit && decoded.memory.is_some();
        for (index, &register) in decoded.destinations.iter().enumerate() {
            let (token, row) = (token(serial, register), row_at(base.0, register.into()));
            if head.writes != 0 {
                let bank = bank_of(register);
                let pipe = head.instruction.pipe;
                window.told.results[bank].push(FixedResult { warp, register, row, data: token, pipe });
                window.arrived[bank].push_back(Arrived { warp, register, row, token, serial });
            } else {
                // The last is written when all are.
                let is_last = index + 1 == decoded.destinations.len();
                let counter = if is_last { head.counters[0] } else { u8::MAX };
                let lanes = instruction.mask;
                // Two of shared memory go together.
                let is_second = decoded.returns_pairs && index % 2 == 1;
                let cycles = if returns && !is_second { window.return_cycles } else { 0 };
                let is_idle = false;
                let result =
                    VariableResult { warp, register, row, token, lanes, serial, counter, cycles, is_idle };
                let queue = if returns { FROM_MEMORY } else { 0 };
                window.results[queue].push_back(result);
            }
        }
        let results = decoded.destinations.len() as u32;
        if results == 0 {
            self.end_counter(&executing, context);
        }
        self.warps[warp.index()].outstanding += results;
        let now = context.clock.now;
        context.records.show(move |pipeline| pipeline.complete(now, serial, results));
        self.complete_part(warp, context);
    }

    /// The instruction that the hardware has taken, or a round of it, leaves its warp's buffer.
    fn issue_into_window(&mut self, warp: WarpId, context: &mut Context) {
        context.clock.progress();
        let Some(window) = &mut self.window else { return };
        let slot = &mut self.warps[warp.index()];
        let (serial, round) = (slot.head().1, slot.round());
        let free = window.free.trailing_zeros() as u8;
        let place = std::mem::replace(&mut window.next[warp.index()], free);
        window.free &= !(1 << free);
        window.under_way += 1;
        let decoded = context.code.of(slot.head().0);
        let &Entering { head, initiation, .. } = &decoded.operations[usize::from(round)];
        if head.queue == 0 {
            window.latches.keep(head.instruction.unit, initiation);
        }
        window.stalled = window.stalled.max(window.rule.cycles(head.stall, head.yields) - 1);
        let flying = &mut window.flying[usize::from(place)];
        let instruction = slot.issue(context.code.decoded(), head.writes == 0, &mut flying.expected);
        let is_last = round == decoded.last_round();
        let executing = Executing {
            sub_core: self.shape.index,
            warp,
            block: slot.block,
            number: slot.number,
            serial,
            instruction,
        };
        let entering = decoded.round(round);
        (flying.executing, flying.round) = (Some(executing), round);
        flying.reads = RegisterSet::default();
        if let Some(scoreboard) = &mut window.scoreboard {
            if head.queue != 0 {
                flying.reads = entering.reads;
            }
            if is_last && head.writes != 0 && instruction.mask != 0 {
                let due = (scoreboard.now + decoded.timing.latency as usize) % AHEAD;
                scoreboard.due[due].push(Due {
                    warp,
                    registers: decoded.writes,
                    pipe: head.instruction.pipe,
                });
            }
            let reading = window.reading(warp);
            slot.dispatch(reading);
        }

        let sources = entering.sources().len();
        context.records.counters.operand_reads += sources as u64;
        match is_last {
            true => {
                context.records.counters.warp_instructions += 1;
                context.records.counters.named_operand_reads += u64::from(decoded.named_count);
            }
            false => context.records.stalls.rounds += 1,
        }
        if let Some(fetch) = window.fetch.as_mut().filter(|_| is_last) {
            let next = slot.rest().first().map(|next| context.code.of(next).pc);
            fetch.issue(context.clock.now, warp, next.is_some_and(|next| next != decoded.pc + INSTRUCTION));
        }
        self.situation.renew(warp);
        self.leave_buffer(executing, is_last, context);
        self.show_issue(&executing, round, u8::MAX, context);
        self.show_next(&executing, round, context);
    }

    /// The counter of a cycle in which nothing issues. `depleted`: a block waits for registers.
    pub(super) fn window_stall<'a>(
        &self,
        present: WarpSet,
        stalls: &'a mut Stalls,
        depleted: bool,
    ) -> &'a mut u64 {
        let obstacle = self.window.as_ref().map_or(Obstacle::default(), |window| window.obstacle);
        let waits_for_load = || WarpId::all_of(present).any(|warp| self.warps[warp.index()].awaits_load());
        match obstacle {
            Obstacle::Reads => &mut stalls.reads,
            Obstacle::Constants => &mut stalls.constants,
            Obstacle::Instructions => &mut stalls.instructions,
            Obstacle::Units => &mut stalls.units,
            Obstacle::Stall => &mut stalls.stall_count,
            Obstacle::Counters if waits_for_load() => &mut stalls.memory,
            Obstacle::Counters => &mut stalls.dependence,
            // Ready warps wait for the last cycle of another pipe's result.
            Obstacle::Empty | Obstacle::Nothing if self.situation.states.ready != 0 => &mut stalls.dependence,
            Obstacle::Empty | Obstacle::Nothing => self.situation.states.stall(stalls, depleted),
        }
    }

    /// A cycle in which the pipeline moves is over: results that may be used from the next one on.
    fn release(&mut self) {
        let Some(Window { scoreboard: Some(scoreboard), .. }) = &mut self.window else { return };
        scoreboard.now = (scoreboard.now + 1) % AHEAD;
        let Scoreboard { now, due, fresh } = scoreboard;
        fresh.clear();
        std::mem::swap(fresh, &mut due[*now]);
        for index in 0..fresh.len() {
            let Some(Window { scoreboard: Some(scoreboard), .. }) = &self.window else { return };
            let Due { warp, registers, .. } = scoreboard.fresh[index];
            registers.iter().for_each(|register| self.warps[warp.index()].settle(register));
            self.situation.look_again(warp, self.situation.states.pending());
        }
    }
}
