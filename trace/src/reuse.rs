// SPDX-License-Identifier: Apache-2.0
//! Reuse distances of register operands (Malekeh, full paper §III-A).
//!
//! The reuse distance of an operand is the number of instructions its warp executes from the
//! operand's instruction to the next one that reads the same value: 1 if the very next instruction
//! reads it. The paper says "between"; counting steps agrees with its example, where 11 buffered
//! instructions cover distances up to 10. Precisely, for an operand in register r of the warp's
//! instruction i:
//! - the next read is the first instruction j > i with r among its sources, and the distance j − i;
//! - if r is written before, by some k with i < k < j, there is no reuse: the value is gone;
//! - a source that i itself overwrites has no reuse; the reuse is that of i's destination;
//! - a value never read again has no reuse;
//! - a source that i names again has the distance 0, up to its last mention.
//!
//! Lane masks play no part: collectors and banks hold a register of a warp as a whole, and a
//! predicated instruction fetches and writes it as a whole.
//!
//! An operand is **near** if it has a reuse at a distance of at most the threshold RTHLD, else far.
//! (The full paper calls distances above RTHLD far and those below it near; equality is ours to
//! decide.)

use std::collections::BTreeMap;

use crate::block::{mark, DynamicInstruction, ThreadBlock, LAST_MARK};
use crate::program::Program;

/// The paper's RTHLD.
pub const DEFAULT_THRESHOLD: u32 = 12;

/// How near and far are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reuse {
    /// Greatest distance that is near, in instructions of the warp (RTHLD).
    pub threshold: u32,
    /// How near and far are known.
    pub mode: ReuseMode,
}

/// Where the distances come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReuseMode {
    /// An oracle: the true distance at every execution.
    Exact,
    /// Flags that a compiler can encode: each operand of a static instruction is near if it was near in
    /// more than half of its executions by the first `warps` warps of the kernel that executed anything. A
    /// tie is far, and so is an operand those warps never met: keeping a value without evidence of reuse
    /// displaces others.
    Profile {
        /// How many warps that is.
        warps: usize,
    },
}

impl Default for Reuse {
    /// A profile of the first four warps with the paper's threshold.
    fn default() -> Reuse {
        Reuse { threshold: DEFAULT_THRESHOLD, mode: ReuseMode::Profile { warps: 4 } }
    }
}

/// An operand of a dynamic instruction, by its place in the widened register lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The source of this number among those of the static instruction.
    Source(usize),
    /// The destination of this number.
    Destination(usize),
}

/// Calls `visit` with instruction position, operand and reuse distance of every operand of a warp's
/// instructions, last instruction first.
pub fn distances(
    program: &Program,
    instructions: &[DynamicInstruction],
    mut visit: impl FnMut(usize, Operand, Option<u32>),
) {
    // Walking backwards, the place of the next read of each register, if its value lives until then.
    let mut next_read: [Option<usize>; 256] = [None; 256];
    for (position, instruction) in instructions.iter().enumerate().rev() {
        let place = &program[instruction.static_index];
        let distance = |read: Option<usize>| read.map(|read| (read - position) as u32);
        for (i, &register) in place.destinations.iter().enumerate() {
            // Taking it ends the life of earlier values, this instruction's sources included.
            let read = next_read[register.index()].take();
            visit(position, Operand::Destination(i), distance(read));
        }
        // A source that is named twice: the next mention reads each but the last, which is read elsewhere.
        for (i, &register) in place.sources.iter().enumerate().rev() {
            let read = next_read[register.index()].replace(position);
            visit(position, Operand::Source(i), distance(read));
        }
    }
}

/// How often each reuse distance occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Operands by distance.
    pub reuses: BTreeMap<u32, u64>,
    /// Operands without reuse.
    pub without_reuse: u64,
}

impl Histogram {
    /// Adds all operands, sources and destinations, of a block.
    pub fn add(&mut self, program: &Program, block: &ThreadBlock) {
        for warp in &block.warps {
            distances(program, &warp.instructions, |_, _, distance| match distance {
                Some(distance) => *self.reuses.entry(distance).or_default() += 1,
                None => self.without_reuse += 1,
            });
        }
    }
}

/// Sets the `near_` masks of blocks.
#[derive(Debug)]
pub(crate) enum Annotator {
    Exact {
        threshold: u32,
    },
    /// Masks of near sources and near destinations, by static index.
    Static {
        near: Vec<[u16; 2]>,
    },
}

impl Annotator {
    pub fn annotate(&self, program: &Program, block: &mut ThreadBlock) {
        match self {
            Annotator::Exact { threshold } => {
                for warp in &mut block.warps {
                    let near = near_masks(program, &warp.instructions, *threshold);
                    for (instruction, [sources, destinations]) in warp.instructions.iter_mut().zip(near) {
                        instruction.near_sources = sources;
                        instruction.near_destinations = destinations;
                    }
                }
            }
            Annotator::Static { near } => {
                let instructions = block.warps.iter_mut().flat_map(|warp| &mut warp.instructions);
                for instruction in instructions {
                    let known = near.get(instruction.static_index as usize);
                    let [sources, destinations] = known.copied().unwrap_or_default();
                    instruction.near_sources = sources;
                    instruction.near_destinations = destinations;
                }
            }
        }
    }
}

/// Masks of near sources and near destinations of each instruction.
pub(crate) fn near_masks(
    program: &Program,
    instructions: &[DynamicInstruction],
    threshold: u32,
) -> Vec<[u16; 2]> {
    let mut near = vec![[0; 2]; instructions.len()];
    distances(program, instructions, |position, operand, distance| {
        // A second mention in the same instruction says nothing of the instructions after it.
        let is_near = distance.is_some_and(|distance| (1..=threshold).contains(&distance));
        let [sources, destinations] = &mut near[position];
        match operand {
            Operand::Source(i) => {
                let last = || program[instructions[position].static_index].sources.len() - 1;
                mark(sources, i, is_near, i >= LAST_MARK && i == last());
            }
            Operand::Destination(i) => mark(destinations, i, is_near, i == LAST_MARK),
        }
    });
    near
}
