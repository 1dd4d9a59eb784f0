// SPDX-License-Identifier: Apache-2.0
//! Races of the threads of a block. Two warps access the same shared memory and at least one writes, or a
//! shuffle reads a lane that does not execute. The emulator gives such code one outcome; hardware may give
//! another.
//!
//! Each warp has a clock that its barriers advance, and knows of each other warp's clock as much as barriers
//! told it. An access is ordered behind another one if its warp knows the clock that the other one had.
//! Atomic operations order those who use them on the same word.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::block_memory::BlockMemory;
use super::grid_watch::{GridWatch, Visit};
use super::operation::{Access, Space};
use crate::listing::INSTRUCTION_BYTES;

/// Whose races are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Races of the threads of a block, in shared memory and by shuffles.
    Block,
    /// Also races of the blocks of a launch, in global memory. Blocks then run one after the other.
    Grid,
}

/// Places in the code that disturb each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hazard {
    /// Two places, the later one first, and whether each writes.
    Shared { pcs: [u32; 2], writes: [bool; 2] },
    /// The same, of two blocks in global memory.
    Global { pcs: [u32; 2], writes: [bool; 2] },
    /// A shuffle.
    Idle { pc: u32 },
}

/// Where a hazard was first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Example {
    /// Number of the block.
    pub block: u64,
    /// Number of the block of the earlier access.
    pub other: u64,
    /// Warps of the later access and of the earlier one; a shuffle has the first only.
    pub warps: [u32; 2],
    /// Lane of the later access, or of the shuffle.
    pub lane: u32,
    /// In shared or global memory; of a shuffle, the lane that it reads.
    pub address: u64,
}

/// All hazards of a launch, each with its example of the first block that has it.
#[derive(Default)]
pub(crate) struct Hazards {
    found: Mutex<BTreeMap<Hazard, Example>>,
    /// Where those of blocks are wanted, until all are taken.
    grid: Mutex<Option<GridWatch>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hazards {
    pub fn new(scope: Scope) -> Hazards {
        let grid = (scope == Scope::Grid).then(GridWatch::default);
        Hazards { grid: Mutex::new(grid), ..Hazards::default() }
    }

    /// Returns true if blocks are watched, and must not run side by side.
    pub fn watches_grid(&self) -> bool {
        locked(&self.grid).is_some()
    }

    /// Forgets what blocks did: they are executed again.
    pub fn begin_again(&self) {
        locked(&self.grid).as_mut().into_iter().for_each(|grid| *grid = GridWatch::default());
    }

    pub fn add(&self, found: impl IntoIterator<Item = (Hazard, Example)>) {
        let mut all = locked(&self.found);
        for (hazard, example) in found {
            let first = all.entry(hazard).or_insert(example);
            *first = example.min(*first);
        }
    }

    /// Gives them, and ends the watch of blocks.
    pub fn take(&self) -> BTreeMap<Hazard, Example> {
        *locked(&self.grid) = None;
        std::mem::take(&mut *locked(&self.found))
    }
}

/// A clock of each warp.
type Clocks = Vec<u32>;

fn learn(clocks: &mut Clocks, others: &Clocks) {
    clocks.iter_mut().zip(others).for_each(|(own, other)| *own = (*own).max(*other));
}

/// An access: when the clock is 0, none.
#[derive(Clone, Copy, Default)]
struct Touch {
    warp: u32,
    clock: u32,
    pc: u32,
    atomic: bool,
}

/// The history of a byte: the last write, and the last reads of two warps.
#[derive(Clone, Copy, Default)]
struct Byte {
    write: Touch,
    reads: [Touch; 2],
}

/// The history of a block.
pub(super) struct Watch {
    hazards: Arc<Hazards>,
    block: u64,
    /// The clocks that each warp knows.
    known: Vec<Clocks>,
    /// The clocks that each barrier knows from those who came to it.
    barriers: [Clocks; 16],
    /// The clocks that atomic operations on a word passed on.
    words: FxHashMap<u64, Clocks>,
    bytes: Vec<Byte>,
    found: BTreeMap<Hazard, Example>,
}

impl Watch {
    pub fn new(hazards: Arc<Hazards>, block: u64, warps: usize, shared: u32) -> Watch {
        let mut known = vec![vec![0; warps]; warps];
        known.iter_mut().enumerate().for_each(|(warp, clocks)| clocks[warp] = 1);
        Watch {
            hazards,
            block,
            known,
            barriers: std::array::from_fn(|_| vec![0; warps]),
            words: FxHashMap::default(),
            bytes: vec![Byte::default(); shared as usize],
            found: BTreeMap::new(),
        }
    }

    /// The block is over.
    pub fn finish(self) {
        locked(&self.hazards.grid).as_mut().into_iter().for_each(|grid| grid.end(self.block as u32));
        self.hazards.add(self.found);
    }

    /// A warp comes to a barrier.
    pub fn arrive(&mut self, warp: usize, barrier: u8) {
        learn(&mut self.barriers[usize::from(barrier)], &self.known[warp]);
        self.known[warp][warp] += 1;
    }

    /// A barrier lets these warps go on.
    pub fn release(&mut self, warps: impl Iterator<Item = usize>, barrier: u8) {
        let told = &mut self.barriers[usize::from(barrier)];
        warps.for_each(|warp| learn(&mut self.known[warp], told));
        told.fill(0);
    }

