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
}

impl MissTable {
    pub fn new(size: usize) -> Self {
        MissTable { size, outstanding: BinaryHeap::with_capacity(size) }
    }

    /// The cycle, from `now` on, in which a miss finds room.
    pub fn admit(&mut self, now: u64) -> u64 {
        while self.outstanding.peek().is_some_and(|&Reverse(end)| end <= now) {
            self.outstanding.pop();
        }
        match self.outstanding.len() < self.size {
            true => now,
            false => self.outstanding.pop().map_or(now, |Reverse(end)| end),
        }
    }

    /// A miss that was admitted ends in cycle `end`.
    pub fn insert(&mut self, end: u64) {
        self.outstanding.push(Reverse(end));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_table_admits_when_its_first_miss_ends() {
        let mut table = MissTable::new(2);
        for end in [300, 200] {
            assert_eq!(table.admit(0), 0);
            table.insert(end);
        }
        assert_eq!(table.admit(10), 200);
        table.insert(500);
        assert_eq!(table.admit(20), 300);
        table.insert(510);
        assert_eq!(table.admit(505), 505);
    }
}
