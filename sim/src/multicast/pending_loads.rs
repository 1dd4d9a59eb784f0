// SPDX-License-Identifier: Apache-2.0
//! Reference model of the loads that wait for scoreboards: I §3.1.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{PendingLoadsIn, PendingLoadsOut};
use gpurf_blocks::{Clocked, Parameters, PENDING, SUB_CORES};

use super::HoldingArbiter;
use crate::cells::RoundRobin;

/// A load of one warp or two on its way to shared memory.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct SharedMemoryLoad {
    /// Address in shared memory.
    pub address: u32,
    /// Register that holds the address.
    pub source: u32,
    /// Register that is loaded.
    pub destination: u32,
    /// The warps that it is loaded for.
    pub warps: [Option<u32>; 2],
}

impl SharedMemoryLoad {
    /// It writes a register that the other one writes for the same warp.
    fn clashes_with(&self, other: &SharedMemoryLoad) -> bool {
        let mut warps = self.warps.iter().flatten();
        self.destination == other.destination && warps.any(|warp| other.warps.contains(&Some(*warp)))
    }
}

/// A load, and of each of its warps whether the destination is free there.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Waiting {
    load: SharedMemoryLoad,
    free: [bool; 2],
}

/// Four loads, whose question each sub-core is asked, and which of them leaves.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct PendingLoads {
    places: [Option<Waiting>; PENDING],
    questions: [RoundRobin; SUB_CORES],
    departures: HoldingArbiter,
    #[borsh(skip)]
    inputs: PendingLoadsIn,
}

impl PendingLoads {
    /// After reset, with these parameters.
    pub fn new(_: &Parameters) -> Self {
        PendingLoads {
            places: [None; PENDING],
            questions: std::array::from_fn(|_| RoundRobin::new(2 * PENDING)),
            departures: HoldingArbiter::new(PENDING),
            inputs: PendingLoadsIn::default(),
        }
    }

    /// Returns true if a load is taken in this cycle.
    pub fn accepts(&self, load: &SharedMemoryLoad) -> bool {
        let clash = self.places.iter().flatten().any(|waiting| waiting.load.clashes_with(load));
        self.places.iter().any(Option::is_none) && !clash
    }

    /// The place, and which of its warps, that a sub-core is asked about.
    fn question(&self, sub_core: usize) -> Option<(usize, usize)> {
        let asks = |number: usize| {
            let Some(Waiting { load, free }) = self.places[number / 2] else { return false };
            let warp = load.warps[number % 2];
            warp.is_some_and(|warp| !free[number % 2] && warp as usize % SUB_CORES == sub_core)
        };
        let requests = (0..2 * PENDING).map(|number| u32::from(asks(number)) << number).sum();
        self.questions[sub_core].grant(requests).map(|number| (number / 2, number % 2))
    }

    /// Warp and register that a sub-core is asked about.
    pub fn asked(&self, sub_core: usize) -> Option<(u32, u32)> {
        let (place, which) = self.question(sub_core)?;
        let load = self.places[place]?.load;
        Some((load.warps[which]?, load.destination))
    }

    /// The place of the load that stands before shared memory.
    fn departing_place(&self) -> Option<usize> {
        let is_ready = |place: &usize| {
            let all_free =
                |waiting: Waiting| (0..2).all(|w| waiting.load.warps[w].is_none() || waiting.free[w]);
            self.places[*place].is_some_and(all_free)
        };
        self.departures.grant((0..PENDING).filter(is_ready).fold(0, |all, place| all | 1 << place))
    }

    /// The load that stands before shared memory.
    pub fn departing(&self) -> Option<SharedMemoryLoad> {
        self.departing_place().and_then(|place| self.places[place]).map(|waiting| waiting.load)
    }

    /// The clock edge: answers, then who leaves, then who comes into a place that was free before. `enable`:
    /// by sub-core, the register it is asked about is free; `taken`: shared memory takes the load that stands
    /// before it.
    pub fn edge(&mut self, enable: &[bool; SUB_CORES], taken: bool, accepted: Option<SharedMemoryLoad>) {
        let questions: [_; SUB_CORES] = std::array::from_fn(|sub_core| self.question(sub_core));
        let (departing, free) = (self.departing_place(), self.places.iter().position(Option::is_none));
        for (sub_core, question) in questions.into_iter().enumerate() {
            let Some((place, which)) = question else { continue };
            self.questions[sub_core].advance(2 * place + which);
            if let Some(waiting) = self.places[place].as_mut().filter(|_| enable[sub_core]) {
                waiting.free[which] = true;
            }
        }
        self.departures.pass(departing, taken);
        if let Some(place) = departing.filter(|_| taken) {
            self.places[place] = None;
        }
        if let Some(load) = accepted {
            let place = free.expect("a load is accepted where there is a place");
            self.places[place] = Some(Waiting { load, free: [false; 2] });
        }
    }
}

/// Puts on output ports what the pending loads ask the scoreboards, and the load that departs.
macro_rules! show_loads {
    ($pending:expr, $outputs:ident) => {
        for sub_core in 0..SUB_CORES {
            if let Some((warp, register)) = $pending.asked(sub_core) {
                $outputs.ask_valid[sub_core] = true;
                ($outputs.ask_warp[sub_core], $outputs.ask_register[sub_core]) = (warp, register);
            }
        }
        if let Some(SharedMemoryLoad { address, source, destination, warps }) = $pending.departing() {
            $outputs.load_valid = true;
            ($outputs.load_address, $outputs.load_source) = (address, source);
            $outputs.load_destination = destination;
            $outputs.load_first_warp = warps[0].expect("a first warp");
            $outputs.load_second_valid = warps[1].is_some();
            $outputs.load_second_warp = warps[1].unwrap_or(0);
        }
    };
}

pub(super) use show_loads;

impl Clocked for PendingLoads {
    type In = PendingLoadsIn;
    type Out = PendingLoadsOut;

    fn settle(&mut self, inputs: &PendingLoadsIn) -> PendingLoadsOut {
        self.inputs = *inputs;
        let mut outputs =
            PendingLoadsOut { accepted: self.accepted(inputs).is_some(), ..PendingLoadsOut::default() };
        show_loads!(self, outputs);
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let accepted = self.accepted(&inputs);
        self.edge(&inputs.enable, inputs.load_ready, accepted);
    }
}

impl PendingLoads {
    fn accepted(&self, inputs: &PendingLoadsIn) -> Option<SharedMemoryLoad> {
        let load = SharedMemoryLoad {
            address: inputs.offer_address,
            source: inputs.offer_source,
            destination: inputs.offer_destination,
            warps: [
                Some(inputs.offer_first_warp),
                inputs.offer_second_valid.then_some(inputs.offer_second_warp),
            ],
        };
        Some(load).filter(|load| inputs.offer && self.accepts(load))
    }
}
