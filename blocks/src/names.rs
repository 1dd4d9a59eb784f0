// SPDX-License-Identifier: Apache-2.0
//! Numbers that name parts of a sub-core, as types of their own where they go from one module to another.
//! Registers have theirs where code and traces are read.

use borsh::{BorshDeserialize, BorshSerialize};

/// Warps of a sub-core, one bit each.
pub type WarpSet = u16;

/// A warp of a sub-core, by its slot there: 0 to 7, or to 15 where it has as many.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub struct WarpId(pub u8);

impl WarpId {
    /// Where it stands in an array of all warps of the sub-core.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// Its bit in a set of them.
    pub fn bit(self) -> WarpSet {
        1 << self.0
    }

    /// The warps of a set.
    pub fn all_of(mut set: WarpSet) -> impl Iterator<Item = WarpId> {
        std::iter::from_fn(move || {
            let warp = (set != 0).then(|| WarpId(set.trailing_zeros() as u8))?;
            set &= !warp.bit();
            Some(warp)
        })
    }
}

impl From<WarpId> for u32 {
    fn from(warp: WarpId) -> u32 {
        warp.0.into()
    }
}

/// A collector of a sub-core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct CollectorId(pub u8);

impl CollectorId {
    /// The lowest collector of a set, in which bit c stands for collector c; none of an empty one.
    pub fn first_of(set: u8) -> Option<CollectorId> {
        (set != 0).then(|| CollectorId(set.trailing_zeros() as u8))
    }

    /// Where it stands in an array of all collectors.
    pub fn index(self) -> usize {
        self.0.into()
    }

    /// Its bit in a set of them.
    pub fn bit(self) -> u8 {
        1 << self.0
    }
}

impl From<CollectorId> for u32 {
    fn from(collector: CollectorId) -> u32 {
        collector.0.into()
    }
}

/// A bank of a sub-core's register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct BankId(pub u8);

impl BankId {
    /// Where it stands in an array of all banks.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// A row of a bank: one register of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Row(pub u32);

impl Row {
    /// Where it stands in an array of all rows of its bank.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
