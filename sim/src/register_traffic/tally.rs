// SPDX-License-Identifier: Apache-2.0
//! Lanes that an instruction's operands move to and from the banks of a cache.

use super::traffic::Traffic;

/// Adds up the traffic of instructions. Threads whose caches differ share an access of a bank, so lanes of an
/// operand are collected over all of their caches before accesses are counted; where all lanes share a cache,
/// at once.
#[derive(Default)]
pub(super) struct Tally {
    pub traffic: Traffic,
    /// By operand of the cache at work, sources first: the way where it was found.
    pub found: Vec<u8>,
    /// Lanes of a source that the cache at work does not have.
    pub missing: Vec<u32>,
    bank_lanes: usize,
    /// The mask of the instruction, and what it comes to: most operands move all of its lanes.
    mask: u32,
    mask_lanes: u64,
    mask_accesses: u64,
    collects: bool,
    /// By operand: which lanes read and write banks, and whose replaced values are read from them.
    collected: Vec<[u32; 3]>,
}

const READ: usize = 0;
const WRITE: usize = 1;
const VICTIM: usize = 2;

impl Tally {
    /// For an instruction of so many operands, in one cache.
    #[inline]
    pub fn begin(&mut self, operands: usize) {
        if self.found.len() < operands {
            self.found.resize(operands, 0);
            self.missing.resize(operands, 0);
        }
    }

    /// For an instruction of this mask, in one cache or in several.
    #[inline]
    pub fn open(&mut self, mask: u32, bank_lanes: usize, operands: usize, several: bool) {
        if mask != self.mask || bank_lanes != self.bank_lanes {
            self.mask = mask;
            self.mask_lanes = mask.count_ones().into();
            self.mask_accesses = accesses(mask, bank_lanes);
            self.bank_lanes = bank_lanes;
        }
        self.collects = several;
        if several {
            self.collected.clear();
            self.collected.resize(operands, [0; 3]);
        }
    }

    #[inline]
    pub fn lanes(&self, lanes: u32) -> u64 {
        if lanes == self.mask {
            self.mask_lanes
        } else {
            lanes.count_ones().into()
        }
    }

    #[inline]
    fn accesses(&self, lanes: u32) -> u64 {
        if lanes == self.mask {
            self.mask_accesses
        } else {
            accesses(lanes, self.bank_lanes)
        }
    }

    #[inline]
    pub fn close(&mut self) {
        if self.collects {
            for [reads, writes, victims] in self.collected.drain(..) {
                self.traffic.cache_reads += accesses(reads, self.bank_lanes);
                self.traffic.cache_writes += accesses(writes, self.bank_lanes);
                self.traffic.victim_reads += accesses(victims, self.bank_lanes);
            }
        }
    }

    #[inline]
    pub fn read(&mut self, operand: usize, lanes: u32) {
        match self.collects {
            true => self.collected[operand][READ] |= lanes,
            false => self.traffic.cache_reads += self.accesses(lanes),
        }
    }

    #[inline]
    pub fn write(&mut self, operand: usize, lanes: u32) {
        match self.collects {
            true => self.collected[operand][WRITE] |= lanes,
            false => self.traffic.cache_writes += self.accesses(lanes),
        }
    }

    #[inline]
    pub fn victim(&mut self, operand: usize, lanes: u32) {
        match self.collects {
            true => self.collected[operand][VICTIM] |= lanes,
            false => self.traffic.victim_reads += self.accesses(lanes),
        }
    }
}

/// Accesses of banks for these lanes: one for each group that has some of them.
#[inline]
fn accesses(lanes: u32, bank_lanes: usize) -> u64 {
    let groups = match bank_lanes {
        4 => (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & 0x1111_1111,
        _ => lanes,
    };
    groups.count_ones().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_lanes_share_an_access_of_a_wide_bank() {
        assert_eq!((accesses(u32::MAX, 4), accesses(u32::MAX, 1)), (8, 32));
        assert_eq!((accesses(0b1000_0001_0001, 4), accesses(0b1000_0001_0001, 1)), (3, 3));
        assert_eq!((accesses(0b1111_1000, 4), accesses(0, 4)), (2, 0));
        assert_eq!(accesses(0b1000, 4), 1, "the last lane of a group counts for it alone");
    }

    #[test]
    fn caches_of_different_threads_share_an_access() {
        let count = |several| {
            let mut tally = Tally::default();
            tally.open(0b1111, 4, 1, several);
            tally.read(0, 0b0001);
            tally.read(0, 0b0010);
            tally.close();
            tally.traffic.cache_reads
        };
        assert_eq!((count(true), count(false)), (1, 2));
    }
}
