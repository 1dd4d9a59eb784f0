//! A set of places, found in their order.

use bitvec::vec::BitVec;

/// Places below a number.
pub struct Places(BitVec);

impl Places {
    pub fn none(count: usize) -> Places {
        Places(BitVec::repeat(false, count))
    }

    pub fn all(count: usize) -> Places {
        Places(BitVec::repeat(true, count))
    }

    pub fn insert(&mut self, place: usize) {
        self.0.set(place, true);
    }

    pub fn remove(&mut self, place: usize) {
        self.0.set(place, false);
    }

    /// The first place at `from` or behind it.
    pub fn first(&self, from: usize) -> Option<usize> {
        self.0.get(from..)?.first_one().map(|found| from + found)
    }

    /// Takes it out.
    pub fn take_first(&mut self, from: usize) -> Option<usize> {
        let first = self.first(from)?;
        self.remove(first);
        Some(first)
    }
}
