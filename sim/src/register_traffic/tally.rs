//! Lanes that an instruction's operands move to and from the banks of a cache.

use super::traffic::Traffic;

/// By operand, sources first: which lanes read and write the cache. Threads whose caches differ share an access of a
/// bank, so lanes are collected over all of them before accesses are counted.
#[derive(Default)]
pub(super) struct Tally {
    pub reads: Vec<u32>,
    pub writes: Vec<u32>,
    /// Lanes whose replaced values go to the register file.
    pub victims: Vec<u32>,
    /// Lanes of sources that the cache at work does not have.
    pub missing: Vec<u32>,
    /// Ways in which the cache at work found the operands.
    pub found: Vec<Option<usize>>,
    /// Counts that need no collecting.
    pub traffic: Traffic,
}

impl Tally {
    /// For an instruction of so many operands.
    #[inline]
    pub fn begin(&mut self, operands: usize) {
        for lanes in [&mut self.reads, &mut self.writes, &mut self.victims, &mut self.missing] {
            lanes.clear();
            lanes.resize(operands, 0);
        }
    }

    #[inline]
    pub fn end(&mut self, bank_lanes: usize) {
        let Tally { reads, writes, victims, traffic, .. } = self;
        let sum = |lanes: &[u32]| lanes.iter().map(|&lanes| accesses(lanes, bank_lanes)).sum::<u64>();
        traffic.cache_reads += sum(reads);
        traffic.cache_writes += sum(writes);
        traffic.victim_reads += sum(victims);
    }
}

/// Accesses of banks for these lanes: one for each group of lanes of which some are there.
#[inline]
pub(super) fn accesses(lanes: u32, bank_lanes: usize) -> u64 {
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
}
