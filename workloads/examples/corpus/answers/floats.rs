// SPDX-License-Identifier: Apache-2.0
//! Arithmetic and comparisons of floats, rounded once.

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};

use super::conversions::{exact, rounded};
use super::{elements, joined, rounding, shape, Answer, Case, Kind};

/// Runs an expression for the format of a kind.
macro_rules! in_format {
    ($kind:expr, $format:ident => $body:expr) => {
        match $kind {
            Kind::Half => {
                type $format = Half;
                $body
            }
            Kind::BFloat => {
                type $format = BFloat;
                $body
            }
            Kind::Single => {
                type $format = Single;
                $body
            }
            _ => {
                type $format = Double;
                $body
            }
        }
    };
}

fn compute(kind: Kind, operation: &str, operands: &[u128], round: Round) -> Option<u128> {
    in_format!(kind, F => {
        let value = |number: usize| F::from_bits(operands[number]);
        Some(match operation {
            "add" => value(0).add_r(value(1), round).value.to_bits(),
            "sub" => value(0).sub_r(value(1), round).value.to_bits(),
            "mul" => value(0).mul_r(value(1), round).value.to_bits(),
            "div" => value(0).div_r(value(1), round).value.to_bits(),
            "rcp" => F::from_u128(1).value.div_r(value(0), round).value.to_bits(),
            "fma" => value(0).mul_add_r(value(1), value(2), round).value.to_bits(),
            "neg" => (-value(0)).to_bits(),
            "abs" => value(0).abs().to_bits(),
            "max" | "min" => {
                let (a, b) = (value(0), value(1));
                let less = a < b || a == b && a.is_negative();
                let first = b.is_nan() || !a.is_nan() && (less == (operation == "min"));
                if first { a.to_bits() } else { b.to_bits() }
            }
            _ => return None,
        })
    })
}

/// The root, from one in double precision that may be off by one place: its square is exact in quadruple
/// precision.
fn root(kind: Kind, bits: u128, round: Round) -> u128 {
    let value = exact(kind, bits);
    let double = f64::from_bits(rounded(Kind::Double, value, Round::NearestTiesToEven) as u64);
    if !(double > 0.0 && double.is_finite()) {
        let root = double.sqrt().to_bits();
        return rounded(kind, exact(Kind::Double, root.into()), round);
    }
    // To nearest, double precision has more than twice the bits of the others.
    let nearest =
        rounded(kind, exact(Kind::Double, double.sqrt().to_bits().into()), Round::NearestTiesToEven);
    let square = {
        let root = exact(kind, nearest);
        (root * root).value
    };
    match round {
        Round::TowardPositive if square < value => nearest + 1,
        Round::TowardZero | Round::TowardNegative if square > value => nearest - 1,
        _ => nearest,
    }
}

/// Returns true if a comparison holds; those that end in `u` hold for NaN.
fn holds(comparison: &str, kind: Kind, a: u128, b: u128) -> Option<bool> {
    let [a, b] = [a, b].map(|bits| exact(kind, bits));
    let (ordered, unordered) = match comparison.strip_suffix('u') {
        Some(ordered) => (ordered, true),
        None => (comparison, false),
    };
    let nan = a.is_nan() || b.is_nan();
    let holds = match ordered {
        "eq" => a == b,
        "ne" => a != b && !nan,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        _ => return None,
    };
    Some(if nan { unordered } else { holds })
}

fn compare(case: &Case, name: &str) -> Option<Answer> {
    let (kind, count) = case.parameter(0)?;
    if case.function.parameters.len() != 2 || !matches!(kind, Kind::Half | Kind::BFloat) {
        return None;
    }
    let (name, mask) = match name.strip_suffix("_mask") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let name = if count == 2 { name.strip_suffix('2')? } else { name };
    let all = name.starts_with('b') && count == 2;
    let comparison = if all { &name[1..] } else { name };
    let [a, b] = [0, 1].map(|number| elements(&case.function.parameters[number], case.arg(number)));
    let holds: Option<Vec<bool>> = (0..count).map(|i| holds(comparison, kind, a[i], b[i])).collect();
    let holds = holds?;
    if all || count == 1 {
        return Answer::exact(u8::from(holds.iter().all(|holds| *holds)));
    }
    let one = if mask { 0xffff } else { one(kind) };
    let values: Vec<u128> = holds.iter().map(|&holds| if holds { one } else { 0 }).collect();
    Answer::exact(joined(kind, &values))
}

/// The sum of all elements of two values.
pub fn sum(name: &str, a: u128, b: u128) -> u128 {
    let (kind, _) = shape(name);
    let pairs = elements(name, a).into_iter().zip(elements(name, b));
    let sums =
        pairs.map(|(a, b)| compute(kind, "add", &[a, b], Round::NearestTiesToEven).unwrap_or_default());
    joined(kind, &sums.collect::<Vec<_>>())
}

