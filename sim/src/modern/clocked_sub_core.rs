// SPDX-License-Identifier: Apache-2.0
//! Reference model of the sub-core that ships, at the ports of its hardware: H §4, §5.1, §5.3 and §5.4.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{
    Clocked, Data, Parameters, WarpId, WarpSet, DECREMENTS, DEPENDENCE_COUNTERS, READS, READ_BANKS,
    VARIABLE_QUEUES,
};

use gpurf_trace::RegisterId;

use super::result_queue::{arrivals, row_at};
use super::reuse_cache::place_of;
use super::variable_queue::Instruction;
use super::{
    CggtyScheduler, CounterLimit, DependenceCounters, FixedResult, News, Read, ReadAllocator, ReadWindow,
    ResultQueue, ReuseCache, Selection, Sources, StallCounters, VariableQueue,
};
use crate::bits::{flags, mask, members, warp_mask};

/// Issue, Control, Allocate, the read window, and the banks with their result queues.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ClockedSubCore<D: Data> {
    warps: usize,
    window: usize,
    stall_counters: StallCounters,
    dependence_counters: DependenceCounters,
    scheduler: CggtyScheduler,
    allocator: ReadAllocator,
    reuse: ReuseCache<D>,
    queues: [VariableQueue; VARIABLE_QUEUES],
    results: [ResultQueue<D>; READ_BANKS],
    /// Window of port r of bank b, at 2 r + b. `shown` has the value that the bank shows there.
    windows: Vec<ReadWindow<D>>,
    shown: Vec<D>,
    rows: [Vec<D>; READ_BANKS],
    control: Option<Issued>,
    allocate: Option<Allocating>,
    /// Instructions in their windows, by the cycles until their operands leave.
    flights: Vec<Option<Flight>>,
    now: u64,
    #[borsh(skip)]
    inputs: ModernSubCoreIn<D>,
    #[borsh(skip)]
    decided: Decided,
}

/// An instruction that has issued.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Issued {
    instruction: Instruction,
    /// Bit q: it goes to queue q.
    queue: u8,
    is_tensor: bool,
    /// Bit o: registers of operand o stay in the reuse cache.
    reuse: u8,
    /// Dependence counters that go up.
    counters: [u8; 2],
    limit: Option<CounterLimit>,
    stall: u8,
    yields: bool,
    /// Bit b: its result comes to bank b, with a fixed latency.
    writes: u8,
}

/// One of fixed latency that waits for its reads.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Allocating {
    instruction: Instruction,
    is_tensor: bool,
    reuse: u8,
}

/// An instruction in its window.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Flight {
    instruction: Instruction,
    queue: u8,
    is_tensor: bool,
    hits: u8,
    fills: u8,
    /// When each of the others is read: at port p in cycle k of the window for 3 k + p.
    places: [Option<u8>; READS],
}

/// Actions of a cycle's edge, beside those that the inputs name.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    held: bool,
    selection: Option<Selection>,
    going: Option<Flight>,
}

