//! A small seeded random number generator: equal seeds, equal runs, on every machine.

/// SplitMix64, which any seed suits.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Different streams of one seed are independent.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = Random(seed ^ stream.wrapping_mul(0xd1b5_4a32_d192_ed03));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the set bits of `mask`, each equally likely; `None` of an empty mask.
    pub fn pick(&mut self, mask: u8) -> Option<usize> {
        match mask.count_ones() {
            0 => None,
            1 => Some(mask.trailing_zeros() as usize),
            count => {
                let skipped = ((self.next() >> 32) * u64::from(count)) >> 32;
                let rest = (0..skipped).fold(mask, |rest, _| rest & (rest - 1));
                Some(rest.trailing_zeros() as usize)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_every_set_bit_about_equally_often() {
        let mut random = Random::new(1, 0);
        let mut picked = [0u32; 8];
        for _ in 0..30_000 {
            picked[random.pick(0b1001_0010).unwrap()] += 1;
        }
        for (bit, &count) in picked.iter().enumerate() {
            match bit {
                1 | 4 | 7 => assert!((9_500..10_500).contains(&count), "bit {bit}: {count}"),
                _ => assert_eq!(count, 0),
            }
        }
        assert_eq!(random.pick(0), None);
    }

    #[test]
    fn a_seed_fixes_the_sequence_and_streams_differ() {
        let sequence = |seed, stream| {
            let mut random = Random::new(seed, stream);
            (0..32).map(|_| random.pick(0xff).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(sequence(7, 1), sequence(7, 1));
        assert_ne!(sequence(7, 1), sequence(7, 2));
        assert_ne!(sequence(7, 1), sequence(8, 1));
    }
}
