// SPDX-License-Identifier: Apache-2.0
//! Between number formats.
//!
//! Values travel as 64-bit patterns; narrower types sit in the lower bits. Results of narrow integer types
//! are extended to 32 bits, as they stand in a register.

use super::{half, rounding, single, FloatMode, Rounding};

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerType {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
}

impl IntegerType {
    /// From a modifier of `F2I` or `I2F`.
    pub fn parse(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "U8" => Self::U8,
            "S8" => Self::S8,
            "U16" => Self::U16,
            "S16" => Self::S16,
            "U32" => Self::U32,
            "S32" => Self::S32,
            "U64" => Self::U64,
            "S64" => Self::S64,
            _ => return None,
        })
    }

    fn bits(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 8,
            Self::U16 | Self::S16 => 16,
            Self::U32 | Self::S32 => 32,
            Self::U64 | Self::S64 => 64,
        }
    }

    /// The number a pattern stands for.
    fn value(self, bits: u64) -> i128 {
        match self {
            Self::U8 => i128::from(bits as u8),
            Self::S8 => i128::from(bits as i8),
            Self::U16 => i128::from(bits as u16),
            Self::S16 => i128::from(bits as i16),
            Self::U32 => i128::from(bits as u32),
            Self::S32 => i128::from(bits as i32),
            Self::U64 => i128::from(bits),
            Self::S64 => i128::from(bits as i64),
        }
    }

    /// The nearest number of the type to an integral one, in bits.
    fn saturating(self, value: f64) -> u64 {
        match self {
            Self::U8 => u64::from(value as u8),
            Self::S8 => u64::from(value as i8 as u32),
            Self::U16 => u64::from(value as u16),
            Self::S16 => u64::from(value as i16 as u32),
            Self::U32 => u64::from(value as u32),
            Self::S32 => u64::from(value as i32 as u32),
            Self::U64 => value as u64,
            Self::S64 => value as i64 as u64,
        }
    }
}

/// A floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatType {
    F16,
    F32,
    F64,
}

