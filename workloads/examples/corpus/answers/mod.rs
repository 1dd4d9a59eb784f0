// SPDX-License-Identifier: Apache-2.0
//! Results of the functions, by their descriptions in CUDA's documentation.

mod conversions;
mod floats;
mod integers;
mod math;
mod memory;
mod packed;

use rustc_apfloat::Round;

use crate::function::Function;

/// A call by one of the threads of a block.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub function: &'a Function,
    /// Bits of the values, or of what is pointed to, by parameter and thread.
    pub inputs: &'a [Vec<u128>],
    pub thread: usize,
}

/// The results of a call.
#[derive(Default)]
pub struct Answer {
    pub result: Option<u128>,
    /// Values that pointers of these parameters point to.
    pub memory: Vec<(usize, u128)>,
    /// By how many units in the last place a result may differ.
    pub ulps: u64,
}

impl Answer {
    fn exact(result: impl Into<u128>) -> Option<Answer> {
        Some(Answer { result: Some(result.into()), ..Answer::default() })
    }
}

impl Case<'_> {
    fn name(&self) -> &str {
        &self.function.name
    }

    fn arg(&self, number: usize) -> u128 {
        self.inputs[number][self.thread]
    }

    fn parameter(&self, number: usize) -> Option<(Kind, usize)> {
        self.function.parameters.get(number).map(|name| shape(name))
    }
}

/// An element of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer { bytes: usize, signed: bool },
    Half,
    BFloat,
    Single,
    Double,
}

impl Kind {
    pub fn bytes(self) -> usize {
        match self {
            Kind::Integer { bytes, .. } => bytes,
            Kind::Half | Kind::BFloat => 2,
            Kind::Single => 4,
            Kind::Double => 8,
        }
    }

    pub fn is_float(self) -> bool {
        !matches!(self, Kind::Integer { .. })
    }

    /// Bits of the fraction.
    fn fraction(self) -> u32 {
        match self {
            Kind::Half => 10,
            Kind::BFloat => 7,
            Kind::Single => 23,
            _ => 52,
        }
    }

    /// Bits of infinity.
    fn infinity(self) -> u128 {
        let bits = 8 * self.bytes() as u32 - 1;
        (1 << bits) - (1 << self.fraction())
    }

    pub fn is_nan(self, bits: u128) -> bool {
        self.is_float() && bits & ((1 << (8 * self.bytes() - 1)) - 1) > self.infinity()
    }

    /// The value of an integer.
    pub fn integer(self, bits: u128) -> i128 {
        let unused = 128 - 8 * self.bytes();
        match self {
            Kind::Integer { signed: true, .. } => (bits << unused) as i128 >> unused,
            _ => bits as i128,
        }
    }
}

/// The elements of a type, and how many there are.
pub fn shape(name: &str) -> (Kind, usize) {
    let name = name.trim_end_matches('*');
    let integer = |bytes, signed| Kind::Integer { bytes, signed };
    match name {
        "__half" | "__half_raw" => return (Kind::Half, 1),
        "__half2" | "__half2_raw" => return (Kind::Half, 2),
        "__nv_bfloat16" => return (Kind::BFloat, 1),
        "__nv_bfloat162" => return (Kind::BFloat, 2),
        "__nv_fp8_storage_t" => return (integer(1, false), 1),
        "__nv_fp8x2_storage_t" => return (integer(2, false), 1),
        _ => {}
    }
    let (element, count) = match name.strip_suffix('2').or(name.strip_suffix('4')) {
        Some(element) => (element, if name.ends_with('2') { 2 } else { 4 }),
        None => (name, 1),
    };
    let kind = match element {
        "bool" | "unsigned char" | "uchar" => integer(1, false),
        "char" | "signed char" => integer(1, true),
        "short" | "short int" => integer(2, true),
        "unsigned short" | "unsigned short int" | "ushort" => integer(2, false),
        "int" => integer(4, true),
        "unsigned" | "unsigned int" | "uint" => integer(4, false),
        "float" => Kind::Single,
        "double" => Kind::Double,
        "long" | "long int" | "long long" | "long long int" | "longlong" | "clock_t" => integer(8, true),
        _ => integer(8, false),
    };
    (kind, count)
}

