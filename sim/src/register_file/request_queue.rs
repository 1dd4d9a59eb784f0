// SPDX-License-Identifier: Apache-2.0
//! Reference model of a bank's queue of read requests: F §II.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RequestQueueIn, RequestQueueOut};
use gpurf_blocks::{Clocked, CollectorId, Parameters, Row, MAX_COLLECTORS, MAX_SLOTS};

/// One read that waits for its bank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct ReadRequest {
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
    waiting: [ReadRequest; DEPTH],
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
        let waiting = [ReadRequest::default(); DEPTH];
        RequestQueue { waiting, first: 0, count: 0, slots, accesses, inputs: RequestQueueIn::default() }
    }
}

impl RequestQueue {
    /// The read in a place, 0 that of the oldest: one that waits or, behind those, one that is asked for.
    /// Any, if there is none.
    #[inline]
    pub fn at(&self, place: usize) -> ReadRequest {
        self.waiting[(self.first + place) % DEPTH]
    }

    /// How many wait.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// A read is asked for, behind so many others that are: see [`RequestQueue::take`].
    #[inline]
    pub fn ask(&mut self, others: u8, request: ReadRequest) {
        self.waiting[(self.first + self.count + usize::from(others)) % DEPTH] = request;
    }

    /// The clock edge: so many reads that are asked for come, and so many of the oldest leave, of those that
    /// have just come, too.
    #[inline]
    pub fn take(&mut self, come: u8, leave: u8) {
        self.first = (self.first + usize::from(leave)) % DEPTH;
        self.count = self.count + usize::from(come) - usize::from(leave);
    }
}

impl Clocked for RequestQueue {
    type In = RequestQueueIn;
    type Out = RequestQueueOut;

    fn settle(&mut self, inputs: &RequestQueueIn) -> RequestQueueOut {
        self.inputs = *inputs;
        let in_place = |place| if place < self.count { self.at(place) } else { ReadRequest::default() };
        let (head, has_second) = (in_place(0), self.accesses > 1 && self.count > 1);
        let behind = if has_second { in_place(1) } else { ReadRequest::default() };
        RequestQueueOut {
            head_valid: self.count > 0,
            head_row: head.row.0,
            head_collector: head.collector.into(),
            head_slot: head.slot.into(),
            second_valid: [has_second],
            second_row: [behind.row.0],
            second_collector: [behind.collector.into()],
            second_slot: [behind.slot.into()],
        }
    }

    fn tick(&mut self) {
        let RequestQueueIn { push, push_row, push_collector, pop, second_pop: [second_pop], .. } =
            self.inputs;
        let pops = u8::from(pop) + u8::from(second_pop && self.accesses > 1);
        let leave = pops.min(self.count as u8);
        let mut come = 0;
        for slot in (0..self.slots).filter(|slot| push[*slot]) {
            let (row, collector) = (Row(push_row[slot]), CollectorId(push_collector as u8));
            self.ask(come, ReadRequest { row, collector, slot: slot as u8 });
            come += 1;
        }
        self.take(come, leave);
    }
}
