// SPDX-License-Identifier: Apache-2.0
//! Tags of a sectored, set-associative cache with least-recently-used replacement.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::config::LINE;

use super::coalescer::{SECTOR, SECTORS};

/// A sector that is not there.
const ABSENT: u64 = u64::MAX;

/// Which sectors are present, and from which cycle on: a sector on its way is there already, with
/// the cycle of its arrival, so that later misses to it join the first.
#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(super) struct CacheTags {
    lines: Vec<Line>,
    ways: usize,
    sets: usize,
    keeps: Keeps,
    /// Lines that were stored to.
    stored: usize,
    uses: u64,
}

/// Reasons for which lines keep their ways.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Keeps {
    /// As long as they wait for a sector.
    pub reserved: bool,
    /// Stored lines keep their ways, until they are so many percent of all.
    pub stored: usize,
}

#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
struct Line {
    tag: u64,
    last_use: u64,
    ready: [u64; SECTORS],
    /// The cycle in which the last of its sectors has arrived.
    complete: u64,
    /// Numbers of the sectors that are on their way, as the owner of the cache numbers them.
    numbers: [u32; SECTORS],
    /// Bytes stored into sectors that are not present, one bit each.
    written: [u32; SECTORS],
    /// Sectors with data that memory has not, one bit each.
    dirty: u8,
    /// It was stored to.
    stored: bool,
}

const EMPTY: Line = Line {
    tag: u64::MAX,
    last_use: 0,
    ready: [ABSENT; SECTORS],
    complete: 0,
    numbers: [0; SECTORS],
    written: [0; SECTORS],
    dirty: 0,
    stored: false,
};

/// A line that makes room for another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced {
    pub line: u64,
    /// Sectors of it with data that memory has not.
    pub sectors: u32,
}

impl CacheTags {
    /// `size` in bytes.
    pub fn new(size: u64, ways: usize, keeps: Keeps) -> Self {
        let sets = size as usize / LINE as usize / ways;
        CacheTags { lines: vec![EMPTY; sets * ways], ways, sets, keeps, stored: 0, uses: 0 }
    }

    /// The cycle from which the sector is present, if it is present or on its way.
    pub fn lookup(&mut self, line: u64, sector: usize) -> Option<u64> {
        self.uses += 1;
        let uses = self.uses;
        let found = self.find(line)?;
        found.last_use = uses;
        Some(found.ready[sector]).filter(|&ready| ready != ABSENT)
    }

    /// The number that [`CacheTags::set_number`] has given the sector of a line that is there.
    pub fn number(&mut self, line: u64, sector: usize) -> u32 {
        self.find(line).map_or(0, |found| found.numbers[sector])
    }

    /// Numbers the sector of a line that is there.
    pub fn set_number(&mut self, line: u64, sector: usize, number: u32) {
        if let Some(found) = self.find(line) {
            found.numbers[sector] = number;
        }
    }

    /// The first cycle from `now` on in which the line has a way or can take one.
    pub fn room(&mut self, line: u64, now: u64) -> u64 {
        if !self.keeps.reserved {
            return now;
        }
        let keeps_stored = self.keeps_stored();
        let set = self.set(line);
        if set.iter().any(|way| way.tag == line) {
            return now;
        }
        let free = set.iter().filter(|way| !(keeps_stored && way.stored)).map(|way| way.complete);
        free.min().map_or(now, |complete| complete.max(now))
    }

    /// Few enough lines were stored to that they keep their ways.
    fn keeps_stored(&self) -> bool {
        100 * self.stored < self.keeps.stored * self.lines.len()
    }

    /// A sector that is asked for in cycle `now` will be present from cycle `ready` on. What makes room for
    /// it.
    pub fn fill(&mut self, line: u64, sector: usize, ready: u64, now: u64) -> Replaced {
        let (found, replaced) = self.occupy(line, now);
        found.ready[sector] = ready;
        found.complete = found.complete.max(ready);
        replaced
    }

    /// The sector of this number, which [`CacheTags::fill`] took to be present from cycle `least` on, is so
    /// from cycle `ready` on, if its line is still there.
    pub fn correct(&mut self, line: u64, sector: usize, number: u32, (least, ready): (u64, u64)) {
        let is_it = |found: &&mut Line| found.numbers[sector] == number && found.ready[sector] == least;
        if let Some(found) = self.find(line).filter(is_it) {
            found.ready[sector] = ready;
            found.complete = found.complete.max(ready);
        }
    }

    /// Bytes of a sector, one bit each, are stored in cycle `now`. A sector is present once all of it is
    /// stored. What makes room for it, as in [`CacheTags::fill`].
    pub fn write(&mut self, line: u64, sector: usize, bytes: u32, now: u64) -> Replaced {
        let (found, replaced) = self.occupy(line, now);
        let is_first = !std::mem::replace(&mut found.stored, true);
        found.written[sector] |= bytes;
        if found.written[sector] == u32::MAX && found.ready[sector] == ABSENT {
            found.ready[sector] = now;
        }
        self.stored += usize::from(is_first);
        replaced
    }

    /// The data of a sector of a line that is there will have to be written to memory.
    pub fn mark_dirty(&mut self, line: u64, sector: usize) {
        if let Some(found) = self.find(line) {
            found.dirty |= 1 << sector;
        }
    }

