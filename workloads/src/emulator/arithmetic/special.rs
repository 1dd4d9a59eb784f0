// SPDX-License-Identifier: Apache-2.0
//! `MUFU`, the functions of the special function unit.
//!
//! The hardware interpolates in tables, within one or two units in the last place; its tables are not
//! public. Here the results are the nearest ones. Subnormal operands are taken for zeros, and
//! subnormal results become zeros, where the compiler scales operands to keep clear of both: by
//! reciprocals, square roots, powers and logarithms.

use super::{double, rounding, single, Rounding};
use std::f64::consts::TAU;

/// A function of values in which there is nothing subnormal.
#[inline]
fn normal(bits: u32, function: impl Fn(f64) -> f64) -> u32 {
    let operand = f32::from_bits(single::flush_subnormal(bits, true));
    let result = rounding::to_single(function(f64::from(operand)), Rounding::Nearest);
    single::flush_subnormal(result, true)
}

/// `MUFU.RCP`: 1 / x.
pub fn reciprocal(x: u32) -> u32 {
    normal(x, |x| 1.0 / x)
}

/// `MUFU.RSQ`: 1 / √x; of -0 minus infinity.
pub fn reciprocal_square_root(x: u32) -> u32 {
    normal(x, |x| 1.0 / x.sqrt())
}

/// `MUFU.SQRT`: √x.
pub fn square_root(x: u32) -> u32 {
    normal(x, f64::sqrt)
}

/// `MUFU.EX2`: 2^x.
pub fn exp2(x: u32) -> u32 {
    normal(x, f64::exp2)
}

/// `MUFU.LG2`: the logarithm to base 2.
pub fn log2(x: u32) -> u32 {
    normal(x, f64::log2)
}

/// A function of a number of turns, from sine and cosine of at most an eighth of a turn, so that
/// multiples of a quarter turn are exact.
fn of_turns(bits: u32, quarters_ahead: i32) -> u32 {
    let turns = f64::from(f32::from_bits(bits));
    if !turns.is_finite() {
        return single::NAN;
    }
    let quarters = (4.0 * turns).round();
    // A negative zero stays one.
    let angle = TAU * if quarters == 0.0 { turns } else { turns - quarters / 4.0 };
    let value = match (quarters.rem_euclid(4.0) as i32 + quarters_ahead) & 3 {
        0 => angle.sin(),
        1 => angle.cos(),
        2 => -angle.sin(),
        _ => -angle.cos(),
    };
    rounding::to_single(value, Rounding::Nearest)
}

/// `MUFU.SIN`: the sine of a number of turns: the compiler multiplies by 1 / 2π first.
pub fn sine(turns: u32) -> u32 {
    of_turns(turns, 0)
}

/// `MUFU.COS`: the cosine of a number of turns.
pub fn cosine(turns: u32) -> u32 {
    of_turns(turns, 1)
}

/// `MUFU.TANH`.
pub fn tanh(x: u32) -> u32 {
    rounding::to_single(f64::from(f32::from_bits(x)).tanh(), Rounding::Nearest)
}

/// A function of the upper word of a double, which gives the upper word of an approximation that the
/// compiler refines. Nothing in it is subnormal.
fn upper_word(high: u32, function: impl Fn(f64) -> f64) -> u32 {
    let sign = high & 0x8000_0000;
    let operand = if high & 0x7ff0_0000 == 0 { sign } else { high };
    let result = function(f64::from_bits(u64::from(operand) << 32));
    if result.is_nan() {
        return (double::NAN >> 32) as u32;
    }
    // To the nearest upper word; a carry enters the exponent.
    let result = ((result.to_bits() + (1 << 31)) >> 32) as u32;
    if result & 0x7ff0_0000 == 0 {
        result & 0x8000_0000
    } else {
        result
    }
}

/// `MUFU.RCP64H`: 1 / x in upper words of doubles.
pub fn reciprocal64_high(high: u32) -> u32 {
    upper_word(high, |x| 1.0 / x)
}

