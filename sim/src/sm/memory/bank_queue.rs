// SPDX-License-Identifier: Apache-2.0
//! The way of sectors through one bank of L1: a queue as long as the cache's latency, before the tags.
//!
//! A sector enters in a cycle and comes to the tags after the latency. What finds no room for its miss waits
//! there, and those behind it close up, until the queue is full.

use borsh::{BorshDeserialize, BorshSerialize};

#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct BankQueue {
    latency: u64,
    /// The next cycle in which a sector can enter, and leave.
    entry: u64,
    exit: u64,
    /// When each of the last `latency` sectors left, the oldest at `oldest`.
    exits: Vec<u64>,
    oldest: usize,
}

impl BankQueue {
    pub fn new(latency: u64) -> Self {
        BankQueue { latency, entry: 0, exit: 0, exits: vec![0; latency as usize], oldest: 0 }
    }

    /// The first cycle from `now` on that has room for a sector, and the one in which it comes to the tags.
    pub fn next(&self, now: u64) -> (u64, u64) {
        let entry = now.max(self.entry).max(self.exits[self.oldest]);
        (entry, self.exit.max(entry + self.latency))
    }

    /// A sector enters in cycle `entry`, as [`BankQueue::next`] says, and leaves in cycle `exit`.
    pub fn pass(&mut self, entry: u64, exit: u64) {
        self.entry = entry + 1;
        self.exit = exit + 1;
        self.exits[self.oldest] = exit;
        self.oldest = (self.oldest + 1) % self.exits.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_pass_one_a_cycle() {
        let mut queue = BankQueue::new(3);
        for sector in 0..10 {
            assert_eq!(queue.next(5), (5 + sector, 8 + sector));
            queue.pass(5 + sector, 8 + sector);
        }
    }

    #[test]
    fn a_sector_that_waits_holds_those_behind_it() {
        let mut queue = BankQueue::new(3);
        queue.pass(0, 100);
        let mut passed = vec![];
        for _ in 0..4 {
            let (entry, exit) = queue.next(1);
            queue.pass(entry, exit);
            passed.push((entry, exit));
        }
        assert_eq!(passed, [(1, 101), (2, 102), (100, 103), (101, 104)], "two fit behind it");
    }
}
