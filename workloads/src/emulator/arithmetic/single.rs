// SPDX-License-Identifier: Apache-2.0
//! Single precision.

use gpurf_trace::Lanes;

use super::{rounding, FloatComparison, FloatMode};

pub use super::formats::SINGLE_NAN as NAN;

/// A value, subnormal ones as zero if asked to.
#[inline]
fn operand(bits: u32, flush: bool) -> f32 {
    f32::from_bits(flush_subnormal(bits, flush))
}

/// A subnormal value becomes a zero of its sign.
#[inline]
pub(super) fn flush_subnormal(bits: u32, flush: bool) -> u32 {
    if flush && bits & 0x7f80_0000 == 0 {
        bits & 0x8000_0000
    } else {
        bits
    }
}

#[inline]
fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        NAN
    } else {
        value.to_bits()
    }
}

/// The result of an operation whose exact value, or that rounded to odd, is `value`.
pub(super) fn finish(value: f64, mode: FloatMode) -> u32 {
    let bits = flush_subnormal(rounding::to_single(value, mode.rounding), mode.flush);
    if mode.saturate {
        saturate(bits)
    } else {
        bits
    }
}

/// Clamped to \[0, 1\]; NaN and -0 become +0.
fn saturate(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    if value > 0.0 {
        value.min(1.0).to_bits()
    } else {
        0
    }
}

/// `FADD`.
#[inline]
pub fn add(a: u32, b: u32, mode: FloatMode) -> u32 {
    if mode == FloatMode::default() {
        return canonical(f32::from_bits(a) + f32::from_bits(b));
    }
    let [a, b] = [a, b].map(|bits| f64::from(operand(bits, mode.flush)));
    finish(rounding::sum(a, b, mode.rounding), mode)
}

/// `FMUL`.
#[inline]
pub fn multiply(a: u32, b: u32, mode: FloatMode) -> u32 {
    if mode == FloatMode::default() {
        return canonical(f32::from_bits(a) * f32::from_bits(b));
    }
    // 48 bits: exact.
    let [a, b] = [a, b].map(|bits| f64::from(operand(bits, mode.flush)));
    finish(a * b, mode)
}

/// `FMUL.D2`, `.M4` and their like: the rounded product times a power of two. The compiler puts it in the
/// place of two multiplications, so it is taken to be what they are, where the product is too large or the
/// result subnormal as well.
pub fn multiply_scaled(a: u32, b: u32, scale: f32, mode: FloatMode) -> u32 {
    let product = multiply(a, b, FloatMode { saturate: false, ..mode });
    multiply(product, scale.to_bits(), mode)
}

/// `FFMA`: a × b + c, rounded once.
#[inline(always)]
pub fn fused(a: u32, b: u32, c: u32, mode: FloatMode) -> u32 {
    if mode == FloatMode::default() {
        return canonical(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)));
    }
    let [a, b, c] = [a, b, c].map(|bits| f64::from(operand(bits, mode.flush)));
    finish(rounding::sum(a * b, c, mode.rounding), mode)
}

/// [`fused`] in the default mode, of all lanes.
pub fn fused_lanes(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
    /// Made a second time by [`vector`], with the processor's own instructions: without them each lane is a
    /// call of the mathematical library.
    #[inline(always)]
    fn each(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
        for (lane, d) in d.iter_mut().enumerate() {
            *d = fused(a[lane], b[lane], c[lane], FloatMode::default());
        }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn vector(a: &Lanes, b: &Lanes, c: &Lanes, d: &mut Lanes) {
        each(a, b, c, d);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the instructions.
        return unsafe { vector(a, b, c, d) };
    }
    each(a, b, c, d);
}

/// `FMNMX` with a true predicate: the lesser number, -0 being less than +0. A number is preferred to
/// a NaN.
#[inline]
pub fn minimum(a: u32, b: u32, flush: bool) -> u32 {
    let [a, b] = [a, b].map(|bits| operand(bits, flush));
    canonical(if b.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b })
}

/// `FMNMX` with a false predicate: the greater number, +0 being greater than -0. A number is preferred
/// to a NaN.
#[inline]
pub fn maximum(a: u32, b: u32, flush: bool) -> u32 {
    let [a, b] = [a, b].map(|bits| operand(bits, flush));
    canonical(if b.is_nan() || a > b || (a == b && a.is_sign_positive()) { a } else { b })
}