fn one(kind: Kind) -> u128 {
    in_format!(kind, F => F::from_u128(1).value.to_bits())
}

/// Extremes and sums of products whose names say no type; operands are widened to the type of the result.
fn mixed(case: &Case, kind: Kind, name: &str) -> Option<Answer> {
    let base = match name {
        "fmin" | "fminf" | "min" => "min",
        "fmax" | "fmaxf" | "max" => "max",
        "fma" | "fmaf" => "fma",
        _ => return None,
    };
    if !matches!(kind, Kind::Single | Kind::Double) {
        return None;
    }
    let round = Round::NearestTiesToEven;
    let operand = |number: usize| {
        rounded(kind, exact(shape(&case.function.parameters[number]).0, case.arg(number)), round)
    };
    let operands: Vec<u128> = (0..case.function.parameters.len()).map(operand).collect();
    Answer::exact(compute(kind, base, &operands, round)?)
}

pub fn answer(case: &Case) -> Option<Answer> {
    let (kind, count) = shape(&case.function.result);
    let name = case.name().strip_prefix("__").unwrap_or(case.name());
    if let Some(answer) = name.strip_prefix('h').and_then(|name| compare(case, name)) {
        return Some(answer);
    }
    let (parameter, given) = case.parameter(0)?;
    let values = |number: usize| elements(&case.function.parameters[number], case.arg(number));
    match name {
        "hisnan" => return Answer::exact(u8::from(parameter.is_nan(case.arg(0)))),
        "hisnan2" => {
            let nan = values(0).into_iter().map(|bits| if parameter.is_nan(bits) { one(kind) } else { 0 });
            return Answer::exact(joined(kind, &nan.collect::<Vec<_>>()));
        }
        "signbit" | "signbitf" | "signbitl" if given == 1 => {
            return Answer::exact(u8::from(case.arg(0) >> (8 * parameter.bytes() - 1) != 0))
                .filter(|_| parameter.is_float());
        }
        "isnan" | "isnanf" | "isinf" | "isinff" | "isfinite" | "finite" | "finitef" | "hisinf"
            if parameter.is_float() =>
        {
            let magnitude = case.arg(0) & ((1 << (8 * parameter.bytes() - 1)) - 1);
            let holds = match magnitude.cmp(&parameter.infinity()) {
                std::cmp::Ordering::Less => name.contains("finite"),
                std::cmp::Ordering::Equal => name.contains("inf") && !name.contains("finite"),
                std::cmp::Ordering::Greater => name.contains("nan"),
            };
            // Of a half, the sign is told.
            let negative = case.arg(0) >> (8 * parameter.bytes() - 1) != 0;
            let value: i128 = if name == "hisinf" && holds && negative { -1 } else { holds.into() };
            return Answer::exact(value as u128 & (u128::MAX >> (128 - 8 * kind.bytes())));
        }
        _ => {}
    }
    if let Some(answer) = mixed(case, kind, name) {
        return Some(answer);
    }
    if !kind.is_float() || parameter != kind || given != count {
        return None;
    }
    let round = rounding(name).unwrap_or(Round::NearestTiesToEven);
    let base = match rounding(name) {
        Some(_) => name.rsplit_once('_')?.0,
        None => name,
    };
    let (base, end) = match base.rsplit_once('_') {
        Some((base, end @ ("sat" | "relu" | "nan" | "ieee"))) => (base, end),
        _ => (base, ""),
    };
    let half = matches!(kind, Kind::Half | Kind::BFloat);
    let operation = match base {
        "fmaf" | "fma" => "fma",
        "h2div" => "div",
        _ if half => base.strip_prefix('h')?.trim_end_matches('2'),
        _ => base.strip_prefix(if kind == Kind::Single { 'f' } else { 'd' })?,
    };
    if rounding(name).is_none() && !half {
        return None;
    }
    let operands: Vec<Vec<u128>> = (0..case.function.parameters.len()).map(values).collect();
    let result: Option<Vec<u128>> = (0..count)
        .map(|i| {
            let operands: Vec<u128> = operands.iter().map(|values| values[i]).collect();
            let value = match operation {
                "sqrt" if !half => root(kind, operands[0], round),
                _ => compute(kind, operation, &operands, round)?,
            };
            let negative = value >> (8 * kind.bytes() - 1) != 0;
            Some(match end {
                "sat" if kind.is_nan(value) || negative => 0,
                "sat" => value.min(one(kind)),
                "relu" if negative && !kind.is_nan(value) => 0,
                "nan" if operands.iter().any(|&bits| kind.is_nan(bits)) => kind.infinity() + 1,
                _ => value,
            })
        })
        .collect();
    Answer::exact(joined(kind, &result?))
}
