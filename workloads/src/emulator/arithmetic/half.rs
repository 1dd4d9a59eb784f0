// SPDX-License-Identifier: Apache-2.0
//! Half precision, mostly in pairs: a register holds two values.

use super::{rounding, single, FloatComparison, FloatMode, Rounding, Widening};

#[cfg(test)]
pub use super::formats::HALF_NAN as NAN;
pub use super::formats::{half_to_f32 as to_f32, half_value as value};

/// A value, subnormal ones as zero if asked to.
#[inline]
fn operand(bits: u16, flush: bool) -> f64 {
    value(flush_subnormal(bits, flush))
}

#[inline]
fn flush_subnormal(bits: u16, flush: bool) -> u16 {
    if flush && bits & 0x7c00 == 0 {
        bits & 0x8000
    } else {
        bits
    }
}

/// The result of an operation whose exact value, or that rounded to odd, is `value`.
#[inline]
fn finish(value: f64, mode: FloatMode) -> u16 {
    let value = match mode.saturate {
        true if value > 0.0 => value.min(1.0),
        true => 0.0,
        false => value,
    };
    flush_subnormal(rounding::to_half(value, mode.rounding), mode.flush)
}

#[inline]
fn halves(pair: u32) -> [u16; 2] {
    [pair as u16, (pair >> 16) as u16]
}

#[inline]
fn pair(low: u16, high: u16) -> u32 {
    u32::from(high) << 16 | u32::from(low)
}

/// Two sums, each rounded once, side by side.
pub(super) fn from_pair(values: [f64; 2]) -> u32 {
    let [low, high] = values.map(|value| rounding::to_half(value, Rounding::Nearest));
    pair(low, high)
}

/// A function of single precision, its result rounded to half precision.
pub fn by_single(bits: u16, function: fn(u32) -> u32) -> u16 {
    let result = f32::from_bits(function(to_f32(bits).to_bits()));
    rounding::to_half(f64::from(result), Rounding::Nearest)
}

/// `HADD2`.
#[inline]
pub fn add2(a: u32, b: u32, mode: FloatMode) -> u32 {
    let [a, b] = [a, b].map(|pair| halves(pair).map(|half| operand(half, mode.flush)));
    let sum = |index: usize| finish(rounding::sum(a[index], b[index], mode.rounding), mode);
    pair(sum(0), sum(1))
}

/// `HMUL2`.
#[inline]
pub fn multiply2(a: u32, b: u32, mode: FloatMode) -> u32 {
    let [a, b] = [a, b].map(|pair| halves(pair).map(|half| operand(half, mode.flush)));
    let product = |index: usize| finish(a[index] * b[index], mode);
    pair(product(0), product(1))
}

/// `HFMA2`: a × b + c, rounded once.
#[inline]
pub fn fused2(a: u32, b: u32, c: u32, mode: FloatMode) -> u32 {
    let [a, b, c] = [a, b, c].map(|pair| halves(pair).map(|half| operand(half, mode.flush)));
    let fused = |index: usize| finish(rounding::sum(a[index] * b[index], c[index], mode.rounding), mode);
    pair(fused(0), fused(1))
}

/// One half of an `HSETP2`.
#[inline]
pub fn compare(a: u16, b: u16, comparison: FloatComparison, flush: bool) -> bool {
    comparison.holds(operand(a, flush).partial_cmp(&operand(b, flush)))
}

/// A result in single precision, of the exact value or that rounded to odd.
#[inline]
fn finish_single(value: f64, mode: FloatMode, widening: Widening) -> u32 {
    match widening {
        Widening::Exact => single::finish(value, mode),
        Widening::Rounded => match to_f32(finish(value, mode)) {
            wide if wide.is_nan() => single::NAN,
            wide => wide.to_bits(),
        },
    }
}

/// `HADD2.F32`: a sum in single precision.
#[inline]
pub fn add_to_single(a: u16, b: u16, mode: FloatMode, widening: Widening) -> u32 {
    let [a, b] = [a, b].map(|half| operand(half, mode.flush));
    finish_single(a + b, mode, widening)
}

