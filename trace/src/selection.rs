//! Which thread blocks of a launch are wanted.

use std::ops::Range;
use std::sync::Arc;

/// Thread blocks of a launch, by their numbers in the order of its stream, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Those whose number leaves this remainder, by how many.
    share: (u64, u64),
    /// Of them those that lie in one of these ranges, which ascend and do not touch; all if there are none.
    drawn: Option<Arc<[Range<u64>]>>,
}

impl Selection {
    /// All blocks.
    pub fn all() -> Selection {
        Selection { share: (0, 1), drawn: None }
    }

    /// Leaves out all but the blocks whose number leaves the remainder `own` when it is divided by `count`.
    pub fn share(self, own: u64, count: u64) -> Selection {
        Selection { share: (own, count), ..self }
    }

    /// Leaves out all but the blocks whose number lies in one of the ranges, which ascend.
    pub fn drawn(self, ranges: Arc<[Range<u64>]>) -> Selection {
        Selection { drawn: Some(ranges), ..self }
    }

    /// Whether a block is wanted.
    pub fn contains(&self, number: u64) -> bool {
        let (own, count) = self.share;
        let drawn = |ranges: &Arc<[Range<u64>]>| {
            let next = ranges.partition_point(|range| range.end <= number);
            ranges.get(next).is_some_and(|range| range.contains(&number))
        };
        number % count == own && self.drawn.as_ref().is_none_or(drawn)
    }

    /// Whether no block is left out.
    pub fn is_all(&self) -> bool {
        self.share.1 == 1 && self.drawn.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_what_is_drawn_is_in_both() {
        let ranges: Arc<[Range<u64>]> = Arc::new([0..4, 10..13, 20..21]);
        let wanted = Selection::all().drawn(Arc::clone(&ranges)).share(1, 3);
        let expected: Vec<u64> =
            (0..30).filter(|n| n % 3 == 1 && ranges.iter().any(|range| range.contains(n))).collect();
        assert_eq!((0..30).filter(|&n| wanted.contains(n)).collect::<Vec<_>>(), expected);
        assert!(!wanted.is_all() && !Selection::all().drawn(ranges).is_all());
        assert!(Selection::all().is_all() && (0..30).all(|n| Selection::all().contains(n)));
    }
}