    /// A warp shuffles from a lane that does not execute.
    pub fn idle(&mut self, warp: usize, pc: u32, lane: u32, from: u32) {
        let warp = warp as u32;
        let (block, warps, address) = (self.block, [warp; 2], from.into());
        let example = Example { block, other: block, warps, lane, address };
        self.found.entry(Hazard::Idle { pc }).or_insert(example);
    }

    /// An access of a warp, with the addresses of its lanes, the lowest first.
    #[allow(clippy::too_many_arguments)]
    pub fn access(
        &mut self,
        access: &Access,
        opcode: &str,
        warp: usize,
        pc: u32,
        mask: u32,
        addresses: &[u64],
        memory: &BlockMemory,
    ) {
        let (space, reads, writes, atomic) = match access {
            Access::Load { space, .. } => (*space, true, false, false),
            Access::Store { space, .. } => (*space, false, true, false),
            Access::Atomic { space, .. } => (*space, true, true, true),
            Access::CountingIncrement { .. } => (Space::Shared, true, true, true),
            Access::LoadMatrices { .. } => (Space::Shared, true, false, false),
            _ => return,
        };
        // Of each matrix, eight lanes give the rows.
        let lanes = match access {
            Access::LoadMatrices { count, .. } => 8 * usize::from(*count),
            _ => addresses.len(),
        };
        let touch = Touch { warp: warp as u32, clock: self.known[warp][warp], pc, atomic };
        let bytes = u64::from(access.traced_bytes());
        let block = self.block as u32;
        let strong = orders_blocks(opcode, atomic);
        let visit = Visit { block, warp: warp as u32, lane: 0, pc, reads, writes, strong };
        for (lane, &address) in super::warp::lanes_of(mask).zip(addresses).take(lanes) {
            let space = if space == Space::Generic { memory.space_of(address) } else { space };
            let place = match space {
                Space::Shared if address >= memory.shared_window => address - memory.shared_window,
                Space::Shared => address,
                Space::Global => {
                    self.access_global(Visit { lane: lane as u32, ..visit }, address, bytes);
                    continue;
                }
                _ => continue,
            };
            if atomic {
                let told = self.words.entry(place / 4).or_default();
                told.resize(self.known.len(), 0);
                learn(&mut self.known[warp], told);
                learn(told, &self.known[warp]);
            }
            for byte in place..place + bytes {
                self.touch(byte, touch, lane as u32, reads, writes);
            }
        }
        if atomic {
            self.known[warp][warp] += 1;
        }
    }

    fn access_global(&mut self, visit: Visit, address: u64, bytes: u64) {
        let mut grid = locked(&self.hazards.grid);
        let Some(earlier) = grid.as_mut().and_then(|grid| grid.access(visit, address, bytes)) else { return };
        let hazard = Hazard::Global { pcs: [visit.pc, earlier.pc], writes: [visit.writes, earlier.writes] };
        let example = Example {
            block: self.block,
            other: earlier.block.into(),
            warps: [visit.warp, earlier.warp],
            lane: visit.lane,
            address,
        };
        self.found.entry(hazard).or_insert(example);
    }

    fn touch(&mut self, place: u64, touch: Touch, lane: u32, reads: bool, writes: bool) {
        let Some(byte) = self.bytes.get_mut(place as usize) else { return };
        let known = &self.known[touch.warp as usize];
        let unordered = |earlier: &Touch| {
            let atomic = earlier.atomic && touch.atomic;
            earlier.warp != touch.warp && known[earlier.warp as usize] < earlier.clock && !atomic
        };
        let read = byte.reads.iter().find(|read| writes && unordered(read));
        let earlier = Some(&byte.write).filter(|write| unordered(write)).map(|write| (write, true));
        if let Some((earlier, was_write)) = earlier.or(read.map(|read| (read, false))) {
            let hazard = Hazard::Shared { pcs: [touch.pc, earlier.pc], writes: [writes, was_write] };
            let (block, warps) = (self.block, [touch.warp, earlier.warp]);
            let example = Example { block, other: block, warps, lane, address: place };
            self.found.entry(hazard).or_insert(example);
        }
        if writes {
            *byte = Byte { write: touch, reads: [Touch::default(); 2] };
        }
        if reads && !touch.atomic {
            if byte.reads[0].warp != touch.warp {
                byte.reads[1] = byte.reads[0];
            }
            byte.reads[0] = touch;
        }
    }
}

/// Returns true if an access orders blocks that use it on the same word: an atomic operation, or an access
/// that is marked as strong, both in a scope beyond the block.
fn orders_blocks(opcode: &str, atomic: bool) -> bool {
    let has_one_of = |scopes: [&str; 2]| scopes.iter().any(|scope| opcode.contains(scope));
    match atomic {
        true => !has_one_of([".STRONG.CTA", ".STRONG.SM"]),
        false => has_one_of([".STRONG.GPU", ".STRONG.SYS"]),
    }
}

/// The number of the instruction at a place.
pub(crate) fn index_of(pc: u32) -> usize {
    (pc / INSTRUCTION_BYTES) as usize
}
