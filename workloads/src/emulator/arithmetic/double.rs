// SPDX-License-Identifier: Apache-2.0
//! Double precision.
//!
//! A NaN operand makes the result that NaN, quieted; of several the first counts. Operations on
//! numbers without a result make [`NAN`]. The compiler's own code for division and square roots makes
//! the same choices.

use super::{FloatComparison, Rounding};
use rustc_apfloat::{ieee::Double, Float, Round};

/// The NaN that operations on numbers produce.
pub const NAN: u64 = 0xfff8_0000_0000_0000;

/// The result of an operation: a NaN among the operands if there is one.
#[inline]
fn finish<const N: usize>(result: f64, operands: [u64; N]) -> u64 {
    if !result.is_nan() {
        return result.to_bits();
    }
    let is_nan = |bits: &u64| f64::from_bits(*bits).is_nan();
    operands.into_iter().find(is_nan).map_or(NAN, |bits| bits | 1 << 51)
}

pub(super) fn apfloat_rounding(rounding: Rounding) -> Round {
    match rounding {
        Rounding::Nearest => Round::NearestTiesToEven,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::Zero => Round::TowardZero,
    }
}

/// An operation in a mode that the processor we run on does not offer.
fn directed<const N: usize>(operands: [u64; N], operation: impl Fn([Double; N]) -> Double) -> f64 {
    f64::from_bits(operation(operands.map(|bits| Double::from_bits(bits.into()))).to_bits() as u64)
}

/// `DADD`.
#[inline]
pub fn add(a: u64, b: u64, rounding: Rounding) -> u64 {
    let sum = if rounding == Rounding::Nearest {
        f64::from_bits(a) + f64::from_bits(b)
    } else {
        directed([a, b], |[a, b]| a.add_r(b, apfloat_rounding(rounding)).value)
    };
    finish(sum, [a, b])
}

/// `DMUL`.
#[inline]
pub fn multiply(a: u64, b: u64, rounding: Rounding) -> u64 {
    let product = if rounding == Rounding::Nearest {
        f64::from_bits(a) * f64::from_bits(b)
    } else {
        directed([a, b], |[a, b]| a.mul_r(b, apfloat_rounding(rounding)).value)
    };
    finish(product, [a, b])
}

/// `DFMA`: a × b + c, rounded once.
#[inline]
pub fn fused(a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let sum = if rounding == Rounding::Nearest {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c))
    } else {
        directed([a, b, c], |[a, b, c]| a.mul_add_r(b, c, apfloat_rounding(rounding)).value)
    };
    finish(sum, [a, b, c])
}

