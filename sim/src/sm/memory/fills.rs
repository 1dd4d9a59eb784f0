// SPDX-License-Identifier: Apache-2.0
//! Sectors on their way to L1, and the loads that wait for each.
//!
//! All that waits for a sector is written back before what waits for the next, one a cycle. So how long a
//! load takes depends on what comes to wait beside it, and is known when its last sector arrives.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use borsh::{BorshDeserialize, BorshSerialize};

use crate::checkpoint::heap;

/// `T` is what identifies a load.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Fills<T> {
    /// The port of the write-back takes one sector a cycle, rather than any number.
    one_a_cycle: bool,
    /// The next cycle in which it is free.
    free: u64,
    /// Cycle of the arrival, number of the request, and place among `waiting`; the first on top.
    #[borsh(serialize_with = "heap::save", deserialize_with = "heap::restore")]
    arrivals: BinaryHeap<Reverse<(u64, u64, u32)>>,
    requests: u64,
    /// The loads that wait for a sector, by their place in `loads`. What is not in use is in `spare`.
    waiting: Vec<Vec<u32>>,
    spare: Vec<u32>,
    /// Loads that wait. Places not in use are in `vacant`.
    loads: Vec<Load<T>>,
    vacant: Vec<u32>,
    /// Loads that are complete, and when.
    complete: VecDeque<(T, u64)>,
}

#[derive(BorshSerialize, BorshDeserialize)]
struct Load<T> {
    what: T,
    /// Its place among the completions.
    order: u64,
    /// Sectors and replies that it waits for, and one until it is closed.
    waits: u32,
    completion: u64,
}

/// A sector on its way.
#[derive(Clone, Copy)]
pub(super) struct Sector {
    /// Its number until it arrives.
    pub number: u32,
    /// The number of its request.
    request: u64,
}

fn place(number: u32) -> usize {
    number as usize
}

impl<T: Copy> Fills<T> {
    pub fn new(one_a_cycle: bool) -> Self {
        Fills {
            one_a_cycle,
            free: 0,
            arrivals: BinaryHeap::new(),
            requests: 0,
            waiting: Vec::new(),
            spare: Vec::new(),
            loads: Vec::new(),
            vacant: Vec::new(),
            complete: VecDeque::new(),
        }
    }

    /// An access begins that may have to wait, with its place among the completions. Its number, until
    /// [`Fills::close`].
    pub fn open(&mut self, what: T, order: u64) -> u32 {
        let load = Load { what, order, waits: 1, completion: 0 };
        match self.vacant.pop() {
            Some(number) => {
                self.loads[place(number)] = load;
                number
            }
            None => {
                self.loads.push(load);
                (self.loads.len() - 1) as u32
            }
        }
    }

    /// The access that began under a number.
    pub fn of(&self, load: u32) -> T {
        self.loads[place(load)].what
    }

    /// The load asks for a sector, and waits for it.
    pub fn request(&mut self, load: u32) -> Sector {
        let number = self.spare.pop().unwrap_or_else(|| {
            self.waiting.push(Vec::new());
            (self.waiting.len() - 1) as u32
        });
        self.requests += 1;
        self.join(load, number);
        Sector { number, request: self.requests }
    }

    /// A sector that was asked for arrives in a cycle.
    pub fn expect(&mut self, Sector { number, request }: Sector, arrival: u64) {
        self.arrivals.push(Reverse((arrival, request, number)));
    }

    /// A store or atomic operation waits for a reply of L2.
    pub fn owe(&mut self, load: u32) {
        self.loads[place(load)].waits += 1;
    }

    /// The reply that a store or atomic operation waits for is there in a cycle. If it is the last one: what
    /// it is, its place among the completions, and the cycle of its completion.
    pub fn reply(&mut self, number: u32, cycle: u64) -> Option<(T, u64, u64)> {
        let found = &mut self.loads[place(number)];
        found.completion = found.completion.max(cycle);
        found.waits -= 1;
        if found.waits > 0 {
            return None;
        }
        self.vacant.push(number);
        Some((found.what, found.order, found.completion))
    }

