// SPDX-License-Identifier: Apache-2.0
//! Launches executed again for their streams, each on memory as it was before.
//!
//! Memory before a launch is not kept: it is made again from what the host did between launches, by running
//! the launches before it without streams. Who reads the launches in their order has each executed once, for
//! its stream.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use gpurf_trace::{BlockSource, Program, ThreadBlock};

use super::batches::{Batch, Progress, Work};
use crate::emulator::{Changes, GlobalMemory, Launch};
use crate::error::Result;

/// The launches of a device in their order.
#[derive(Default)]
pub(super) struct History {
    past: Mutex<Past>,
}

#[derive(Default)]
struct Past {
    steps: Vec<Step>,
    /// Memory as it was before some launches, by their numbers: those used last are behind.
    known: VecDeque<(usize, GlobalMemory)>,
}

/// A launch, and what changed in memory before it.
struct Step {
    launch: Arc<Launch>,
    changes: Changes,
    /// True if what the launch writes is among the changes before the next one: it is not executed for that.
    is_settled: bool,
}

impl History {
    /// Adds a launch, and gives its number. What changed is against memory after the launch before, or before
    /// that one if it is settled: if what it writes is not to be found by executing it block by block.
    pub fn add(&self, launch: Arc<Launch>, changes: Changes, is_settled: bool) -> usize {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.steps.push(Step { launch, changes, is_settled });
        past.steps.len() - 1
    }

    fn launch(&self, number: usize) -> Arc<Launch> {
        let past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&past.steps[number].launch)
    }

    /// Memory as it was before a launch.
    fn before(&self, number: usize) -> Result<GlobalMemory> {
        // Others wait here, and so they wait for one thread: work that was shared out could be theirs.
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        let nearest = past.known.iter().filter(|(known, _)| *known <= number).max_by_key(|(known, _)| *known);
        let (mut at, mut memory) = match nearest {
            Some((at, memory)) => (*at, memory.clone()),
            None => {
                let mut memory = GlobalMemory::default();
                memory.apply(&past.steps[0].changes);
                (0, memory)
            }
        };
        while at < number {
            if !past.steps[at].is_settled {
                let mut progress = Progress::new(Arc::clone(&past.steps[at].launch), memory);
                while let Batch::Executed(_) = progress.step(false, Work::Alone)? {}
                memory = progress.memory;
            }
            at += 1;
            memory.apply(&past.steps[at].changes);
        }
        past.know(number, &memory);
        Ok(memory)
    }

    /// Takes memory as it is after a launch.
    fn after(&self, number: usize, mut memory: GlobalMemory) {
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(next) = past.steps.get(number + 1) {
            memory.apply(&next.changes);
            past.know(number + 1, &memory);
        }
    }
}

impl Past {
    /// Notes memory before a launch: one for each thread that may be reading.
    fn know(&mut self, number: usize, memory: &GlobalMemory) {
        self.known.retain(|(known, _)| *known != number);
        self.known.push_back((number, memory.clone()));
        while self.known.len() > rayon::current_num_threads() {
            self.known.pop_front();
        }
    }
}

/// A launch of a history, executed again for its stream.
pub(super) struct EmulatedBlocks {
    history: Arc<History>,
    number: usize,
    launch: Arc<Launch>,
    /// The launch under way, from the first block that is asked for until the last one.
    progress: Option<Progress>,
    ready: VecDeque<ThreadBlock>,
    /// The blocks that are wanted: those whose number leaves this remainder, by how many.
    share: (u64, u64),
    is_over: bool,
}

impl EmulatedBlocks {
    /// The launch of this number.
    pub fn new(history: Arc<History>, number: usize) -> EmulatedBlocks {
        let launch = history.launch(number);
        let ready = VecDeque::new();
        EmulatedBlocks { history, number, launch, progress: None, ready, share: (0, 1), is_over: false }
    }

    fn next(&mut self, program: &mut Program) -> Result<Option<ThreadBlock>> {
        while self.ready.is_empty() && !self.is_over {
            if self.progress.is_none() {
                program.clone_from(&self.launch.code.program);
                let memory = self.history.before(self.number)?;
                let mut progress = Progress::new(Arc::clone(&self.launch), memory);
                progress.restrict(self.share.0, self.share.1);
                self.progress = Some(progress);
            }
            let progress = self.progress.as_mut().expect("just begun");
            // Those who read a share each are side by side themselves.
            let work = if self.share.1 == 1 { Work::Shared } else { Work::Alone };
            match progress.step(true, work)? {
                Batch::Executed(done) => self.ready.extend(done.into_iter().filter_map(|(block, _)| block)),
                // A launch whose blocks wait for each other was kept when it ran.
                Batch::Waits | Batch::Over => self.is_over = true,
            }
        }
        if self.ready.is_empty() {
            if let Some(progress) = self.progress.take().filter(Progress::is_whole) {
                self.history.after(self.number, progress.memory);
            }
        }
        Ok(self.ready.pop_front())
    }
}

impl BlockSource for EmulatedBlocks {
    fn next_block(&mut self, program: &mut Program) -> gpurf_trace::Result<Option<ThreadBlock>> {
        self.next(program).map_err(|error| gpurf_trace::Error::Source { message: error.to_string() })
    }

    fn restrict(&mut self, own: u64, count: u64) -> bool {
        self.share = (own, count);
        !self.launch.code.serial
    }
}