/// `MUFU.RSQ64H`: 1 / √x in upper words of doubles.
pub fn reciprocal_square_root64_high(high: u32) -> u32 {
    upper_word(high, |x| 1.0 / x.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::convert::{self, FloatType, IntegerType};
    use crate::emulator::arithmetic::{testing, FloatMode};

    const INFINITY: u32 = 0x7f80_0000;

    #[test]
    fn special_values() {
        let [one, minus_one, tiny, nan] = [1.0, -1.0, 1e-40, f32::NAN].map(f32::to_bits);
        let minus = |bits: u32| bits | 1 << 31;
        // Operand and the results of RCP, RSQ, SQRT, LG2.
        let table = [
            (0, INFINITY, INFINITY, 0, minus(INFINITY)),
            (minus(0), minus(INFINITY), minus(INFINITY), minus(0), minus(INFINITY)),
            (tiny, INFINITY, INFINITY, 0, minus(INFINITY)),
            (minus(tiny), minus(INFINITY), minus(INFINITY), minus(0), minus(INFINITY)),
            (one, one, one, one, 0),
            (minus_one, minus_one, single::NAN, single::NAN, single::NAN),
            (INFINITY, 0, 0, INFINITY, INFINITY),
            (minus(INFINITY), minus(0), single::NAN, single::NAN, single::NAN),
            (nan, single::NAN, single::NAN, single::NAN, single::NAN),
        ];
        for (x, rcp, rsq, sqrt, lg2) in table {
            let results = (reciprocal(x), reciprocal_square_root(x), square_root(x), log2(x));
            assert_eq!(results, (rcp, rsq, sqrt, lg2), "{x:#x}");
        }
        // A subnormal reciprocal.
        assert_eq!(reciprocal(2f32.powi(127).to_bits()), 0);
        let power = |x: f32| exp2(x.to_bits());
        assert_eq!((power(128.0), power(-126.0), power(-126.5)), (INFINITY, 0x0080_0000, 0));
        assert_eq!((power(f32::NEG_INFINITY), power(1e-40), exp2(nan)), (0, one, single::NAN));
        for x in [INFINITY, minus(INFINITY), nan] {
            assert_eq!((sine(x), cosine(x)), (single::NAN, single::NAN));
        }
        assert_eq!((tanh(INFINITY), tanh(minus(INFINITY)), tanh(minus(0))), (one, minus_one, minus(0)));
        assert_eq!((tanh(nan), tanh(tiny)), (single::NAN, tiny));
    }

    /// The relative error of a single, in units of its last place at worst.
    fn error(result: u32, exact: f64) -> f64 {
        ((f64::from(f32::from_bits(result)) - exact) / exact).abs() * f64::from(1 << 24)
    }

    #[test]
    fn results_are_the_nearest() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..50_000 {
            let x = random.u32(0x0180_0000..0x7e00_0000);
            let value = f64::from(f32::from_bits(x));
            assert!(error(reciprocal(x), value.powi(-1)) <= 1.0);
            assert!(error(reciprocal_square_root(x), value.powf(-0.5)) <= 1.0 + 1e-6);
            assert!(error(square_root(x), value.powf(0.5)) <= 1.0 + 1e-6);
            assert!(error(log2(x), value.ln() / std::f64::consts::LN_2) <= 1.0 + 1e-6);
            let x = random.f32() * 250.0 - 125.0;
            assert!(error(exp2(x.to_bits()), 2f64.powf(x.into())) <= 1.0 + 1e-6);
            let x = random.f32() * 20.0 - 10.0;
            let growth = (2.0 * f64::from(x)).exp();
            assert!(error(tanh(x.to_bits()), (growth - 1.0) / (growth + 1.0)) <= 1.0 + 1e-6);
        }
    }

    #[test]
    fn sine_and_cosine_count_turns() {
        let of = |function: fn(u32) -> u32, turns: f32| f32::from_bits(function(turns.to_bits()));
        for (turns, expected) in
            [(0.0, (0.0, 1.0)), (0.25, (1.0, 0.0)), (0.5, (0.0, -1.0)), (0.75, (-1.0, 0.0))]
        {
            for whole in [-8_388_608.0, -1.0, 0.0, 1.0, 1000.0, 16_777_216.0] {
                if (whole + turns) - whole == turns {
                    assert_eq!(
                        (of(sine, whole + turns), of(cosine, whole + turns)),
                        expected,
                        "{whole} + {turns}"
                    );
                }
            }
        }
        assert_eq!(sine(1 << 31), 1 << 31);
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..50_000 {
            let turns = random.f32() * 200.0 - 100.0;
            let (x, y) = (of(cosine, turns), of(sine, turns));
            let angle = f64::from(turns) * TAU;
            assert!(
                (f64::from(x) - angle.cos()).abs() < 3.1e-8 && (f64::from(y) - angle.sin()).abs() < 3.1e-8
            );
        }
    }

    // The rest runs the sequences into which the compiler expands divisions and roots.

    fn minus(bits: u64) -> u64 {
        bits ^ 1 << 63
    }

    fn fma(a: u64, b: u64, c: u64) -> u64 {
        double::fused(a, b, c, Rounding::Nearest)
    }

    fn mul(a: u64, b: u64) -> u64 {
        double::multiply(a, b, Rounding::Nearest)
    }

    fn high(bits: u64) -> u32 {
        (bits >> 32) as u32
    }

    /// From the upper word an approximation has and the lower word it happens to have.
    fn approximation(high: u32, low: u32) -> u64 {
        u64::from(high) << 32 | u64::from(low)
    }

    /// A reciprocal that is right to the last bit except for subnormals, from an approximation.
    fn refine_reciprocal(b: u64, approximation: u64) -> u64 {
        let one = 1f64.to_bits();
        let error = fma(minus(b), approximation, one);
        let error = fma(error, error, error);
        let reciprocal = fma(approximation, error, approximation);
        let error = fma(minus(b), reciprocal, one);
        fma(reciprocal, error, reciprocal)
    }

    /// The short sequence for a / b, unless it asks for the long one.
    fn divide(a: u64, b: u64) -> Option<u64> {
        let reciprocal = refine_reciprocal(b, approximation(reciprocal64_high(high(b)), 1));
        let quotient = mul(a, reciprocal);
        let remainder = fma(minus(b), quotient, a);
        let quotient = fma(reciprocal, remainder, quotient);
        // The upper words are looked at as singles.
        let scale = single::fused(0, high(b), high(quotient), FloatMode::default());
        let in_range = f32::from_bits(scale).abs() > f32::from_bits(0x0010_0000)
            && f32::from_bits(high(a)).abs() >= 6.582_768_4e-37;
        in_range.then_some(quotient)
    }

    /// The short sequence for 1 / b, unless it asks for the long one.
    fn invert(b: u64) -> Option<u64> {
        let low = high(b).wrapping_add(0x30_0402);
        let reciprocal = refine_reciprocal(b, approximation(reciprocal64_high(high(b)), low));
        let magnitude = f32::from_bits(low).abs();
        let in_range = magnitude >= f32::from_bits(0x0040_0402) || magnitude.is_nan();
        in_range.then_some(reciprocal)
    }

    /// The short sequence for √x and the one that rounds with more care, where each applies.
    fn root(x: u64) -> Option<u64> {
        let estimate = approximation(reciprocal_square_root64_high(high(x)), 0);
        let error = fma(x, minus(mul(estimate, estimate)), 1f64.to_bits());
        let slope = fma(error, 0.375f64.to_bits(), 0.5f64.to_bits());
        let estimate = fma(slope, mul(estimate, error), estimate);
        let root = mul(x, estimate);
        let half = estimate - (1 << 52);
        let remainder = fma(root, minus(root), x);
        let offset = high(x).wrapping_sub(0x350_0000);
        if offset < 0x7ca0_0000 {
            Some(fma(remainder, half, root))
        } else if offset >= 0xfcc0_0000 {
            let below = double::fused(remainder, half, root, Rounding::Down);
            let excess = double::fused(minus(below), below + 1, x, Rounding::Up);
            Some(if f64::from_bits(excess) > 0.0 { below + 1 } else { below })
        } else {
            None
        }
    }

    /// Significands that are hard to divide by, and any.
    fn double_operand(random: &mut fastrand::Rng) -> u64 {
        let exponent = if random.bool() { 1023 - 2 + random.u64(..5) } else { random.u64(..2048) };
        let fraction = match random.u8(..4) {
            0 => (1 << 52) - 1 - random.u64(..3),
            1 => random.u64(..3),
            _ => random.u64(..1 << 52),
        };
        u64::from(random.bool()) << 63 | exponent << 52 | fraction
    }

    #[test]
    fn double_divisions_and_roots_are_right_to_the_last_bit() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut short = [0; 3];
        for _ in 0..200_000 {
            let [a, b] = [(); 2].map(|()| double_operand(&mut random));
            let [x, y] = [a, b].map(f64::from_bits);
            let root = if x >= 0.0 { root(a) } else { None };
            let cases = [(divide(a, b), x / y), (invert(b), 1.0 / y), (root, x.sqrt())];
            for (count, (result, expected)) in short.iter_mut().zip(cases) {
                if let Some(result) = result {
                    assert_eq!(result, expected.to_bits(), "{x:e}, {y:e}");
                    *count += 1;
                }
            }
        }
        // Most divisions, almost all reciprocals, roots of almost all positive numbers.
        assert!(short[0] > 150_000 && short[1] > 195_000 && short[2] > 97_000, "{short:?}");
    }

    #[test]
    fn upper_words_of_special_values() {
        let infinity = 0x7ff0_0000;
        assert_eq!((reciprocal64_high(0), reciprocal64_high(1 << 31)), (infinity, infinity | 1 << 31));
        // Subnormal operands and results.
        assert_eq!((reciprocal64_high(0xf_ffff), reciprocal64_high(0x7fe0_0001)), (infinity, 0));
        assert_eq!((reciprocal64_high(infinity), reciprocal64_high(0x7ff8_0000)), (0, 0xfff8_0000));
        assert_eq!(
            (reciprocal_square_root64_high(0), reciprocal_square_root64_high(infinity)),
            (infinity, 0)
        );
        assert_eq!(reciprocal_square_root64_high(0xbff0_0000), 0xfff8_0000);
    }

    #[test]
    fn single_reciprocals_and_roots_are_right_to_the_last_bit() {
        let mode = FloatMode::default();
        let flush = FloatMode { flush: true, ..mode };
        let check = |x: u32| {
            let value = f32::from_bits(x);
            // Neither the operand nor the reciprocal is subnormal.
            if x.wrapping_add(0x180_0000) & 0x7f80_0000 > 0x1ff_ffff {
                let estimate = reciprocal(x);
                let error = single::fused(x, estimate, (-1f32).to_bits(), mode) ^ 1 << 31;
                let result = single::fused(estimate, error, estimate, mode);
                assert_eq!(result, (1.0 / value).to_bits(), "1 / {value:e}");
            }
            if x.wrapping_sub(0xd00_0000) <= 0x727f_ffff {
                let estimate = reciprocal_square_root(x);
                let root = single::multiply(x, estimate, flush);
                let half = single::multiply(estimate, 0.5f32.to_bits(), flush);
                let remainder = single::fused(root ^ 1 << 31, root, x, mode);
                let result = single::fused(remainder, half, root, mode);
                assert_eq!(result, value.sqrt().to_bits(), "√{value:e}");
            }
        };
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..100_000 {
            check(random.u32(..));
            check(testing::single(&mut random));
        }
        // Every significand of two binades would be all there is; take every 16th.
        (0..1 << 20).for_each(|index| check(0x3f80_0000 + index * 16 + index % 16));
    }

    /// `F2I` of an unsigned type, towards zero.
    fn to_integer(bits: u32, target: IntegerType) -> u64 {
        convert::float_to_integer(bits.into(), FloatType::F32, target, Rounding::Zero, false, false)
    }

    /// An estimate of 2^32 / b or 2^64 / b that is never too large: the bits of a single go through an
    /// integer addition.
    fn integer_reciprocal(b: u64, source: IntegerType, exponent_and_slack: u32) -> u64 {
        let b = convert::integer_to_float(b, source, FloatType::F32, Rounding::Up) as u32;
        to_integer(reciprocal(b).wrapping_add(exponent_and_slack), source)
    }

    #[test]
    fn integer_divisions_are_exact() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut integer = |bits: u32| {
            let value = random.u64(..) >> (64 - bits) >> random.u32(..bits);
            if random.u8(..4) == 0 {
                u64::MAX >> (64 - bits) >> random.u32(..bits)
            } else {
                value
            }
        };
        for _ in 0..100_000 {
            let (a, b) = (integer(32) as u32, (integer(32) as u32).max(1));
            let upper = |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
            let estimate = integer_reciprocal(b.into(), IntegerType::U32, 0xfff_fffe) as u32;
            let estimate = estimate.wrapping_add(upper(estimate, b.wrapping_neg().wrapping_mul(estimate)));
            let mut quotient = upper(estimate, a);
            for _ in 0..2 {
                quotient += u32::from(a.wrapping_sub(quotient.wrapping_mul(b)) >= b);
            }
            assert_eq!(quotient, a / b, "{a} / {b}");

            let (a, b) = (integer(64), integer(64).max(1));
            let upper = |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64;
            let mut estimate = integer_reciprocal(b, IntegerType::U64, 0x1fff_fffe);
            for _ in 0..2 {
                estimate = estimate.wrapping_add(upper(estimate, b.wrapping_neg().wrapping_mul(estimate)));
            }
            let mut quotient = upper(estimate, a);
            for _ in 0..2 {
                quotient += u64::from(a.wrapping_sub(quotient.wrapping_mul(b)) >= b);
            }
            assert_eq!(quotient, a / b, "{a} / {b}");
        }
    }
}
