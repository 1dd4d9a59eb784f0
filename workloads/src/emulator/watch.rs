// SPDX-License-Identifier: Apache-2.0
//! Races of the threads of a block. Two warps access the same shared memory and at least one writes, or a
//! shuffle reads a lane that does not execute. The emulator gives such code one outcome; hardware may give
//! another.
//!
//! Each warp has a clock that its barriers advance, and knows of each other warp's clock as much as barriers
//! told it. An access is ordered behind another one if its warp knows the clock that the other one had.
//! Atomic operations order those who use them on the same word.

use std::collections::BTreeMap;
use std::sync::Mutex;

use rustc_hash::FxHashMap;

use super::block_memory::BlockMemory;
use super::operation::{Access, Space};
use crate::listing::INSTRUCTION_BYTES;

/// Places in the code that disturb each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hazard {
    /// Two places, the later one first, and whether each writes.
    Shared { pcs: [u32; 2], writes: [bool; 2] },
    /// A shuffle.
    Idle { pc: u32 },
}

/// Where a hazard was first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Example {
    /// Number of the block.
    pub block: u64,
    /// Warps of the later access and of the earlier one; a shuffle has the first only.
    pub warps: [u32; 2],
    /// Lane of the later access, or of the shuffle.
    pub lane: u32,
    /// In shared memory; of a shuffle, the lane that it reads.
    pub address: u64,
}

/// All hazards of a launch, each with its example of the first block that has it.
#[derive(Default)]
pub(crate) struct Hazards(Mutex<BTreeMap<Hazard, Example>>);

impl Hazards {
    pub fn add(&self, found: impl IntoIterator<Item = (Hazard, Example)>) {
        let mut all = self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for (hazard, example) in found {
            let first = all.entry(hazard).or_insert(example);
            *first = example.min(*first);
        }
    }

    pub fn take(&self) -> BTreeMap<Hazard, Example> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
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
    pub fn new(block: u64, warps: usize, shared: u32) -> Watch {
        let mut known = vec![vec![0; warps]; warps];
        known.iter_mut().enumerate().for_each(|(warp, clocks)| clocks[warp] = 1);
        Watch {
            block,
            known,
            barriers: std::array::from_fn(|_| vec![0; warps]),
            words: FxHashMap::default(),
            bytes: vec![Byte::default(); shared as usize],
            found: BTreeMap::new(),
        }
    }

    pub fn into_found(self) -> BTreeMap<Hazard, Example> {
        self.found
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
        let example = Example { block: self.block, warps: [warp; 2], lane, address: from.into() };
        self.found.entry(Hazard::Idle { pc }).or_insert(example);
    }

    /// An access of a warp, with the addresses of its lanes, the lowest first.
    pub fn access(
        &mut self,
        access: &Access,
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
        for (lane, &address) in super::warp::lanes_of(mask).zip(addresses).take(lanes) {
            let place = match space {
                Space::Shared => address,
                Space::Generic if memory.space_of(address) == Space::Shared => address - memory.shared_window,
                _ => continue,
            };
            if atomic {
                let told = self.words.entry(place / 4).or_default();
                told.resize(self.known.len(), 0);
                learn(&mut self.known[warp], told);
                learn(told, &self.known[warp]);
            }
            for byte in place..place + u64::from(access.traced_bytes()) {
                self.touch(byte, touch, lane as u32, reads, writes);
            }
        }
        if atomic {
            self.known[warp][warp] += 1;
        }
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
            let example =
                Example { block: self.block, warps: [touch.warp, earlier.warp], lane, address: place };
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

/// The number of the instruction at a place.
pub(crate) fn index_of(pc: u32) -> usize {
    (pc / INSTRUCTION_BYTES) as usize
}
