// SPDX-License-Identifier: Apache-2.0
//! From exact values to those of a narrower format, in every rounding mode.

use std::cmp::Ordering;

use super::formats::{half_value, HALF_MIN_NORMAL, HALF_NAN, SINGLE_NAN};
use super::Rounding;

/// By how much the magnitude bits of a value rounded to nearest must change for another mode, given
/// how the exact value compares with it. Magnitudes count through all numbers up to infinity.
#[inline]
pub fn correction(negative: bool, exact_to_rounded: Option<Ordering>, rounding: Rounding) -> i32 {
    let up = match (rounding, exact_to_rounded) {
        (Rounding::Down, Some(Ordering::Less)) => -1,
        (Rounding::Up, Some(Ordering::Greater)) => 1,
        (Rounding::Zero, Some(Ordering::Less)) if !negative => -1,
        (Rounding::Zero, Some(Ordering::Greater)) if negative => 1,
        _ => 0,
    };
    if negative {
        -up
    } else {
        up
    }
}

/// The sum of two values, to at most 51 bits, whose result is to be rounded once more. If it is inexact,
/// its last bit is one ("round to odd"). This keeps the second rounding from taking it for a tie or for
/// exact. A zero gets the sign that `rounding` gives to exact zero sums.
#[inline]
pub fn sum(a: f64, b: f64, rounding: Rounding) -> f64 {
    let sum = a + b;
    if sum == 0.0 {
        let negative = rounding == Rounding::Down && (a.is_sign_negative() || b.is_sign_negative());
        return if negative { -0.0 } else { sum };
    }
    // What the addition lost (Knuth's two-sum); NaN or meaningless if the sum is not finite.
    let b_kept = sum - a;
    let lost = (a - (sum - b_kept)) + (b - b_kept);
    if lost == 0.0 || !sum.is_finite() || sum.to_bits() & 1 != 0 {
        return sum;
    }
    let outwards = (lost > 0.0) == (sum > 0.0);
    f64::from_bits(if outwards { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

/// To single precision.
#[inline]
pub fn to_single(value: f64, rounding: Rounding) -> u32 {
    if value.is_nan() {
        return SINGLE_NAN;
    }
    let nearest = value as f32;
    let order = value.partial_cmp(&f64::from(nearest));
    nearest.to_bits().wrapping_add_signed(correction(nearest.is_sign_negative(), order, rounding))
}

/// To half precision.
#[inline]
pub fn to_half(value: f64, rounding: Rounding) -> u16 {
    if value.is_nan() {
        return HALF_NAN;
    }
    let nearest = nearest_half(value);
    let order = value.partial_cmp(&half_value(nearest));
    nearest.wrapping_add_signed(correction(nearest >> 15 != 0, order, rounding) as i16)
}

fn nearest_half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    let bits = if magnitude < HALF_MIN_NORMAL {
        // The last bit of 2^28 is worth 2^-24, as that of a subnormal: the addition rounds.
        let offset = f64::from(1 << 28);
        (magnitude + offset).to_bits() - offset.to_bits()
    } else {
        // Rebias the exponent and round off 42 bits of the significand; a carry enters the exponent.
        let rebiased = magnitude.to_bits() - ((1023 - 15) << 52);
        let even = rebiased >> 42 & 1;
        (rebiased + (1 << 41) - 1 + even) >> 42
    };
    sign | bits.min(0x7c00) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_become_ties_by_being_rounded_first() {
        // Just above the middle between two singles, by less than a double can tell.
        let (one, tiny) = (f64::from(1.0 + f32::EPSILON / 2.0) + 2f64.powi(-24), 2f64.powi(-60));
        let rounded = |value| f32::from_bits(to_single(value, Rounding::Nearest));
        assert_eq!(rounded(one + tiny), 1.0);
        assert_eq!(rounded(sum(one, tiny, Rounding::Nearest)), 1.0 + f32::EPSILON);
        assert_eq!(rounded(sum(-one, -tiny, Rounding::Nearest)), -1.0 - f32::EPSILON);
        assert_eq!(rounded(sum(one, -tiny, Rounding::Nearest)), 1.0);
    }

    #[test]
    fn directions_stop_at_the_largest_number_or_at_infinity() {
        let (largest, infinity) = (f32::MAX.to_bits(), f32::INFINITY.to_bits());
        let expected = [
            (Rounding::Nearest, infinity, infinity),
            (Rounding::Down, largest, infinity),
            (Rounding::Up, infinity, largest),
            (Rounding::Zero, largest, largest),
        ];
        for (rounding, positive, negative) in expected {
            assert_eq!(to_single(1e300, rounding), positive);
            assert_eq!(to_single(-1e300, rounding), negative | 1 << 31);
            assert_eq!(to_single(f64::INFINITY, rounding), infinity);
            assert_eq!(to_half(65536.0, rounding), if positive == infinity { 0x7c00 } else { 0x7bff });
            assert_eq!(to_half(f64::NEG_INFINITY, rounding), 0xfc00);
        }
    }
}