pub fn bytes(name: &str) -> usize {
    let (kind, count) = shape(name);
    kind.bytes() * count
}

/// The elements of a value.
fn elements(name: &str, value: u128) -> Vec<u128> {
    let (kind, count) = shape(name);
    let mask = u128::MAX >> (128 - 8 * kind.bytes());
    (0..count).map(|i| value >> (8 * kind.bytes() * i) & mask).collect()
}

fn joined(kind: Kind, elements: &[u128]) -> u128 {
    let mask = u128::MAX >> (128 - 8 * kind.bytes());
    elements.iter().rev().fold(0, |all, element| all << (8 * kind.bytes()) | element & mask)
}

/// Returns true if two values are the same: a NaN is a NaN, and floats may differ by so many units in the
/// last place.
pub fn same(name: &str, found: u128, expected: u128, ulps: u64) -> bool {
    let (kind, _) = shape(name);
    let sign = 1u128 << (8 * kind.bytes() - 1);
    let place = |bits: u128| if bits & sign != 0 { -((bits & !sign) as i128) } else { bits as i128 };
    elements(name, found).into_iter().zip(elements(name, expected)).all(|(found, expected)| {
        let close = kind.is_float()
            && !kind.is_nan(found)
            && !kind.is_nan(expected)
            && ulps > 0
            && place(found).abs_diff(place(expected)) <= ulps.into();
        found == expected || close || kind.is_nan(found) && kind.is_nan(expected)
    })
}

/// The direction that ends a name.
fn rounding(name: &str) -> Option<Round> {
    match name.rsplit_once('_')?.1 {
        "rn" => Some(Round::NearestTiesToEven),
        "rz" => Some(Round::TowardZero),
        "ru" => Some(Round::TowardPositive),
        "rd" => Some(Round::TowardNegative),
        _ => None,
    }
}

pub fn answer(case: &Case) -> Option<Answer> {
    memory::answer(case)
        .or_else(|| conversions::answer(case))
        .or_else(|| floats::answer(case))
        .or_else(|| integers::answer(case))
        .or_else(|| packed::answer(case))
        .or_else(|| math::answer(case))
}

/// A value of a type: any bits, or elements of usual magnitude, or special ones.
pub fn input(name: &str, random: &mut fastrand::Rng) -> u128 {
    let (kind, count) = shape(name);
    let elements: Vec<u128> = (0..count).map(|_| element(kind, random)).collect();
    match name {
        "bool" => random.bool().into(),
        _ => joined(kind, &elements),
    }
}

fn element(kind: Kind, random: &mut fastrand::Rng) -> u128 {
    let sign = if random.bool() { 1 << (8 * kind.bytes() - 1) } else { 0 };
    match (random.u8(..4), kind) {
        (0, Kind::Integer { .. }) => [0, 1, 2, 31, 0x7f, 0x80][random.usize(..6)] | sign,
        (1, Kind::Integer { .. }) => random.u128(..256),
        // Zero, the least, one, infinity and a NaN.
        (0, _) => {
            let infinity = kind.infinity();
            let one = (infinity / 2) & infinity & !(1 << kind.fraction() >> 1);
            [0, 1, 1 << kind.fraction(), one, infinity, infinity + 1][random.usize(..6)] | sign
        }
        (1 | 2, Kind::Half | Kind::BFloat | Kind::Single | Kind::Double) => {
            // Near one, by a factor of up to 256.
            let one = (kind.infinity() / 2) >> kind.fraction() << kind.fraction();
            let exponent = (random.i64(-8..=8) << kind.fraction()) as i128;
            let fraction = random.u128(..) & ((1 << kind.fraction()) - 1);
            (one as i128 + exponent) as u128 | fraction | sign
        }
        _ => random.u128(..) & (u128::MAX >> (128 - 8 * kind.bytes())),
    }
}
