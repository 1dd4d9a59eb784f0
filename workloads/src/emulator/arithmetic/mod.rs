// SPDX-License-Identifier: Apache-2.0
//! Functions of Turing's instructions: pure functions of the bits in their source registers.
//!
//! Single precision results that are not a number are always [`formats::SINGLE_NAN`], half precision ones
//! [`formats::HALF_NAN`]; double precision keeps the payload of a NaN operand (see [`double`]).

pub mod convert;
pub mod double;
mod formats;
pub mod half;
pub mod integer;
pub mod matrix;
mod rounding;
pub mod single;
pub mod special;
#[cfg(test)]
mod testing;

use std::cmp::Ordering;

/// Where an inexact result goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest value, ties to the even one.
    #[default]
    Nearest,
    /// Towards minus infinity, `.RM`.
    Down,
    /// Towards plus infinity, `.RP`.
    Up,
    /// Towards zero, `.RZ`.
    Zero,
}

/// The modifiers of a floating-point instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatMode {
    pub rounding: Rounding,
    /// `.FTZ`: subnormal operands and results become zeros of their sign.
    pub flush: bool,
    /// `.SAT`: results are clamped to \[0, 1\]; a NaN becomes +0.
    pub saturate: bool,
}

/// The rounding of `HADD2.F32`, `HMUL2.F32` and `HFMA2.F32`, which NVIDIA does not document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Widening {
    /// The exact result of halves is rounded once, to single precision.
    #[default]
    Exact,
    /// The result is rounded to half precision, and then widened.
    Rounded,
}

/// A floating-point comparison. Those that end in `u` also hold if an operand is a NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatComparison {
    False,
    Lt,
    Eq,
    Le,
    Gt,
    Ne,
    Ge,
    /// Both operands are numbers.
    Num,
    /// An operand is a NaN.
    Nan,
    Ltu,
    Equ,
    Leu,
    Gtu,
    Neu,
    Geu,
    True,
}

impl FloatComparison {
    /// From the modifier of an `FSETP`, `DSETP` or `HSETP2`.
    pub fn parse(modifier: &str) -> Option<Self> {
        Some(match modifier {
            "F" => Self::False,
            "LT" => Self::Lt,
            "EQ" => Self::Eq,
            "LE" => Self::Le,
            "GT" => Self::Gt,
            "NE" => Self::Ne,
            "GE" => Self::Ge,
            "NUM" => Self::Num,
            "NAN" => Self::Nan,
            "LTU" => Self::Ltu,
            "EQU" => Self::Equ,
            "LEU" => Self::Leu,
            "GTU" => Self::Gtu,
            "NEU" => Self::Neu,
            "GEU" => Self::Geu,
            "T" => Self::True,
            _ => return None,
        })
    }

    /// Returns true if it holds for operands in this order; NaN is in no order with anything.
    #[inline]
    fn holds(self, order: Option<Ordering>) -> bool {
        // The variants are numbered by the relations they accept: 1 less, 2 equal, 4 greater, 8 unordered.
        let relation = match order {
            Some(Ordering::Less) => 1,
            Some(Ordering::Equal) => 2,
            Some(Ordering::Greater) => 4,
            None => 8,
        };
        self as u8 & relation != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_hold_as_their_names_say() {
        type Meaning = fn(f32, f32) -> bool;
        let unordered = |a: f32, b: f32| a.is_nan() || b.is_nan();
        let ordered: [(&str, Meaning); 8] = [
            ("F", |_, _| false),
            ("LT", |a, b| a < b),
            ("EQ", |a, b| a == b),
            ("LE", |a, b| a <= b),
            ("GT", |a, b| a > b),
            ("NE", |a, b| a != b && !a.is_nan() && !b.is_nan()),
            ("GE", |a, b| a >= b),
            ("NUM", |a, b| !a.is_nan() && !b.is_nan()),
        ];
        let or_unordered = ["NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"];
        let values = [f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f32::INFINITY, f32::NAN];
        for a in values {
            for b in values {
                for ((name, meaning), name_unordered) in ordered.into_iter().zip(or_unordered) {
                    let holds = |name| FloatComparison::parse(name).unwrap().holds(a.partial_cmp(&b));
                    assert_eq!(holds(name), meaning(a, b), "{a} {name} {b}");
                    assert_eq!(
                        holds(name_unordered),
                        meaning(a, b) || unordered(a, b),
                        "{a} {name_unordered} {b}"
                    );
                }
            }
        }
        assert_eq!(FloatComparison::parse("AND"), None);
    }
}
