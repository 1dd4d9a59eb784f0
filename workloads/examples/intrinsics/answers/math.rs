//! Elementary functions, within a few units in the last place as the programming guide's table says.

use super::{shape, Answer, Case, Kind};

pub fn answer(case: &Case) -> Option<Answer> {
    let (kind, count) = shape(&case.function.result);
    if count != 1
        || !matches!(kind, Kind::Single | Kind::Double)
        || case.function.parameters.iter().any(|name| shape(name) != (kind, 1) || name.ends_with('*'))
    {
        return None;
    }
    let name = case.name();
    let name = if kind == Kind::Single { name.strip_suffix('f').unwrap_or(name) } else { name };
    let value = |number: usize| match kind {
        Kind::Single => f64::from(f32::from_bits(case.arg(number) as u32)),
        _ => f64::from_bits(case.arg(number) as u64),
    };
    let x = value(0);
    // Of one number.
    let one: Option<(f64, u64)> = match name {
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
        _ => None,
    };
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
