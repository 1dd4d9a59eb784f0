// SPDX-License-Identifier: Apache-2.0
//! A link that carries a sector every so many cycles, or any number with 0.

use borsh::{BorshDeserialize, BorshSerialize};

#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(super) struct Link {
    cycles_per_sector: u64,
    /// The cycle in which it is free again.
    free: u64,
}

impl Link {
    pub fn new(cycles_per_sector: u64) -> Self {
        Link { cycles_per_sector, free: 0 }
    }

    /// The cycle, from `now` on, in which the link takes a sector.
    pub fn take(&mut self, now: u64) -> u64 {
        let start = now.max(self.free);
        self.free = start + self.cycles_per_sector;
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_pass_one_after_the_other() {
        let mut link = Link::new(3);
        assert_eq!([10, 10, 11, 40].map(|now| link.take(now)), [10, 13, 16, 40]);
    }
}