/// `HMUL2.F32`: a product in single precision.
#[inline]
pub fn multiply_to_single(a: u16, b: u16, mode: FloatMode, widening: Widening) -> u32 {
    let [a, b] = [a, b].map(|half| operand(half, mode.flush));
    finish_single(a * b, mode, widening)
}

/// `HFMA2.F32`: a × b + c in single precision.
#[inline]
pub fn fused_to_single(a: u16, b: u16, c: u16, mode: FloatMode, widening: Widening) -> u32 {
    let [a, b, c] = [a, b, c].map(|half| operand(half, mode.flush));
    finish_single(rounding::sum(a * b, c, mode.rounding), mode, widening)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::testing;
    use rustc_apfloat::{ieee, Float, FloatConvert};

    fn half(bits: u16) -> ieee::Half {
        ieee::Half::from_bits(bits.into())
    }

    /// The reference: operands, the operation rounded, the result, each step in apfloat's terms.
    fn reference<const N: usize>(
        operands: [u16; N],
        mode: FloatMode,
        operation: impl Fn([ieee::Half; N]) -> ieee::Half,
    ) -> u16 {
        let flush = |value: ieee::Half| {
            if mode.flush && value.is_denormal() {
                ieee::Half::ZERO.copy_sign(value)
            } else {
                value
            }
        };
        let result = flush(operation(operands.map(|bits| flush(half(bits)))));
        let one = half(0x3c00);
        let result = match mode.saturate {
            true if result.is_nan() || result.is_negative() => ieee::Half::ZERO,
            true if result > one => one,
            _ => result,
        };
        if result.is_nan() {
            NAN
        } else {
            result.to_bits() as u16
        }
    }

    #[test]
    fn results_are_ieee_in_every_mode() {
        let mut random = fastrand::Rng::with_seed(1);
        for mode in testing::modes() {
            let round = testing::apfloat_rounding(mode.rounding);
            for _ in 0..10_000 {
                let [a, b, c] = [(); 3].map(|()| [testing::half(&mut random), testing::half(&mut random)]);
                let [x, y, z] = [a, b, c].map(|[low, high]| pair(low, high));
                let each = |reference: &dyn Fn(usize) -> u16| pair(reference(0), reference(1));
                let sum = each(&|i| reference([a[i], b[i]], mode, |[a, b]| a.add_r(b, round).value));
                assert_eq!(add2(x, y, mode), sum, "{x:#x} + {y:#x} {mode:?}");
                let product = each(&|i| reference([a[i], b[i]], mode, |[a, b]| a.mul_r(b, round).value));
                assert_eq!(multiply2(x, y, mode), product, "{x:#x} * {y:#x} {mode:?}");
                let expected = each(&|i| {
                    reference([a[i], b[i], c[i]], mode, |[a, b, c]| a.mul_add_r(b, c, round).value)
                });
                assert_eq!(fused2(x, y, z, mode), expected, "{x:#x} * {y:#x} + {z:#x} {mode:?}");
            }
        }
    }

    #[test]
    fn every_value_survives_widening_and_narrowing() {
        for bits in 0..=u16::MAX {
            let wide = to_f32(bits);
            let expected: ieee::Single = half(bits).convert(&mut false).value;
            if expected.is_nan() {
                assert!(wide.is_nan(), "{bits:#x}");
            } else {
                assert_eq!(u128::from(wide.to_bits()), expected.to_bits(), "{bits:#x}");
            }
            let canonical = if wide.is_nan() { NAN } else { bits };
            for rounding in testing::ROUNDINGS {
                assert_eq!(rounding::to_half(value(bits), rounding), canonical, "{bits:#x}");
            }
        }
    }

    #[test]
    fn narrowing_rounds_between_all_neighbours() {
        // At, just below and just above each half and each point midway between two.
        for magnitude in 0..0x7c00u16 {
            let here = to_f32(magnitude);
            // The number beyond the largest counts as 2^16.
            let next = if magnitude == 0x7bff { 65536.0 } else { to_f32(magnitude + 1) };
            let midway = (here + next) / 2.0;
            for center in [here, midway] {
                for bits in center.to_bits().saturating_sub(1)..=center.to_bits() + 1 {
                    for bits in [bits, bits | 1 << 31] {
                        for rounding in testing::ROUNDINGS {
                            let exact = ieee::Single::from_bits(bits.into());
                            let round = testing::apfloat_rounding(rounding);
                            let expected: ieee::Half = exact.convert_r(round, &mut false).value;
                            let result = rounding::to_half(f64::from(f32::from_bits(bits)), rounding);
                            assert_eq!(u128::from(result), expected.to_bits(), "{bits:#x} {rounding:?}");
                        }
                    }
                }
            }
        }
    }

    /// Sum, product and fused product in single precision.
    fn in_single([a, b, c]: [u16; 3], mode: FloatMode, widening: Widening) -> [u32; 3] {
        [
            add_to_single(a, b, mode, widening),
            multiply_to_single(a, b, mode, widening),
            fused_to_single(a, b, c, mode, widening),
        ]
    }

    fn single_bits(value: ieee::Single) -> u32 {
        if value.is_nan() {
            single::NAN
        } else {
            value.to_bits() as u32
        }
    }

    #[test]
    fn results_in_single_precision_are_rounded_once_or_to_half_precision_first() {
        let mut random = fastrand::Rng::with_seed(3);
        let mode = FloatMode::default();
        let round = rustc_apfloat::Round::NearestTiesToEven;
        let mut different = [0; 3];
        for _ in 0..20_000 {
            let operands = [(); 3].map(|()| testing::half(&mut random));
            let [a, b, c] = operands.map(half);
            let [x, y, z]: [ieee::Single; 3] = [a, b, c].map(|half| half.convert(&mut false).value);
            let exact = [(x + y).value, x.mul_r(y, round).value, x.mul_add_r(y, z, round).value];
            let exact = exact.map(single_bits);
            assert_eq!(in_single(operands, mode, Widening::Exact), exact, "{a:?} {b:?} {c:?}");
            let rounded = [(a + b).value, a.mul_r(b, round).value, a.mul_add_r(b, c, round).value];
            let rounded = rounded.map(|half| single_bits(half.convert(&mut false).value));
            assert_eq!(in_single(operands, mode, Widening::Rounded), rounded, "{a:?} {b:?} {c:?}");
            for (count, (exact, rounded)) in different.iter_mut().zip(exact.iter().zip(rounded)) {
                *count += u32::from(*exact != rounded);
            }
        }
        assert!(different.iter().all(|&count| count > 2_000), "{different:?}");
    }

    #[test]
    fn subnormal_halves_are_ordinary_singles_unless_they_are_flushed() {
        let mode = FloatMode::default();
        let flush = FloatMode { flush: true, ..mode };
        let saturate = FloatMode { saturate: true, ..mode };
        let tiny = 2f32.powi(-24).to_bits();
        for widening in [Widening::Exact, Widening::Rounded] {
            assert_eq!(add_to_single(1, 0x8000, mode, widening), tiny);
            assert_eq!(add_to_single(1, 0x8000, flush, widening), 0);
            assert_eq!(add_to_single(0x4000, 0x4000, saturate, widening), 1f32.to_bits());
        }
        // 2^-20 is subnormal for a half alone.
        assert_eq!(multiply_to_single(0x2000, 0x0800, flush, Widening::Exact), 2f32.powi(-20).to_bits());
        assert_eq!(multiply_to_single(0x2000, 0x0800, flush, Widening::Rounded), 0);
        // 65504 + 65504 is too large for a half.
        assert_eq!(add_to_single(0x7bff, 0x7bff, mode, Widening::Exact), 131_008f32.to_bits());
        assert_eq!(add_to_single(0x7bff, 0x7bff, mode, Widening::Rounded), f32::INFINITY.to_bits());
    }

    #[test]
    fn comparisons_know_nan_and_flush_if_asked() {
        assert!(compare(0x3c00, 0x4000, FloatComparison::Lt, false));
        assert!(compare(0x7e00, 0x4000, FloatComparison::Nan, false));
        assert!(compare(0, 1, FloatComparison::Ne, false));
        assert!(compare(0, 1, FloatComparison::Equ, true));
    }
}
