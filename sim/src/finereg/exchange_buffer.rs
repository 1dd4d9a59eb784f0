// SPDX-License-Identifier: Apache-2.0
//! Reference model of the exchange buffer: R §V-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ExchangeBufferIn, ExchangeBufferOut};
use gpurf_blocks::{Clocked, Data, Parameters, RMU_BUFFERS};

/// Warp and register.
pub type BufferPlace = (usize, usize);

/// Registers on their way, oldest first.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ExchangeBuffer<D: Data> {
    /// Where each belongs; the places behind the last keep what they had.
    places: [BufferPlace; RMU_BUFFERS],
    /// Their values, once they have come.
    values: [Option<D>; RMU_BUFFERS],
    count: usize,
    /// Registers that may be on their way at once.
    most: usize,
    #[borsh(skip)]
    inputs: ExchangeBufferIn<D>,
}

impl<D: Data> ExchangeBuffer<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let most = if parameters.streams { RMU_BUFFERS } else { 1 };
        ExchangeBuffer {
            places: [(0, 0); RMU_BUFFERS],
            values: [None; RMU_BUFFERS],
            count: 0,
            most,
            inputs: Default::default(),
        }
    }

    /// Returns true if no register is on its way.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns true if another register may be read, in a cycle in which the oldest leaves or not.
    pub fn has_room(&self, leaves: bool) -> bool {
        leaves || self.count < self.most
    }

    /// Returns true if a register has been read and its value has not come.
    pub fn is_under_way(&self, place: BufferPlace) -> bool {
        (0..self.count).any(|read| self.places[read] == place && self.values[read].is_none())
    }

    /// The oldest register, and its value if it has it, or if this is the answer that comes.
    pub fn oldest(&self, answer: Option<D>) -> Option<(BufferPlace, Option<D>)> {
        (self.count > 0).then(|| (self.places[0], self.values[0].or(answer)))
    }

    /// The end of a cycle: a value has come, the oldest register has left, one has been read.
    pub fn edge(&mut self, answer: Option<D>, leaves: bool, read: Option<BufferPlace>) {
        if answer.is_some() {
            let unanswered = self.values[..self.count].iter().position(Option::is_none);
            self.values[unanswered.expect("a register is read")] = answer;
        }
        if leaves {
            (self.places[0], self.values[0]) = (self.places[1], self.values[1].take());
            self.count -= 1;
        }
        if let Some(place) = read {
            self.places[self.count] = place;
            self.count += 1;
        }
    }
}

impl<D: Data> Clocked for ExchangeBuffer<D> {
    type In = ExchangeBufferIn<D>;
    type Out = ExchangeBufferOut<D>;

    fn settle(&mut self, inputs: &ExchangeBufferIn<D>) -> ExchangeBufferOut<D> {
        self.inputs = *inputs;
        let answer = inputs.answer.then_some(inputs.answer_data);
        let mut outputs = ExchangeBufferOut {
            room: self.has_room(inputs.leave),
            any: !self.is_empty(),
            under_way: self.is_under_way((inputs.look_warp as usize, inputs.look_register as usize)),
            data: inputs.answer_data,
            ..Default::default()
        };
        (outputs.warp, outputs.register) = (self.places[0].0 as u32, self.places[0].1 as u32);
        if let Some((_, value)) = self.oldest(answer) {
            outputs.complete = value.is_some();
            outputs.data = value.unwrap_or(inputs.answer_data);
        }
        outputs
    }

    fn tick(&mut self) {
        let ExchangeBufferIn { read, read_warp, read_register, answer, answer_data, leave, .. } = self.inputs;
        let read = read.then_some((read_warp as usize, read_register as usize));
        self.edge(answer.then_some(answer_data), leave, read);
    }
}
