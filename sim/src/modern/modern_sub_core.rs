// SPDX-License-Identifier: Apache-2.0
//! Reference model of the register-file side of a sub-core without collectors: H §4 and §5.
//!
//! An instruction issues in cycle t, is in Control in t + 1 and in Allocate in t + 2, where it stays until
//! its reads fit into the window behind it. Its operands leave for the unit behind the window: in t + 6 with
//! a window of three cycles. While one waits in Allocate, all before it stands still, with the stall counters
//! and the units' input latches: so bubbles come in front of an instruction and never behind it.
//!
//! An instruction of variable latency goes from Control to a queue. The oldest of each reads what the others
//! leave, in as many cycles as that takes, but not before [`VARIABLE_READ`] cycles after its issue.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{
    Data, Parameters, Row, WarpId, WarpSet, MAX_SLOTS, MAX_WARPS, READ_BANKS, VARIABLE_QUEUES,
};
use gpurf_trace::{Control, RegisterId, Unit};

use super::reuse_cache::ReusePlace;
use super::{
    CggtyScheduler, DependenceCounters, FixedResult, ReadAllocator, ResultQueue, ReuseCache, StallCounters,
};
use crate::bits::members;

/// Cycles from the issue of an instruction of variable latency to its first read, at least. Inferred: the
/// least with which it finds a result of fixed latency in its bank that issued five cycles before it, as H
/// Listing 3 and a GA100 have it.
pub const VARIABLE_READ: u64 = 6;
/// Cycles that a schedule reaches ahead: more than a window has.
const REACH: usize = 8;
/// Reads of a bank in a cycle, at most.
const PORTS: usize = 3;

/// Which way an instruction goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Path {
    /// Through the read window, to results after a fixed time.
    #[default]
    Fixed,
    /// Through the queue of this number.
    Queue(u8),
}

/// An instruction on its way to its unit.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct Operation {
    /// Its warp.
    pub warp: WarpId,
    /// First row of its warp.
    pub base: Row,
    /// The number by which the SM knows it.
    pub payload: u32,
    /// Its execution unit.
    pub unit: u8,
    /// The pipe whose results it finds a cycle earlier than others.
    pub pipe: u8,
    /// Cycles for which it keeps the input latch of its unit.
    pub initiation: u8,
    /// Which way it goes.
    pub path: Path,
    /// It is a tensor instruction.
    pub tensor: bool,
    /// The compiler's control bits.
    pub control: Control,
    /// Registers that it reads.
    pub count: u8,
    /// Those.
    pub registers: [RegisterId; MAX_SLOTS],
    /// Source slots of each register: it stands in slot s if bit s is set.
    pub slots: [u8; MAX_SLOTS],
    /// The pass through the window in which each is read: two registers of a slot in one bank take two.
    pub passes: [u8; MAX_SLOTS],
    /// Number of its last pass.
    pub last_pass: u8,
    /// Results of fixed latency for each bank.
    pub results: [u8; READ_BANKS],
}

/// The bank of a register.
#[inline]
pub fn bank_of(register: RegisterId) -> usize {
    usize::from(register.0) % READ_BANKS
}

/// The row of a register of a warp whose registers lie from row `base` on.
#[inline]
pub fn row_of(base: Row, register: RegisterId) -> Row {
    Row(base.0 + u32::from(register.0) / READ_BANKS as u32)
}

impl Operation {
    /// Where its source would lie in the reuse cache, for the operand in this slot.
    fn place(&self, source: usize, slot: usize) -> ReusePlace {
        (self.tensor, slot as u8, bank_of(self.registers[source]) as u8)
    }

    /// The sources of a pass, a bit each.
    fn sources(&self, pass: u8) -> u8 {
        (0..usize::from(self.count))
            .fold(0, |set, source| set | u8::from(self.passes[source] == pass) << source)
    }
}

/// An instruction, or a pass of it, whose operands are being read.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Reading<D> {
    /// The instruction.
    pub operation: Operation,
    /// The pass, of an instruction of fixed latency.
    pub pass: u8,
    /// Its sources in this pass, a bit each.
    pub sources: u8,
    /// Sources in this pass that the reuse cache has.
    pub hits: u8,
    /// Operands as far as they are read.
    pub data: [D; MAX_SLOTS],
}

impl<D: Data> Reading<D> {
    fn new(operation: Operation) -> Self {
        Reading { operation, pass: 0, sources: 0, hits: 0, data: [D::default(); MAX_SLOTS] }
    }
}

