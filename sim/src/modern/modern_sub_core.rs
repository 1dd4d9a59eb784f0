// SPDX-License-Identifier: Apache-2.0
//! Reference model of the sub-core that ships: H §4, §5.1, §5.3 and §5.4.
//!
//! An instruction issues in cycle t, is in Control in t + 1 and in Allocate in t + 2, where it stays until
//! its reads fit into the window behind it. Its operands leave for the unit behind the window: in t + 6 with
//! a window of three cycles. While one waits in Allocate, all before it stands still, with the stall
//! counters: so bubbles come in front of an instruction and never behind it.
//!
//! An instruction of variable latency goes from Control to a queue, and reads in the same window when no
//! instruction is in Allocate.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{
    Clocked, Data, Parameters, WarpId, WarpSet, MAX_READ_WINDOW, READS, READ_BANKS, VARIABLE_QUEUES,
};
use gpurf_trace::RegisterId;

use super::result_queue::row_at;
use super::reuse_cache::place_of;
use super::variable_queue::Instruction;
use super::{
    CggtyScheduler, DependenceCounters, Dispatch, Operation, ReadAllocator, ReadGrant, ResultQueue,
    ReuseCache, Selection, Shown, StallCounters, TakenPlaces, Told, VariableQueue,
};
use crate::bits::members;
use crate::checkpoint::model_state;

/// Cycles that reads and operands are known ahead: more than a window has.
const REACH: usize = 8;

/// Issue, Control, Allocate, the read window, and the banks with their result queues.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ModernSubCore<D: Data> {
    window: usize,
    stall_counters: StallCounters,
    dependence_counters: DependenceCounters,
    scheduler: CggtyScheduler,
    allocator: ReadAllocator,
    reuse: ReuseCache<D>,
    queues: [VariableQueue; VARIABLE_QUEUES],
    results: [ResultQueue<D>; READ_BANKS],
    rows: [Vec<D>; READ_BANKS],
    control: Option<Operation>,
    allocate: Option<Operation>,
    /// Instructions in their windows, by the cycle in which their operands leave; and the places that have
    /// one, a bit each. The one that goes in a cycle has its place as soon as that is decided.
    flights: [Flight<D>; REACH],
    flying: u8,
    now: u64,
    /// At ports, the inputs and outputs of the present cycle.
    #[borsh(skip)]
    told: Told<D>,
    #[borsh(skip)]
    shown: Shown<D>,
    #[borsh(skip)]
    decided: Decided,
}

/// An instruction in its window.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Flight<D> {
    instruction: Instruction,
    queue: u8,
    tensor: bool,
    hits: u8,
    fills: u8,
    /// The cycle of the window in which each source is read, if it is.
    cycles: [u8; READS],
    /// Sources that are read in each cycle of the window, and ports at which that is, a bit each.
    reads: [u8; MAX_READ_WINDOW],
    ports: [u8; MAX_READ_WINDOW],
    /// Values, as the banks showed them.
    data: [D; READS],
}

/// Actions of a cycle's edge, beside those that the inputs name.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Decided {
    selection: Option<Selection>,
    /// Places of all reads, if an instruction goes.
    goes: Option<TakenPlaces>,
}

impl<D: Data> Flight<D> {
    /// An instruction goes, with its reads as they are granted.
    #[inline]
    fn set(&mut self, instruction: Instruction, queue: u8, grant: &ReadGrant) {
        (self.instruction, self.queue, self.tensor) = (instruction, queue, false);
        (self.hits, self.fills) = (0, 0);
        (self.reads, self.ports) = ([0; MAX_READ_WINDOW], [0; MAX_READ_WINDOW]);
        for source in members(instruction.sources.valid) {
            if let Some(place) = grant.places[source] {
                let (cycle, port) = (usize::from(place) / 3, usize::from(place) % 3);
                self.ports[cycle] |= 1 << (READ_BANKS * port + source % READ_BANKS);
                self.read(source, cycle);
            }
        }
    }

    /// A source is read in this cycle of the window.
    fn read(&mut self, source: usize, cycle: usize) {
        self.cycles[source] = cycle as u8;
        self.reads[cycle] |= 1 << source;
    }
}

