// SPDX-License-Identifier: Apache-2.0
//! When the words of shared memory were last stored to: a load that is performed later than its place in
//! program order, or served from an older load's data, must not lie on the other side of a store.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{ADDRESS_BITS, MAX_CTAS};

use crate::sm::names::BlockId;

/// Bytes of shared memory that the multicasting unit's 16-bit addresses reach, one for each [`ADDRESS_UNIT`].
/// I §5.2.3 has 16 bits, and table 2 a shared memory of 128 KB.
pub const REACH: u64 = ADDRESS_UNIT << ADDRESS_BITS;
/// Bytes that have an address in the multicasting unit.
pub const ADDRESS_UNIT: u64 = 2;
/// Bytes of a word.
const WORD: u64 = 4;

/// An SM's shared memory as seen by stores. Addresses are those in the SM's memory, below [`REACH`].
#[derive(BorshSerialize, BorshDeserialize)]
pub struct Versions {
    /// By word: the number of the store that wrote it last.
    stored: Vec<u32>,
    /// Stores so far; the begin of a section counts as one.
    stores: u32,
    /// By block slot: the number of its section's begin.
    begun: [u32; MAX_CTAS],
}

impl Versions {
    pub fn new() -> Self {
        Versions { stored: vec![0; (REACH / WORD) as usize], stores: 0, begun: [0; MAX_CTAS] }
    }

    /// Stores performed so far.
    pub fn now(&self) -> u32 {
        self.stores
    }

    /// A section of a block begins.
    pub fn begin(&mut self, block: BlockId) {
        self.stores = self.stores.wrapping_add(1);
        self.begun[block.0] = self.stores;
    }

    /// Lanes store `width` bytes each. A store that is `late`, from before its block's section, is taken to
    /// have been performed when that began: the SM's barrier does not wait for it, as a GPU's would.
    pub fn store(&mut self, addresses: impl Iterator<Item = u64>, width: u64, block: BlockId, late: bool) {
        let number = match late {
            true => self.begun[block.0],
            false => self.stores.wrapping_add(1),
        };
        self.stores = self.stores.wrapping_add(u32::from(!late));
        for word in words(addresses, width) {
            self.stored[word] = number;
        }
    }

    /// Returns true if any of the lanes' `width` bytes was stored to after `then`.
    pub fn changed_since(&self, then: u32, addresses: impl Iterator<Item = u64>, width: u64) -> bool {
        let age = self.stores.wrapping_sub(then);
        words(addresses, width).any(|word| self.stores.wrapping_sub(self.stored[word]) < age)
    }
}

fn words(addresses: impl Iterator<Item = u64>, width: u64) -> impl Iterator<Item = usize> {
    addresses
        .flat_map(move |address| address / WORD..=(address + width.max(1) - 1) / WORD)
        .map(|word| (word % (REACH / WORD)) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_between_is_seen_in_its_words_alone() {
        let mut versions = Versions::new();
        let lanes = |first: u64| (0..4).map(move |lane| first + 16 * lane);
        versions.store(lanes(0), 16, BlockId(0), false);
        let then = versions.now();
        assert!(!versions.changed_since(then, lanes(0), 16), "it lies before");
        versions.store(std::iter::once(36), 1, BlockId(0), false);
        assert!(versions.changed_since(then, lanes(0), 16));
        assert!(!versions.changed_since(then, lanes(0), 4), "no lane's first word");
        assert!(!versions.changed_since(versions.now(), lanes(0), 16));
        assert!(versions.changed_since(then, std::iter::once(32), 8));
    }

    #[test]
    fn a_late_store_lies_before_the_section() {
        let mut versions = Versions::new();
        let word = || std::iter::once(8);
        let before = versions.now();
        versions.begin(BlockId(3));
        let after = versions.now();
        versions.store(std::iter::once(64), 4, BlockId(0), false);
        versions.store(word(), 4, BlockId(3), true);
        assert!(versions.changed_since(before, word(), 4));
        assert!(!versions.changed_since(after, word(), 4));
    }
}