    /// The load waits for a sector that is asked for already.
    pub fn join(&mut self, load: u32, sector: u32) {
        self.waiting[place(sector)].push(load);
        self.loads[place(load)].waits += 1;
    }

    /// The load has all its sectors, except for those that it waits for, in a cycle. That cycle, if it waits
    /// for none.
    pub fn close(&mut self, load: u32, completion: u64) -> Option<u64> {
        let found = &mut self.loads[place(load)];
        found.completion = found.completion.max(completion);
        let completion = found.completion;
        found.waits -= 1;
        if found.waits > 0 {
            return None;
        }
        self.vacant.push(load);
        Some(completion)
    }

    /// The cycle of the next arrival.
    #[inline]
    pub fn next_arrival(&self) -> Option<u64> {
        self.arrivals.peek().map(|&Reverse((arrival, ..))| arrival)
    }

    /// A load that what has arrived until cycle `now` completes, and when.
    #[inline]
    pub fn arrive(&mut self, now: u64) -> Option<(T, u64)> {
        while self.complete.is_empty() && self.next_arrival().is_some_and(|arrival| arrival <= now) {
            let Some(Reverse((arrival, _, sector))) = self.arrivals.pop() else { break };
            let waiting = &mut self.waiting[place(sector)];
            for number in waiting.drain(..) {
                let cycle = if self.one_a_cycle { arrival.max(self.free) } else { arrival };
                self.free = cycle + 1;
                let load = &mut self.loads[place(number)];
                load.completion = load.completion.max(cycle);
                load.waits -= 1;
                if load.waits == 0 {
                    self.complete.push_back((load.what, load.completion));
                    self.vacant.push(number);
                }
            }
            self.spare.push(sector);
        }
        self.complete.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrivals(fills: &mut Fills<char>, now: u64) -> Vec<(char, u64)> {
        std::iter::from_fn(|| fills.arrive(now)).collect()
    }

    fn request(fills: &mut Fills<char>, load: u32, arrival: u64) -> u32 {
        let sector = fills.request(load);
        fills.expect(sector, arrival);
        sector.number
    }

    #[test]
    fn what_waits_for_a_sector_goes_before_what_waits_for_the_next() {
        for (one_a_cycle, first, second) in [(true, 102, 103), (false, 101, 101)] {
            let mut fills = Fills::new(one_a_cycle);
            let a = fills.open('a', 0);
            let sectors = [100, 101].map(|arrival| request(&mut fills, a, arrival));
            assert_eq!(fills.close(a, 90), None);
            let b = fills.open('b', 0);
            sectors.iter().for_each(|&sector| fills.join(b, sector));
            assert_eq!(fills.close(b, 95), None);
            assert_eq!((fills.next_arrival(), arrivals(&mut fills, 100)), (Some(100), vec![]));
            assert_eq!(arrivals(&mut fills, 101), [('a', first), ('b', second)]);
            assert_eq!(fills.next_arrival(), None);
        }
    }

    #[test]
    fn arrivals_go_by_their_cycles_and_places_are_used_again() {
        let mut fills = Fills::new(true);
        for round in 0..3 {
            let [late, early] = ['l', 'e'].map(|what| fills.open(what, 0));
            request(&mut fills, late, 300 + 1000 * round);
            request(&mut fills, early, 200 + 1000 * round);
            assert_eq!(fills.close(late, 0).or(fills.close(early, 0)), None);
            let none = fills.open('n', 0);
            assert_eq!(fills.close(none, 40), Some(40));
            let found = arrivals(&mut fills, 1000 * (round + 1));
            assert_eq!(found, [('e', 200 + 1000 * round), ('l', 300 + 1000 * round)]);
        }
        assert_eq!((fills.loads.len(), fills.waiting.len()), (3, 2));
    }
}
