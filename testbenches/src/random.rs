// SPDX-License-Identifier: Apache-2.0
//! Random choices for stimulus, from a seed.

use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Number `index` of a family of numbers of so many bits: they use all bits, and each odd one differs from
/// the one before it in a single bit.
pub fn spread(index: usize, bits: u32) -> u32 {
    let pair = index / 2;
    let number = ((pair as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - bits)) as u32;
    number ^ (index as u32 & 1) << (pair as u32 % bits)
}

/// Numbers that are alike except for some of their bits, so that each has neighbours that differ from it in a
/// single one.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours {
    base: u32,
    free: u32,
}

impl Neighbours {
    /// All numbers of so many bits.
    pub fn all(bits: u32) -> Self {
        Neighbours { base: 0, free: (1 << bits) - 1 }
    }

    /// The ones around any number of so many bits; so many of the bits are free.
    pub fn draw(random: &mut Random, bits: u32, free: u32) -> Self {
        let mut places: Vec<u32> = (0..bits).collect();
        let chosen = (0..free).map(|_| 1 << places.swap_remove(random.below(places.len())));
        let free = chosen.fold(0, |free, bit: u32| free | bit);
        Neighbours { base: Neighbours::all(bits).any(random), free }
    }

    /// Any of them.
    pub fn any(self, random: &mut Random) -> u32 {
        self.base ^ random.word() & self.free
    }
}

/// A stream of random numbers.
pub enum Random {
    /// ChaCha with eight rounds: the same numbers on every machine and in every version.
    Seeded(Box<ChaCha8Rng>),
    /// The same, with all register values zero.
    Dataless(Box<ChaCha8Rng>),
}

impl Random {
    /// The same numbers for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Random::Seeded(Box::new(ChaCha8Rng::seed_from_u64(seed)))
    }

    /// Leaves values out, which many registers keep over a reset.
    pub fn dataless(seed: u64) -> Self {
        Random::Dataless(Box::new(ChaCha8Rng::seed_from_u64(seed)))
    }

    /// The next 32 bits.
    pub fn word(&mut self) -> u32 {
        match self {
            Random::Seeded(generator) | Random::Dataless(generator) => generator.next_u32(),
        }
    }

    /// Uniform in 0..`bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((self.word() as u64 * bound as u64) >> 32) as usize
    }

    /// One of the choices.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// All numbers of 0..`bound`, in any order.
    pub fn shuffled(&mut self, bound: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..bound).collect();
        (0..bound).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }

    /// One of so many registers. However few they are, their numbers use all bits.
    pub fn register(&mut self, registers: usize) -> u32 {
        spread(self.below(registers), 8)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) >= 100 - chance
    }

    /// A value of as many bits as the type has.
    pub fn data<D: gpurf_blocks::Data>(&mut self) -> D {
        let mut data = D::default();
        data.words_mut().fill_with(|| self.word());
        match self {
            // Its other choices are the same with values and without.
            Random::Dataless(_) => D::default(),
            _ => data,
        }
    }
}
