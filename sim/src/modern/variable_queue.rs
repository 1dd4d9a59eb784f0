// SPDX-License-Identifier: Apache-2.0
//! Reference model of a queue of instructions of variable latency: H §5.4.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{VariableQueueIn, VariableQueueOut};
use gpurf_blocks::{Clocked, Parameters, WarpId, READS};

use crate::bits::{flags, mask};

/// Instructions that wait for their reads, and places that are reserved.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct VariableQueue {
    places: usize,
    queue: VecDeque<Instruction>,
    reserved: usize,
    #[borsh(skip)]
    inputs: VariableQueueIn,
}

/// An instruction behind Control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Instruction {
    /// Its warp.
    pub warp: WarpId,
    /// First row of the warp's registers in every bank.
    pub base: u8,
    /// Execution unit that it needs.
    pub unit: u8,
    /// The pipe whose results it finds a cycle earlier than others.
    pub pipe: u8,
    /// Data of the instruction for later pipeline stages.
    pub payload: u32,
    /// Registers that it reads.
    pub sources: BankedSources,
}

/// Sources of an instruction: those that it has, a bit each, and their registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct BankedSources {
    /// Bit 2 o + b: operand o has a register in bank b.
    pub valid: u8,
    /// The register of operand o in bank b, at 2 o + b.
    pub registers: [u8; READS],
}

impl VariableQueue {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        VariableQueue {
            places: parameters.variable_depth + 1,
            queue: VecDeque::new(),
            reserved: 0,
            inputs: VariableQueueIn::default(),
        }
    }

    /// Returns true if an instruction may issue that will enter.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.reserved < self.places
    }

    /// Such an instruction issues.
    pub fn reserve(&mut self) {
        self.reserved += 1;
    }

    /// The unit has taken on an instruction that has left.
    pub fn give_back(&mut self) {
        self.reserved -= 1;
    }

    /// The instruction at the head.
    #[inline]
    pub fn head(&self) -> Option<&Instruction> {
        self.queue.front()
    }

    /// It goes to its reads.
    pub fn take(&mut self) -> Option<Instruction> {
        self.queue.pop_front()
    }

    /// An instruction leaves Control.
    pub fn enter(&mut self, instruction: Instruction) {
        self.queue.push_back(instruction);
    }
}

impl Clocked for VariableQueue {
    type In = VariableQueueIn;
    type Out = VariableQueueOut;

    fn settle(&mut self, inputs: &VariableQueueIn) -> VariableQueueOut {
        self.inputs = *inputs;
        let room = self.has_room();
        let Some(head) = self.head() else { return VariableQueueOut { room, ..Default::default() } };
        VariableQueueOut {
            room,
            head_valid: true,
            head_unit: head.unit.into(),
            head_pipe: head.pipe.into(),
            head_payload: head.payload,
            head_source_valid: flags(head.sources.valid),
            head_source_register: head.sources.registers.map(u32::from),
            head_warp: head.warp.into(),
            head_base: head.base.into(),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        if inputs.take {
            self.take();
        }
        if inputs.reserve {
            self.reserve();
        }
        if inputs.give_back {
            self.give_back();
        }
        if inputs.enter {
            self.enter(Instruction {
                warp: WarpId(inputs.enter_warp as u8),
                base: inputs.enter_base as u8,
                unit: inputs.enter_unit as u8,
                pipe: inputs.enter_pipe as u8,
                payload: inputs.enter_payload,
                sources: BankedSources {
                    valid: mask(&inputs.enter_source_valid),
                    registers: inputs.enter_source_register.map(|register| register as u8),
                },
            });
        }
    }
}
