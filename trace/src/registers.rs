// SPDX-License-Identifier: Apache-2.0
//! Vector registers: as a trace names them, of an instruction, and in sets.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};
use smallvec::SmallVec;

/// A vector register: `R0` to `R254`, and `R255`, the zero register RZ.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, BorshSerialize, BorshDeserialize,
)]
pub struct RegisterId(pub u8);

impl RegisterId {
    /// The zero register: reads as 0, and is never written.
    pub const RZ: RegisterId = RegisterId(255);

    /// Where it stands in an array of all registers of a thread.
    #[inline]
    pub fn index(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for RegisterId {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "R{}", self.0)
    }
}

impl From<RegisterId> for u32 {
    fn from(register: RegisterId) -> u32 {
        register.0.into()
    }
}

/// Vector registers of an instruction: in place if there are no more than 16, as those of nearly all are. A
/// matrix product of a warpgroup reads and writes up to 128 accumulators.
pub type Registers = SmallVec<[RegisterId; 16]>;

/// For each of an instruction's [`Registers`], the number of the operand that it belongs to.
pub type Positions = SmallVec<[u8; 16]>;

/// A register as a trace names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// A register of each thread.
    Vector(RegisterId),
    /// `UR0` and on, `UR63` being URZ. Named by tracer version 6, and by today's version 5.
    Uniform(u8),
}

impl Register {
    /// The zero register.
    pub const RZ: Register = Register::Vector(RegisterId::RZ);

    /// The vector register with this number.
    pub const fn vector(number: u8) -> Register {
        Register::Vector(RegisterId(number))
    }
}

/// A set of registers R0 to R255, one bit each. Words, not a bit vector of a library: with that one a run
/// takes 30% more time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct RegisterSet([u64; 4]);

impl RegisterSet {
    /// Adds a register, 0 to 255.
    #[inline]
    pub fn insert(&mut self, register: RegisterId) {
        self.0[register.index() / 64] |= 1 << (register.0 % 64);
    }

    /// Takes a register out, if it is there.
    #[inline]
    pub fn remove(&mut self, register: RegisterId) {
        self.0[register.index() / 64] &= !(1 << (register.0 % 64));
    }

    /// Returns true if a register is in the set.
    #[inline]
    pub fn contains(&self, register: RegisterId) -> bool {
        self.0[register.index() / 64] >> (register.0 % 64) & 1 == 1
    }

    /// The registers of either set.
    #[inline]
    pub fn union(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// The registers that are not in the other set.
    #[inline]
    pub fn difference(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// Returns true if all its registers are in the other set.
    #[inline]
    pub fn is_subset(&self, other: &RegisterSet) -> bool {
        self.difference(*other) == RegisterSet::default()
    }

    /// Number of registers in it.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns true if there is no register in the set.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// R0 to R63, one bit each: what FineReg's live-register vectors hold (R §V-A).
    pub fn low_word(&self) -> u64 {
        self.0[0]
    }

    /// The registers in it, lowest first.
    pub fn iter(self) -> impl Iterator<Item = RegisterId> {
        (0..=255).map(RegisterId).filter(move |&register| self.contains(register))
    }

    /// Returns true if some register is in both sets.
    #[inline]
    pub fn intersects(&self, other: &RegisterSet) -> bool {
        // Without a branch: the SM asks this in every cycle.
        (0..4).fold(0, |common, word| common | self.0[word] & other.0[word]) != 0
    }
}

impl FromIterator<RegisterId> for RegisterSet {
    fn from_iter<I: IntoIterator<Item = RegisterId>>(registers: I) -> Self {
        let mut set = RegisterSet::default();
        registers.into_iter().for_each(|register| set.insert(register));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set<const N: usize>(registers: [u8; N]) -> RegisterSet {
        registers.map(RegisterId).into_iter().collect()
    }

    #[test]
    fn a_set_holds_what_was_inserted_and_not_removed() {
        let mut held = set([0, 63, 64, 255]);
        assert!([0, 63, 64, 255].into_iter().all(|register| held.contains(RegisterId(register))));
        assert!(!held.contains(RegisterId(1)) && !held.contains(RegisterId(65)));
        held.remove(RegisterId(64));
        assert!(!held.contains(RegisterId(64)) && held.contains(RegisterId(63)));
    }

    #[test]
    fn a_difference_has_what_only_the_first_has() {
        let (all, some) = (set([1, 64, 200]), set([64, 65]));
        let rest = all.difference(some);
        assert_eq!(rest.iter().collect::<Vec<_>>(), [1, 200].map(RegisterId));
        assert!(rest.is_subset(&all) && !all.is_subset(&rest));
        assert_eq!((all.len(), rest.low_word(), RegisterSet::default().is_empty()), (3, 2, true));
    }

    #[test]
    fn sets_meet_where_they_share_a_register() {
        let (low, high) = (set([3, 70]), set([200]));
        assert!(!low.intersects(&high));
        assert!(low.union(high).intersects(&high));
        assert!(low.intersects(&set([70])));
    }
}
