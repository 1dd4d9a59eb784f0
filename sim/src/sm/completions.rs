//! When instructions leave their units, and loads come from memory.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::executing::Executing;

/// Instructions by the cycle of their completion; those of one cycle keep the order in which they were planned.
pub(super) struct Completions {
    events: BinaryHeap<Reverse<Event>>,
    sequence: u64,
    /// Registers between a unit and write-back: see `sm.result_registers`.
    delay: u64,
}

struct Event {
    cycle: u64,
    sequence: u64,
    executing: Executing,
}

impl Event {
    fn key(&self) -> (u64, u64) {
        (self.cycle, self.sequence)
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Completions {
    pub fn new(delay: u64) -> Self {
        Completions { events: BinaryHeap::with_capacity(1024), sequence: 0, delay }
    }

    /// The instruction leaves its unit, or memory answers, in `cycle`; it completes behind the registers between there and
    /// write-back.
    pub fn plan(&mut self, cycle: u64, executing: Executing) {
        let cycle = cycle + self.delay;
        self.events.push(Reverse(Event { cycle, sequence: self.sequence, executing }));
        self.sequence += 1;
    }

    /// The next instruction that completes by cycle `now`.
    pub fn next(&mut self, now: u64) -> Option<Executing> {
        let Reverse(event) = self.events.peek()?;
        if event.cycle > now {
            return None;
        }
        self.events.pop().map(|Reverse(event)| event.executing)
    }

    /// The cycle of the next completion.
    pub fn next_cycle(&self) -> Option<u64> {
        self.events.peek().map(|Reverse(event)| event.cycle)
    }
}
