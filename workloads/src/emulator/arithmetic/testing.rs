// SPDX-License-Identifier: Apache-2.0
//! Common parts of the tests: operands that find mistakes, and reference arithmetic.

pub(super) use super::double::apfloat_rounding;
use super::{FloatMode, Rounding};
use fastrand::Rng;

pub const ROUNDINGS: [Rounding; 4] = [Rounding::Nearest, Rounding::Down, Rounding::Up, Rounding::Zero];

/// Every combination of modifiers.
pub fn modes() -> Vec<FloatMode> {
    let mut modes = vec![];
    for rounding in ROUNDINGS {
        for flush in [false, true] {
            for saturate in [false, true] {
                modes.push(FloatMode { rounding, flush, saturate });
            }
        }
    }
    modes
}

/// A pattern of a format with so many bits of exponent and fraction: anything at all, a special
/// value, few ones or few zeros in the fraction, or of a size that meets its like in a sum.
fn pattern(random: &mut Rng, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let fraction_mask = (1 << fraction_bits) - 1;
    let exponent_mask = (1 << exponent_bits) - 1;
    let sign = u64::from(random.bool()) << (exponent_bits + fraction_bits);
    let join = |exponent: u64, fraction: u64| {
        sign | (exponent & exponent_mask) << fraction_bits | fraction & fraction_mask
    };
    let fraction = match random.u8(..4) {
        0 => 0u64.wrapping_sub(random.u64(..3)),
        1 => 1 << random.u32(..fraction_bits) | 1 << random.u32(..fraction_bits),
        _ => random.u64(..),
    };
    let bias = exponent_mask / 2;
    match random.u8(..8) {
        0 => join(0, fraction),
        1 => join(exponent_mask, if random.bool() { 0 } else { fraction }),
        2 => join(exponent_mask - 1 - random.u64(..2), fraction),
        3 => join(1 + random.u64(..2), fraction),
        4 => join(random.u64(..), fraction),
        _ => join(bias - 3 + random.u64(..7), fraction),
    }
}

pub fn half(random: &mut Rng) -> u16 {
    pattern(random, 5, 10) as u16
}

pub fn single(random: &mut Rng) -> u32 {
    pattern(random, 8, 23) as u32
}

pub fn double(random: &mut Rng) -> u64 {
    pattern(random, 11, 52)
}
