// SPDX-License-Identifier: Apache-2.0
//! Neighbouring elements of a vector, written as one.

use num_bigint::BigUint;

use super::expression::{Expression, Kind};
use super::signals::{SignalId, Signals, VectorId};
use super::Language;

/// Neighbouring values as one: a number, a range of a vector, or one signal many times.
pub fn joined(signals: &Signals, values: &[&Expression]) -> Option<String> {
    let width: usize = values.iter().map(|value| value.width).sum();
    let numbers: Option<Vec<_>> = values.iter().rev().map(|value| value.constant(signals)).collect();
    if let Some(numbers) = numbers {
        let each = values[0].width;
        let value = numbers.into_iter().fold(BigUint::default(), |high, low| (high << each) + low);
        return Some(Expression::literal(value, width).text(signals));
    }
    let first = values[0];
    if values.len() > 1 && matches!(first.kind, Kind::Signal(_)) && values.iter().all(|value| *value == first)
    {
        return Some(format!("{{{}{{{}}}}}", values.len(), first.text(signals)));
    }
    let (vector, start) = run(values)?;
    Some(range(signals, vector, start, values.len()))
}

/// The vector and the first element, if values are neighbouring elements of one.
pub fn run(values: &[&Expression]) -> Option<(VectorId, SignalId)> {
    let element = |value: &&Expression| match &value.kind {
        Kind::Signal(element) => Some((element.vector, element.id())),
        _ => None,
    };
    let (vector, start) = element(&values[0])?;
    let follows = |(place, value)| element(value) == Some((vector, start + place));
    values.iter().enumerate().all(follows).then_some((vector, start))
}

/// The array that values are all elements of, in order.
pub fn copied(signals: &Signals, values: &[&Expression]) -> Option<VectorId> {
    let (vector, start) = run(values)?;
    let of = &signals[vector];
    (of.is_packed() && (of.first, of.count) == (start, values.len())).then_some(vector)
}

/// Neighbouring elements of a vector.
pub fn range(signals: &Signals, vector: VectorId, first: SignalId, count: usize) -> String {
    let of = &signals[vector];
    let index = first - of.first;
    match (count == of.count, count) {
        (true, _) => of.name.clone(),
        (false, 1) => Expression::signal(signals, signals.element(first)).text(signals),
        _ if signals.language == Language::SystemVerilog && of.width > 1 => {
            format!("{}[{}:{index}]", of.name, index + count - 1)
        }
        _ => {
            let (low, high) = (index * of.width, (index + count) * of.width - 1);
            format!("{}[{high}:{low}]", of.name)
        }
    }
}
