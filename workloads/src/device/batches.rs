// SPDX-License-Identifier: Apache-2.0
//! A launch under way: its blocks side by side, a window of them at a time.

use std::sync::Arc;

use gpurf_trace::ThreadBlock;
use rayon::prelude::*;

use crate::emulator::{Executed, GlobalMemory, Launch};
use crate::error::Result;

/// Blocks executed side by side. More than there are threads, so that none waits long for a slow one.
const BATCH: usize = 64;
/// Bytes of the streams and writes of blocks executed side by side, about.
const WINDOW_BYTES: usize = 16 << 20;
/// How many times larger than those before the next blocks may be.
const GROWTH: usize = 4;

/// A launch under way.
pub(super) struct Progress {
    pub launch: Arc<Launch>,
    /// With what the blocks wrote so far.
    pub memory: GlobalMemory,
    /// As blocks see it.
    seen: Arc<GlobalMemory>,
    next: u64,
    /// The blocks that are executed: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    /// Bytes of the stream and writes of a block, at most so far.
    largest: usize,
    /// Blocks of the last batch.
    size: usize,
}

/// The results of some blocks, in their order.
pub(super) enum Batch {
    /// Their streams, if wanted, and what they printed.
    Executed(Vec<(Option<ThreadBlock>, String)>),
    /// One waits for others.
    Waits,
    /// There are no more.
    Over,
}

/// How blocks of a batch are executed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Side by side, on all threads.
    Shared,
    /// One after the other, on this thread.
    Alone,
}

impl Progress {
    /// A launch that is to begin on `memory`.
    pub fn new(launch: Arc<Launch>, memory: GlobalMemory) -> Progress {
        let seen = Arc::new(memory.clone());
        Progress { launch, memory, seen, next: 0, share: (0, 1), largest: 0, size: 0 }
    }

    /// How many blocks fit into the window: one for each thread if they are as large as the largest so far;
    /// more if there is room for larger ones too. Who reads a share of the blocks has one thread, and a part
    /// of the window.
    fn fitting(&self) -> usize {
        let readers = self.share.1 as usize;
        let threads = if readers == 1 { rayon::current_num_threads() } else { 1 };
        let window = WINDOW_BYTES / readers;
        let larger = window / GROWTH / self.largest.max(1);
        let equal = window / self.largest.max(1);
        larger.min(2 * self.size).max(equal.min(threads)).clamp(1, BATCH)
    }

    /// Executes the next blocks: one where their order matters, else as many as fit into the window.
    pub fn step(&mut self, record: bool, work: Work) -> Result<Batch> {
        let serial = self.launch.code.serial;
        if serial && self.next > 0 {
            self.seen = Arc::new(self.memory.clone());
        }
        let watched = self.launch.hazards.as_ref().is_some_and(|hazards| hazards.watches_grid());
        self.size = if serial || watched { 1 } else { self.fitting() };
        let (own, count) = self.share;
        let blocks = (self.next..self.launch.blocks()).filter(|number| number % count == own);
        let blocks: Vec<u64> = blocks.take(self.size).collect();
        let Some(last) = blocks.last() else { return Ok(Batch::Over) };
        self.next = last + 1;
        let run = |number| self.launch.run_block(&self.seen, number, record);
        let executed: Vec<Result<Option<Executed>>> = match work {
            Work::Shared => blocks.into_par_iter().map(run).collect(),
            Work::Alone => blocks.into_iter().map(run).collect(),
        };
        // Of several errors the first block's, whichever thread came to one first.
        let executed: Vec<Option<Executed>> = executed.into_iter().collect::<Result<_>>()?;
        let mut done = vec![];
        for executed in executed {
            let Some((writes, block, text)) = executed else { return Ok(Batch::Waits) };
            let bytes = writes.bytes() + block.as_ref().map_or(0, ThreadBlock::bytes);
            self.largest = self.largest.max(bytes);
            // What is written to it is for those alone who read the next launch.
            if self.is_whole() {
                self.memory.commit(writes);
            }
            done.push((block, text));
        }
        Ok(Batch::Executed(done))
    }

    /// Has only the blocks executed whose number leaves this remainder, by how many; whether that is
    /// possible: it is not where others may depend on what they write.
    pub fn restrict(&mut self, own: u64, count: u64) -> bool {
        let possible = !self.launch.code.serial;
        if possible {
            self.share = (own, count);
        }
        possible
    }

    /// Returns true if all blocks are executed, so that memory is as the launch leaves it in the end.
    pub fn is_whole(&self) -> bool {
        self.share.1 == 1
    }
}
