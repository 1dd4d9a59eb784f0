// SPDX-License-Identifier: Apache-2.0
//! Bytes and halves of words side by side.

use super::{Answer, Case};

/// Bits and sign of the elements, and what is done to them.
struct Shape<'a> {
    bits: u32,
    signed: bool,
    operation: &'a str,
}

pub fn answer(case: &Case) -> Option<Answer> {
    extrema(case).or_else(|| video(case)).or_else(|| pairs(case))
}

impl Shape<'_> {
    fn elements(&self, word: u32) -> Vec<i64> {
        (0..32 / self.bits)
            .map(|i| {
                let element = i64::from(word) >> (self.bits * i) & ((1 << self.bits) - 1);
                if self.signed {
                    element << (64 - self.bits) >> (64 - self.bits)
                } else {
                    element
                }
            })
            .collect()
    }

    fn joined(&self, elements: impl IntoIterator<Item = i64>) -> u32 {
        let mask = (1i64 << self.bits) - 1;
        elements
            .into_iter()
            .enumerate()
            .fold(0, |word, (i, element)| word | ((element & mask) as u32) << (self.bits * i as u32))
    }

    fn saturated(&self, value: i64) -> i64 {
        match self.signed {
            true => value.clamp(-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            false => value.clamp(0, (1 << self.bits) - 1),
        }
    }
}

/// Halves of pairs put together.
fn pairs(case: &Case) -> Option<Answer> {
    let low = |number: usize| case.arg(number) & 0xffff;
    let high = |number: usize| case.arg(number) >> 16;
    let pair = |low: u128, high: u128| Answer::exact(high << 16 | low);
    match &case.name().replace("bfloat16", "half")[..] {
        "__low2half" => Answer::exact(low(0)),
        "__high2half" => Answer::exact(high(0)),
        "__low2half2" => pair(low(0), low(0)),
        "__high2half2" => pair(high(0), high(0)),
        "__lows2half2" => pair(low(0), low(1)),
        "__highs2half2" => pair(high(0), high(1)),
        "__lowhigh2highlow" => pair(high(0), low(0)),
        "__halves2half2" | "make_half2" | "make_half162" => pair(case.arg(0), case.arg(1)),
        _ => None,
    }
}

/// `__vaddus4` and their like.
fn video(case: &Case) -> Option<Answer> {
    let name = case.name().strip_prefix("__v")?;
    let bits = match name.chars().last()? {
        '2' => 16,
        '4' => 8,
        _ => return None,
    };
    let name = &name[..name.len() - 1];
    // The sign ends the name where it is not part of a word.
    let (operation, signed) = match name {
        "abs" | "absss" | "add" | "addss" | "neg" | "negss" | "sub" | "subss" => (name, true),
        "cmpeq" | "cmpne" | "seteq" | "setne" | "addus" | "subus" => (name, false),
        "haddu" => (name, false),
        _ => (&name[..name.len() - 1], name.ends_with('s')),
    };
    let shape = Shape { bits, signed, operation };
    let a = shape.elements(case.arg(0) as u32);
    let b = if case.inputs.len() > 1 { shape.elements(case.arg(1) as u32) } else { a.clone() };
    if operation == "sad" {
        let sum: u64 = a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).sum();
        return Answer::exact(sum as u32);
    }
    let element = |(&a, &b): (&i64, &i64)| {
        let flag =
            |holds: bool| if shape.operation.starts_with("cmp") { -i64::from(holds) } else { holds.into() };
        Some(match shape.operation {
            "abs" => a.abs(),
            "absss" => shape.saturated(a.abs()),
            "absdiff" => (a - b).abs(),
            "add" => a + b,
            "addss" | "addus" => shape.saturated(a + b),
            "sub" => a - b,
            "subss" | "subus" => shape.saturated(a - b),
            "neg" => -a,
            "negss" => shape.saturated(-a),
            // Rounded away from zero where it is signed, up where not.
            "avg" if a + b < 0 => (a + b) >> 1,
            "avg" => (a + b + 1) >> 1,
            "haddu" => (a + b) >> 1,
            "max" => a.max(b),
            "min" => a.min(b),
            "cmpeq" | "seteq" => flag(a == b),
            "cmpne" | "setne" => flag(a != b),
            "cmpge" | "setge" => flag(a >= b),
            "cmpgt" | "setgt" => flag(a > b),
            "cmple" | "setle" => flag(a <= b),
            "cmplt" | "setlt" => flag(a < b),
            _ => return None,
        })
    };
    let result: Option<Vec<i64>> = a.iter().zip(&b).map(element).collect();
    Answer::exact(shape.joined(result?))
}

/// `__vimax3_s16x2_relu`, `__viaddmin_u32` and their like; `__vibmax_s32` says which was chosen.
fn extrema(case: &Case) -> Option<Answer> {
    let mut words = case.name().strip_prefix("__vi")?.split('_');
    let (operation, format, relu) = (words.next()?, words.next()?, words.next() == Some("relu"));
    let shape = Shape {
        bits: if format.ends_with("x2") { 16 } else { 32 },
        signed: format.starts_with('s'),
        operation,
    };
    let chosen = |a: i64, b: i64| if shape.operation.contains("max") { a.max(b) } else { a.min(b) };
    let operand = |number: usize| shape.elements(case.arg(number) as u32);
    let elements = (0..(32 / shape.bits) as usize).map(|i| {
        let value = match shape.operation {
            "max" | "min" | "bmax" | "bmin" => chosen(operand(0)[i], operand(1)[i]),
            "max3" | "min3" => chosen(chosen(operand(0)[i], operand(1)[i]), operand(2)[i]),
            _ => {
                let sum = operand(0)[i] + operand(1)[i];
                // Sums wrap.
                let sum = shape.elements(shape.joined([sum]))[0];
                chosen(sum, operand(2)[i])
            }
        };
        if relu {
            value.max(0)
        } else {
            value
        }
    });
    let result = Some(shape.joined(elements).into());
    let first = |i: usize| {
        u128::from(if operation.contains("max") {
            operand(0)[i] >= operand(1)[i]
        } else {
            operand(0)[i] <= operand(1)[i]
        })
    };
    let memory = match (operation, shape.bits) {
        ("bmax" | "bmin", 32) => vec![(2, first(0))],
        // Of the upper half, then of the lower.
        ("bmax" | "bmin", _) => vec![(2, first(1)), (3, first(0))],
        _ => vec![],
    };
    Some(Answer { result, memory, ..Answer::default() })
}