impl<D: Data> ClockedSubCore<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { warps, read_window, read_ports, rows, .. } = *parameters;
        let ports = READ_BANKS * read_ports;
        ClockedSubCore {
            warps,
            window: read_window,
            stall_counters: StallCounters::new(parameters),
            dependence_counters: DependenceCounters::new(parameters),
            scheduler: CggtyScheduler::new(parameters),
            allocator: ReadAllocator::new(parameters),
            reuse: ReuseCache::new(parameters),
            queues: [(); VARIABLE_QUEUES].map(|()| VariableQueue::new(parameters)),
            results: [(); READ_BANKS].map(|()| ResultQueue::new(parameters)),
            windows: vec![ReadWindow::new(parameters); ports],
            shown: vec![D::default(); ports],
            rows: [(); READ_BANKS].map(|()| vec![D::default(); rows]),
            control: None,
            allocate: None,
            flights: vec![None; read_window + 1],
            now: 1,
            inputs: ModernSubCoreIn::default(),
            decided: Decided::default(),
        }
    }

    /// The next instruction of a warp.
    fn head(&self, warp: WarpId) -> Issued {
        let (inputs, place) = (&self.inputs, warp.index());
        let limit = CounterLimit {
            counter: inputs.head_limit_counter[place] as u8,
            value: inputs.head_limit_value[place] as u8,
            mask: inputs.head_limit_mask[place] as u8,
        };
        let of_sources = READS * place..READS * (place + 1);
        let sources = Sources {
            valid: mask::<READS>(inputs.head_source_valid[of_sources.clone()].try_into().expect("as many")),
            registers: std::array::from_fn(|source| {
                inputs.head_source_register[of_sources.start + source] as u8
            }),
        };
        Issued {
            instruction: Instruction {
                warp,
                base: inputs.head_base[place] as u8,
                unit: inputs.head_unit[place] as u8,
                pipe: inputs.head_pipe[place] as u8,
                payload: inputs.head_payload[place],
                sources,
            },
            queue: inputs.head_queue[place] as u8,
            is_tensor: inputs.head_tensor[place],
            reuse: inputs.head_reuse[place] as u8,
            counters: [inputs.head_write_counter[place] as u8, inputs.head_read_counter[place] as u8],
            limit: inputs.head_limit_valid[place].then_some(limit),
            stall: inputs.head_stall[place] as u8,
            yields: inputs.head_yields[place],
            writes: self.writes(warp),
        }
    }

    fn writes(&self, warp: WarpId) -> u8 {
        let writes = &self.inputs.head_writes[READ_BANKS * warp.index()..];
        u8::from(writes[0]) | u8::from(writes[1]) << 1
    }

    /// Warps whose next instructions wait for nothing but constants.
    fn eligible(&self) -> WarpSet {
        let inputs = &self.inputs;
        let could = warp_mask(&inputs.head_valid) & self.stall_counters.free();
        let is_eligible = |warp: &WarpId| {
            let queue = inputs.head_queue[warp.index()] as u8;
            let unit = match queue {
                0 => inputs.unit_ready >> inputs.head_unit[warp.index()] & 1 == 1,
                _ => members(queue).all(|queue| self.queues[queue].has_room()),
            };
            unit && members(self.writes(*warp)).all(|bank| self.results[bank].has_room(1))
                && self.dependence_counters.is_free(*warp, inputs.head_wait_mask[warp.index()] as u8)
        };
        WarpId::all_of(could).filter(is_eligible).fold(0, |eligible, warp| eligible | warp.bit())
    }

    /// The instruction that goes to its reads, which take their places: the one of fixed latency if there is
    /// one.
    fn going(&self, allocator: &mut ReadAllocator) -> Option<Flight> {
        if let Some(Allocating { instruction, is_tensor, reuse }) = self.allocate {
            let Instruction { warp, sources, .. } = instruction;
            let is_hit = |&source: &usize| {
                self.reuse.has(place_of(is_tensor, source), warp, RegisterId(sources.registers[source]))
            };
            let stays = |&source: &usize| reuse >> (source / READ_BANKS) & 1 == 1;
            let hits = set(members(sources.valid).filter(is_hit));
            let fills = set(members(sources.valid).filter(stays));
            let places = allocator.place(sources.valid & !hits, true)?;
            return Some(Flight { instruction, queue: 0, is_tensor, hits, fills, places });
        }
        let queue = self.queues.iter().position(|queue| queue.head().is_some())?;
        let instruction = *self.queues[queue].head()?;
        let places = allocator.place(instruction.sources.valid, false)?;
        Some(Flight { instruction, queue: 1 << queue, is_tensor: false, hits: 0, fills: 0, places })
    }

    /// Results of fixed latency that come to a bank.
    fn arrivals(&self, bank: usize) -> Vec<FixedResult<D>> {
        let inputs = &self.inputs;
        let result = |place: usize| FixedResult {
            warp: WarpId(inputs.result_warp[place] as u8),
            register: RegisterId(inputs.result_register[place] as u8),
            row: row_at(inputs.result_base[place], inputs.result_register[place]),
            data: inputs.result_data[place],
            pipe: inputs.result_pipe[place] as u8,
            payload: 0,
        };
        arrivals(&inputs.result_valid, result, (bank, READ_BANKS))
    }

    /// The result of fixed latency that a bank writes in this cycle.
    fn written(&self, bank: usize) -> Option<FixedResult<D>> {
        self.results[bank].first().copied().or_else(|| self.arrivals(bank).first().copied())
    }

    /// The value that a port of a bank shows, or the newer one of the result queue.
    fn shown(&self, port: usize) -> D {
        let newer = self.windows[port].shown().and_then(|(warp, register)| {
            self.results[port % READ_BANKS].find_shown(warp, register, self.now)
        });
        newer.unwrap_or(self.shown[port])
    }

    /// Operands of the instruction that leaves.
    fn operands(&self, flight: &Flight) -> [D; READS] {
        let mut operands = [D::default(); READS];
        for source in members(flight.hits) {
            operands[source] = self.reuse.data(place_of(flight.is_tensor, source));
        }
        for (source, place) in flight.places.iter().enumerate() {
            let Some((cycle, port)) = place.map(|place| at(place, source)) else { continue };
            let arrivals = self.arrivals(source % READ_BANKS);
            let news = News { shown: self.shown(port), results: &arrivals };
            operands[source] = self.windows[port].leaving(cycle, flight.instruction.pipe, &news);
        }
        operands
    }
}