/// `FSETP`.
#[inline]
pub fn compare(a: u32, b: u32, comparison: FloatComparison, flush: bool) -> bool {
    comparison.holds(operand(a, flush).partial_cmp(&operand(b, flush)))
}

/// `FCHK`: whether a / b must not be computed by the compiler's short sequence, which refines the
/// reciprocal of `b` by fused multiply-adds. The exact ranges of the hardware are not public. Ours are
/// those within which nothing in the sequence overflows, becomes subnormal or is inexact where it must
/// not be. With the exponents of powers of two that the operands are at least:
/// - both operands are normal numbers (so neither is zero),
/// - `b` is less than 2^126: its reciprocal is normal,
/// - the exponents differ by at most 125, so that the quotient, and one just before it, are normal,
/// - `a` is at least 2^-102: the remainder a - b × q has no bits below 2^-149.
#[inline]
pub fn check_division(a: u32, b: u32) -> bool {
    let [a, b] = [a, b].map(|bits| (bits >> 23 & 0xff) as i32 - 127);
    let fast = (-102..=127).contains(&a) && (-126..126).contains(&b) && (-125..=125).contains(&(a - b));
    !fast
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::{special, testing, Rounding};
    use rustc_apfloat::{ieee::Single, Float};
    use std::array::from_fn;

    /// The reference: operands, the operation rounded, the result, each step in apfloat's terms.
    fn reference<const N: usize>(
        operands: [u32; N],
        mode: FloatMode,
        operation: impl Fn([Single; N]) -> Single,
    ) -> u32 {
        let flush = |value: Single| {
            if mode.flush && value.is_denormal() {
                Single::ZERO.copy_sign(value)
            } else {
                value
            }
        };
        let result = flush(operation(operands.map(|bits| flush(Single::from_bits(bits.into())))));
        let one = Single::from_bits(0x3f80_0000);
        let result = match mode.saturate {
            true if result.is_nan() || result.is_negative() => Single::ZERO,
            true if result > one => one,
            _ => result,
        };
        if result.is_nan() {
            NAN
        } else {
            result.to_bits() as u32
        }
    }

    #[test]
    fn results_are_ieee_in_every_mode() {
        let mut random = fastrand::Rng::with_seed(1);
        for mode in testing::modes() {
            let round = testing::apfloat_rounding(mode.rounding);
            for _ in 0..20_000 {
                let [a, b, c] = [(); 3].map(|()| testing::single(&mut random));
                let sum = reference([a, b], mode, |[a, b]| a.add_r(b, round).value);
                assert_eq!(add(a, b, mode), sum, "{a:#x} + {b:#x} {mode:?}");
                let product = reference([a, b], mode, |[a, b]| a.mul_r(b, round).value);
                assert_eq!(multiply(a, b, mode), product, "{a:#x} * {b:#x} {mode:?}");
                let expected = reference([a, b, c], mode, |[a, b, c]| a.mul_add_r(b, c, round).value);
                assert_eq!(fused(a, b, c, mode), expected, "{a:#x} * {b:#x} + {c:#x} {mode:?}");
            }
        }
    }

    #[test]
    fn all_lanes_at_once_are_as_each_by_itself() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..10_000 {
            let [a, b, c]: [Lanes; 3] = from_fn(|_| from_fn(|_| testing::single(&mut random)));
            let mut d = [0; 32];
            fused_lanes(&a, &b, &c, &mut d);
            assert_eq!(d, from_fn(|lane| fused(a[lane], b[lane], c[lane], FloatMode::default())));
        }
    }

    #[test]
    fn cancellation_is_zero_of_the_right_sign() {
        let (one, zero) = (1f32.to_bits(), 1 << 31);
        for rounding in testing::ROUNDINGS {
            let mode = FloatMode { rounding, ..FloatMode::default() };
            let expected = if rounding == Rounding::Down { zero } else { 0 };
            assert_eq!(add(one, one | zero, mode), expected);
            assert_eq!(fused(one, one, one | zero, mode), expected);
            assert_eq!(add(zero, zero, mode), zero);
            assert_eq!(add(0, 0, mode), 0);
        }
    }

    #[test]
    fn extremes_prefer_numbers_and_order_zeros() {
        let nan = f32::NAN.to_bits();
        let one = 1f32.to_bits();
        for flush in [false, true] {
            for (a, b) in [(nan, one), (one, nan)] {
                assert_eq!((minimum(a, b, flush), maximum(a, b, flush)), (one, one));
            }
            assert_eq!((minimum(nan, nan, flush), maximum(nan, nan, flush)), (NAN, NAN));
            for (a, b) in [(0, 1 << 31), (1 << 31, 0)] {
                assert_eq!((minimum(a, b, flush), maximum(a, b, flush)), (1 << 31, 0));
            }
        }
        assert_eq!((minimum(1, 2, false), maximum(1, 2, false)), (1, 2));
        assert_eq!((minimum(1, 2, true), maximum(1, 2, true)), (0, 0));
        // Patterns of one sign are in the order of their values.
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..10_000 {
            let [a, b] = [(); 2].map(|()| random.u32(..0x7f80_0000));
            assert_eq!((minimum(a, b, false), maximum(a, b, false)), (a.min(b), a.max(b)));
            let [c, d] = [a, b].map(|bits| bits | 1 << 31);
            assert_eq!((minimum(c, d, false), maximum(c, d, false)), (c.max(d), c.min(d)));
            assert_eq!((minimum(a, d, false), maximum(a, d, false)), (d, a));
        }
    }

    #[test]
    fn comparisons_flush_if_asked() {
        assert!(compare(0, 1, FloatComparison::Lt, false));
        assert!(compare(0, 1, FloatComparison::Eq, true));
        assert!(compare(f32::NAN.to_bits(), 1, FloatComparison::Gtu, true));
    }

    /// The compiler's short sequence for a / b.
    fn divide(a: u32, b: u32) -> u32 {
        let mode = FloatMode::default();
        let minus_b = b ^ 1 << 31;
        let approximation = special::reciprocal(b);
        let error = fused(minus_b, approximation, 1f32.to_bits(), mode);
        let reciprocal = fused(approximation, error, approximation, mode);
        let quotient = fused(a, reciprocal, 0, mode);
        let remainder = fused(minus_b, quotient, a, mode);
        fused(reciprocal, remainder, quotient, mode)
    }

    #[test]
    fn short_division_is_exact_where_the_check_allows_it() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut short = 0;
        let check = |a: u32, b: u32| {
            let allowed = !check_division(a, b);
            if allowed {
                let expected = f32::from_bits(a) / f32::from_bits(b);
                assert_eq!(divide(a, b), expected.to_bits(), "{a:#x} / {b:#x}");
            }
            u32::from(allowed)
        };
        for _ in 0..300_000 {
            short += check(random.u32(..), random.u32(..));
            check(testing::single(&mut random), testing::single(&mut random));
        }
        // Two numbers in three are close enough.
        assert!((190_000..230_000).contains(&short), "{short} of 300,000");
        // The ends of the ranges, with significands that are hard to divide by.
        for exponent_a in 0..256 {
            for exponent_b in 0..256 {
                for fraction in [0, 1, 0x3f_ffff, 0x7f_fffe, 0x7f_ffff] {
                    check(exponent_a << 23 | random.u32(..1 << 23), exponent_b << 23 | fraction);
                    check(exponent_a << 23 | fraction, exponent_b << 23 | 0x7f_ffff);
                }
            }
        }
    }

    #[test]
    fn long_division_is_asked_for_where_it_must_be() {
        let ordinary = 3.5f32;
        for odd in [0.0, -0.0, 1e-40, f32::INFINITY, f32::NAN] {
            assert!(check_division(ordinary.to_bits(), odd.to_bits()), "{odd}");
            assert!(check_division(odd.to_bits(), ordinary.to_bits()), "{odd}");
        }
        assert!(!check_division(1f32.to_bits(), (-3f32).to_bits()));
        assert!(check_division(1e30f32.to_bits(), 1e-20f32.to_bits()));
        assert!(check_division(1e-20f32.to_bits(), 1e30f32.to_bits()));
    }
}