impl<D: Data> ModernSubCore<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        ModernSubCore {
            window: parameters.read_window,
            stall_counters: StallCounters::new(parameters),
            dependence_counters: DependenceCounters::new(parameters),
            scheduler: CggtyScheduler::new(parameters),
            allocator: ReadAllocator::new(parameters),
            reuse: ReuseCache::new(parameters),
            queues: [(); VARIABLE_QUEUES].map(|()| VariableQueue::new(parameters)),
            results: [(); READ_BANKS].map(|()| ResultQueue::new(parameters)),
            rows: [(); READ_BANKS].map(|()| vec![D::default(); parameters.rows]),
            control: None,
            allocate: None,
            flights: [Flight::default(); REACH],
            flying: 0,
            now: REACH as u64,
            told: Told::default(),
            shown: Shown::default(),
            decided: Decided::default(),
        }
    }

    /// [`Clocked::settle`] in words. The outputs are zero before.
    // In the loop of the SM a cycle of the model is one function.
    #[inline(always)]
    pub(crate) fn decide(&mut self, told: &Told<D>, shown: &mut Shown<D>) -> Decided {
        let goes = self.place();
        let place = self.leaving(self.window + 1);
        self.flying = self.flying & !(1 << place) | u8::from(goes.is_some()) << place;
        if goes.is_some() {
            shown.reuse_hit = self.flights[place].hits;
        }
        shown.held = self.allocate.is_some() && goes.is_none();
        let selection = if shown.held { None } else { self.select(told, shown) };
        if let Some(Selection { warp, waits }) = selection {
            shown.issued = (!waits).then_some(warp);
            shown.constant_waits = waits;
        }
        shown.control = self
            .control
            .as_ref()
            .map(|Operation { instruction, .. }| (instruction.warp, instruction.payload));
        if self.flying != 0 {
            self.show_flights(told, shown);
        }
        for bank in 0..READ_BANKS {
            let writes = self.results[bank].first().is_some() || !told.results[bank].is_empty();
            let has_load = told.loads[bank].is_some();
            shown.load_taken |= u8::from(has_load && !writes) << bank;
            shown.bank_write |= u8::from(has_load || writes) << bank;
        }
        Decided { selection, goes }
    }

    /// Operands that leave, and rows that are read.
    #[inline]
    fn show_flights(&self, told: &Told<D>, shown: &mut Shown<D>) {
        if let Some(flight) = self.flight(0) {
            let Instruction { warp, unit, payload, sources, .. } = flight.instruction;
            let queue = flight.queue;
            shown.dispatch = Some(Dispatch { warp, unit, payload, queue, sources: sources.valid });
            for source in members(sources.valid) {
                shown.operand_data[source] = self.operand(flight, source, told);
            }
        }
        for cycle in 0..self.window {
            let reading = self.flight(self.window - cycle);
            shown.bank_read |= reading.map_or(0, |flight| flight.ports[cycle]);
        }
    }

    /// The instruction whose operands leave in so many cycles, if one's do.
    #[inline]
    fn flight(&self, cycles: usize) -> Option<&Flight<D>> {
        let place = self.leaving(cycles);
        (self.flying >> place & 1 == 1).then(|| &self.flights[place])
    }

    /// The place of the flight that leaves in so many cycles.
    #[inline]
    fn leaving(&self, cycles: usize) -> usize {
        (self.now as usize + cycles) % REACH
    }

    /// The instruction that goes gets its place among the flights: the one of fixed latency if there is one.
    #[inline]
    fn place(&mut self) -> Option<TakenPlaces> {
        if let Some(operation) = &self.allocate {
            return self.place_fixed(*operation);
        }
        let queue = self.queues.iter().position(|queue| queue.head().is_some())?;
        let instruction = *self.queues[queue].head()?;
        let grant = self.allocator.place(instruction.sources.valid, false)?;
        let place = self.leaving(self.window + 1);
        self.flights[place].set(instruction, 1 << queue, &grant);
        Some(grant.taken)
    }

    #[inline]
    fn place_fixed(&mut self, operation: Operation) -> Option<TakenPlaces> {
        let Operation { instruction, tensor, reuse, .. } = operation;
        let Instruction { warp, sources, .. } = instruction;
        let (mut hits, mut fills) = (0, 0);
        for source in members(sources.valid) {
            let hit = self.reuse.has(place_of(tensor, source), warp, RegisterId(sources.registers[source]));
            hits |= u8::from(hit) << source;
            fills |= (reuse >> (source / READ_BANKS) & 1) << source;
        }
        // A register that several operands miss is read once.
        let missing = sources.valid & !hits;
        let mut asked = missing;
        let mut first = [0; READS];
        for source in members(missing) {
            let is_same = |lower: &usize| {
                missing >> lower & 1 == 1 && sources.registers[*lower] == sources.registers[source]
            };
            first[source] = (source % READ_BANKS..=source).step_by(READ_BANKS).find(is_same)?;
            asked &= !(u8::from(first[source] < source) << source);
        }
        let grant = self.allocator.place(asked, true)?;
        let place = self.leaving(self.window + 1);
        let flight = &mut self.flights[place];
        flight.set(instruction, 0, &grant);
        (flight.tensor, flight.hits, flight.fills) = (tensor, hits, fills);
        for source in members(missing & !asked) {
            flight.read(source, flight.cycles[first[source]].into());
        }
        Some(grant.taken)
    }

    /// The warp whose instruction issues, or waits for a constant.
    #[inline]
    fn select(&self, told: &Told<D>, shown: &mut Shown<D>) -> Option<Selection> {
        let mut eligible: WarpSet = 0;
        for warp in WarpId::all_of(told.present & self.stall_counters.free()) {
            shown.unstalled = true;
            let head = &told.heads[warp.index()];
            if !self.dependence_counters.is_free(warp, head.wait_mask) {
                continue;
            }
            shown.counted = true;
            let has_unit = match head.queue {
                0 => told.unit_ready >> head.instruction.unit & 1 == 1,
                queues => members(queues).all(|queue| self.queues[queue].has_room()),
            };
            if has_unit && members(head.writes).all(|bank| self.results[bank].has_room(1)) {
                eligible |= warp.bit();
            }
        }
        if eligible == 0 {
            return None;
        }
        self.scheduler.select_with_constants(eligible, told.misses)
    }

    /// A source of the instruction that leaves.
    #[inline]
    fn operand(&self, flight: &Flight<D>, source: usize, told: &Told<D>) -> D {
        if flight.hits >> source & 1 == 1 {
            return self.reuse.data(place_of(flight.tensor, source));
        }
        let Instruction { warp, pipe, sources, .. } = flight.instruction;
        let (bank, register) = (source % READ_BANKS, RegisterId(sources.registers[source]));
        // Between pipes a result takes a cycle more.
        let of_pipe = told.results[bank]
            .iter()
            .rfind(|result| result.warp == warp && result.register == register && result.pipe == pipe);
        let read = self.now - (self.window as u64 - u64::from(flight.cycles[source]));
        let newer = match of_pipe {
            Some(result) => Some(result.data),
            None => self.results[bank].find(warp, register, read),
        };
        newer.unwrap_or(flight.data[source])
    }

    /// The clock edge of a cycle with these inputs and outputs.
    #[inline(always)]
    pub(crate) fn edge(&mut self, told: &Told<D>, shown: &Shown<D>, decided: Decided) {
        let Decided { selection, goes } = decided;
        self.read(shown);
        if told.launch != 0 {
            self.reuse.launch(told.launch);
        }
        if let Some(taken) = goes {
            self.go(taken);
        }
        self.allocator.edge();
        if shown.dispatch.is_some() {
            let leaving = self.leaving(0);
            let flight = &self.flights[leaving];
            for source in members(flight.fills) {
                self.reuse.fill(place_of(flight.tensor, source), shown.operand_data[source]);
            }
            self.flying &= !(1 << leaving);
        }
        self.write(told);

        self.dependence_counters.forget_limits();
        for &(warp, counter) in &told.decrements {
            self.dependence_counters.decrement(warp, counter);
        }
        for queue in members(told.give_back) {
            self.queues[queue].give_back();
        }
        let issued = shown.issued.map(|warp| &told.heads[warp.index()]);
        if shown.held {
            self.stall_counters.launch(told.launch);
        } else {
            let says = issued.map(|head| (head.instruction.warp, head.stall, head.yields));
            self.stall_counters.edge(says, told.launch);
            self.advance(issued);
        }
        if let Some(Selection { warp, waits: true }) = selection {
            self.scheduler.hold(warp);
        }
        self.scheduler.edge(shown.issued, told.launch);
        self.now += 1;
    }

    /// The banks read the rows of this cycle.
    #[inline]
    fn read(&mut self, shown: &Shown<D>) {
        if shown.bank_read == 0 {
            return;
        }
        for cycle in 0..self.window {
            let place = self.leaving(self.window - cycle);
            if self.flying >> place & 1 == 0 {
                continue;
            }
            let flight = &mut self.flights[place];
            let Instruction { base, sources, .. } = flight.instruction;
            for source in members(flight.reads[cycle]) {
                let row = row_at(base.into(), sources.registers[source].into());
                flight.data[source] = self.rows[source % READ_BANKS][row.index()];
            }
        }
    }

    /// An instruction goes: it takes its places, and leaves its queue or Allocate.
    #[inline]
    fn go(&mut self, taken: TakenPlaces) {
        self.allocator.take(taken);
        let flight = &self.flights[self.leaving(self.window + 1)];
        for queue in members(flight.queue) {
            self.queues[queue].take();
        }
        if flight.queue == 0 {
            let Instruction { warp, sources, .. } = flight.instruction;
            for source in members(sources.valid) {
                let stays = flight.fills >> source & 1 == 1;
                let register = RegisterId(sources.registers[source]);
                self.reuse.go(place_of(flight.tensor, source), warp, register, stays);
            }
        }
    }

    /// Results come, and each bank writes one.
    #[inline]
    fn write(&mut self, told: &Told<D>) {
        for bank in 0..READ_BANKS {
            if self.results[bank].is_empty() && told.results[bank].is_empty() && told.loads[bank].is_none() {
                continue;
            }
            for &result in &told.results[bank] {
                self.results[bank].arrive(result, self.now);
            }
            let written = self.results[bank].write(self.now);
            if let Some(result) = written.or(told.loads[bank]) {
                self.rows[bank][result.row.index()] = result.data;
            }
        }
    }

    /// Control and Allocate take what comes.
    #[inline]
    fn advance(&mut self, issued: Option<&Operation>) {
        self.allocate = None;
        if let Some(operation) = self.control.take() {
            let warp = operation.instruction.warp;
            for counter in operation.raised() {
                self.dependence_counters.increment(warp, counter);
            }
            if let Some(limit) = operation.limit {
                self.dependence_counters.limit(warp, limit);
            }
            match operation.queue {
                0 => self.allocate = Some(operation),
                queues => members(queues).for_each(|queue| self.queues[queue].enter(operation.instruction)),
            }
        }
        if let Some(operation) = issued {
            members(operation.queue).for_each(|queue| self.queues[queue].reserve());
            members(operation.writes).for_each(|bank| self.results[bank].reserve(1));
            self.control = Some(*operation);
        }
    }
}

impl<D: Data> Clocked for ModernSubCore<D> {
    type In = ModernSubCoreIn<D>;
    type Out = ModernSubCoreOut<D>;

    fn settle(&mut self, inputs: &ModernSubCoreIn<D>) -> ModernSubCoreOut<D> {
        let (told, mut shown) = (Told::of_ports(inputs), Shown::default());
        self.decided = self.decide(&told, &mut shown);
        (self.told, self.shown) = (told, shown);
        shown.ports()
    }

    fn tick(&mut self) {
        let told = std::mem::take(&mut self.told);
        let shown = self.shown;
        let decided = std::mem::take(&mut self.decided);
        self.edge(&told, &shown, decided);
    }

    model_state!();
}
