//! Vector registers: as a trace names them, of an instruction, and in sets.

use arrayvec::ArrayVec;

/// Vector registers of an instruction; at most 16, so that a `u16` can mark them.
pub type Registers = ArrayVec<u8, 16>;

/// A register as a trace names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Register {
    /// `R0` to `R254`, and `R255`, the zero register RZ.
    Vector(u8),
    /// `UR0` and on, `UR63` being URZ. Named by tracer version 6 only.
    Uniform(u8),
}

impl Register {
    /// The zero register.
    pub const RZ: Register = Register::Vector(255);
}

/// A set of registers R0 to R255, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterSet([u64; 4]);

impl RegisterSet {
    /// Adds a register, 0 to 255.
    #[inline]
    pub fn insert(&mut self, register: u8) {
        self.0[register as usize / 64] |= 1 << (register % 64);
    }

    /// Takes a register out, if it is there.
    #[inline]
    pub fn remove(&mut self, register: u8) {
        self.0[register as usize / 64] &= !(1 << (register % 64));
    }

    /// Whether a register is in the set.
    #[inline]
    pub fn contains(&self, register: u8) -> bool {
        self.0[register as usize / 64] >> (register % 64) & 1 == 1
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

    /// Whether all its registers are in the other set.
    #[inline]
    pub fn is_subset(&self, other: &RegisterSet) -> bool {
        self.difference(*other) == RegisterSet::default()
    }

    /// Number of registers in it.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether there is no register in the set.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// R0 to R63, one bit each: what FineReg's live-register vectors hold (R §V-A).
    pub fn low_word(&self) -> u64 {
        self.0[0]
    }

    /// The registers in it, lowest first.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=255u8).filter(move |&register| self.contains(register))
    }

    /// Whether some register is in both sets.
    #[inline]
    pub fn intersects(&self, other: &RegisterSet) -> bool {
        // Without a branch: the SM asks this in every cycle.
        (0..4).fold(0, |common, word| common | self.0[word] & other.0[word]) != 0
    }
}

impl FromIterator<u8> for RegisterSet {
    fn from_iter<I: IntoIterator<Item = u8>>(registers: I) -> Self {
        let mut set = RegisterSet::default();
        registers.into_iter().for_each(|register| set.insert(register));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_inserted_and_not_removed() {
        let mut set = RegisterSet::from_iter([0, 63, 64, 255]);
        assert!([0, 63, 64, 255].into_iter().all(|register| set.contains(register)));
        assert!(!set.contains(1) && !set.contains(65));
        set.remove(64);
        assert!(!set.contains(64) && set.contains(63));
    }

    #[test]
    fn a_difference_has_what_only_the_first_has() {
        let (all, some) = (RegisterSet::from_iter([1, 64, 200]), RegisterSet::from_iter([64, 65]));
        let rest = all.difference(some);
        assert_eq!(rest.iter().collect::<Vec<_>>(), [1, 200]);
        assert!(rest.is_subset(&all) && !all.is_subset(&rest));
        assert_eq!((all.len(), rest.low_word(), RegisterSet::default().is_empty()), (3, 2, true));
    }

    #[test]
    fn sets_meet_where_they_share_a_register() {
        let (low, high) = (RegisterSet::from_iter([3, 70]), RegisterSet::from_iter([200]));
        assert!(!low.intersects(&high));
        assert!(low.union(high).intersects(&high));
        assert!(low.intersects(&RegisterSet::from_iter([70])));
    }
}