/// A read of a bank, for a source of the instruction that leaves in a cycle.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Read {
    leaves: u8,
    source: u8,
    row: Row,
}

/// The obstacle that keeps all warps from issuing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Obstacle {
    /// Nothing: one issues.
    #[default]
    Nothing,
    /// No warp has an instruction.
    Empty,
    /// The instruction in Allocate waits for its reads.
    Reads,
    /// Dependence counters, of all warps that have waited for as long as they say.
    Counters,
    /// Stall counts.
    Stall,
    /// Units, queues or places for results.
    Units,
}

/// The outputs of a cycle.
#[derive(Clone, Debug)]
pub struct Shown<D> {
    /// Operands of fixed latency that leave.
    pub fixed: Option<Reading<D>>,
    /// Operands of each queue's instruction that leave.
    pub variable: [Option<Reading<D>>; VARIABLE_QUEUES],
    /// An instruction leaves Control; a clock that it reads is the present cycle's.
    pub passes_control: Option<u32>,
    /// The warp that issues.
    pub issued: Option<WarpId>,
    /// Why none does.
    pub obstacle: Obstacle,
    /// The instruction in Allocate stays there, and all before it stands still.
    pub stands: bool,
    /// Reads of the banks.
    pub bank_reads: u32,
    /// Reads that the reuse cache makes needless.
    pub hits: u32,
    /// Banks in which the instruction in Allocate finds too few free cycles.
    pub conflicts: u32,
    /// Results of fixed latency that are written.
    pub written: [Option<FixedResult<D>>; READ_BANKS],
}

impl<D> Default for Shown<D> {
    fn default() -> Self {
        Shown {
            fixed: None,
            variable: [None, None],
            passes_control: None,
            issued: None,
            obstacle: Obstacle::Nothing,
            stands: false,
            bank_reads: 0,
            hits: 0,
            conflicts: 0,
            written: [None, None],
        }
    }
}

/// Scheduler, counters, read window, queues, result queues and banks.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ModernSubCore<D: Data> {
    window: usize,
    depth: usize,
    /// The control bits of the warps' instructions count for dependences.
    follows_control: bool,
    stalls: StallCounters,
    dependences: DependenceCounters,
    scheduler: CggtyScheduler,
    /// The next instruction of each warp.
    heads: [Operation; MAX_WARPS],
    /// Cycles until the input latch of each unit is free, and the units whose latch is not.
    latches: [u8; Unit::ALL.len()],
    latched: u8,
    control: Option<Operation>,
    /// With the number of the pass that waits.
    allocate: Option<(Operation, u8)>,
    allocator: ReadAllocator,
    reuse: ReuseCache<D>,
    /// By the cycle in which they leave.
    reading: [Option<Reading<D>>; REACH],
    /// By cycle, bank and port.
    reads: [[[Option<Read>; PORTS]; READ_BANKS]; REACH],
    /// With the cycles of their issue.
    queues: [VecDeque<(Operation, u64)>; VARIABLE_QUEUES],
    /// The oldest of each queue, and its sources still to be read, a bit each.
    latch: [Option<(Reading<D>, u8)>; VARIABLE_QUEUES],
    results: [ResultQueue<D>; READ_BANKS],
    banks: [Vec<D>; READ_BANKS],
    /// Decrements of the present cycle.
    over: Vec<(WarpId, u8)>,
    /// Instructions in it.
    under_way: u32,
    now: u64,
}

impl<D: Data + BorshSerialize + BorshDeserialize> ModernSubCore<D> {
    /// After reset, with these parameters. `follows_control`: without, only what the SM says decides what may
    /// issue.
    pub fn new(parameters: &Parameters, follows_control: bool) -> Self {
        ModernSubCore {
            window: parameters.read_window,
            depth: parameters.variable_depth,
            follows_control,
            stalls: StallCounters::new(parameters),
            dependences: DependenceCounters::default(),
            scheduler: CggtyScheduler::new(parameters),
            heads: [Operation::default(); MAX_WARPS],
            latches: Default::default(),
            latched: 0,
            control: None,
            allocate: None,
            allocator: ReadAllocator::new(parameters),
            reuse: ReuseCache::new(parameters),
            reading: [None; REACH],
            reads: [[[None; PORTS]; READ_BANKS]; REACH],
            queues: Default::default(),
            latch: [None; VARIABLE_QUEUES],
            results: std::array::from_fn(|_| ResultQueue::new(parameters)),
            banks: std::array::from_fn(|_| vec![D::default(); parameters.rows]),
            over: Vec::with_capacity(8),
            under_way: 0,
            now: 0,
        }
    }

