// SPDX-License-Identifier: Apache-2.0
//! Reference model of a caching collector unit's operand collector table as a block of its own: W §3.2,
//! F §III-C. [`super::Ccu`] is not built from it: it says directly what the whole unit does.

use gpurf_blocks::ports::{OperandCollectorTableIn, OperandCollectorTableOut};
use gpurf_blocks::{Clocked, Parameters};

/// One source slot of the operand collector table.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    valid: bool,
    ready: bool,
    index: u32,
    register: u32,
    near: bool,
}

/// Slots that point into the cache table.
#[derive(Clone, Debug)]
pub struct OperandCollectorTable {
    parameters: Parameters,
    slots: Vec<Slot>,
    inputs: OperandCollectorTableIn,
}

impl OperandCollectorTable {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let slots = vec![Slot::default(); parameters.slots];
        OperandCollectorTable { parameters: *parameters, slots, inputs: OperandCollectorTableIn::default() }
    }

    fn index_of(&self, slot: u32) -> u32 {
        self.slots.get(slot as usize).map_or(0, |slot| slot.index)
    }

    /// Returns true if the slot waits for the value that another one asked for.
    fn waits(&self, slot: &Slot, asked: u32) -> bool {
        match self.parameters.allocate_on_arrival {
            true => slot.valid && !slot.ready && slot.index == asked,
            false => slot.index == self.index_of(asked),
        }
    }
}

impl Clocked for OperandCollectorTable {
    type In = OperandCollectorTableIn;
    type Out = OperandCollectorTableOut;

    fn settle(&mut self, inputs: &OperandCollectorTableIn) -> OperandCollectorTableOut {
        self.inputs = *inputs;
        let arrives = |slot: &Slot| inputs.s_valid && self.waits(slot, inputs.s_slot);
        let second = |slot: &Slot| inputs.second_s_valid[0] && self.waits(slot, inputs.second_s_slot[0]);
        let passes = |slot: &Slot| self.parameters.dispatch_on_arrival && (arrives(slot) || second(slot));
        let mut outputs = OperandCollectorTableOut {
            s_index: self.index_of(inputs.s_slot),
            all_ready: self.slots.iter().all(|slot| slot.ready || !slot.valid || passes(slot)),
            ..Default::default()
        };
        for (number, slot) in self.slots.iter().enumerate() {
            outputs.passes[number] = passes(slot);
            outputs.second_passes[number] = self.parameters.dispatch_on_arrival && second(slot);
            outputs.valid[number] = slot.valid;
            outputs.index[number] = slot.index;
            outputs.placed[number] = !self.parameters.allocate_on_arrival || slot.valid && slot.ready;
        }
        if self.parameters.accesses > 1 {
            outputs.second_s_index[0] = self.index_of(inputs.second_s_slot[0]);
        }
        if self.parameters.allocate_on_arrival {
            outputs.s_register[0] = self.slots.get(inputs.s_slot as usize).map_or(0, |slot| slot.register);
            outputs.s_near[0] = self.slots.iter().any(|slot| arrives(slot) && slot.near);
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let first = inputs.s_valid.then_some(inputs.s_slot);
        let second = inputs.second_s_valid[0].then_some(inputs.second_s_slot[0]);
        for asked in [first, second].into_iter().flatten() {
            let filled: Vec<usize> =
                (0..self.slots.len()).filter(|number| self.waits(&self.slots[*number], asked)).collect();
            for number in filled {
                let slot = &mut self.slots[number];
                slot.ready |= slot.valid;
                if self.parameters.allocate_on_arrival {
                    slot.index = inputs.s_entry[0];
                }
            }
        }
        if inputs.issue {
            for (number, slot) in self.slots.iter_mut().enumerate() {
                slot.valid = inputs.source_valid[number];
                slot.ready = inputs.source_hit[number];
                slot.index = inputs.source_index[number];
                if self.parameters.allocate_on_arrival {
                    (slot.register, slot.near) = (inputs.source_register[number], inputs.source_near[number]);
                }
            }
        }
    }
}
