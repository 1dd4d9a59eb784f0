//! Turns the addresses of a warp's lanes into the accesses that memory performs.

use crate::config::LINE;

/// Bytes of a sector, the unit of transfer between caches.
pub(in crate::sm) const SECTOR: u64 = 32;

/// Sectors of one cache line that a warp accesses together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::sm) struct LineAccess {
    /// Address of the line divided by its size.
    pub line: u64,
    /// Bit s: sector s of the line.
    pub sectors: u8,
}

/// Lines that a warp's instruction touches at most: two for each lane, if misaligned.
const MAX_LINES: usize = 64;

/// The lines of one instruction, in the order first touched.
pub(in crate::sm) struct Lines {
    lines: [LineAccess; MAX_LINES],
    count: usize,
}

impl Lines {
    pub fn iter(&self) -> impl Iterator<Item = LineAccess> + '_ {
        self.lines[..self.count].iter().copied()
    }

    pub fn sector_count(&self) -> u64 {
        self.iter().map(|access| u64::from(access.sectors.count_ones())).sum()
    }

    fn add(&mut self, sector: u64) {
        let (line, bit) = (sector * SECTOR / LINE, 1 << (sector % (LINE / SECTOR)));
        // Neighbouring lanes mostly share a line: look at the latest first.
        match self.lines[..self.count].iter_mut().rev().find(|access| access.line == line) {
            Some(access) => access.sectors |= bit,
            None => {
                self.lines[self.count] = LineAccess { line, sectors: bit };
                self.count += 1;
            }
        }
    }
}

/// The lines and sectors in which each lane's `width` bytes lie.
pub(in crate::sm) fn coalesce(addresses: &[u64], width: u64) -> Lines {
    let mut lines = Lines { lines: [LineAccess::default(); MAX_LINES], count: 0 };
    for &address in addresses {
        let (first, last) = (address / SECTOR, (address + width.max(1) - 1) / SECTOR);
        lines.add(first);
        if last != first {
            lines.add(last);
        }
    }
    lines
}

/// Words of a shared-memory access that are served together: one for each lane.
const WORDS: usize = 32;
/// Bytes of a word of a shared-memory bank.
const WORD: u64 = 4;

/// What a warp's access to shared memory costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sm) struct SharedCost {
    /// Cycles that shared memory is busy.
    pub cycles: u64,
    /// Those of them that are lost to bank conflicts.
    pub conflicts: u64,
}

/// The cost of an access of `width` bytes per lane; there is at least one address.
///
/// Lanes that name the same word share its access; different words in one bank take a cycle each.
/// An access of 8 or 16 bytes per lane is served in two or four parts, of which each covers as many
/// lanes as 32 words allow. `banks` is a power of two up to 64.
pub(in crate::sm) fn shared_cost(addresses: &[u64], width: u64, banks: usize) -> SharedCost {
    let words_per_lane = width.div_ceil(WORD).clamp(1, WORDS as u64) as usize;
    let parts = addresses.chunks(WORDS / words_per_lane);
    let part_count = parts.len() as u64;
    let cycles = parts.map(|part| part_cycles(part, words_per_lane, banks)).sum::<u64>();
    SharedCost { cycles, conflicts: cycles - part_count }
}

fn part_cycles(addresses: &[u64], words_per_lane: usize, banks: usize) -> u64 {
    let mut words = [0; WORDS];
    let mut count = 0;
    for &address in addresses {
        for word in 0..words_per_lane as u64 {
            words[count] = address / WORD + word;
            count += 1;
        }
    }
    let words = &mut words[..count];
    let span = words.iter().max().zip(words.iter().min()).map_or(0, |(last, first)| last - first);
    if span < banks as u64 {
        // No two of them are in one bank.
        return 1;
    }
    words.sort_unstable();
    let mut load = [0u8; 64];
    let mut previous = None;
    for &word in words.iter() {
        if previous != Some(word) {
            load[word as usize & (banks - 1)] += 1;
            previous = Some(word);
        }
    }
    u64::from(load.into_iter().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(address: impl Fn(u64) -> u64) -> Vec<u64> {
        (0..32).map(address).collect()
    }

    #[test]
    fn consecutive_words_take_one_line() {
        let lines = coalesce(&lanes(|lane| 0x1000 + 4 * lane), 4);
        assert_eq!(lines.iter().collect::<Vec<_>>(), [LineAccess { line: 0x20, sectors: 0b1111 }]);
    }

    #[test]
    fn one_address_takes_one_sector_and_strides_take_more() {
        assert_eq!(coalesce(&lanes(|_| 0x1044), 4).sector_count(), 1);
        let strided = coalesce(&lanes(|lane| 128 * lane), 4);
        assert_eq!((strided.count, strided.sector_count()), (32, 32));
        let half = coalesce(&lanes(|lane| 8 * lane), 4);
        assert_eq!((half.count, half.sector_count()), (2, 8));
    }

    #[test]
    fn a_misaligned_access_touches_both_sectors() {
        let lines = coalesce(&[0x7e], 4);
        let expected = [LineAccess { line: 0, sectors: 0b1000 }, LineAccess { line: 1, sectors: 1 }];
        assert_eq!(lines.iter().collect::<Vec<_>>(), expected);
        let worst = coalesce(&lanes(|lane| 256 * lane + 0x7c), 16);
        assert_eq!(worst.count, 64);
    }

    fn shared_cycles(addresses: &[u64], width: u64, banks: usize) -> u64 {
        shared_cost(addresses, width, banks).cycles
    }

    #[test]
    fn shared_memory_conflicts_are_words_per_bank() {
        assert_eq!(shared_cycles(&lanes(|lane| 4 * lane), 4, 32), 1);
        assert_eq!(shared_cycles(&lanes(|_| 64), 4, 32), 1, "a broadcast");
        assert_eq!(shared_cycles(&lanes(|lane| 8 * lane), 4, 32), 2);
        assert_eq!(shared_cycles(&lanes(|lane| 128 * lane), 4, 32), 32);
        assert_eq!(shared_cycles(&lanes(|lane| lane), 1, 32), 1, "four lanes to a word");
        assert_eq!(shared_cycles(&lanes(|lane| 4 * (33 * lane % 1024)), 4, 32), 1, "padded columns");
    }

    #[test]
    fn wide_accesses_are_served_in_parts() {
        assert_eq!(shared_cycles(&lanes(|lane| 8 * lane), 8, 32), 2);
        assert_eq!(shared_cycles(&lanes(|lane| 16 * lane), 16, 32), 4);
        assert_eq!(shared_cycles(&lanes(|_| 0), 16, 32), 4, "one cycle for each part");
        let cost = shared_cost(&lanes(|lane| 16 * lane), 8, 32);
        assert_eq!(cost, SharedCost { cycles: 4, conflicts: 2 });
    }
}
