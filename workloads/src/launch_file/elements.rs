// SPDX-License-Identifier: Apache-2.0
//! Elements of buffers, their numbers, and how near two of them are.

use half::f16;
use serde::Deserialize;

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ElementType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// Does something with the Rust type of an element.
macro_rules! with_type {
    ($element:expr, $type:ident => $what:expr) => {
        match $element {
            ElementType::I8 => with_type!(@ $type i8 $what),
            ElementType::U8 => with_type!(@ $type u8 $what),
            ElementType::I16 => with_type!(@ $type i16 $what),
            ElementType::U16 => with_type!(@ $type u16 $what),
            ElementType::I32 => with_type!(@ $type i32 $what),
            ElementType::U32 => with_type!(@ $type u32 $what),
            ElementType::I64 => with_type!(@ $type i64 $what),
            ElementType::U64 => with_type!(@ $type u64 $what),
            ElementType::F16 => with_type!(@ $type f16 $what),
            ElementType::F32 => with_type!(@ $type f32 $what),
            ElementType::F64 => with_type!(@ $type f64 $what),
        }
    };
    (@ $type:ident $rust:ident $what:expr) => {{
        type $type = $rust;
        $what
    }};
}

/// A number as TOML has it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a number")]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
}

/// A Rust type that buffers hold.
trait Scalar: Sized + Copy {
    const INTEGER: bool;
    /// The number as this type; `None` if it does not fit.
    fn from_number(number: Number) -> Option<Self>;
    fn to_f64(self) -> f64;
}

macro_rules! integer_scalar {
    ($($type:ty)*) => {$(
        impl Scalar for $type {
            const INTEGER: bool = true;

            fn from_number(number: Number) -> Option<$type> {
                match number {
                    Number::Integer(value) => value.try_into().ok(),
                    Number::Float(_) => None,
                }
            }

            fn to_f64(self) -> f64 {
                self as f64
            }
        }
    )*};
}

macro_rules! float_scalar {
    ($($type:ty, $from_f64:expr;)*) => {$(
        impl Scalar for $type {
            const INTEGER: bool = false;

            fn from_number(number: Number) -> Option<$type> {
                Some($from_f64(number.to_f64()))
            }

            fn to_f64(self) -> f64 {
                self.into()
            }
        }
    )*};
}

integer_scalar!(i8 u8 i16 u16 i32 u32 i64 u64);
float_scalar! {
    f16, f16::from_f64;
    f32, |value| value as f32;
    f64, |value| value;
}

impl Number {
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    pub fn text(self) -> String {
        match self {
            Number::Integer(value) => value.to_string(),
            Number::Float(value) => format!("{value:?}"),
        }
    }
}

impl ElementType {
    /// As launch files write it.
    pub fn name(self) -> &'static str {
        with_type!(self, T => std::any::type_name::<T>().rsplit(':').next().unwrap_or_default())
    }

    /// The type that launch files call so.
    pub fn named(name: &str) -> Option<ElementType> {
        use ElementType::*;
        [I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64]
            .into_iter()
            .find(|element| element.name() == name)
    }

    /// In bytes.
    pub fn size(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }

    /// Appends the number, little endian.
    pub fn encode(self, number: Number, bytes: &mut Vec<u8>) -> Result<(), String> {
        with_type!(self, T => match T::from_number(number) {
            Some(value) => bytes.extend_from_slice(&value.to_le_bytes()),
            None => return Err(format!("{} does not fit type {}", number.text(), self.name())),
        });
        Ok(())
    }

    /// The element as people write it. `bytes` are those of one element.
    pub fn text(self, bytes: &[u8]) -> String {
        with_type!(self, T => T::from_le_bytes(bytes.try_into().expect("one element")).to_string())
    }

    pub fn to_f64(self, bytes: &[u8]) -> f64 {
        with_type!(self, T => T::from_le_bytes(bytes.try_into().expect("one element")).to_f64())
    }

    pub fn is_integer(self) -> bool {
        with_type!(self, T => T::INTEGER)
    }

    /// Returns true if an element is the expected one: integers exactly, others within the tolerance. A NaN
    /// is as good as any other.
    pub fn is_close(self, actual: &[u8], expected: &[u8], tolerance: ElementTolerance) -> bool {
        if self.is_integer() {
            return actual == expected;
        }
        let (actual, expected) = (self.to_f64(actual), self.to_f64(expected));
        let allowed = tolerance.absolute + tolerance.relative * expected.abs();
        actual == expected || (actual - expected).abs() <= allowed || (actual.is_nan() && expected.is_nan())
    }
}

/// How far a floating-point element may be from the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table of `relative` and `absolute`")]
pub(super) struct ElementTolerance {
    /// Times the magnitude of the expected value.
    relative: f64,
    /// Added to that.
    absolute: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closeness() {
        let close = |actual: f32, expected: f32, relative, absolute| {
            let tolerance = ElementTolerance { relative, absolute };
            ElementType::F32.is_close(&actual.to_le_bytes(), &expected.to_le_bytes(), tolerance)
        };
        assert!(close(1.0, 1.0, 0.0, 0.0));
        assert!(close(0.0, -0.0, 0.0, 0.0));
        assert!(close(f32::NAN, f32::NAN, 0.0, 0.0));
        assert!(close(f32::INFINITY, f32::INFINITY, 0.0, 0.0));
        assert!(!close(f32::NAN, 1.0, 1.0, 1.0));
        assert!(!close(1.0, f32::NAN, 1.0, 1.0));
        assert!(!close(1.0, f32::INFINITY, 0.0, 1.0));
        assert!(close(101.0, 100.0, 0.01, 0.0));
        assert!(!close(102.0, 100.0, 0.01, 0.0));
        assert!(close(102.0, 100.0, 0.01, 1.0));
        let tolerance = ElementTolerance { relative: 1.0, absolute: 1.0 };
        assert!(!ElementType::U8.is_close(&[1], &[2], tolerance), "integers are compared exactly");
    }
}
