//! Tags of a sectored, set-associative cache with least-recently-used replacement.

use crate::config::LINE;

use super::coalescer::SECTOR;

const SECTORS: usize = (LINE / SECTOR) as usize;
/// A sector that is not there.
const ABSENT: u64 = u64::MAX;

/// Which sectors are present, and from which cycle on: a sector on its way is there already, with
/// the cycle of its arrival, so that later misses to it join the first.
pub(super) struct Cache {
    lines: Vec<Line>,
    ways: usize,
    sets: usize,
    uses: u64,
}

#[derive(Clone, Copy)]
struct Line {
    tag: u64,
    last_use: u64,
    ready: [u64; SECTORS],
}

const EMPTY: Line = Line { tag: u64::MAX, last_use: 0, ready: [ABSENT; SECTORS] };

impl Cache {
    /// `size` in bytes.
    pub fn new(size: u64, ways: usize) -> Self {
        let sets = size as usize / LINE as usize / ways;
        Cache { lines: vec![EMPTY; sets * ways], ways, sets, uses: 0 }
    }

    /// Changes the size, and empties the cache.
    pub fn resize(&mut self, size: u64) {
        *self = Cache::new(size, self.ways);
    }

    /// The cycle from which the sector is present, if it is present or on its way.
    pub fn lookup(&mut self, line: u64, sector: usize) -> Option<u64> {
        self.uses += 1;
        let uses = self.uses;
        let found = self.set(line).iter_mut().find(|way| way.tag == line)?;
        found.last_use = uses;
        Some(found.ready[sector]).filter(|&ready| ready != ABSENT)
    }

    /// The sector will be present from cycle `ready` on.
    pub fn fill(&mut self, line: u64, sector: usize, ready: u64) {
        self.uses += 1;
        let uses = self.uses;
        let set = self.set(line);
        let way = match set.iter().position(|way| way.tag == line) {
            Some(way) => way,
            None => {
                let oldest = (0..set.len()).min_by_key(|&way| set[way].last_use).expect("a set has ways");
                set[oldest] = Line { tag: line, ..EMPTY };
                oldest
            }
        };
        set[way].last_use = uses;
        set[way].ready[sector] = ready;
    }

    fn set(&mut self, line: u64) -> &mut [Line] {
        let first = (line % self.sets as u64) as usize * self.ways;
        &mut self.lines[first..first + self.ways]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_present_one_by_one() {
        let mut cache = Cache::new(4096, 4);
        assert_eq!(cache.lookup(9, 2), None);
        cache.fill(9, 2, 17);
        assert_eq!(cache.lookup(9, 2), Some(17));
        assert_eq!(cache.lookup(9, 1), None);
        assert_eq!(cache.lookup(17, 2), None, "another line of the same set");
    }

    #[test]
    fn the_least_recently_used_line_of_a_set_is_replaced() {
        let mut cache = Cache::new(2 * 128 * 4, 4);
        let lines = [0, 2, 4, 6];
        lines.iter().for_each(|&line| cache.fill(line, 0, 0));
        assert!(cache.lookup(0, 0).is_some());
        cache.fill(8, 0, 0);
        assert!(cache.lookup(0, 0).is_some() && cache.lookup(8, 0).is_some());
        assert_eq!(cache.lookup(2, 0), None);
        cache.resize(128 * 4);
        assert_eq!(cache.lookup(0, 0), None);
    }
}
