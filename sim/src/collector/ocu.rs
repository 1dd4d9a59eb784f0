// SPDX-License-Identifier: Apache-2.0
//! Reference model of the operand collector unit: W §2, F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{CollectorIn, CollectorOut};
use gpurf_blocks::{Clocked, Data, Parameters, WarpId, MAX_SLOTS};

use super::{Collector, Edge, Issue, Placement};

/// The instruction that a collector holds, and its operands.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Ocu<D: Data> {
    parameters: Parameters,
    occupied: bool,
    warp: WarpId,
    unit: u32,
    payload: u32,
    /// Bit s: source slot s is used; its value is there.
    valid: u8,
    ready: u8,
    data: [D; MAX_SLOTS],
    #[borsh(skip)]
    inputs: CollectorIn<D>,
}

impl<D: Data> Ocu<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        Ocu {
            parameters: *parameters,
            occupied: false,
            warp: WarpId::default(),
            unit: 0,
            payload: 0,
            valid: 0,
            ready: 0,
            data: [D::default(); MAX_SLOTS],
            inputs: CollectorIn::default(),
        }
    }

    fn issue(&mut self, issue: &Issue) {
        (self.warp, self.unit, self.payload) = (issue.warp, issue.unit, issue.payload);
        (self.valid, self.ready) = (issue.sources, 0);
        self.occupied = true;
    }
}

impl<D: Data> Collector<D> for Ocu<D> {
    const RESTS: bool = true;

    fn numbered(parameters: &Parameters, _number: usize) -> Self {
        Ocu::new(parameters)
    }

    fn is_occupied(&self) -> bool {
        self.occupied
    }

    fn is_ready(&self) -> bool {
        self.occupied & (self.valid & !self.ready == 0)
    }

    fn held(&self) -> (WarpId, u32, u32) {
        (self.warp, self.unit, self.payload)
    }

    fn used(&self) -> u8 {
        self.valid
    }

    fn operand(&self, slot: usize) -> D {
        self.data[slot]
    }

    fn look_up(&self, issue: &Issue) -> Placement {
        Placement { request: issue.sources, ..Placement::default() }
    }

    fn receive(&mut self, slot: usize, data: D, _random: u32) {
        self.data[slot] = data;
        self.ready |= 1 << slot;
    }

    fn update(&mut self, edge: &Edge<D>) {
        if let Some((issue, _)) = edge.issue {
            self.issue(issue);
        }
    }

    fn dispatch(&mut self) {
        self.occupied = false;
    }
}

impl<D: Data> Clocked for Ocu<D> {
    type In = CollectorIn<D>;
    type Out = CollectorOut<D>;

    fn settle(&mut self, inputs: &CollectorIn<D>) -> CollectorOut<D> {
        self.inputs = *inputs;
        let issue = Issue::at_collector(inputs, &self.parameters);
        self.shown(inputs, issue.as_ref(), &self.parameters).0
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.begin_edge(&inputs);
        if let Some(issue) = Issue::at_collector(&inputs, &self.parameters) {
            self.issue(&issue);
        }
    }
}
