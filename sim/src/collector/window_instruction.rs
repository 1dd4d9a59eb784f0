// SPDX-License-Identifier: Apache-2.0
//! Reference model of one instruction in the window of a bypassing operand collector: F §VI-B.

use gpurf_trace::RegisterId;
use std::borrow::Cow;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{WindowInstructionIn, WindowInstructionOut};
use gpurf_blocks::{Clocked, Data, Parameters, MAX_DESTINATIONS, MAX_SLOTS};

use super::arrivals;
use crate::bits::{all, mask, members};

/// A register, and its value if it is there.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct Operand<D> {
    /// Register number.
    pub register: RegisterId,
    /// Its value, if it is there.
    pub value: Option<D>,
}

/// Its operands.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct WindowInstruction<D> {
    /// Its sources, by slot.
    pub sources: [Option<Operand<D>>; MAX_SLOTS],
    /// Registers that it writes.
    pub destinations: [Option<Operand<D>>; MAX_DESTINATIONS],
}

impl<D> Default for WindowInstruction<D> {
    fn default() -> Self {
        WindowInstruction {
            sources: std::array::from_fn(|_| None),
            destinations: std::array::from_fn(|_| None),
        }
    }
}

impl<D: Data> WindowInstruction<D> {
    /// Destinations are younger than sources.
    pub fn operands(&self) -> impl Iterator<Item = &Operand<D>> {
        self.destinations.iter().chain(&self.sources).flatten()
    }

    /// A destination waits for a result of this register.
    pub fn awaits(&self, register: RegisterId) -> bool {
        let mut destinations = self.destinations.iter().flatten();
        destinations.any(|operand| operand.register == register && operand.value.is_none())
    }

    /// Port S: the value of a slot, and of all that name the same register.
    pub fn receive(&mut self, slot: usize, data: D) {
        let register = self.sources[slot].map(|operand| operand.register);
        for operand in self.sources.iter_mut().flatten() {
            if Some(operand.register) == register {
                operand.value = Some(data);
            }
        }
    }

    /// A result: it fills the slot that waits for it, and any other copy of its register is old.
    pub fn write(&mut self, register: RegisterId, data: D) {
        for source in &mut self.sources {
            *source = source.filter(|operand| operand.register != register);
        }
        for destination in &mut self.destinations {
            *destination = match *destination {
                Some(Operand { register: own, value }) if own == register => {
                    value.is_none().then_some(Operand { register, value: Some(data) })
                }
                other => other,
            };
        }
    }
}

/// A place of the window, with what its registers hold while no operand is in them.
#[derive(Clone, Debug)]
pub struct WindowPlace<D: Data> {
    parameters: Parameters,
    instruction: WindowInstruction<D>,
    tag: [RegisterId; MAX_SLOTS],
    data: [D; MAX_SLOTS],
    inputs: WindowInstructionIn<D>,
}

impl<D: Data> WindowPlace<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        WindowPlace {
            parameters: *parameters,
            instruction: WindowInstruction::default(),
            tag: [RegisterId::default(); MAX_SLOTS],
            data: [D::default(); MAX_SLOTS],
            inputs: WindowInstructionIn::default(),
        }
    }

    /// Port S: the instruction, and what its registers hold, with the value that arrives.
    fn receive(&mut self, slot: usize, data: D) {
        self.instruction.receive(slot, data);
        let register = self.tag[slot];
        for slot in (0..self.parameters.slots).filter(|slot| self.tag[*slot] == register) {
            self.data[slot] = data;
        }
    }

    fn results(&self) -> impl Iterator<Item = usize> {
        members(mask(&self.inputs.write_valid) & all(self.parameters.banks))
    }
}

impl<D: Data> Clocked for WindowPlace<D> {
    type In = WindowInstructionIn<D>;
    type Out = WindowInstructionOut<D>;

    fn settle(&mut self, inputs: &WindowInstructionIn<D>) -> WindowInstructionOut<D> {
        self.inputs = *inputs;
        let mut now = Cow::Borrowed(self);
        for (slot, data) in arrivals!(inputs).filter(|_| self.parameters.dispatch_on_arrival) {
            now.to_mut().receive(slot, data);
        }
        let mut outputs = WindowInstructionOut { all_ready: true, ..Default::default() };
        for slot in 0..self.parameters.slots {
            let operand = now.instruction.sources[slot];
            let value = operand.and_then(|operand| operand.value);
            outputs.operand_valid[slot] = operand.is_some();
            outputs.operand_ready[slot] = value.is_some();
            outputs.operand_data[slot] = now.data[slot];
            outputs.all_ready &= operand.is_none() || value.is_some();
            let register = RegisterId(inputs.source_register[slot] as u8);
            let mut values = now.instruction.operands().filter(|operand| operand.register == register);
            let found = values.find_map(|operand| operand.value);
            outputs.found[slot] = found.is_some();
            outputs.found_data[slot] = found.unwrap_or_default();
        }
        for bank in self.results().filter(|_| !inputs.enter && !inputs.clear) {
            outputs.cached[bank] = self.instruction.awaits(RegisterId(inputs.write_register[bank] as u8));
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let slots = 0..self.parameters.slots;
        for (slot, data) in arrivals!(inputs) {
            self.receive(slot, data);
        }
        for bank in self.results() {
            self.instruction.write(RegisterId(inputs.write_register[bank] as u8), inputs.write_data[bank]);
        }
        if inputs.clear || inputs.enter {
            self.instruction = WindowInstruction::default();
        }
        if inputs.enter {
            for slot in slots {
                let register = RegisterId(inputs.source_register[slot] as u8);
                self.tag[slot] = register;
                let value = inputs.forwarded[slot].then_some(inputs.forwarded_data[slot]);
                self.data[slot] = value.unwrap_or(self.data[slot]);
                self.instruction.sources[slot] =
                    inputs.source_valid[slot].then_some(Operand { register, value });
            }
            for place in (0..self.parameters.destinations).filter(|place| inputs.destination_valid[*place]) {
                let register = RegisterId(inputs.destination_register[place] as u8);
                self.instruction.destinations[place] = Some(Operand { register, value: None });
            }
        }
    }
}