impl FloatType {
    /// From a modifier of a conversion.
    pub fn parse(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "F16" => Self::F16,
            "F32" => Self::F32,
            "F64" => Self::F64,
            _ => return None,
        })
    }

    /// The exact value of a pattern; `flush` concerns single precision.
    fn value(self, bits: u64, flush: bool) -> f64 {
        match self {
            Self::F16 => half::value(bits as u16),
            Self::F32 => f64::from(f32::from_bits(single::flush_subnormal(bits as u32, flush))),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

/// An integral value near `value`.
#[inline]
fn integral(value: f64, rounding: Rounding) -> f64 {
    match rounding {
        Rounding::Nearest => value.round_ties_even(),
        Rounding::Down => value.floor(),
        Rounding::Up => value.ceil(),
        Rounding::Zero => value.trunc(),
    }
}

/// `F2I`: rounded, then brought into the range of the target. A NaN becomes zero if `nan_to_zero`
/// (`.NTZ`), else the pattern with only the top bit of the target set. The compiler says `.NTZ`
/// whenever neither the source nor the target has 64 bits, as PTX demands of `cvt`.
#[inline]
pub fn float_to_integer(
    bits: u64,
    source: FloatType,
    target: IntegerType,
    rounding: Rounding,
    flush: bool,
    nan_to_zero: bool,
) -> u64 {
    let value = source.value(bits, flush);
    if !value.is_nan() {
        target.saturating(integral(value, rounding))
    } else if nan_to_zero {
        0
    } else {
        1 << (target.bits() - 1)
    }
}

/// `I2F`.
#[inline]
pub fn integer_to_float(bits: u64, source: IntegerType, target: FloatType, rounding: Rounding) -> u64 {
    let exact = source.value(bits);
    let nearest = exact as f64;
    let lost = exact - nearest as i128;
    match target {
        FloatType::F64 => {
            let step = rounding::correction(exact < 0, Some(lost.cmp(&0)), rounding);
            nearest.to_bits().wrapping_add_signed(step.into())
        }
        // What is lost here is a sum of two doubles.
        FloatType::F32 => {
            let value = rounding::sum(nearest, lost as f64, Rounding::Nearest);
            rounding::to_single(value, rounding).into()
        }
        // Whatever is lost is far beyond the range.
        FloatType::F16 => rounding::to_half(nearest, rounding).into(),
    }
}

/// `F2F`. Flushing concerns operands and results of single precision.
#[inline]
pub fn float_to_float(bits: u64, source: FloatType, target: FloatType, mode: FloatMode) -> u64 {
    let value = source.value(bits, mode.flush);
    let value = match mode.saturate {
        true if value > 0.0 => value.min(1.0),
        true => 0.0,
        false => value,
    };
    match target {
        FloatType::F16 => rounding::to_half(value, mode.rounding).into(),
        FloatType::F32 => single::finish(value, mode).into(),
        FloatType::F64 => to_double(value, bits, source),
    }
}

/// `FRND`: the nearest integral value in the direction of rounding.
#[inline]
pub fn round_to_integral(bits: u64, kind: FloatType, rounding: Rounding, flush: bool) -> u64 {
    let value = integral(kind.value(bits, flush), rounding);
    // All exact.
    match kind {
        FloatType::F16 => rounding::to_half(value, Rounding::Nearest).into(),
        FloatType::F32 => rounding::to_single(value, Rounding::Nearest).into(),
        FloatType::F64 => to_double(value, bits, kind),
    }
}

/// A value, or the NaN it was made of with its payload.
fn to_double(value: f64, bits: u64, source: FloatType) -> u64 {
    if !value.is_nan() {
        return value.to_bits();
    }
    const QUIET: u64 = 0x7ff8 << 48;
    match source {
        FloatType::F16 => (bits & 0x8000) << 48 | QUIET | (bits & 0x3ff) << 42,
        FloatType::F32 => (bits & 0x8000_0000) << 32 | QUIET | (bits & 0x7f_ffff) << 29,
        FloatType::F64 => bits | QUIET,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::arithmetic::{double, testing};
    use rustc_apfloat::{ieee, Float, FloatConvert, Round};

    const FLOATS: [FloatType; 3] = [FloatType::F16, FloatType::F32, FloatType::F64];
    const INTEGERS: [(IntegerType, u32, bool); 8] = [
        (IntegerType::U8, 8, false),
        (IntegerType::S8, 8, true),
        (IntegerType::U16, 16, false),
        (IntegerType::S16, 16, true),
        (IntegerType::U32, 32, false),
        (IntegerType::S32, 32, true),
        (IntegerType::U64, 64, false),
        (IntegerType::S64, 64, true),
    ];

    fn random_float(random: &mut fastrand::Rng, kind: FloatType) -> u64 {
        match kind {
            FloatType::F16 => testing::half(random).into(),
            FloatType::F32 => testing::single(random).into(),
            FloatType::F64 => testing::double(random),
        }
    }

    /// The value of a pattern in the widest of the reference's formats, which holds all others.
    fn exact(bits: u64, kind: FloatType) -> ieee::Quad {
        match kind {
            FloatType::F16 => ieee::Half::from_bits(bits.into()).convert(&mut false).value,
            FloatType::F32 => ieee::Single::from_bits(bits.into()).convert(&mut false).value,
            FloatType::F64 => ieee::Double::from_bits(bits.into()).convert(&mut false).value,
        }
    }

    fn narrowed(value: ieee::Quad, kind: FloatType, round: Round) -> u128 {
        match kind {
            FloatType::F16 => FloatConvert::<ieee::Half>::convert_r(value, round, &mut false).value.to_bits(),
            FloatType::F32 => {
                FloatConvert::<ieee::Single>::convert_r(value, round, &mut false).value.to_bits()
            }
            FloatType::F64 => {
                FloatConvert::<ieee::Double>::convert_r(value, round, &mut false).value.to_bits()
            }
        }
    }

    fn sign_extended(value: i128) -> u64 {
        // A register, or a pair of them for what does not fit.
        if (i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&value) {
            value as u32 as u64
        } else {
            value as u64
        }
    }

    #[test]
    fn floats_become_the_nearest_integers_of_the_range() {
        let mut random = fastrand::Rng::with_seed(1);
        for source in FLOATS {
            for _ in 0..10_000 {
                let bits = random_float(&mut random, source);
                let value = exact(bits, source);
                for rounding in testing::ROUNDINGS {
                    let round = testing::apfloat_rounding(rounding);
                    for (target, width, signed) in INTEGERS {
                        let result = float_to_integer(bits, source, target, rounding, false, true);
                        let expected = if value.is_nan() {
                            0
                        } else if signed {
                            value.to_i128_r(width as usize, round, &mut false).value
                        } else {
                            value.to_u128_r(width as usize, round, &mut false).value as i128
                        };
                        let expected = if width == 64 { expected as u64 } else { sign_extended(expected) };
                        assert_eq!(result, expected, "{bits:#x} {source:?} to {target:?} {rounding:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nan_becomes_zero_or_the_top_bit() {
        let nan = u64::from(f32::NAN.to_bits());
        let convert =
            |target, to_zero| float_to_integer(nan, FloatType::F32, target, Rounding::Zero, false, to_zero);
        for (target, width, _) in INTEGERS {
            assert_eq!(convert(target, true), 0);
            assert_eq!(convert(target, false), 1 << (width - 1));
        }
    }

    #[test]
    fn subnormal_singles_are_flushed_if_asked() {
        let up =
            |bits, flush| float_to_integer(bits, FloatType::F32, IntegerType::S32, Rounding::Up, flush, true);
        assert_eq!((up(1, false), up(1, true)), (1, 0));
        assert_eq!(round_to_integral(1, FloatType::F32, Rounding::Up, true), 0);
        // Half and double precision do not flush.
        for kind in [FloatType::F16, FloatType::F64] {
            assert_eq!(float_to_integer(1, kind, IntegerType::S32, Rounding::Up, true, true), 1);
        }
        let mode = FloatMode { flush: true, ..FloatMode::default() };
        for (flush, expected) in [(false, 1), (true, 0)] {
            let mode = FloatMode { rounding: Rounding::Up, flush, saturate: false };
            assert_eq!(float_to_float(1, FloatType::F32, FloatType::F16, mode), expected);
        }
        let tiny = 1e-40f64.to_bits();
        assert_eq!(float_to_float(tiny | 1 << 63, FloatType::F64, FloatType::F32, mode), 1 << 31);
        assert_ne!(float_to_float(tiny, FloatType::F64, FloatType::F32, FloatMode::default()), 0);
    }

    #[test]
    fn integers_become_the_nearest_floats() {
        let mut random = fastrand::Rng::with_seed(2);
        for index in 0..20_000 {
            // Of all lengths, and next to powers of two.
            let bits = random.u64(..) >> random.u32(..64);
            let bits =
                if index % 4 == 0 { (1u64 << random.u32(..64)).wrapping_sub(random.u64(..3)) } else { bits };
            let bits = if random.bool() { bits.wrapping_neg() } else { bits };
            for (source, width, signed) in INTEGERS {
                let value = i128::from(bits) % (1 << width);
                let value = if signed && value >> (width - 1) != 0 { value - (1 << width) } else { value };
                for rounding in testing::ROUNDINGS {
                    let round = testing::apfloat_rounding(rounding);
                    // 113 bits: exact.
                    let exact = ieee::Quad::from_i128_r(value, round).value;
                    for target in FLOATS {
                        let expected = narrowed(exact, target, round);
                        let result = integer_to_float(bits, source, target, rounding);
                        assert_eq!(
                            u128::from(result),
                            expected,
                            "{value} {source:?} to {target:?} {rounding:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn floats_change_their_format() {
        let mut random = fastrand::Rng::with_seed(3);
        for source in FLOATS {
            for target in FLOATS {
                for _ in 0..10_000 {
                    let bits = random_float(&mut random, source);
                    let value = exact(bits, source);
                    if value.is_nan() {
                        continue;
                    }
                    for rounding in testing::ROUNDINGS {
                        let expected = narrowed(value, target, testing::apfloat_rounding(rounding));
                        let mode = FloatMode { rounding, ..FloatMode::default() };
                        let result = float_to_float(bits, source, target, mode);
                        assert_eq!(
                            u128::from(result),
                            expected,
                            "{bits:#x} {source:?} to {target:?} {rounding:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn nan_stays_nan() {
        let convert = |bits, source, target| float_to_float(bits, source, target, FloatMode::default());
        assert_eq!(convert(0xffc1_2345, FloatType::F32, FloatType::F16), u64::from(half::NAN));
        assert_eq!(convert(double::NAN, FloatType::F64, FloatType::F32), u64::from(single::NAN));
        // Wider formats hold the payload.
        assert_eq!(convert(0x7fff_ffff, FloatType::F32, FloatType::F64), 0x7fff_ffff_e000_0000);
        assert_eq!(convert(0xfc01, FloatType::F16, FloatType::F64), 0xfff8_0400_0000_0000);
        assert_eq!(convert(0x7ff0_0000_0000_0001, FloatType::F64, FloatType::F64), 0x7ff8_0000_0000_0001);
    }

    #[test]
    fn conversions_saturate() {
        let mode = FloatMode { saturate: true, ..FloatMode::default() };
        for (value, expected) in [(-1.0, 0.0), (-0.0, 0.0), (0.25, 0.25), (3.0, 1.0), (f64::NAN, 0.0)] {
            for target in [FloatType::F32, FloatType::F64] {
                let result = float_to_float(f64::to_bits(value), FloatType::F64, target, mode);
                let expected = if target == FloatType::F32 {
                    u64::from((expected as f32).to_bits())
                } else {
                    f64::to_bits(expected)
                };
                assert_eq!(result, expected, "{value}");
            }
        }
    }

    #[test]
    fn integral_values_keep_their_format() {
        let mut random = fastrand::Rng::with_seed(4);
        for kind in FLOATS {
            for _ in 0..20_000 {
                let bits = random_float(&mut random, kind);
                let value = exact(bits, kind);
                if value.is_nan() {
                    continue;
                }
                for rounding in testing::ROUNDINGS {
                    let round = testing::apfloat_rounding(rounding);
                    let expected = narrowed(value.round_to_integral(round).value, kind, round);
                    let result = round_to_integral(bits, kind, rounding, false);
                    assert_eq!(u128::from(result), expected, "{bits:#x} {kind:?} {rounding:?}");
                }
            }
        }
    }

    #[test]
    fn types_have_the_names_of_modifiers() {
        for (kind, width, signed) in INTEGERS {
            assert_eq!(IntegerType::parse(&format!("{}{width}", if signed { "S" } else { "U" })), Some(kind));
        }
        assert_eq!(FLOATS, ["F16", "F32", "F64"].map(|name| FloatType::parse(name).unwrap()));
        assert_eq!((IntegerType::parse("F16"), FloatType::parse("S32")), (None, None));
    }
}
