// SPDX-License-Identifier: Apache-2.0
//! A channel that several SMs use, in any order.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};

/// A channel whose time is cut into slots of one sector each. SMs ask for slots of times that lie ahead of
/// them by different lengths, and whoever asks later may get an earlier one that is left.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(super) struct Slots {
    /// So many slots in so many cycles.
    slots: u64,
    cycles: u64,
    /// A bit for each slot from `first` on, whether it is taken.
    taken: VecDeque<u64>,
    first: u64,
    /// All slots before this one are taken, or over.
    full: u64,
}

impl Slots {
    pub fn new(slots: u64, cycles: u64) -> Self {
        Slots { slots, cycles, taken: VecDeque::with_capacity(64), first: 0, full: 0 }
    }

    /// The cycle, from `now` on, in which the channel takes a sector.
    pub fn take(&mut self, now: u64) -> u64 {
        let mut slot = (now * self.slots).div_ceil(self.cycles).max(self.full);
        let fills = slot == self.full;
        loop {
            let (word, bit) = ((slot - self.first) as usize / 64, (slot - self.first) % 64);
            while self.taken.len() <= word {
                self.taken.push_back(0);
            }
            let free = (!self.taken[word] >> bit).trailing_zeros() as u64;
            if bit + free < 64 {
                slot += free;
                self.taken[word] |= 1 << (bit + free);
                break;
            }
            slot += 64 - bit;
        }
        if fills {
            self.full = slot + 1;
        }
        now.max((slot * self.cycles).div_ceil(self.slots))
    }

    /// No slot before cycle `now` will be asked for again.
    pub fn forget(&mut self, now: u64) {
        self.full = self.full.max(now * self.slots / self.cycles);
        while self.first + 64 <= self.full {
            self.taken.pop_front();
            self.first += 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_earlier_slot_that_is_left_is_taken_later() {
        let mut slots = Slots::new(1, 1);
        assert_eq!([100, 100, 50, 50, 100].map(|now| slots.take(now)), [100, 101, 50, 51, 102]);
    }

    #[test]
    fn a_channel_of_five_sectors_in_eight_cycles() {
        let mut slots = Slots::new(5, 8);
        assert_eq!([0; 6].map(|now| slots.take(now)), [0, 2, 4, 5, 7, 8]);
        slots.forget(1000);
        assert_eq!([1000, 1000].map(|now| slots.take(now)), [1000, 1002]);
    }

    proptest! {
        /// In any span of cycles no more sectors pass than have slots there, and none earlier than asked for.
        #[test]
        fn no_slot_is_given_twice(
            rate in (1u64..10, 1u64..10),
            asked in prop::collection::vec((0u64..4, 0u64..200), 1..200),
        ) {
            let (count, cycles) = rate;
            let mut slots = Slots::new(count, cycles);
            let mut now = 0;
            let mut given = Vec::new();
            for (passed, ahead) in asked {
                now += passed;
                slots.forget(now);
                let cycle = slots.take(now + ahead);
                prop_assert!(cycle >= now + ahead);
                given.push(cycle);
            }
            given.sort_unstable();
            for (first, &start) in given.iter().enumerate() {
                for (last, &end) in given.iter().enumerate().skip(first) {
                    let most = ((end - start + 1) * count).div_ceil(cycles) + 1;
                    prop_assert!((last - first + 1) as u64 <= most, "{start} to {end}");
                }
            }
        }
    }
}
