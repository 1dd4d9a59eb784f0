// SPDX-License-Identifier: Apache-2.0
//! Integers.

use super::{shape, Answer, Case, Kind};

/// Extremes of operands of mixed types, which C converts to that of the result, and magnitudes.
fn general(case: &Case) -> Option<Answer> {
    let (kind, count) = shape(&case.function.result);
    let of_integers =
        case.function.parameters.iter().all(|name| matches!(shape(name), (Kind::Integer { .. }, 1)));
    if kind.is_float() || count != 1 || !of_integers {
        return None;
    }
    let mask = u128::MAX >> (128 - 8 * kind.bytes());
    let operand = |number: usize| {
        let own = shape(&case.function.parameters[number]).0.integer(case.arg(number));
        kind.integer(own as u128 & mask)
    };
    let value = match case.name() {
        "abs" | "labs" | "llabs" => operand(0).abs(),
        "min" | "umin" | "llmin" | "ullmin" => operand(0).min(operand(1)),
        "max" | "umax" | "llmax" | "ullmax" => operand(0).max(operand(1)),
        _ => return None,
    };
    Answer::exact(value as u128 & mask)
}

pub fn answer(case: &Case) -> Option<Answer> {
    let word = |number: usize| case.arg(number) as u32;
    let int = |number: usize| case.arg(number) as i32;
    let long = |number: usize| case.arg(number) as i64;
    let wide = |number: usize| case.arg(number) as u64;
    let found = |value: i64| Answer::exact(value as u32);
    let product24 = |a: i32, b: i32| (i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) as u32;
    let bytes = |number: usize| word(number).to_le_bytes().map(i64::from);
    let signed_bytes = |number: usize| word(number).to_le_bytes().map(|byte| i64::from(byte as i8));
    let signed = case
        .function
        .parameters
        .first()
        .is_some_and(|name| name.starts_with("int") || name.starts_with("char"));
    if let Some(answer) = general(case) {
        return Some(answer);
    }
    match case.name() {
        "__brev" => Answer::exact(word(0).reverse_bits()),
        "__brevll" => Answer::exact(wide(0).reverse_bits()),
        "__clz" => Answer::exact(word(0).leading_zeros()),
        "__clzll" => Answer::exact(wide(0).leading_zeros()),
        "__popc" => Answer::exact(word(0).count_ones()),
        "__popcll" => Answer::exact(wide(0).count_ones()),
        "__ffs" => Answer::exact(if word(0) == 0 { 0 } else { word(0).trailing_zeros() + 1 }),
        "__ffsll" => Answer::exact(if wide(0) == 0 { 0 } else { wide(0).trailing_zeros() + 1 }),
        "__mulhi" => found((i64::from(int(0)) * i64::from(int(1))) >> 32),
        "__umulhi" => Answer::exact(((u64::from(word(0)) * u64::from(word(1))) >> 32) as u32),
        "__mul64hi" => Answer::exact(((i128::from(long(0)) * i128::from(long(1))) >> 64) as u64),
        "__umul64hi" => Answer::exact(((u128::from(wide(0)) * u128::from(wide(1))) >> 64) as u64),
        "__mul24" => Answer::exact(product24(int(0), int(1))),
        "__umul24" => Answer::exact((word(0) & 0xff_ffff).wrapping_mul(word(1) & 0xff_ffff)),
        "__sad" => Answer::exact(int(0).abs_diff(int(1)).wrapping_add(word(2))),
        "__usad" => Answer::exact(word(0).abs_diff(word(1)).wrapping_add(word(2))),
        "__hadd" if signed => found((i64::from(int(0)) + i64::from(int(1))) >> 1),
        "__rhadd" => found((i64::from(int(0)) + i64::from(int(1)) + 1) >> 1),
        "__uhadd" => Answer::exact(((u64::from(word(0)) + u64::from(word(1))) >> 1) as u32),
        "__urhadd" => Answer::exact(((u64::from(word(0)) + u64::from(word(1)) + 1) >> 1) as u32),
        "__byte_perm" => {
            let all = u64::from(word(1)) << 32 | u64::from(word(0));
            let chosen = |i: u32| (all >> (8 * (word(2) >> (4 * i) & 7)) & 0xff) as u32;
            Answer::exact((0..4).fold(0, |bytes, i| bytes | chosen(i) << (8 * i)))
        }
        "__funnelshift_l" | "__funnelshift_lc" | "__funnelshift_r" | "__funnelshift_rc" => {
            let (all, name) = (u64::from(word(1)) << 32 | u64::from(word(0)), case.name());
            let by = if name.ends_with('c') { word(2).min(32) } else { word(2) % 32 };
            let left = name.contains("_l");
            Answer::exact((if left { all << by >> 32 } else { all >> by }) as u32)
        }
        "__dp4a" => {
            let terms = |pair: (i64, i64)| pair.0 * pair.1;
            let sum: i64 = match signed {
                true => signed_bytes(0).into_iter().zip(signed_bytes(1)).map(terms).sum(),
                false => bytes(0).into_iter().zip(bytes(1)).map(terms).sum(),
            };
            found(sum + i64::from(word(2)))
        }
        name @ ("__dp2a_lo" | "__dp2a_hi") => {
            let first = if name.ends_with("lo") { 0 } else { 2 };
            let a = |i: u32| {
                let half = (word(0) >> (16 * i)) as u16;
                if signed || case.function.parameters[0].starts_with("short") {
                    i64::from(half as i16)
                } else {
                    i64::from(half)
                }
            };
            let b = |i: usize| match signed || case.function.parameters[0].starts_with("short") {
                true => signed_bytes(1)[first + i],
                false => bytes(1)[first + i],
            };
            found(a(0) * b(0) + a(1) * b(1) + i64::from(word(2)))
        }
        "__nv_bswap16" => Answer::exact((case.arg(0) as u16).swap_bytes()),
        "__nv_bswap32" => Answer::exact(word(0).swap_bytes()),
        "__nv_bswap64" => Answer::exact(wide(0).swap_bytes()),
        _ => None,
    }
}
