//! Reference model of a bank's queue of read requests: F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RequestQueueIn, RequestQueueOut};
use gpurf_blocks::{Clocked, CollectorId, Parameters, Row, MAX_COLLECTORS, MAX_SLOTS};

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

/// Every slot of every collector may wait for the same bank.
const DEPTH: usize = MAX_COLLECTORS * MAX_SLOTS;

/// First in, first out.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RequestQueue {
    /// Around a circle.
    waiting: [Request; DEPTH],
    /// Where the oldest lies, and how many there are.
    first: usize,
    count: usize,
    slots: usize,
    accesses: usize,
    #[borsh(skip)]
    inputs: RequestQueueIn,
}

impl RequestQueue {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, accesses, .. } = *parameters;
        let waiting = [Request::default(); DEPTH];
        RequestQueue { waiting, first: 0, count: 0, slots, accesses, inputs: RequestQueueIn::default() }
    }
}

impl RequestQueue {
    /// The oldest read, if one waits.
    #[inline]
    pub fn head(&self) -> Option<Request> {
        (self.count > 0).then_some(self.waiting[self.first % DEPTH])
    }

    /// The read behind it, if there is one.
    pub fn second(&self) -> Option<Request> {
        (self.count > 1).then_some(self.waiting[(self.first + 1) % DEPTH])
    }

    /// A read comes.
    #[inline]
    pub fn push(&mut self, request: Request) {
        self.waiting[(self.first + self.count) % DEPTH] = request;
        self.count += 1;
    }

    /// The oldest read leaves; one must be there.
    #[inline]
    pub fn pop(&mut self) {
        self.first = (self.first + 1) % DEPTH;
        self.count -= 1;
    }
}

impl Clocked for RequestQueue {
    type In = RequestQueueIn;
    type Out = RequestQueueOut;

    fn settle(&mut self, inputs: &RequestQueueIn) -> RequestQueueOut {
        self.inputs = *inputs;
        let head = self.head().unwrap_or_default();
        let second = self.second().filter(|_| self.accesses > 1);
        let behind = second.unwrap_or_default();
        RequestQueueOut {
            head_valid: self.count > 0,
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
        if self.inputs.pop && self.count > 0 {
            self.pop();
        }
        if self.accesses > 1 && self.inputs.second_pop[0] && self.count > 0 {
            self.pop();
        }
        let RequestQueueIn { push, .. } = self.inputs;
        for slot in (0..self.slots).filter(|slot| push[*slot]) {
            self.push(Request {
                row: Row(self.inputs.push_row[slot]),
                collector: CollectorId(self.inputs.push_collector as u8),
                slot: slot as u8,
            });
        }
    }
}