/// `DSETP`.
#[inline]
pub fn compare(a: u64, b: u64, comparison: FloatComparison) -> bool {
    comparison.holds(f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
}

/// `DSETP.MIN`: whether the lesser operand is the first, and whether both are NaNs. -0 is less than
/// +0, a number is preferred to a NaN. The compiler selects by the first predicate, and quiets the
/// result by the second.
#[inline]
pub fn minimum(a: u64, b: u64) -> (bool, bool) {
    let [a, b] = [a, b].map(f64::from_bits);
    let first = if b.is_nan() { !a.is_nan() } else { a < b || (a == b && a.is_sign_negative()) };
    (first, a.is_nan() && b.is_nan())
}

/// `DSETP.MAX`: whether the greater operand is the first, and whether both are NaNs; see [`minimum`].
#[inline]
pub fn maximum(a: u64, b: u64) -> (bool, bool) {
    let [a, b] = [a, b].map(f64::from_bits);
    let first = if b.is_nan() { !a.is_nan() } else { a > b || (a == b && a.is_sign_positive()) };
    (first, a.is_nan() && b.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::testing;

    fn equal(result: u64, expected: Double) -> bool {
        if expected.is_nan() {
            f64::from_bits(result).is_nan()
        } else {
            u128::from(result) == expected.to_bits()
        }
    }

    #[test]
    fn results_are_ieee() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..30_000 {
            let bits @ [a, b, c] = [(); 3].map(|()| testing::double(&mut random));
            let [x, y, z] = bits.map(|bits| Double::from_bits(bits.into()));
            for rounding in testing::ROUNDINGS {
                let round = testing::apfloat_rounding(rounding);
                assert!(equal(add(a, b, rounding), x.add_r(y, round).value), "{a:#x} + {b:#x} {rounding:?}");
                assert!(
                    equal(multiply(a, b, rounding), x.mul_r(y, round).value),
                    "{a:#x} * {b:#x} {rounding:?}"
                );
                let expected = x.mul_add_r(y, z, round).value;
                assert!(equal(fused(a, b, c, rounding), expected), "{a:#x} * {b:#x} + {c:#x} {rounding:?}");
            }
        }
    }

    #[test]
    fn directions_enclose_the_exact_result() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..30_000 {
            let [a, b] = [(); 2].map(|()| 1.0 + random.f64());
            let [x, y] = [a, b].map(f64::to_bits);
            let product = |rounding| f64::from_bits(multiply(x, y, rounding));
            // What the nearest product lacks is a double.
            let lost = a.mul_add(b, -(a * b));
            let (down, up) = (product(Rounding::Down), product(Rounding::Up));
            assert_eq!((down == a * b, up == a * b), (lost >= 0.0, lost <= 0.0));
            assert_eq!(up.to_bits() - down.to_bits(), u64::from(lost != 0.0));
            assert_eq!(product(Rounding::Zero), down);
        }
    }

    #[test]
    fn nan_operands_keep_their_payload() {
        let (quiet, signalling, one) = (0x7ff8_0000_0000_1234, 0xfff0_0000_0000_0001, 1f64.to_bits());
        for rounding in testing::ROUNDINGS {
            assert_eq!(add(quiet, signalling, rounding), quiet);
            assert_eq!(multiply(one, signalling, rounding), 0xfff8_0000_0000_0001);
            assert_eq!(fused(one, one, quiet, rounding), quiet);
            let infinity = f64::INFINITY.to_bits();
            assert_eq!(add(infinity, infinity ^ 1 << 63, rounding), NAN);
            assert_eq!(fused(infinity, 0, one, rounding), NAN);
        }
    }

    /// The result of the compiler's `fmin` and `fmax`: a selection and a correction.
    fn select(a: u64, b: u64, (first, both_nan): (bool, bool)) -> f64 {
        f64::from_bits(if first { a } else { b } | if both_nan { 1 << 51 } else { 0 })
    }

    #[test]
    fn extremes_prefer_numbers() {
        let mut random = fastrand::Rng::with_seed(3);
        let zeros = [(0, 1 << 63), (1 << 63, 0)];
        for (a, b) in zeros
            .into_iter()
            .chain((0..50_000).map(|_| (testing::double(&mut random), testing::double(&mut random))))
        {
            let [x, y] = [a, b].map(|bits| Double::from_bits(bits.into()));
            for (result, expected) in
                [(select(a, b, minimum(a, b)), x.min(y)), (select(a, b, maximum(a, b)), x.max(y))]
            {
                let zero = result == 0.0 && expected.is_zero();
                assert!(zero || equal(result.to_bits(), expected), "{a:#x} {b:#x}");
            }
        }
        for (a, b) in zeros {
            assert!(select(a, b, minimum(a, b)).is_sign_negative());
            assert!(select(a, b, maximum(a, b)).is_sign_positive());
        }
    }

    #[test]
    fn comparisons_know_nan() {
        let [one, two, nan] = [1.0, 2.0, f64::NAN].map(f64::to_bits);
        assert!(compare(one, two, FloatComparison::Lt));
        assert!(!compare(nan, two, FloatComparison::Ne));
        assert!(compare(nan, two, FloatComparison::Neu));
        assert!(compare(0, 1 << 63, FloatComparison::Eq));
    }
}
