// SPDX-License-Identifier: Apache-2.0
//! A set of places, found in their order.

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Places below a number, a bit each. Words, and no `bitvec`: its search for the next one took half of the
/// time that an evaluation of gates takes.
pub struct BitSet(Vec<u64>);

impl BitSet {
    pub fn none(count: usize) -> BitSet {
        BitSet(vec![0; count.div_ceil(WORD)])
    }

    pub fn all(count: usize) -> BitSet {
        let mut places = BitSet(vec![u64::MAX; count.div_ceil(WORD)]);
        if let (Some(last), 1..) = (places.0.last_mut(), count % WORD) {
            *last = (1 << (count % WORD)) - 1;
        }
        places
    }

    pub fn insert(&mut self, place: usize) {
        self.0[place / WORD] |= 1 << (place % WORD);
    }

    pub fn remove(&mut self, place: usize) {
        self.0[place / WORD] &= !(1 << (place % WORD));
    }

    /// The first place at `from` or behind it.
    #[inline]
    pub fn first(&self, from: usize) -> Option<usize> {
        let first = from / WORD;
        let word = self.0.get(first)? & u64::MAX << (from % WORD);
        if word != 0 {
            return Some(WORD * first + word.trailing_zeros() as usize);
        }
        let rest = self.0[first + 1..].iter().position(|word| *word != 0)?;
        let found = first + 1 + rest;
        Some(WORD * found + self.0[found].trailing_zeros() as usize)
    }

    /// Takes it out.
    #[inline]
    pub fn take_first(&mut self, from: usize) -> Option<usize> {
        let first = self.first(from)?;
        self.remove(first);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_order() {
        for count in [0, 1, 63, 64, 65, 200] {
            let (mut all, mut from, mut found) = (BitSet::all(count), 0, vec![]);
            while let Some(place) = all.take_first(from) {
                found.push(place);
                from = place;
            }
            assert_eq!(found, (0..count).collect::<Vec<_>>());
            assert_eq!(all.first(0), None);
        }
        let mut places = BitSet::none(300);
        [5, 64, 299].into_iter().for_each(|place| places.insert(place));
        assert_eq!([0, 6, 64, 65].map(|from| places.first(from)), [Some(5), Some(64), Some(64), Some(299)]);
        places.remove(299);
        assert_eq!((places.first(65), places.first(300)), (None, None));
    }
}
