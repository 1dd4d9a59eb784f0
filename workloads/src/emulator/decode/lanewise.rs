// SPDX-License-Identifier: Apache-2.0
//! Functions of all lanes from functions of one.

use super::super::operation::{Function, Inputs, Outputs, LANES};

pub(super) fn map1(f: impl Fn(u32) -> u32 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let [a, ..] = inputs.lanes;
        for lane in 0..LANES {
            outputs.lanes[0][lane] = f(a[lane]);
        }
    })
}

pub(super) fn map2(f: impl Fn(u32, u32) -> u32 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let [a, b, ..] = inputs.lanes;
        for lane in 0..LANES {
            outputs.lanes[0][lane] = f(a[lane], b[lane]);
        }
    })
}

pub(super) fn map3(f: impl Fn(u32, u32, u32) -> u32 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let [a, b, c, ..] = inputs.lanes;
        for lane in 0..LANES {
            outputs.lanes[0][lane] = f(a[lane], b[lane], c[lane]);
        }
    })
}

/// Two words, and a predicate that chooses.
pub(super) fn map2_if(f: impl Fn(u32, u32, bool) -> u32 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let [a, b, ..] = inputs.lanes;
        for lane in 0..LANES {
            let chosen = inputs.predicates[0] >> lane & 1 != 0;
            outputs.lanes[0][lane] = f(a[lane], b[lane], chosen);
        }
    })
}

/// A word of each lane as wide values: pairs of words, lower word first.
fn wide(inputs: &Inputs, pair: usize, lane: usize) -> u64 {
    u64::from(inputs.lanes[2 * pair + 1][lane]) << 32 | u64::from(inputs.lanes[2 * pair][lane])
}

fn set_wide(outputs: &mut Outputs, lane: usize, value: u64) {
    outputs.lanes[0][lane] = value as u32;
    outputs.lanes[1][lane] = (value >> 32) as u32;
}

/// A word to a pair.
pub(super) fn widen1(f: impl Fn(u32) -> u64 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for lane in 0..LANES {
            set_wide(outputs, lane, f(inputs.lanes[0][lane]));
        }
    })
}

/// A pair to a word.
pub(super) fn narrow1(f: impl Fn(u64) -> u32 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for lane in 0..LANES {
            outputs.lanes[0][lane] = f(wide(inputs, 0, lane));
        }
    })
}

pub(super) fn wide1(f: impl Fn(u64) -> u64 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for lane in 0..LANES {
            set_wide(outputs, lane, f(wide(inputs, 0, lane)));
        }
    })
}

pub(super) fn wide2(f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for lane in 0..LANES {
            set_wide(outputs, lane, f(wide(inputs, 0, lane), wide(inputs, 1, lane)));
        }
    })
}

pub(super) fn wide3(f: impl Fn(u64, u64, u64) -> u64 + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        for lane in 0..LANES {
            set_wide(outputs, lane, f(wide(inputs, 0, lane), wide(inputs, 1, lane), wide(inputs, 2, lane)));
        }
    })
}

/// How a comparison joins the predicate operand.
#[derive(Clone, Copy)]
pub(super) enum Combine {
    And,
    Or,
    Xor,
}

impl Combine {
    pub fn join(self, holds: bool, operand: bool) -> bool {
        self.apply(holds.into(), operand.into()) != 0
    }

    fn apply(self, a: u32, b: u32) -> u32 {
        match self {
            Combine::And => a & b,
            Combine::Or => a | b,
            Combine::Xor => a ^ b,
        }
    }
}

/// A comparison of two words, in bits per lane.
fn compare_lanes(f: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | u32::from(f(lane)) << lane)
}

/// First predicate: the comparison joined with the operand; second: its complement joined.
fn set_predicates(outputs: &mut Outputs, compared: u32, operand: u32, combine: Combine) {
    outputs.predicates[0] = combine.apply(compared, operand);
    outputs.predicates[1] = combine.apply(!compared, operand);
}

pub(super) fn test2(combine: Combine, f: impl Fn(u32, u32) -> bool + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let [a, b, ..] = inputs.lanes;
        let compared = compare_lanes(|lane| f(a[lane], b[lane]));
        set_predicates(outputs, compared, inputs.predicates[0], combine);
    })
}

/// As [`test2`]; the third argument is a bit of the second predicate operand.
pub(super) fn test2_extended(
    combine: Combine,
    f: impl Fn(u32, u32, bool) -> bool + Send + Sync + 'static,
) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let compared = compare_lanes(|lane| {
            f(inputs.lanes[0][lane], inputs.lanes[1][lane], inputs.predicates[1] >> lane & 1 != 0)
        });
        set_predicates(outputs, compared, inputs.predicates[0], combine);
    })
}

pub(super) fn wide_test2(combine: Combine, f: impl Fn(u64, u64) -> bool + Send + Sync + 'static) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let compared = compare_lanes(|lane| f(wide(inputs, 0, lane), wide(inputs, 1, lane)));
        set_predicates(outputs, compared, inputs.predicates[0], combine);
    })
}

/// As [`wide_test2`], for a function that gives both predicates.
pub(super) fn wide_test2_both(
    combine: Combine,
    f: impl Fn(u64, u64) -> (bool, bool) + Send + Sync + 'static,
) -> Function {
    Box::new(move |inputs: &Inputs, outputs: &mut Outputs| {
        let operands = |lane| (wide(inputs, 0, lane), wide(inputs, 1, lane));
        let first = compare_lanes(|lane| f(operands(lane).0, operands(lane).1).0);
        let second = compare_lanes(|lane| f(operands(lane).0, operands(lane).1).1);
        outputs.predicates[0] = combine.apply(first, inputs.predicates[0]);
        outputs.predicates[1] = combine.apply(second, inputs.predicates[0]);
    })
}
