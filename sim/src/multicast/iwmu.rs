//! Reference model of the inter-warp multicasting unit: I §3.

use std::collections::VecDeque;

use gpurf_blocks::{Clocked, Parameters, Search, PENDING, QUEUE_DEPTH, SUB_CORES};
use gpurf_hw::multicast::{IwmuIn, IwmuOut, LrtIn, LrtOut};

use super::{LrtCam, LrtScan};
use crate::cells::RoundRobin;

/// A load of one warp, or a release of its loads.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    release: bool,
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
}

/// A load of one warp or two that waits for their scoreboards.
#[derive(Clone, Copy, Debug)]
struct Pending {
    address: u32,
    source: u32,
    destination: u32,
    /// The warps, and whether the destination of each is free.
    warps: [Option<(u32, bool)>; 2],
}

impl Pending {
    fn writes(&self, warp: u32, destination: u32) -> bool {
        self.destination == destination && self.warps.iter().flatten().any(|(own, _)| *own == warp)
    }

    /// It writes a register that the other one writes for the same warp.
    fn clashes_with(&self, other: &Pending) -> bool {
        other.warps.iter().flatten().any(|(warp, _)| self.writes(*warp, other.destination))
    }

    fn is_ready(&self) -> bool {
        self.warps.iter().flatten().all(|(_, free)| *free)
    }
}

/// Somebody's turn, kept until it is used up.
#[derive(Clone, Copy, Debug, Default)]
struct Turn(usize);

impl Turn {
    fn of<const N: usize>(self, requests: [bool; N]) -> Option<usize> {
        (self.0..self.0 + N).map(|place| place % N).find(|place| requests[*place])
    }

    fn pass<const N: usize>(&mut self, granted: Option<usize>, used: bool) {
        if let Some(granted) = granted {
            self.0 = (granted + usize::from(used)) % N;
        }
    }
}

/// What the decision unit does with this cycle's answer of the table.
#[derive(Clone, Copy, Debug, Default)]
struct Decision {
    leaves: Option<Pending>,
    /// The request at the head of the queue is done.
    finish: bool,
}

type Lrt = Box<dyn Clocked<In = LrtIn, Out = LrtOut> + Send>;

/// Request queue, load request table, decision unit and pending loads.
pub struct Iwmu {
    release_age: usize,
    queue: [VecDeque<Request>; SUB_CORES],
    queue_turn: Turn,
    table: Lrt,
    age: usize,
    pending: [Option<Pending>; PENDING],
    questions: [RoundRobin; SUB_CORES],
    departure_turn: Turn,
    inputs: IwmuIn,
    decision: Decision,
    any_entry: bool,
}

impl Iwmu {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { search, release_age, .. } = *parameters;
        let table: Lrt = match search {
            Search::Scan => Box::new(LrtScan::new(parameters)),
            Search::Cam => Box::new(LrtCam::new(parameters)),
        };
        Iwmu {
            release_age,
            queue: Default::default(),
            queue_turn: Turn::default(),
            table,
            age: 0,
            pending: [None; PENDING],
            questions: std::array::from_fn(|_| RoundRobin::new(2 * PENDING)),
            departure_turn: Turn::default(),
            inputs: IwmuIn::default(),
            decision: Decision::default(),
            any_entry: false,
        }
    }

    /// The sub-core whose request is searched for.
    fn head(&self) -> Option<usize> {
        self.queue_turn.of(std::array::from_fn::<_, SUB_CORES, _>(|s| !self.queue[s].is_empty()))
    }

    /// The load that stands before shared memory.
    fn departing(&self) -> Option<usize> {
        let ready = self.pending.map(|pending| pending.is_some_and(|pending| pending.is_ready()));
        self.departure_turn.of(ready)
    }

    /// The pending load, and which of its warps, that a sub-core is asked about.
    fn question(&self, sub_core: usize) -> Option<(usize, usize)> {
        let asks = |place: usize| {
            let warp = self.pending[place / 2].and_then(|pending| pending.warps[place % 2]);
            warp.is_some_and(|(warp, free)| !free && warp as usize % SUB_CORES == sub_core)
        };
        let requests = (0..2 * PENDING).map(|place| u32::from(asks(place)) << place).sum();
        self.questions[sub_core].grant(requests).map(|place| (place / 2, place % 2))
    }

    fn has_place_for(&self, load: &Pending) -> bool {
        let clash = self.pending.iter().flatten().any(|other| other.clashes_with(load));
        self.pending.iter().any(Option::is_none) && !clash
    }

    /// Asks the table, decides, and tells it.
    fn decide(&mut self, outputs: &mut IwmuOut) -> Decision {
        let head = self.head().map(|sub_core| self.queue[sub_core][0]);
        let request = head.unwrap_or_default();
        let mut operation = LrtIn {
            search: head.is_some(),
            drain: request.release,
            warp: request.warp,
            address: request.address,
            source: request.source,
            destination: request.destination,
            ..Default::default()
        };
        let found = self.table.settle(&operation);
        self.any_entry = found.occupancy > 0;
        operation.tick = self.any_entry && self.age + 1 == self.release_age;
        outputs.occupancy = found.occupancy;

        let Request { address, source, destination, .. } = request;
        let plain = |warp| Pending { address, source, destination, warps: [Some((warp, false)), None] };
        let offered = if found.evict {
            Some(Pending {
                address: found.evict_address,
                source: found.evict_source,
                destination: found.evict_destination,
                ..plain(found.evict_warp)
            })
        } else if found.done && found.matched {
            let partner = Some((found.matched_warp, false));
            Some(Pending { warps: [partner, Some((request.warp, false))], ..plain(request.warp) })
        } else {
            Some(plain(request.warp)).filter(|_| found.done && !request.release && found.full)
        };
        let leaves = offered.filter(|load| self.has_place_for(load));
        let decision = Decision { leaves, finish: found.done && leaves.is_some() == offered.is_some() };

        operation.evict_ready = leaves.is_some();
        operation.done_ready = decision.finish;
        operation.insert = found.done && offered.is_none() && !request.release;
        self.table.settle(&operation);

        let released = found.evict && leaves.is_some();
        outputs.inserted = operation.insert;
        outputs.multicast = found.matched && leaves.is_some();
        outputs.rejected = found.done && !found.matched && leaves.is_some();
        outputs.released_age = released && found.evict_aged;
        outputs.released_barrier = released && !found.evict_aged && request.release;
        outputs.released_repeat = released && !found.evict_aged && !request.release;
        decision
    }
}

