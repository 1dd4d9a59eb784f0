//! Reference model of the operand collector unit: W §2, F §II.

use gpurf_blocks::{Clocked, Data, Parameters, MAX_SLOTS};
use gpurf_hw::collector::{OcuIn, OcuOut};

use crate::bits::{all, mask};

/// The instruction that a collector holds, and its operands.
#[derive(Clone, Debug)]
pub struct Ocu<D: Data> {
    slots: usize,
    pub occupied: bool,
    pub warp: u32,
    pub unit: u32,
    pub payload: u32,
    /// Bit s: source slot s is used; its value is there.
    pub valid: u8,
    ready: u8,
    pub data: [D; MAX_SLOTS],
    inputs: OcuIn<D>,
}

impl<D: Data> Ocu<D> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, .. } = *parameters;
        Ocu {
            slots,
            occupied: false,
            warp: 0,
            unit: 0,
            payload: 0,
            valid: 0,
            ready: 0,
            data: [D::default(); MAX_SLOTS],
            inputs: OcuIn::default(),
        }
    }

    /// "Once all of its source operands are fetched" (F §II).
    pub fn is_ready(&self) -> bool {
        self.occupied && self.valid & !self.ready == 0
    }

    pub fn issue(&mut self, warp: u32, unit: u32, payload: u32, sources: u8) {
        (self.warp, self.unit, self.payload) = (warp, unit, payload);
        (self.valid, self.ready) = (sources, 0);
        self.occupied = true;
    }

    pub fn receive(&mut self, slot: usize, data: D) {
        self.data[slot] = data;
        self.ready |= 1 << slot;
    }

    pub fn dispatch(&mut self) {
        self.occupied = false;
    }
}

impl<D: Data> Clocked for Ocu<D> {
    type In = OcuIn<D>;
    type Out = OcuOut<D>;

    fn settle(&mut self, inputs: &OcuIn<D>) -> OcuOut<D> {
        self.inputs = *inputs;
        let mut outputs = OcuOut {
            occupied: self.occupied,
            ready: self.is_ready(),
            held_warp: self.warp,
            held_unit: self.unit,
            held_payload: self.payload,
            operand_data: self.data,
            ..OcuOut::default()
        };
        for slot in 0..self.slots {
            outputs.request[slot] = inputs.issue && inputs.source_valid[slot];
            outputs.operand_valid[slot] = self.valid >> slot & 1 == 1;
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if inputs.s_valid {
            self.receive(inputs.s_slot as usize, inputs.s_data);
        }
        if inputs.dispatch {
            self.dispatch();
        }
        if inputs.issue {
            let sources = mask(&inputs.source_valid) & all(self.slots);
            self.issue(inputs.warp, inputs.unit, inputs.payload, sources);
        }
    }
}
