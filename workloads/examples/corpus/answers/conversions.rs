// SPDX-License-Identifier: Apache-2.0
//! Conversions of numbers, exact values rounded once.

use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use super::{elements, joined, rounding, shape, Answer, Case, Kind};

/// The value of a float.
pub fn exact(kind: Kind, bits: u128) -> Quad {
    let exact = &mut false;
    match kind {
        Kind::Half => Half::from_bits(bits).convert(exact).value,
        Kind::BFloat => BFloat::from_bits(bits).convert(exact).value,
        Kind::Single => Single::from_bits(bits).convert(exact).value,
        Kind::Double => Double::from_bits(bits).convert(exact).value,
        Kind::Integer { .. } => Quad::from_i128(kind.integer(bits)).value,
    }
}

/// The bits of a float.
pub fn rounded(kind: Kind, value: Quad, round: Round) -> u128 {
    let exact = &mut false;
    match kind {
        Kind::Half => FloatConvert::<Half>::convert_r(value, round, exact).value.to_bits(),
        Kind::BFloat => FloatConvert::<BFloat>::convert_r(value, round, exact).value.to_bits(),
        Kind::Single => FloatConvert::<Single>::convert_r(value, round, exact).value.to_bits(),
        _ => FloatConvert::<Double>::convert_r(value, round, exact).value.to_bits(),
    }
}

/// To an integer, its ends for what is beyond them. PTX: of NaN, 0, but the uppermost bit where one of the
/// two is of 64 bits.
fn to_integer(from: Kind, kind: Kind, value: Quad, round: Round) -> u128 {
    let Kind::Integer { bytes, signed } = kind else { unreachable!("it is an integer") };
    if value.is_nan() {
        return if bytes == 8 || from == Kind::Double { 1 << (8 * bytes - 1) } else { 0 };
    }
    let (least, most) = match signed {
        true => (-(1i128 << (8 * bytes - 1)), (1i128 << (8 * bytes - 1)) - 1),
        false => (0, (1i128 << (8 * bytes)) - 1),
    };
    let whole = value.to_i128_r(127, round, &mut false).value;
    (whole.clamp(least, most) as u128) & (u128::MAX >> (128 - 8 * bytes))
}

pub fn answer(case: &Case) -> Option<Answer> {
    let name = case.name();
    let (to, count) = shape(&case.function.result);
    if name.contains("_as_") && case.function.parameters.len() == 1 {
        return Answer::exact(case.arg(0));
    }
    match name {
        "__double2hiint" => return Answer::exact(case.arg(0) >> 32),
        "__double2loint" => return Answer::exact(case.arg(0) & 0xffff_ffff),
        "__hiloint2double" => return Answer::exact(case.arg(0) << 32 | case.arg(1)),
        _ => {}
    }
    let (source, target) = name.trim_start_matches('_').split_once('2')?;
    let known = [
        "float", "double", "half", "bfloat16", "int", "uint", "ll", "ull", "short", "ushort", "char", "uchar",
    ];
    let target = target.split('_').next()?;
    let target = if count == 2 { target.trim_start_matches('2') } else { target };
    let target = target.trim_end_matches(if count == 2 { "2" } else { "" });
    if case.function.parameters.len() != 1 || !known.contains(&source) && source != "float2" {
        return None;
    }
    if !known.iter().any(|known| target == *known || target == format!("2{known}")) {
        return None;
    }
    let (from, given) = case.parameter(0)?;
    let given_elements = elements(&case.function.parameters[0], case.arg(0));
    let values: Vec<u128> = (0..count).map(|i| given_elements[if given == 1 { 0 } else { i }]).collect();
    let default = if to.is_float() { Round::NearestTiesToEven } else { Round::TowardZero };
    let round = rounding(name).unwrap_or(default);
    let converted = |bits: u128| {
        let value = exact(from, bits);
        if to.is_float() {
            rounded(to, value, round)
        } else {
            to_integer(from, to, value, round)
        }
    };
    Answer::exact(joined(to, &values.into_iter().map(converted).collect::<Vec<_>>()))
}
