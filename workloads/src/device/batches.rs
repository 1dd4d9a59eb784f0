//! Blocks of a launch that are executed side by side, and launches that are executed again for their streams.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use gpurf_trace::{BlockSource, Program, ThreadBlock};
use rayon::prelude::*;

use crate::emulator::{Executed, Launch, Memory};
use crate::error::Result;

/// Ranges of blocks that are executed side by side: one at a time where their order matters.
pub(super) fn batches(launch: &Launch) -> impl Iterator<Item = Range<u64>> {
    let blocks = launch.blocks();
    let size = if launch.code.serial { 1 } else { BATCH };
    (0..blocks.div_ceil(size)).map(move |batch| batch * size..((batch + 1) * size).min(blocks))
}

/// Blocks executed side by side. More than there are threads, so that none waits long for a slow one.
const BATCH: u64 = 64;

/// Executes some blocks of a launch; results are in the order of the blocks, `None` where one waits for others.
pub(super) fn run_batch(
    launch: &Launch,
    memory: &Arc<Memory>,
    blocks: Range<u64>,
    record: bool,
) -> Result<Vec<Option<Executed>>> {
    blocks.into_par_iter().map(|number| launch.run_block(memory, number, record)).collect()
}

/// Executes a launch again for its stream.
pub(super) struct EmulatedBlocks {
    launch: Arc<Launch>,
    memory: Memory,
    batches: Box<dyn Iterator<Item = Range<u64>> + Send>,
    ready: VecDeque<ThreadBlock>,
    started: bool,
}

impl EmulatedBlocks {
    pub fn new(launch: Arc<Launch>, memory: Memory) -> EmulatedBlocks {
        let batches = Box::new(batches(&launch));
        EmulatedBlocks { launch, memory, batches, ready: VecDeque::new(), started: false }
    }
}

impl BlockSource for EmulatedBlocks {
    fn next_block(&mut self, program: &mut Program) -> gpurf_trace::Result<Option<ThreadBlock>> {
        if !self.started {
            program.clone_from(&self.launch.code.program);
            self.started = true;
        }
        while self.ready.is_empty() {
            let Some(batch) = self.batches.next() else { return Ok(None) };
            let seen = Arc::new(self.memory.clone());
            let executed = run_batch(&self.launch, &seen, batch, true)
                .map_err(|error| gpurf_trace::Error::Source { message: error.to_string() })?;
            // A launch whose blocks wait for each other was kept when it ran.
            for (writes, block, _) in executed.into_iter().flatten() {
                self.ready.extend(block);
                if self.launch.code.serial {
                    self.memory.commit(writes);
                }
            }
        }
        Ok(self.ready.pop_front())
    }
}
