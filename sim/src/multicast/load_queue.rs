// SPDX-License-Identifier: Apache-2.0
//! Reference model of the request queue: I §3.1, §5.2.3.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LoadQueueIn, LoadQueueOut};
use gpurf_blocks::{Clocked, Parameters, QUEUE_DEPTH, SUB_CORES};

use super::HoldingArbiter;

/// A load of one warp, or a release of its loads.
#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub struct LoadRequest {
    /// It is a release, not a load.
    pub release: bool,
    /// Its warp.
    pub warp: u32,
    /// Address in shared memory.
    pub address: u32,
    /// Register that holds the address.
    pub source: u32,
    /// Register that is loaded.
    pub destination: u32,
}

/// Two requests for each sub-core, first in, first out; the sub-cores take turns.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct LoadQueue {
    queues: [VecDeque<LoadRequest>; SUB_CORES],
    turns: HoldingArbiter,
    #[borsh(skip)]
    inputs: LoadQueueIn,
}

impl LoadQueue {
    /// After reset, with these parameters.
    pub fn new(_: &Parameters) -> Self {
        LoadQueue {
            queues: Default::default(),
            turns: HoldingArbiter::new(SUB_CORES),
            inputs: LoadQueueIn::default(),
        }
    }

    /// Returns true if a sub-core's request is taken.
    pub fn has_room(&self, sub_core: usize) -> bool {
        self.queues[sub_core].len() < QUEUE_DEPTH
    }

    /// The sub-core whose turn it is, if any has a request.
    fn turn(&self) -> Option<usize> {
        let waiting = (0..SUB_CORES).filter(|&sub_core| !self.queues[sub_core].is_empty());
        self.turns.grant(waiting.fold(0, |all, sub_core| all | 1 << sub_core))
    }

    /// The oldest one.
    pub fn head(&self) -> Option<LoadRequest> {
        self.turn().map(|sub_core| self.queues[sub_core][0])
    }

    /// The clock edge. A request is taken if there was room at the start of the cycle. `pop`: the head is
    /// done.
    pub fn edge(&mut self, pushes: impl IntoIterator<Item = (usize, LoadRequest)>, pop: bool) {
        let had_room: [bool; SUB_CORES] = std::array::from_fn(|sub_core| self.has_room(sub_core));
        let turn = self.turn();
        self.turns.pass(turn, pop);
        if let Some(sub_core) = turn.filter(|_| pop) {
            self.queues[sub_core].pop_front();
        }
        for (sub_core, request) in pushes {
            if had_room[sub_core] {
                self.queues[sub_core].push_back(request);
            }
        }
    }
}

impl Clocked for LoadQueue {
    type In = LoadQueueIn;
    type Out = LoadQueueOut;

    fn settle(&mut self, inputs: &LoadQueueIn) -> LoadQueueOut {
        self.inputs = *inputs;
        let head = self.head();
        let LoadRequest { release, warp, address, source, destination } = head.unwrap_or_default();
        LoadQueueOut {
            ready: std::array::from_fn(|sub_core| self.has_room(sub_core)),
            head_valid: head.is_some(),
            head_release: release,
            head_warp: warp,
            head_address: address,
            head_source: source,
            head_destination: destination,
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let pushes = (0..SUB_CORES).filter(|&sub_core| inputs.push[sub_core]).map(|sub_core| {
            let request = LoadRequest {
                release: inputs.push_release[sub_core],
                warp: inputs.push_warp[sub_core],
                address: inputs.push_address[sub_core],
                source: inputs.push_source[sub_core],
                destination: inputs.push_destination[sub_core],
            };
            (sub_core, request)
        });
        self.edge(pushes, inputs.pop);
    }
}
