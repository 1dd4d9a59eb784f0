// SPDX-License-Identifier: Apache-2.0
//! Blocks that wait for each other: many are resident and take turns on the same memory.
//!
//! A launch comes here when a block alone did nothing for a while that any memory shows. Each turn, a block
//! sees what all others wrote in theirs.

use std::collections::VecDeque;
use std::sync::Arc;

use super::fault::Fault;
use super::launch::{BlockRun, Executed, Launch, Turn};
use super::memory::GlobalMemory;
use crate::error::{Cause, Error, Result};
use crate::listing::INSTRUCTION_BYTES;

/// Blocks that are resident at most: those of a large Turing GPU.
const RESIDENT: usize = 1024;
/// Instructions of each warp in a turn.
const SHARE: u64 = 1 << 10;
/// Rounds in which nothing in memory changes after which it is asked whether anything still will.
const PATIENCE: u32 = 4;
/// Longest loop that is recognized as one that waits, in instructions.
const LOOP: u64 = 1 << 12;

impl Launch {
    /// Executes all blocks on `memory`, and gives what they did in their order.
    pub fn run_together(&self, memory: &mut Arc<GlobalMemory>, record: bool) -> Result<Vec<Executed>> {
        self.hazards.iter().for_each(|hazards| hazards.begin_again());
        let mut waiting: VecDeque<u64> = (0..self.blocks()).collect();
        let mut resident: Vec<(u64, BlockRun)> = vec![];
        let mut done: Vec<(u64, Executed)> = vec![];
        let mut quiet = 0;
        loop {
            while resident.len() < RESIDENT {
                let Some(number) = waiting.pop_front() else { break };
                resident.push((number, BlockRun::new(self, Arc::default(), number, record)));
            }
            if resident.is_empty() {
                done.sort_by_key(|(number, _)| *number);
                return Ok(done.into_iter().map(|(_, executed)| executed).collect());
            }
            let mut changed = false;
            let mut going = vec![];
            for (number, mut run) in resident {
                let turn = on(&mut run, memory, |run| run.turn(SHARE))?;
                changed |= std::mem::take(&mut run.memory.changed) || turn == Turn::Ended;
                match turn {
                    Turn::Ended => done.push((number, run.finish())),
                    Turn::Going => going.push((number, run)),
                }
            }
            resident = going;
            quiet = if changed { 0 } else { quiet + 1 };
            if quiet >= PATIENCE && !resident.is_empty() {
                quiet = 0;
                let mut first = None;
                let mut all = true;
                for (_, run) in &mut resident {
                    match on(run, memory, |run| run.waits_in_vain())? {
                        Some(error) => first = first.or(Some(error)),
                        None => all = false,
                    }
                }
                if let (true, Some(error)) = (all, first) {
                    return Err(error);
                }
            }
        }
    }
}

/// Lets a block do something on memory that all share.
fn on<T>(
    run: &mut BlockRun,
    memory: &mut Arc<GlobalMemory>,
    what: impl FnOnce(&mut BlockRun) -> Result<T>,
) -> Result<T> {
    run.memory.global.exchange(Arc::clone(memory));
    let result = what(run);
    let writes = run.memory.global.exchange(Arc::default());
    // Nobody else has it now, so that nothing is copied.
    Arc::make_mut(memory).commit(writes);
    result
}

impl BlockRun<'_> {
    /// An error if every warp that can run comes back to the same state over and over. Memory does not change
    /// meanwhile, or the answer is no.
    fn waits_in_vain(&mut self) -> Result<Option<Error>> {
        let mut first = None;
        for number in 0..self.warps.len() {
            if !self.warps[number].select() {
                continue;
            }
            let before = self.warps[number].clone();
            let mut repeats = false;
            for _ in 0..LOOP {
                if !self.run_warp(number, 1)? {
                    self.warps[number].rotate();
                }
                if self.memory.changed || !self.warps[number].select() {
                    return Ok(None);
                }
                if self.warps[number].repeats(&before) {
                    repeats = true;
                    break;
                }
            }
            if !repeats {
                return Ok(None);
            }
            first = first.or_else(|| {
                let group = before.groups.last()?;
                Some((number, group.pc, group.mask.trailing_zeros(), self.memory.reads.last))
            });
        }
        let Some((warp, pc, lane, address)) = first else { return Ok(None) };
        let place = self.memory.global.surroundings(address, 0);
        let message = format!(
            "waits for ever in a loop: it reads global address {address:#x} ({place}), which no thread changes any more"
        );
        debug_assert_eq!(pc % INSTRUCTION_BYTES, 0);
        Ok(Some(self.fault_at(warp, pc, Fault::new(message).at(lane as usize).of(Cause::Endless))))
    }
}