impl Clocked for Iwmu {
    type In = IwmuIn;
    type Out = IwmuOut;

    fn settle(&mut self, inputs: &IwmuIn) -> IwmuOut {
        self.inputs = *inputs;
        let mut outputs = IwmuOut::default();
        self.decision = self.decide(&mut outputs);
        for sub_core in 0..SUB_CORES {
            outputs.request_ready[sub_core] = self.queue[sub_core].len() < QUEUE_DEPTH;
            if let Some((place, which)) = self.question(sub_core) {
                let pending = self.pending[place].expect("a load that asks");
                outputs.ask_valid[sub_core] = true;
                outputs.ask_warp[sub_core] = pending.warps[which].expect("a warp that asks").0;
                outputs.ask_register[sub_core] = pending.destination;
            }
        }
        if let Some(place) = self.departing() {
            let Pending { address, source, destination, warps } =
                self.pending[place].expect("a load that leaves");
            outputs.load_valid = true;
            (outputs.load_address, outputs.load_source) = (address, source);
            outputs.load_destination = destination;
            outputs.load_first_warp = warps[0].expect("a first warp").0;
            outputs.load_second_valid = warps[1].is_some();
            outputs.load_second_warp = warps[1].map_or(0, |(warp, _)| warp);
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let (head, departing) = (self.head(), self.departing());
        let questions: [_; SUB_CORES] = std::array::from_fn(|sub_core| self.question(sub_core));
        let free_place = self.pending.iter().position(Option::is_none);

        // Answers, then who leaves, then who comes into a place that was free before.
        for (sub_core, question) in questions.into_iter().enumerate() {
            let Some((place, which)) = question else { continue };
            self.questions[sub_core].advance(2 * place + which);
            if inputs.enable[sub_core] {
                let pending = self.pending[place].as_mut().expect("a load that asks");
                pending.warps[which].as_mut().expect("a warp that asks").1 = true;
            }
        }
        self.departure_turn.pass::<PENDING>(departing, inputs.load_ready);
        if let Some(place) = departing.filter(|_| inputs.load_ready) {
            self.pending[place] = None;
        }
        if let Some(load) = self.decision.leaves {
            self.pending[free_place.expect("a place for a load that is taken")] = Some(load);
        }

        // Requests: a sub-core's queue takes one if it had room at the start of the cycle.
        let had_room: [bool; SUB_CORES] = std::array::from_fn(|s| self.queue[s].len() < QUEUE_DEPTH);
        self.queue_turn.pass::<SUB_CORES>(head, self.decision.finish);
        if let Some(head) = head.filter(|_| self.decision.finish) {
            self.queue[head].pop_front();
        }
        for sub_core in (0..SUB_CORES).filter(|s| inputs.request_valid[*s] && had_room[*s]) {
            self.queue[sub_core].push_back(Request {
                release: inputs.request_release[sub_core],
                warp: inputs.request_warp[sub_core],
                address: inputs.request_address[sub_core],
                source: inputs.request_source[sub_core],
                destination: inputs.request_destination[sub_core],
            });
        }

        self.table.tick();
        if self.any_entry && self.release_age > 0 {
            self.age = (self.age + 1) % self.release_age;
        }
    }
}
