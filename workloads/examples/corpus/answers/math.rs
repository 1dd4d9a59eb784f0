// SPDX-License-Identifier: Apache-2.0
//! Elementary functions, within a few units in the last place as the programming guide's table says.

use rustc_apfloat::Round;

use super::conversions::{exact, rounded};
use super::{elements, joined, shape, Answer, Case, Kind};

pub fn answer(case: &Case) -> Option<Answer> {
    let (kind, count) = shape(&case.function.result);
    match kind {
        Kind::Half | Kind::BFloat => halves(case, kind, count),
        Kind::Single | Kind::Double if count == 1 => full(case, kind),
        _ => None,
    }
}

/// For pairs and halves: computed in double precision.
fn halves(case: &Case, kind: Kind, count: usize) -> Option<Answer> {
    let name = case.name().strip_prefix("h2").or(case.name().strip_prefix('h'))?;
    if case.function.parameters.len() != 1 || shape(&case.function.parameters[0]) != (kind, count) {
        return None;
    }
    let value = |bits: u128| {
        let double = rounded(Kind::Double, exact(kind, bits), Round::NearestTiesToEven);
        let (value, ulps) = of_one(name, f64::from_bits(double as u64))?;
        Some((rounded(kind, exact(Kind::Double, value.to_bits().into()), Round::NearestTiesToEven), ulps))
    };
    let values: Option<Vec<_>> =
        elements(&case.function.result, case.arg(0)).into_iter().map(value).collect();
    let values = values?;
    let ulps = values.iter().map(|(_, ulps)| *ulps).max()?;
    let values: Vec<u128> = values.into_iter().map(|(bits, _)| bits).collect();
    Some(Answer { result: Some(joined(kind, &values)), ulps, ..Answer::default() })
}

fn full(case: &Case, kind: Kind) -> Option<Answer> {
    if case.function.parameters.iter().any(|name| shape(name) != (kind, 1) || name.ends_with('*')) {
        return None;
    }
    let name = case.name();
    let name = if kind == Kind::Single { name.strip_suffix('f').unwrap_or(name) } else { name };
    let value = |number: usize| match kind {
        Kind::Single => f64::from(f32::from_bits(case.arg(number) as u32)),
        _ => f64::from_bits(case.arg(number) as u64),
    };
    let x = value(0);
    let one = of_one(name, x);
    let (result, ulps) = match (one, case.function.parameters.len()) {
        (Some(result), 1) => result,
        (None, 2) => {
            let y = value(1);
            match name {
                "pow" => (x.powf(y), 4),
                "atan2" => (x.atan2(y), 4),
                "hypot" => (x.hypot(y), 3),
                "fmod" => (x % y, 0),
                "copysign" => (x.copysign(y), 0),
                "rhypot" => (1.0 / x.hypot(y), 3),
                "fdivide" => (x / y, 2),
                "fdim" => (if x <= y { 0.0 } else { x - y }, 0),
                _ => return None,
            }
        }
        _ => return None,
    };
    let bits = match kind {
        Kind::Single => (result as f32).to_bits().into(),
        _ => result.to_bits().into(),
    };
    Some(Answer { result: Some(bits), ulps, ..Answer::default() })
}

/// A function of one number, and by how much it may differ.
fn of_one(name: &str, x: f64) -> Option<(f64, u64)> {
    match name {
        "floor" => Some((x.floor(), 0)),
        "ceil" => Some((x.ceil(), 0)),
        "trunc" => Some((x.trunc(), 0)),
        "round" => Some((x.round(), 0)),
        "rint" | "nearbyint" => Some((x.round_ties_even(), 0)),
        "fabs" => Some((x.abs(), 0)),
        "sqrt" => Some((x.sqrt(), 0)),
        "exp" => Some((x.exp(), 2)),
        "exp2" => Some((x.exp2(), 2)),
        "expm1" => Some((x.exp_m1(), 2)),
        "log" => Some((x.ln(), 2)),
        "log2" => Some((x.log2(), 2)),
        "log10" => Some((x.log10(), 3)),
        "log1p" => Some((x.ln_1p(), 2)),
        "sin" => Some((x.sin(), 2)),
        "cos" => Some((x.cos(), 2)),
        "tan" => Some((x.tan(), 4)),
        "asin" => Some((x.asin(), 4)),
        "acos" => Some((x.acos(), 3)),
        "atan" => Some((x.atan(), 3)),
        "sinh" => Some((x.sinh(), 4)),
        "cosh" => Some((x.cosh(), 3)),
        "tanh" => Some((x.tanh(), 3)),
        "cbrt" => Some((x.cbrt(), 2)),
        "rsqrt" => Some((1.0 / x.sqrt(), 2)),
        "rcbrt" => Some((1.0 / x.cbrt(), 2)),
        "rcp" => Some((1.0 / x, 1)),
        "exp10" => Some((10f64.powf(x), 2)),
        "asinh" => Some((if x.abs() < 1e-4 { x - x * x * x / 6.0 } else { x.asinh() }, 4)),
        "acosh" => Some((x.acosh(), 4)),
        "atanh" => Some((if x.abs() < 1e-4 { x + x * x * x / 3.0 } else { x.atanh() }, 4)),
        _ => None,
    }
}
