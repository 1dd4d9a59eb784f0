// SPDX-License-Identifier: Apache-2.0
//! Register values: 32 bits where a token stands for a warp's register, 1024 where hardware is built.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::LANES;

/// A register value of [`Data::WIDTH`] bits in plain Rust, little end first.
pub trait Data:
    Copy + Default + PartialEq + fmt::Debug + Send + BorshSerialize + BorshDeserialize + 'static
{
    /// Bits of the value.
    const WIDTH: usize;

    /// Its words of 32 bits, little end first.
    fn words(&self) -> &[u32];
    /// The same, to be changed.
    fn words_mut(&mut self) -> &mut [u32];

    /// Takes over some lanes of another value: lane l has the `WIDTH / 32` bits from bit `l * WIDTH / 32` on.
    fn take_lanes(&mut self, other: &Self, lanes: u32) {
        if lanes == u32::MAX {
            *self = *other;
            return;
        }
        let of_lane = Self::WIDTH / LANES;
        for (index, (word, other)) in self.words_mut().iter_mut().zip(other.words()).enumerate() {
            let own = lanes >> (32 * index / of_lane);
            let mask = match of_lane {
                1 => own,
                2..32 => (0..32 / of_lane)
                    .filter(|lane| own >> lane & 1 == 1)
                    .fold(0, |mask, lane| mask | !(!0 << of_lane) << (lane * of_lane)),
                // A lane is one word or several.
                _ => 0u32.wrapping_sub(own & 1),
            };
            *word = *word & !mask | other & mask;
        }
    }

    /// This value with some lanes of another.
    fn with_lanes(mut self, other: &Self, lanes: u32) -> Self {
        self.take_lanes(other, lanes);
        self
    }
}

impl Data for u32 {
    const WIDTH: usize = 32;

    fn words(&self) -> &[u32] {
        std::slice::from_ref(self)
    }

    fn words_mut(&mut self) -> &mut [u32] {
        std::slice::from_mut(self)
    }
}

/// A value of `N` words of 32 bits: 32 of them are one register of a warp.
#[derive(Clone, Copy, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Wide<const N: usize>(pub [u32; N]);

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Wide([0; N])
    }
}

impl<const N: usize> fmt::Debug for Wide<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "0x")?;
        self.0.iter().rev().try_for_each(|word| write!(f, "{word:08x}"))
    }
}

impl<const N: usize> Data for Wide<N> {
    const WIDTH: usize = 32 * N;

    fn words(&self) -> &[u32] {
        &self.0
    }

    fn words_mut(&mut self) -> &mut [u32] {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes_are_taken_bit_by_bit<D: Data>() {
        let (mut own, mut other) = (D::default(), D::default());
        own.words_mut()
            .iter_mut()
            .zip(1..)
            .for_each(|(word, number)| *word = 0x9e37_79b9u32.wrapping_mul(number));
        other.words_mut().copy_from_slice(&own.words().iter().map(|word| !word).collect::<Vec<_>>());
        let bit = |value: &D, bit: usize| value.words()[bit / 32] >> (bit % 32) & 1;
        for lanes in [0, u32::MAX, 1, 1 << 31, 0xffff, 0x8421_1248, 0x5555_5555] {
            let taken = own.with_lanes(&other, lanes);
            for place in 0..D::WIDTH {
                let from = if lanes >> (place * LANES / D::WIDTH) & 1 == 1 { &other } else { &own };
                assert_eq!(
                    bit(&taken, place),
                    bit(from, place),
                    "{} bits, lanes {lanes:x}, bit {place}",
                    D::WIDTH
                );
            }
        }
    }

    #[test]
    fn lanes_of_any_width_are_taken() {
        lanes_are_taken_bit_by_bit::<u32>();
        lanes_are_taken_bit_by_bit::<Wide<2>>();
        lanes_are_taken_bit_by_bit::<Wide<8>>();
        lanes_are_taken_bit_by_bit::<Wide<32>>();
        lanes_are_taken_bit_by_bit::<Wide<64>>();
    }
}
