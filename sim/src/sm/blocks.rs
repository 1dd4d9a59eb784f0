// SPDX-License-Identifier: Apache-2.0
//! The thread blocks resident on an SM, and the slots that the active ones have.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::config::Ready;

use super::decoded::Decoded;
use super::executing::Executing;
use super::names::{BlockId, BlockSet, Region, Slot};
use super::occupancy::Occupancy;
use super::resident::Resident;

#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Blocks {
    /// Without switching, the block in slot s is resident s.
    residents: Vec<Option<Resident>>,
    count: usize,
    /// The block in each slot.
    slots: Vec<Option<BlockId>>,
    /// How many slots have one.
    active: usize,
    /// Blocks whose barrier opens at the end of this cycle.
    pub opened: BlockSet,
    /// Blocks that are complete at the end of this cycle.
    pub completed: BlockSet,
    /// Pending blocks that could go on.
    pub resumable: BlockSet,
    /// How often there have become more of them, or more room for registers.
    pub epoch: u64,
    /// Cycles from the beginning of each switch until the block that left could go on, since the last look at
    /// it.
    pub stalled: u64,
    /// A block could run if registers could be stored.
    pub depleted: bool,
    /// When a pending block could go on.
    ready: Ready,
}

impl Blocks {
    pub fn new(ready: Ready) -> Self {
        Blocks {
            residents: Vec::new(),
            count: 0,
            slots: Vec::new(),
            active: 0,
            opened: BlockSet::default(),
            completed: BlockSet::default(),
            resumable: BlockSet::default(),
            epoch: 0,
            stalled: 0,
            depleted: false,
            ready,
        }
    }

    /// A kernel is launched.
    pub fn start_kernel(&mut self, occupancy: &Occupancy) {
        self.residents.clear();
        self.residents.resize_with(occupancy.residents, || None);
        self.slots.clear();
        self.slots.resize(occupancy.blocks, None);
        (self.count, self.active) = (0, 0);
        (self.resumable, self.depleted) = (BlockSet::default(), false);
    }

    /// How many are resident.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many can be.
    pub fn room(&self) -> usize {
        self.residents.len()
    }

    /// How many are active.
    #[inline]
    pub fn active_count(&self) -> usize {
        self.active
    }

    /// Blocks whose registers are not in the banks.
    pub fn stored_count(&self) -> usize {
        self.iter().filter(|resident| resident.region.is_none()).count()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Resident> {
        self.residents.iter().flatten()
    }

    #[inline]
    pub fn get(&self, block: BlockId) -> &Resident {
        self.residents[block.0].as_ref().expect("a resident block")
    }

    /// The same, if it is resident.
    pub fn find(&self, block: BlockId) -> Option<&Resident> {
        self.residents.get(block.0)?.as_ref()
    }

    #[inline]
    pub fn get_mut(&mut self, block: BlockId) -> &mut Resident {
        self.residents[block.0].as_mut().expect("a resident block")
    }

    /// The block in a slot.
    #[inline]
    pub fn in_slot(&self, slot: Slot) -> Option<BlockId> {
        self.slots[slot.0]
    }

    /// A number for the next block, in this slot: without switching, that of the slot.
    pub fn free_number(&self, slot: Slot) -> BlockId {
        let mut numbers = std::iter::once(slot.0).chain(0..self.residents.len());
        BlockId(numbers.find(|&number| self.residents[number].is_none()).expect("there is room"))
    }

    /// A block comes.
    pub fn enter(&mut self, block: BlockId, resident: Resident) {
        self.fill(resident.slot.expect("a block starts in a slot"), block);
        self.residents[block.0] = Some(resident);
        self.count += 1;
    }

    /// A block that is complete goes.
    pub fn leave(&mut self, block: BlockId) {
        let resident = self.residents[block.0].take();
        let slot = resident.and_then(|resident| resident.slot).expect("what completes is active");
        self.free(slot);
        self.count -= 1;
    }

    fn fill(&mut self, slot: Slot, block: BlockId) {
        self.active += usize::from(self.slots[slot.0].replace(block).is_none());
    }

    fn free(&mut self, slot: Slot) {
        self.active -= usize::from(self.slots[slot.0].take().is_some());
    }

    /// An active block becomes pending.
    pub fn vacate(&mut self, block: BlockId, slot: Slot, now: u64) {
        self.free(slot);
        let resident = self.get_mut(block);
        (resident.slot, resident.left) = (None, now);
    }

    /// A pending block becomes active.
    pub fn occupy(&mut self, block: BlockId, slot: Slot, region: Region) {
        self.fill(slot, block);
        self.resumable.remove(block);
        let resident = self.get_mut(block);
        (resident.slot, resident.region) = (Some(slot), Some(region));
    }

    /// Where the warp of a completed instruction is now. If its block has no slot, the completion is kept for
    /// it.
    pub fn locate(
        &mut self,
        executing: Executing,
        occupancy: &Occupancy,
        decoded: &[Decoded],
        now: u64,
    ) -> Option<Executing> {
        let resident = self.get_mut(executing.block);
        let number = usize::from(executing.number);
        if let Some(slot) = resident.slot {
            let (sub_core, warp) = occupancy.place(slot, number);
            return Some(Executing { sub_core, warp, ..executing });
        }
        resident.completed.push(executing);
        if let Some(Some(warp)) = resident.contexts.get_mut(number) {
            warp.arrive(&decoded[executing.instruction.static_index as usize].destinations);
            self.update_resumable(executing.block, decoded, now);
        }
        None
    }

    /// Notes that a block can go on, once it has become pending or its memory has answered.
    pub fn update_resumable(&mut self, block: BlockId, decoded: &[Decoded], now: u64) {
        if !self.resumable.contains(block) && self.get(block).can_resume(self.ready, decoded) {
            self.resumable.insert(block);
            self.epoch += 1;
            self.stalled += now - self.get(block).left;
        }
    }
}
