// SPDX-License-Identifier: Apache-2.0
//! Testbenches of the FineReg modules.

use gpurf_blocks::VECTOR_CACHE_ENTRIES;

use crate::{spread, Random};

gpurf_hw::dialect::modules!("src/finereg");

/// Live-register vectors of a kernel: a fixed one for each PC, from none to all registers.
#[derive(Clone, Copy, Debug, Default)]
struct Vectors;

impl Vectors {
    fn of(self, pc: u32) -> u64 {
        let mut hash = u64::from(pc).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
        hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash ^= hash >> 32;
        let sparse = hash & hash.rotate_left(13) & hash.rotate_left(29);
        match hash >> 60 {
            0 => 0,
            1 => !0,
            2 => 1 << (hash % 64),
            3..=6 => sparse,
            7 => hash,
            _ => sparse & hash.rotate_left(41),
        }
    }

    /// PCs that stall: mostly few, some that share a cache entry; and, of a straight code, one for each
    /// entry.
    fn pc(random: &mut Random) -> u32 {
        match random.pick(&[8, 100, 0]) {
            0 => 16 * random.below(VECTOR_CACHE_ENTRIES) as u32,
            instructions => spread(random.below(instructions), 32),
        }
    }

    /// A vector of any density.
    fn dense(random: &mut Random) -> u64 {
        let [a, b] = [(); 2].map(|()| u64::from(random.word()) << 32 | u64::from(random.word()));
        random.pick(&[a, a & b, a | b, a & b & a.rotate_left(7) & b.rotate_left(9), 0, !0, 1, 1 << 63])
    }
}

/// A PC for each entry of the cache of vectors, one entry after another. Of any two entries either may come
/// first.
#[derive(Clone, Copy, Debug)]
struct OneForEach {
    first: usize,
    step: usize,
}

impl OneForEach {
    fn draw(random: &mut Random) -> Self {
        let entries = VECTOR_CACHE_ENTRIES;
        OneForEach { first: random.below(entries), step: 2 * random.below(entries / 2) + 1 }
    }

    /// The PC at this place in the order.
    fn pc(self, place: usize) -> u32 {
        16 * ((self.first + place * self.step) % VECTOR_CACHE_ENTRIES) as u32
    }
}