/// The cycle of the window in which a source is read that has this place, and the port at which it is.
fn at(place: u8, source: usize) -> (usize, usize) {
    let (cycle, port) = (usize::from(place) / 3, usize::from(place) % 3);
    (cycle, READ_BANKS * port + source % READ_BANKS)
}

fn set(sources: impl Iterator<Item = usize>) -> u8 {
    sources.fold(0, |set, source| set | 1 << source)
}

impl<D: Data> Clocked for ClockedSubCore<D> {
    type In = ModernSubCoreIn<D>;
    type Out = ModernSubCoreOut<D>;

    fn settle(&mut self, inputs: &ModernSubCoreIn<D>) -> ModernSubCoreOut<D> {
        self.inputs = *inputs;
        let going = self.going(&mut self.allocator.clone());
        let held = self.allocate.is_some() && going.is_none();
        let selection = self.scheduler.select_with_constants(self.eligible(), warp_mask(&inputs.head_misses));
        self.decided = Decided { held, selection: selection.filter(|_| !held), going };

        let mut outputs = ModernSubCoreOut { held, ..Default::default() };
        if let Some(Selection { warp, waits }) = self.decided.selection {
            outputs.issued = !waits;
            outputs.constant_waits = waits;
            outputs.issued_warp = if waits { 0 } else { warp.into() };
        }
        if let Some(control) = &self.control {
            outputs.controlled = !held;
            outputs.controlled_warp = control.instruction.warp.into();
            outputs.controlled_payload = control.instruction.payload;
        }
        outputs.reuse_hit = flags(going.map_or(0, |going| going.hits));
        if let Some(flight) = self.flights[0] {
            let Instruction { warp, unit, payload, sources, .. } = flight.instruction;
            outputs.dispatch = true;
            outputs.dispatch_warp = warp.into();
            outputs.dispatch_unit = unit.into();
            outputs.dispatch_payload = payload;
            outputs.dispatch_queue = flight.queue.into();
            outputs.operand_valid = flags(sources.valid);
            outputs.operand_data = self.operands(&flight);
        }
        for bank in 0..READ_BANKS {
            let writes = self.written(bank).is_some();
            outputs.load_taken[bank] = inputs.load_valid[bank] && !writes;
            outputs.bank_write[bank] = inputs.load_valid[bank] || writes;
        }
        for (port, window) in self.windows.iter().enumerate() {
            outputs.bank_read[port] = window.reading().is_some();
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let Decided { held, selection, going } = self.decided;
        let waits = selection.filter(|selection| selection.waits);
        let issued =
            selection.filter(|selection| !selection.waits).map(|selection| self.head(selection.warp));

        // Operands leave, and values in the window move on.
        let leaving = self.flights[0].map(|flight| (flight, self.operands(&flight)));
        for port in 0..self.windows.len() {
            let bank = port % READ_BANKS;
            let (shown, results) = (self.shown(port), self.arrivals(bank));
            let row = self.windows[port].reading();
            self.windows[port].pass(&News { shown, results: &results });
            if let Some(row) = row {
                self.shown[port] = self.rows[bank][row.index()];
            }
        }
        self.flights.rotate_left(1);
        self.flights[self.window] = going;
        self.reuse.launch(warp_mask(&inputs.launch));
        self.go(going);
        if let Some((flight, values)) = leaving {
            for source in members(flight.fills) {
                self.reuse.fill(place_of(flight.is_tensor, source), values[source]);
            }
        }

        // Results.
        for bank in 0..READ_BANKS {
            let load_row = row_at(inputs.load_base[bank], inputs.load_register[bank]);
            let load = inputs.load_valid[bank].then_some((load_row, inputs.load_data[bank]));
            if let Some((row, data)) = self.written(bank).map(|result| (result.row, result.data)).or(load) {
                self.rows[bank][row.index()] = data;
            }
            for result in self.arrivals(bank) {
                self.results[bank].arrive(result, self.now);
            }
            self.results[bank].write(self.now);
        }

        // Control and issue.
        self.dependence_counters.forget_limits();
        for place in (0..DECREMENTS).filter(|&place| inputs.decrement_valid[place]) {
            let warp = WarpId(inputs.decrement_warp[place] as u8);
            self.dependence_counters.decrement(warp, inputs.decrement_counter[place] as u8);
        }
        for (queue, _) in inputs.give_back.iter().enumerate().filter(|(_, give_back)| **give_back) {
            self.queues[queue].give_back();
        }
        let launch = warp_mask(&inputs.launch);
        let issuing = issued.map(|issued| (issued.instruction.warp, issued.stall, issued.yields));
        match held {
            true => self.stall_counters.launch(launch),
            false => {
                self.stall_counters.edge(issuing, launch);
                self.advance(issued);
            }
        }
        if let Some(Selection { warp, .. }) = waits {
            self.scheduler.hold(warp);
        }
        self.scheduler.edge(issuing.map(|(warp, ..)| warp), launch);
        self.now += 1;
    }
}

impl<D: Data> ClockedSubCore<D> {
    /// The instruction that goes takes its reads, and leaves its queue.
    fn go(&mut self, going: Option<Flight>) {
        if let Some(Flight { instruction, queue, is_tensor, hits, places, .. }) = going {
            let Instruction { warp, base, sources, .. } = instruction;
            self.allocator.place(sources.valid & !hits, queue == 0);
            for queue in members(queue) {
                self.queues[queue].take();
            }
            if let Some(Allocating { reuse, .. }) = self.allocate {
                for source in members(sources.valid) {
                    let stays = reuse >> (source / READ_BANKS) & 1 == 1;
                    self.reuse.go(
                        place_of(is_tensor, source),
                        warp,
                        RegisterId(sources.registers[source]),
                        stays,
                    );
                }
            }
            for (source, place) in places.iter().enumerate() {
                let Some((cycle, port)) = place.map(|place| at(place, source)) else { continue };
                let read = Read { warp, register: RegisterId(sources.registers[source]), base };
                self.windows[port].schedule(cycle, read);
            }
        }
        self.allocator.edge();
    }

    /// Control and Allocate take what comes.
    fn advance(&mut self, issued: Option<Issued>) {
        self.allocate = None;
        if let Some(Issued { instruction, queue, is_tensor, reuse, counters, limit, .. }) = self.control {
            let warp = instruction.warp;
            for counter in counters.into_iter().filter(|&counter| usize::from(counter) < DEPENDENCE_COUNTERS)
            {
                self.dependence_counters.increment(warp, counter);
            }
            if let Some(limit) = limit {
                self.dependence_counters.limit(warp, limit);
            }
            match queue {
                0 => self.allocate = Some(Allocating { instruction, is_tensor, reuse }),
                _ => members(queue).for_each(|queue| self.queues[queue].enter(instruction)),
            }
        }
        if let Some(Issued { queue, writes, .. }) = &issued {
            members(*queue).for_each(|queue| self.queues[queue].reserve());
            members(*writes).for_each(|bank| self.results[bank].reserve(1));
        }
        self.control = issued;
    }
}
