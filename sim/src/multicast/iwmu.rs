// SPDX-License-Identifier: Apache-2.0
//! Reference model of the inter-warp multicasting unit: I §3.

use std::io;

use gpurf_blocks::ports::{DecisionUnitIn, IwmuIn, IwmuOut, LrtIn, LrtOut};
use gpurf_blocks::{Clocked, Parameters, Search, SUB_CORES};

use super::pending_loads::show_loads;
use super::{DecisionUnit, LoadQueue, LoadRequest, LrtCam, LrtScan, PendingLoads, SharedMemoryLoad};
use crate::checkpoint::{checkpoint, Checkpoint};

type Lrt = Box<dyn Clocked<In = LrtIn, Out = LrtOut> + Send>;

/// Request queue, load request table, decision unit and pending loads.
pub struct Iwmu {
    release_age: usize,
    queue: LoadQueue,
    table: Lrt,
    age: usize,
    pending: PendingLoads,
    inputs: IwmuIn,
    /// The load that leaves the table's side in this cycle.
    leaves: Option<SharedMemoryLoad>,
    /// The request at the head of the queue is done.
    pop: bool,
    any_entry: bool,
}

checkpoint! {
    [] Iwmu {
        values: queue age pending leaves pop any_entry;
        engines: table;
        fixed: release_age inputs;
    }
}

impl Iwmu {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { search, release_age, .. } = *parameters;
        let table: Lrt = match search {
            Search::Scan => Box::new(LrtScan::new(parameters)),
            Search::Cam => Box::new(LrtCam::new(parameters)),
        };
        Iwmu {
            release_age,
            queue: LoadQueue::new(parameters),
            table,
            age: 0,
            pending: PendingLoads::new(parameters),
            inputs: IwmuIn::default(),
            leaves: None,
            pop: false,
            any_entry: false,
        }
    }

    /// Asks the table, decides, and tells it.
    fn decide(&mut self, outputs: &mut IwmuOut) {
        let head = self.queue.head();
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

        let mut situation = DecisionUnitIn {
            head_release: request.release,
            head_warp: request.warp,
            head_address: request.address,
            head_source: request.source,
            head_destination: request.destination,
            evict: found.evict,
            evict_aged: found.evict_aged,
            evict_warp: found.evict_warp,
            evict_address: found.evict_address,
            evict_source: found.evict_source,
            evict_destination: found.evict_destination,
            done: found.done,
            matched: found.matched,
            matched_warp: found.matched_warp,
            full: found.full,
            accepted: false,
        };
        let offer = DecisionUnit::decide(&situation);
        let load = SharedMemoryLoad {
            address: offer.offer_address,
            source: offer.offer_source,
            destination: offer.offer_destination,
            warps: [
                Some(offer.offer_first_warp),
                offer.offer_second_valid.then_some(offer.offer_second_warp),
            ],
        };
        self.leaves = Some(load).filter(|load| offer.offer && self.pending.accepts(load));
        situation.accepted = self.leaves.is_some();
        let decision = DecisionUnit::decide(&situation);
        self.pop = decision.pop;

        operation.evict_ready = decision.evict_ready;
        operation.done_ready = decision.done_ready;
        operation.insert = decision.insert;
        self.table.settle(&operation);

        outputs.inserted = decision.insert;
        outputs.multicast = decision.multicast;
        outputs.rejected = decision.rejected;
        outputs.released_age = decision.released_age;
        outputs.released_barrier = decision.released_barrier;
        outputs.released_repeat = decision.released_repeat;
    }
}

impl Clocked for Iwmu {
    type In = IwmuIn;
    type Out = IwmuOut;

    fn settle(&mut self, inputs: &IwmuIn) -> IwmuOut {
        self.inputs = *inputs;
        let mut outputs = IwmuOut::default();
        self.decide(&mut outputs);
        for sub_core in 0..SUB_CORES {
            outputs.request_ready[sub_core] = self.queue.has_room(sub_core);
        }
        show_loads!(self.pending, outputs);
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.pending.edge(&inputs.enable, inputs.load_ready, self.leaves);
        let pushes = (0..SUB_CORES).filter(|&sub_core| inputs.request_valid[sub_core]).map(|sub_core| {
            let request = LoadRequest {
                release: inputs.request_release[sub_core],
                warp: inputs.request_warp[sub_core],
                address: inputs.request_address[sub_core],
                source: inputs.request_source[sub_core],
                destination: inputs.request_destination[sub_core],
            };
            (sub_core, request)
        });
        self.queue.edge(pushes, self.pop);
        self.table.tick();
        if self.any_entry && self.release_age > 0 {
            self.age = (self.age + 1) % self.release_age;
        }
    }

    fn save(&self, state: &mut Vec<u8>) -> io::Result<()> {
        Checkpoint::save(self, state)
    }

    fn restore(&mut self, state: &mut &[u8]) -> io::Result<()> {
        Checkpoint::restore(self, state)
    }
}
