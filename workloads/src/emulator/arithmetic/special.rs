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
    let angle = (turns - quarters / 4.0) * TAU;
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
