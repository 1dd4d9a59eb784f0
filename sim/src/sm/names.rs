// SPDX-License-Identifier: Apache-2.0
//! Numbers that name places of an SM, as types of their own: a block may lie in one slot with its registers
//! in the region of another.

use borsh::{BorshDeserialize, BorshSerialize};

/// A resident thread block, by its number among the residents of an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct BlockId(pub usize);

/// Warp slots that a block takes while it is active, by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Slot(pub usize);

/// Rows of the banks that hold the registers of a block, by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct Region(pub usize);

/// A block on its way from or to a slot, and where its registers are or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct BlockPlace {
    pub block: BlockId,
    pub slot: Slot,
    pub region: Region,
}

/// Resident blocks, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub(super) struct BlockSet(pub u128);

impl BlockSet {
    pub fn insert(&mut self, block: BlockId) {
        self.0 |= 1 << block.0;
    }

    pub fn remove(&mut self, block: BlockId) {
        self.0 &= !(1 << block.0);
    }

    pub fn contains(self, block: BlockId) -> bool {
        self.0 >> block.0 & 1 == 1
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn union(self, other: BlockSet) -> BlockSet {
        BlockSet(self.0 | other.0)
    }

    /// By rising number.
    pub fn iter(self) -> impl Iterator<Item = BlockId> {
        crate::bits::wide_members(self.0).map(BlockId)
    }
}

impl FromIterator<BlockId> for BlockSet {
    fn from_iter<I: IntoIterator<Item = BlockId>>(blocks: I) -> BlockSet {
        let mut set = BlockSet::default();
        blocks.into_iter().for_each(|block| set.insert(block));
        set
    }
}
