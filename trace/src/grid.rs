// SPDX-License-Identifier: Apache-2.0
//! The thread blocks of a launch: which there can be, and which a file has given so far.

use std::collections::BTreeMap;
use std::path::Path;

use crate::kernel::KernelHeader;
use crate::notes::Notes;

/// The grid of a launch, with the thread blocks given so far.
pub(crate) struct Grid {
    header: KernelHeader,
    notes: Notes,
    /// Numbers of blocks, x fastest, in runs: the first of each, and what follows its last. Files give them
    /// mostly in order, which is one run.
    runs: BTreeMap<u64, u64>,
    count: u64,
}

impl Grid {
    pub fn new(header: KernelHeader, notes: Notes) -> Grid {
        Grid { header, notes, runs: BTreeMap::new(), count: 0 }
    }

    pub fn header(&self) -> &KernelHeader {
        &self.header
    }

    /// Checks that a block and a warp can exist in the launch.
    pub fn check(&self, block: [u32; 3], warp: u32) -> Result<(), String> {
        let header = &self.header;
        if (0..3).any(|axis| block[axis] >= header.grid[axis]) {
            return Err(format!("thread block {block:?} lies outside grid {:?}", header.grid));
        }
        if warp >= header.warps_per_block() {
            let threads = header.threads_per_block();
            return Err(format!("warp {warp} does not exist in thread blocks of {threads} threads"));
        }
        Ok(())
    }

    /// Checks that a block was not given before.
    pub fn check_new(&self, block: [u32; 3]) -> Result<(), String> {
        let number = self.number(block);
        match self.run_from(number) {
            Some((_, end)) if number < end => Err(format!("thread block {block:?} stands twice")),
            _ => Ok(()),
        }
    }

    /// Remembers that a block is given; an error if it was before.
    pub fn give(&mut self, block: [u32; 3]) -> Result<(), String> {
        self.check_new(block)?;
        let number = self.number(block);
        let joined = self.run_from(number).filter(|&(_, end)| end == number);
        let first = joined.map_or(number, |(first, _)| first);
        let end = self.runs.remove(&(number + 1)).unwrap_or(number + 1);
        self.runs.insert(first, end);
        self.count += 1;
        Ok(())
    }

    fn number(&self, block: [u32; 3]) -> u64 {
        let [x, y, z] = block.map(u64::from);
        let [columns, rows, _] = self.header.grid.map(u64::from);
        x + columns * (y + rows * z)
    }

    /// The last run that begins at a number or before.
    fn run_from(&self, number: u64) -> Option<(u64, u64)> {
        self.runs.range(..=number).next_back().map(|(&first, &end)| (first, end))
    }

    /// Remarks at the end of a file that it lacks blocks, if it does.
    pub fn end(&self, path: &Path) {
        let (count, all) = (self.count, self.header.block_count());
        if count < all {
            self.notes.say(format!(
                "{}: the trace has {count} of {all} thread blocks; the others are missing and left out",
                path.display()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_given_once_in_any_order() {
        let header = KernelHeader { grid: [3, 2, 2], ..KernelHeader::default() };
        let mut grid = Grid::new(header, Notes::new(|_| ()));
        let blocks: Vec<[u32; 3]> = (0..12).map(|number| [number % 3, number / 3 % 2, number / 6]).collect();
        for order in [0, 5, 1, 11, 10, 2, 4, 3, 6, 9, 7, 8] {
            grid.give(blocks[order]).unwrap();
            assert!(grid.give(blocks[order]).unwrap_err().contains("stands twice"));
        }
        assert_eq!((grid.count, grid.runs.len()), (12, 1));
        assert!(blocks.iter().all(|&block| grid.give(block).is_err()));
    }
}