    /// The next instruction of a warp.
    #[inline]
    pub fn present(&mut self, head: Operation) {
        self.heads[head.warp.index()] = head;
    }

    /// The instruction at the head of a warp.
    pub fn head(&mut self, warp: WarpId) -> &mut Operation {
        &mut self.heads[warp.index()]
    }

    /// A result of fixed latency comes in the present cycle.
    #[inline]
    pub fn arrive(&mut self, result: FixedResult<D>) {
        self.results[bank_of(result.register)].arrive(result, self.now);
    }

    /// A result of fixed latency is written in this bank in the present cycle, as far as is known before it.
    #[inline]
    pub fn writes(&self, bank: usize) -> bool {
        self.results[bank].waits()
    }

    /// The place of a register in its bank, for a result of variable latency that is written; the bank writes
    /// no other.
    #[inline]
    pub fn place_of(&mut self, register: RegisterId, base: Row) -> &mut D {
        &mut self.banks[bank_of(register)][row_of(base, register).index()]
    }

    /// A dependence counter goes down with the present cycle.
    #[inline]
    pub fn decrement(&mut self, warp: WarpId, counter: u8) {
        if self.follows_control {
            self.over.push((warp, counter));
        }
    }

    /// Returns true if a cycle may change anything though no warp has an instruction.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.under_way > 0
            || self.stalls.free() != WarpSet::MAX
            || self.latched != 0
            || !self.over.is_empty()
            || !self.results.iter().all(ResultQueue::is_empty)
    }

    /// An instruction is on its way to its unit.
    #[inline]
    pub fn has_instructions(&self) -> bool {
        self.under_way > 0
    }

    /// Nothing moves by itself: all waits for something outside.
    #[inline]
    pub fn stands_still(&self) -> bool {
        self.control.is_none()
            && self.allocate.is_none()
            && self.reading.iter().all(Option::is_none)
            && self.queues.iter().zip(&self.latch).all(|(queue, latch)| match latch {
                Some((_, pending)) => *pending == 0,
                None => queue.is_empty(),
            })
            && self.stalls.free() == WarpSet::MAX
            && self.latched == 0
            && self.over.is_empty()
            && self.results.iter().all(ResultQueue::is_empty)
    }

    /// A cycle. A bit per warp: `present`, those that have an instruction, at their heads; `launch`, new
    /// ones. Bit u of `unit_ready`: unit u takes an instruction of variable latency. `payload`: what an
    /// instruction that issues is to be known by.
    pub fn cycle(
        &mut self,
        (present, launch): (WarpSet, WarpSet),
        unit_ready: u32,
        payload: u32,
        shown: &mut Shown<D>,
    ) {
        self.leave(shown);
        self.read_fixed(shown);
        for queue in 0..VARIABLE_QUEUES {
            self.step_queue(queue, unit_ready, shown);
        }
        let stands = self.allocate(shown);

        let before = if stands { None } else { self.control.take() };
        shown.passes_control = before.map(|operation| operation.payload);
        let issued = if stands { None } else { self.issue(present, payload, before.as_ref(), shown) };
        shown.issued = issued.map(|operation| operation.warp);
        shown.stands = stands;
        if stands {
            shown.obstacle = if present == 0 { Obstacle::Empty } else { Obstacle::Reads };
        }

        if let Some(operation) = before {
            self.count(&operation);
            match operation.path {
                Path::Fixed => self.allocate = Some((operation, 0)),
                // It issued in the cycle before.
                Path::Queue(queue) => self.queues[usize::from(queue)].push_back((operation, self.now - 1)),
            }
        }
        self.edge(stands, issued, launch, shown);
    }

    /// Operands whose window is over leave.
    #[inline]
    fn leave(&mut self, shown: &mut Shown<D>) {
        let Some(mut reading) = self.reading[self.now as usize % REACH].take() else { return };
        let operation = reading.operation;
        for source in members(reading.sources) {
            let register = operation.registers[source];
            let slots = operation.slots[source] & 7;
            if reading.hits >> source & 1 == 1 {
                reading.data[source] =
                    self.reuse.data(operation.place(source, slots.trailing_zeros() as usize));
            } else {
                let newer =
                    self.results[bank_of(register)].find(operation.warp, register, operation.pipe, self.now);
                if let Some(data) = newer {
                    reading.data[source] = data;
                }
            }
            for slot in members(slots & operation.control.reuse()) {
                self.reuse.fill(operation.place(source, slot), reading.data[source]);
            }
        }
        if reading.pass == operation.last_pass {
            self.under_way -= 1;
            self.read_barrier(&operation);
        }
        shown.fixed = Some(reading);
    }

    /// Sources of an instruction are read.
    #[inline]
    fn read_barrier(&mut self, operation: &Operation) {
        if let Some(counter) = operation.control.read_barrier() {
            self.decrement(operation.warp, counter);
        }
    }

    /// Reads of fixed latency, as they were allocated.
    #[inline]
    fn read_fixed(&mut self, shown: &mut Shown<D>) {
        for (reads, bank) in self.reads[self.now as usize % REACH].iter().zip(&self.banks) {
            for Read { leaves, source, row } in reads.iter().flatten() {
                if let Some(reading) = &mut self.reading[usize::from(*leaves)] {
                    reading.data[usize::from(*source)] = bank[row.index()];
                    shown.bank_reads += 1;
                }
            }
        }
    }

    /// The oldest instruction of a queue leaves or reads, and the next one takes its place.
    #[inline]
    fn step_queue(&mut self, queue: usize, unit_ready: u32, shown: &mut Shown<D>) {
        if let Some((reading, 0)) = &self.latch[queue] {
            if unit_ready >> reading.operation.unit & 1 == 1 {
                self.under_way -= 1;
                shown.variable[queue] = self.latch[queue].take().map(|(reading, _)| reading);
            }
        }
        if self.latch[queue].is_none() {
            let Some(&(operation, issue)) = self.queues[queue].front() else { return };
            if issue + VARIABLE_READ > self.now {
                return;
            }
            self.queues[queue].pop_front();
            let mut reading = Reading::new(operation);
            reading.sources = ((1u32 << operation.count) - 1) as u8;
            if reading.sources == 0 {
                self.read_barrier(&operation);
            }
            self.latch[queue] = Some((reading, reading.sources));
        }
        let Some((reading, pending)) = &mut self.latch[queue] else { return };
        if *pending == 0 {
            return;
        }
        let operation = reading.operation;
        let reads = &mut self.reads[self.now as usize % REACH];
        let ports = self.allocator.ports() as usize;
        for source in members(*pending) {
            let register = operation.registers[source];
            let (bank, row) = (bank_of(register), row_of(operation.base, register));
            if let Some(port) = reads[bank][..ports].iter_mut().find(|port| port.is_none()) {
                *port = Some(Read { leaves: 0, source: source as u8, row });
                let waits = self.results[bank].find_waiting(operation.warp, register, self.now);
                reading.data[source] = waits.unwrap_or(self.banks[bank][row.index()]);
                *pending &= !(1 << source);
                shown.bank_reads += 1;
            }
        }
        if *pending == 0 {
            self.read_barrier(&operation);
        }
    }

    /// The instruction in Allocate goes to its reads if they fit. Whether one stays there.
    #[inline]
    fn allocate(&mut self, shown: &mut Shown<D>) -> bool {
        let Some((operation, pass)) = self.allocate else { return false };
        let mut reading = Reading { pass, sources: operation.sources(pass), ..Reading::new(operation) };
        let mut wanted = [0; READ_BANKS];
        for source in members(reading.sources) {
            let register = operation.registers[source];
            let mut slots = members(operation.slots[source] & 7).peekable();
            let named = slots.peek().is_some();
            let has = |slot| self.reuse.has(operation.place(source, slot), operation.warp, register);
            let hit = named && slots.all(has);
            reading.hits |= u8::from(hit) << source;
            wanted[bank_of(register)] += u32::from(!hit);
        }
        let misfits = (0..READ_BANKS).filter(|&bank| !self.allocator.fits(bank, wanted[bank])).count();
        if misfits > 0 {
            shown.conflicts = misfits as u32;
            return true;
        }
        let leaves = (self.now as usize + self.window + 1) % REACH;
        for source in members(reading.sources & !reading.hits) {
            let register = operation.registers[source];
            let bank = bank_of(register);
            let cycle = (self.now as usize + 1 + self.allocator.take(bank)) % REACH;
            let read =
                Read { leaves: leaves as u8, source: source as u8, row: row_of(operation.base, register) };
            let port = self.reads[cycle][bank].iter_mut().find(|port| port.is_none());
            *port.expect("the allocator knows of all reads") = Some(read);
        }
        (0..READ_BANKS).filter(|&bank| wanted[bank] > 0).for_each(|bank| self.allocator.hold(bank));
        for source in members(reading.sources) {
            for slot in members(operation.slots[source] & 7) {
                let stays = operation.control.reuse() >> slot & 1 == 1;
                self.reuse.go(
                    operation.place(source, slot),
                    operation.warp,
                    operation.registers[source],
                    stays,
                );
            }
        }
        shown.hits += reading.hits.count_ones();
        self.reading[leaves] = Some(reading);
        self.allocate = (pass < operation.last_pass).then_some((operation, pass + 1));
        self.allocate.is_some()
    }

    /// One of the warps issues that may. `before`: what leaves Control.
    #[inline]
    fn issue(
        &mut self,
        present: WarpSet,
        payload: u32,
        before: Option<&Operation>,
        shown: &mut Shown<D>,
    ) -> Option<Operation> {
        let free = present & self.stalls.free();
        let (mut eligible, mut counted) = (0, 0);
        for warp in members(free) {
            let head = &self.heads[warp];
            if self.dependences.busy(WarpId(warp as u8)) & head.control.wait_mask() != 0 {
                continue;
            }
            counted |= 1 << warp;
            let has_room = match head.path {
                Path::Fixed => {
                    self.latched >> head.unit & 1 == 0
                        && (0..READ_BANKS).all(|bank| self.results[bank].has_room(head.results[bank]))
                }
                Path::Queue(queue) => {
                    let coming = before.is_some_and(|before| before.path == head.path);
                    self.queues[usize::from(queue)].len() + usize::from(coming) < self.depth
                }
            };
            eligible |= WarpSet::from(has_room) << warp;
        }
        let Some(warp) = self.scheduler.select(eligible) else {
            shown.obstacle = match () {
                () if present == 0 => Obstacle::Empty,
                () if free == 0 => Obstacle::Stall,
                () if counted == 0 => Obstacle::Counters,
                () => Obstacle::Units,
            };
            return None;
        };
        let operation = Operation { payload, ..self.heads[warp.index()] };
        self.control = Some(operation);
        self.under_way += 1;
        if operation.path == Path::Fixed {
            (0..READ_BANKS).for_each(|bank| self.results[bank].reserve(operation.results[bank]));
        }
        Some(operation)
    }

    /// Dependence counters go up behind Control.
    #[inline]
    fn count(&mut self, operation: &Operation) {
        if self.follows_control {
            let (write, read) = (operation.control.write_barrier(), operation.control.read_barrier());
            for counter in write.into_iter().chain(read) {
                self.dependences.increment(operation.warp, counter);
            }
        }
    }

    /// The clock edge.
    #[inline]
    fn edge(&mut self, stands: bool, issued: Option<Operation>, launch: WarpSet, shown: &mut Shown<D>) {
        self.reads[self.now as usize % REACH] = Default::default();
        self.allocator.edge();
        if !stands {
            for unit in members(self.latched) {
                self.latches[unit] -= 1;
                self.latched &= !(u8::from(self.latches[unit] == 0) << unit);
            }
            if let Some(Operation { path: Path::Fixed, unit, initiation: 2.., .. }) = issued {
                self.latches[usize::from(unit)] = issued.map_or(0, |operation| operation.initiation) - 1;
                self.latched |= 1 << unit;
            }
            let says = issued.map(|Operation { warp, control, .. }| match self.follows_control {
                true => (warp, control.stall(), control.yields()),
                false => (warp, 1, false),
            });
            self.stalls.edge(says, launch);
        }
        self.scheduler.edge(shown.issued, launch);
        if launch != 0 {
            self.stalls.launch(launch);
            self.reuse.launch(launch);
        }
        for (bank, results) in self.results.iter_mut().enumerate() {
            shown.written[bank] = results.write(self.now);
            if let Some(result) = &shown.written[bank] {
                self.banks[bank][result.row.index()] = result.data;
            }
        }
        for (warp, counter) in self.over.drain(..) {
            self.dependences.decrement(warp, counter);
        }
        self.now += 1;
    }
}
