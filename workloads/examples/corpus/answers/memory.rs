// SPDX-License-Identifier: Apache-2.0
//! Loads, stores, atomic operations, and values of other lanes.

use super::{shape, Answer, Case, Kind};

pub fn answer(case: &Case) -> Option<Answer> {
    let name = case.name();
    match name {
        "__ldg" | "__ldcg" | "__ldca" | "__ldcs" | "__ldlu" | "__ldcv" => Answer::exact(case.arg(0)),
        "__stwb" | "__stcg" | "__stcs" | "__stwt" => {
            Some(Answer { memory: vec![(0, case.arg(1))], ..Answer::default() })
        }
        _ if name.contains("tomic") => atomic(case),
        _ if name.ends_with("_sync") => collective(case),
        _ => None,
    }
}

/// Each thread has an element of its own, so that it is as if alone.
fn atomic(case: &Case) -> Option<Answer> {
    let name = case.name().trim_end_matches("_block").trim_end_matches("_system");
    let (kind, count) = case.parameter(0)?;
    if kind.is_float() && !name.ends_with("Exch") {
        let sum = name
            .ends_with("Add")
            .then(|| super::floats::sum(&case.function.parameters[0], case.arg(0), case.arg(1)));
        let result = (case.function.result != "void").then_some(case.arg(0));
        return sum.map(|sum| Answer { result, memory: vec![(0, sum)], ..Answer::default() });
    }
    let (bits, operand) = (case.arg(0), case.arg(1));
    let mask = u128::MAX >> (128 - 8 * kind.bytes() * count);
    let [before, value] = [bits, operand].map(|bits| kind.integer(bits));
    let known = |operation: &str| name.ends_with(operation);
    let after = match () {
        () if known("CAS") => {
            if before == value {
                case.arg(2)
            } else {
                bits
            }
        }
        () if known("Add") => before.wrapping_add(value) as u128,
        () if known("Sub") => before.wrapping_sub(value) as u128,
        () if known("Exch") => operand,
        () if known("Min") => before.min(value) as u128,
        () if known("Max") => before.max(value) as u128,
        () if known("And") => bits & operand,
        () if known("Xor") => bits ^ operand,
        () if known("Or") => bits | operand,
        () if known("Inc") => {
            if before >= value {
                0
            } else {
                bits + 1
            }
        }
        () if known("Dec") => {
            if before == 0 || before > value {
                operand
            } else {
                bits - 1
            }
        }
        () => return None,
    };
    let result = (case.function.result != "void").then_some(bits);
    Some(Answer { result, memory: vec![(0, after & mask)], ..Answer::default() })
}

/// The answers of all lanes of the warp.
fn collective(case: &Case) -> Option<Answer> {
    let (first, lane) = (case.thread / 32 * 32, case.thread % 32);
    let other = |number: usize, lane: usize| case.inputs[number][first + lane];
    let delta = |number: usize| case.inputs.get(number).map(|values| values[case.thread]);
    let lanes =
        |holds: &dyn Fn(usize) -> bool| (0..32).fold(0u32, |all, lane| all | u32::from(holds(lane)) << lane);
    let name = case.name();
    if let Some(direction) =
        name.strip_prefix("__shfl_").map(|rest| rest.trim_end_matches("sync").trim_end_matches('_'))
    {
        // PTX: five bits of it count.
        let delta = delta(2)? % 32;
        let source = match direction {
            "" => delta as usize,
            "up" => Some(delta as i64)
                .filter(|&delta| delta <= lane as i64)
                .map_or(lane, |delta| lane - delta as usize),
            "down" => Some(delta as usize + lane).filter(|&from| from < 32).unwrap_or(lane),
            "xor" => Some(lane ^ delta as usize).filter(|&from| from < 32).unwrap_or(lane),
            _ => return None,
        };
        return Answer::exact(other(1, source));
    }
    let ballot = || lanes(&|lane| other(1, lane) as u32 != 0);
    match name {
        "__ballot_sync" => Answer::exact(ballot()),
        "__all_sync" => Answer::exact(u32::from(ballot() == u32::MAX)),
        "__any_sync" => Answer::exact(u32::from(ballot() != 0)),
        "__uni_sync" => Answer::exact(u32::from(matches!(ballot(), 0 | u32::MAX))),
        "__match_all_sync" => {
            let all = (0..32).all(|lane| other(1, lane) == other(1, 0));
            let memory = vec![(2, u128::from(all))];
            Some(Answer { result: Some(if all { u32::MAX.into() } else { 0 }), memory, ..Answer::default() })
        }
        "__match_any_sync" => {
            let (kind, _) = shape(&case.function.parameters[1]);
            let equal = |a: u128, b: u128| match kind {
                Kind::Single | Kind::Double | Kind::Integer { .. } => a == b,
                _ => false,
            };
            Answer::exact(lanes(&|other_lane| equal(other(1, other_lane), other(1, lane))))
        }
        _ => None,
    }
}
