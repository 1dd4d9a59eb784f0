// SPDX-License-Identifier: Apache-2.0
//! Waits for a collector, counted for all sub-cores of an SM together, as Malekeh's authors had it in 2021.
//!
//! A sub-core's allocator has a counter of its own, and gives a collector up when that reaches STHLD. Here it
//! is told the longest STHLD until all sub-cores together have waited for long enough, and 0 then. A sub-core
//! counts in the order of its number in the cycle. The count starts again when one that has waited issues.
//! One that alone waits for [`OWN_STHLD`] cycles gives up by its own counter.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::config::OWN_STHLD;

#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct SharedWaits {
    /// STHLD, of all sub-cores.
    pub threshold: u32,
    counted: u32,
    /// Sub-cores that have waited since they issued last, a bit each.
    waited: u8,
}

impl SharedWaits {
    /// The threshold that allocators are told.
    pub fn told(&self) -> u32 {
        if self.counted < self.threshold {
            OWN_STHLD
        } else {
            0
        }
    }

    /// A sub-core's cycle.
    pub fn note(&mut self, sub_core: usize, waiting: bool, issued: bool) {
        let own = 1 << sub_core;
        if waiting {
            self.counted += 1;
            self.waited |= own;
        } else if issued {
            if self.waited & own != 0 && self.counted >= self.threshold {
                self.counted = 0;
            }
            self.waited &= !own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_of_all_sub_cores_count_until_one_of_them_issues() {
        let mut waits = SharedWaits { threshold: 3, ..SharedWaits::default() };
        waits.note(0, true, false);
        waits.note(1, true, false);
        waits.note(0, false, true);
        assert_eq!(waits.told(), OWN_STHLD, "an issue before the threshold leaves the count");
        waits.note(1, true, false);
        assert_eq!(waits.told(), 0);
        waits.note(2, false, true);
        assert_eq!(waits.told(), 0, "sub-core 2 has not waited");
        waits.note(1, false, true);
        assert_eq!(waits.told(), OWN_STHLD);
    }
}