    /// The way of a line, in place of another one if need be.
    fn occupy(&mut self, line: u64, now: u64) -> (&mut Line, Replaced) {
        self.uses += 1;
        let (uses, reserved, keeps_stored) = (self.uses, self.keeps.reserved, self.keeps_stored());
        let mut freed = 0;
        let first = self.first(line);
        let set = &mut self.lines[first..first + self.ways];
        let mut replaced = Replaced::default();
        let way = set.iter().position(|way| way.tag == line).unwrap_or_else(|| {
            let kept =
                |way: &Line| (reserved && way.complete > now, keeps_stored && way.stored, way.last_use);
            let oldest = (0..set.len()).min_by_key(|&way| kept(&set[way])).expect("a set has ways");
            freed = usize::from(set[oldest].stored);
            replaced = Replaced { line: set[oldest].tag, sectors: set[oldest].dirty.count_ones() };
            set[oldest] = Line { tag: line, ..EMPTY };
            oldest
        });
        set[way].last_use = uses;
        self.stored -= freed;
        (&mut set[way], replaced)
    }

    /// The way of a line, if it has one.
    fn find(&mut self, line: u64) -> Option<&mut Line> {
        self.set(line).iter_mut().find(|way| way.tag == line)
    }

    fn set(&mut self, line: u64) -> &mut [Line] {
        let first = self.first(line);
        &mut self.lines[first..first + self.ways]
    }

    /// Where the set of a line begins.
    fn first(&self, line: u64) -> usize {
        (line % self.sets as u64) as usize * self.ways
    }
}

/// The line of an address, and the sector of it.
pub(super) fn place(address: u64) -> (u64, usize) {
    (address / LINE, (address % LINE / SECTOR) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_present_one_by_one() {
        let mut cache = CacheTags::new(4096, 4, Keeps::default());
        assert_eq!(cache.lookup(9, 2), None);
        cache.fill(9, 2, 17, 0);
        assert_eq!(cache.lookup(9, 2), Some(17));
        assert_eq!(cache.lookup(9, 1), None);
        assert_eq!(cache.lookup(17, 2), None, "another line of the same set");
    }

    #[test]
    fn the_least_recently_used_line_of_a_set_is_replaced() {
        let mut cache = CacheTags::new(2 * 128 * 4, 4, Keeps::default());
        let lines = [0, 2, 4, 6];
        lines.iter().for_each(|&line| assert_eq!(cache.fill(line, 0, 0, 0).sectors, 0));
        assert!(cache.lookup(0, 0).is_some());
        cache.fill(8, 0, 0, 0);
        assert!(cache.lookup(0, 0).is_some() && cache.lookup(8, 0).is_some());
        assert_eq!(cache.lookup(2, 0), None);
    }

    #[test]
    fn a_line_that_waits_for_a_sector_keeps_its_way() {
        let mut cache = CacheTags::new(2 * 128, 2, Keeps { reserved: true, stored: 0 });
        cache.fill(1, 0, 300, 0);
        cache.fill(2, 0, 200, 0);
        assert_eq!((cache.room(1, 10), cache.room(3, 10), cache.room(3, 250)), (10, 200, 250));
        assert_eq!(cache.fill(3, 0, 500, 200).line, 2, "not the least recently used one, which waits");
        assert_eq!(cache.fill(4, 0, 600, 300).line, 1);
        let mut any = CacheTags::new(2 * 128, 2, Keeps::default());
        for line in [1, 2] {
            any.fill(line, 0, 300, 0);
        }
        assert_eq!((any.room(3, 10), any.fill(3, 0, 500, 10).line), (10, 1));
    }

    #[test]
    fn lines_that_were_stored_to_keep_their_ways_until_they_are_many() {
        let mut cache = CacheTags::new(4 * 128, 2, Keeps { reserved: true, stored: 50 });
        cache.write(0, 0, 1, 0);
        cache.fill(2, 0, 300, 0);
        assert_eq!(cache.room(4, 10), 300, "the other line of the set keeps its way");
        assert_eq!(cache.fill(4, 0, 500, 300).line, 2);
        cache.write(1, 0, 1, 310);
        assert_eq!((cache.room(6, 320), cache.fill(6, 0, 700, 320).line), (320, 0), "two of four are half");
        assert_eq!(cache.fill(8, 0, 900, 750).line, 4, "line 0 counts no more, and line 1 is in another set");
    }

    #[test]
    fn a_sector_is_present_when_all_its_bytes_are_stored() {
        let mut cache = CacheTags::new(4096, 4, Keeps::default());
        cache.write(3, 1, 0x0000_ffff, 10);
        assert_eq!(cache.lookup(3, 1), None);
        cache.write(3, 1, 0xffff_0000, 20);
        assert_eq!(cache.lookup(3, 1), Some(20));
        cache.write(3, 1, 0xff, 30);
        assert_eq!(cache.lookup(3, 1), Some(20), "it stays present");
    }

    #[test]
    fn what_is_replaced_says_how_much_memory_lacks() {
        let mut cache = CacheTags::new(128, 1, Keeps::default());
        cache.write(1, 0, u32::MAX, 0);
        cache.write(1, 3, 1, 0);
        (0..4).step_by(3).for_each(|sector| cache.mark_dirty(1, sector));
        assert_eq!(cache.fill(2, 0, 0, 0), Replaced { line: 1, sectors: 2 });
        assert_eq!(cache.fill(3, 0, 0, 0), Replaced { line: 2, sectors: 0 });
    }
}
