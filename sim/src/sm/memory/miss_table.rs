// SPDX-License-Identifier: Apache-2.0
//! The sectors that a cache has asked for and not yet got (miss status holding registers).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::checkpoint::heap;

#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct MissTable {
    size: usize,
    /// When each of them arrives, the first on top.
    #[borsh(serialize_with = "heap::save", deserialize_with = "heap::restore")]
    outstanding: BinaryHeap<Reverse<u64>>,
    /// Sectors beside them whose arrival is not known yet.
    open: usize,
}

impl MissTable {
    pub fn new(size: usize) -> Self {
        MissTable { size, outstanding: BinaryHeap::with_capacity(size), open: 0 }
    }

    /// The cycle, from `now` on, in which a miss finds room.
    pub fn room(&mut self, now: u64) -> u64 {
        while self.outstanding.peek().is_some_and(|&Reverse(end)| end <= now) {
            self.outstanding.pop();
        }
        match self.is_full() {
            true => self.outstanding.peek().map_or(u64::MAX, |&Reverse(end)| end),
            false => now,
        }
    }

    fn is_full(&self) -> bool {
        self.outstanding.len() + self.open >= self.size
    }

    /// A miss comes in the cycle that [`MissTable::room`] says.
    pub fn admit(&mut self) {
        if self.is_full() {
            self.outstanding.pop();
        }
        self.open += 1;
    }

    /// A miss that was admitted ends in cycle `end`.
    pub fn end(&mut self, end: u64) {
        self.open -= 1;
        self.outstanding.push(Reverse(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_admits_when_its_first_miss_ends() {
        let mut table = MissTable::new(2);
        let mut miss = |now, room, end| {
            assert_eq!(table.room(now), room);
            table.admit();
            table.end(end);
        };
        miss(0, 0, 300);
        miss(0, 0, 200);
        miss(10, 200, 500);
        miss(20, 300, 510);
        assert_eq!(table.room(505), 505);
    }

    #[test]
    fn a_miss_without_an_end_keeps_its_place() {
        let mut table = MissTable::new(2);
        table.admit();
        table.admit();
        assert_eq!(table.room(10), u64::MAX, "nobody knows");
        table.end(400);
        assert_eq!(table.room(10), 400);
    }
}
