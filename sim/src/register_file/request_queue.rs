//! Reference model of a bank's queue of read requests: F §II.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RequestQueueIn, RequestQueueOut};
use gpurf_blocks::{Clocked, CollectorId, Parameters, Row};

/// One read that waits for its bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Request {
    /// Row of the bank.
    pub row: Row,
    /// The collector that gets the value.
    pub collector: CollectorId,
    /// The slot there.
    pub slot: u8,
}

/// First in, first out.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RequestQueue {
    /// Oldest first.
    waiting: VecDeque<Request>,
    slots: usize,
    accesses: usize,
    #[borsh(skip)]
    inputs: RequestQueueIn,
}

impl RequestQueue {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, accesses, .. } = *parameters;
        let waiting = VecDeque::with_capacity(collectors * slots);
        RequestQueue { waiting, slots, accesses, inputs: RequestQueueIn::default() }
    }
}

impl RequestQueue {
    /// No read waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// The oldest read; any while none waits.
    pub fn head(&self) -> Request {
        self.waiting.front().copied().unwrap_or_default()
    }

    /// The read behind it, if there is one.
    pub fn second(&self) -> Option<Request> {
        self.waiting.get(1).copied()
    }

    /// A read comes.
    pub fn push(&mut self, request: Request) {
        self.waiting.push_back(request);
    }

    /// The oldest read leaves, if there is one.
    pub fn pop(&mut self) {
        self.waiting.pop_front();
    }
}

impl Clocked for RequestQueue {
    type In = RequestQueueIn;
    type Out = RequestQueueOut;

    fn settle(&mut self, inputs: &RequestQueueIn) -> RequestQueueOut {
        self.inputs = *inputs;
        let head = self.head();
        let second = self.second().filter(|_| self.accesses > 1);
        let behind = second.unwrap_or_default();
        RequestQueueOut {
            head_valid: !self.is_empty(),
            head_row: head.row.0,
            head_collector: head.collector.into(),
            head_slot: head.slot.into(),
            second_valid: [second.is_some()],
            second_row: [behind.row.0],
            second_collector: [behind.collector.into()],
            second_slot: [behind.slot.into()],
        }
    }

    fn tick(&mut self) {
        if self.inputs.pop {
            self.pop();
        }
        if self.accesses > 1 && self.inputs.second_pop[0] {
            self.pop();
        }
        for slot in (0..self.slots).filter(|slot| self.inputs.push[*slot]) {
            self.waiting.push_back(Request {
                row: Row(self.inputs.push_row[slot]),
                collector: CollectorId(self.inputs.push_collector as u8),
                slot: slot as u8,
            });
        }
    }
}
