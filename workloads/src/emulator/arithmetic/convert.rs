//! Between number formats.
//!
//! Values travel as 64-bit patterns in the lower bits of which narrower types sit. Results of narrow
//! integer types are extended to 32 bits, as they stand in a register.

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
