// SPDX-License-Identifier: Apache-2.0
//! Division, wide products, shifts, bits, bytes.

use bytemuck::{AnyBitPattern, NoUninit};

use super::{binary, unary, INTEGERS};

/// Pairs of numbers of all magnitudes, the second never zero.
fn pairs() -> (Vec<u64>, Vec<u64>) {
    let edges = [
        1,
        2,
        3,
        7,
        10,
        1 << 31,
        (1 << 31) - 1,
        0xffff_ffff,
        1 << 32,
        1 << 63,
        (1 << 63) - 1,
        u64::MAX,
        u64::MAX - 1,
    ];
    let mut random = fastrand::Rng::with_seed(21);
    let mut pairs: Vec<(u64, u64)> = edges.iter().flat_map(|&a| edges.map(|b| (a, b))).collect();
    pairs.extend(edges.iter().map(|&b| (0, b)));
    for _ in 0..800 {
        let mut value = || random.u64(..) >> random.u32(..64);
        let (a, b) = (value(), value());
        // Of either sign, in both widths.
        let signed = |value: u64| if value & 2 == 0 { value } else { value.wrapping_neg() };
        pairs.push((signed(a), signed(b)));
    }
    // The lower words are divisors, too.
    pairs.retain(|&(_, b)| b as u32 != 0);
    pairs.into_iter().unzip()
}

trait Word: NoUninit + AnyBitPattern + std::fmt::Debug {
    fn from_word(word: u64) -> Self;
}

macro_rules! words {
    ($($word:ty)*) => {$(
        impl Word for $word {
            fn from_word(word: u64) -> $word {
                word as $word
            }
        }
    )*};
}

words!(i32 u32 i64 u64);

#[track_caller]
fn check<T: Word, R: Word + PartialEq>(kernel: &str, f: impl Fn(T, T) -> R) {
    let (a, b) = pairs();
    let [a, b] = [a, b].map(|list| list.into_iter().map(T::from_word).collect::<Vec<T>>());
    let found: Vec<R> = binary(&INTEGERS, kernel, &a, &b);
    for i in 0..a.len() {
        assert_eq!(found[i], f(a[i], b[i]), "{kernel} of {:?}, {:?}", a[i], b[i]);
    }
}

#[track_caller]
fn check_unary<T: Word, R: Word + PartialEq>(kernel: &str, f: impl Fn(T) -> R) {
    let values: Vec<T> = pairs().0.into_iter().map(T::from_word).collect();
    let found: Vec<R> = unary(&INTEGERS, kernel, &values);
    for (&value, found) in values.iter().zip(found) {
        assert_eq!(found, f(value), "{kernel} of {value:?}");
    }
}

#[test]
fn divisions_and_remainders() {
    check("divide_i32", i32::wrapping_div);
    check("modulo_i32", i32::wrapping_rem);
    check("divide_u32", |a: u32, b: u32| a / b);
    check("modulo_u32", |a: u32, b: u32| a % b);
    check("divide_i64", i64::wrapping_div);
    check("modulo_i64", i64::wrapping_rem);
    check("divide_u64", |a: u64, b: u64| a / b);
    check("modulo_u64", |a: u64, b: u64| a % b);
    check_unary("divide_by_7_i32", |a: i32| (a / 7).wrapping_mul(16).wrapping_add(a % 10));
    check_unary("divide_by_1000_u64", |a: u64| (a / 1000) ^ (a % 10));
    check_unary("divide_by_minus_13_i64", |a: i64| a / -13);
}

#[test]
fn products_sums_and_comparisons() {
    check("multiply_i64", |a: i64, b: i64| a.wrapping_mul(b).wrapping_sub(a << 3).wrapping_add(b >> 5));
    check("multiply_high_i32", |a: i32, b: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32);
    check("multiply_high_u32", |a: u32, b: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    check("multiply_high_i64", |a: i64, b: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64);
    check("multiply_high_u64", |a: u64, b: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check("multiply_wide_i32", |a: i32, b: i32| i64::from(a) * i64::from(b) + 5);
    check("multiply_wide_u32", |a: u32, b: u32| (u64::from(a) * u64::from(b)).wrapping_sub(a.into()));
    check("sum_and_difference_u64", |a: u64, b: u64| {
        a.wrapping_add(b) ^ a.wrapping_sub(b) ^ a.wrapping_neg()
    });
    check("fold_u128", |a: u64, b: u64| {
        let (a, b) = (u128::from(a), u128::from(b));
        ((a * b).wrapping_add(a) >> 64) as u64 ^ ((b << 64).wrapping_sub(a) >> 37) as u64
    });
    fn flags<T: PartialOrd>(a: T, b: T) -> u32 {
        [a < b, a <= b, a > b, a >= b, a == b, a != b]
            .into_iter()
            .enumerate()
            .fold(0, |all, (bit, flag)| all | u32::from(flag) << bit)
    }
    check("compare_i64", flags::<i64>);
    check("compare_u64", flags::<u64>);
    check("minimum_i64", |a: i64, b: i64| a.min(b));
}

#[test]
fn shifts_and_bits() {
    check("shift_u64", |a: u64, b: u64| a << (b & 63) ^ a >> (b >> 8 & 63));
    check("shift_i64", |a: i64, b: i64| a >> (b & 63));
    check("rotate_u64", |a: u64, b: u64| a.rotate_left((b & 63) as u32));
    let pair = |low: u32, high: u32| u128::from(high) << 32 | u128::from(low);
    check("funnel_left", |a: u32, b: u32| (pair(a, b) << ((a ^ b) & 31) >> 32) as u32);
    check("funnel_left_clamped", |a: u32, b: u32| (pair(a, b) << (b >> 3).min(32) >> 32) as u32);
    check("funnel_right", |a: u32, b: u32| (pair(a, b) >> ((a ^ b) & 31)) as u32);
    check("funnel_right_clamped", |a: u32, b: u32| (pair(a, b) >> (b >> 3).min(32)) as u32);
    check_unary("count_bits", |a: u64| {
        let first = |bits: u64| if bits == 0 { 0 } else { bits.trailing_zeros() + 1 };
        let word = a as u32;
        a.count_ones()
            | a.leading_zeros() << 7
            | first(a) << 14
            | word.leading_zeros() << 21
            | first(word.into()) << 26
    });
    check_unary("reverse_bits", u64::reverse_bits);
    check("bit_fields", |a: u32, b: u32| {
        ((a >> 5 & 0x7f).wrapping_mul(b << 25 >> 29))
            .wrapping_add(((a << 12) as i32 >> 20) as u32)
            .wrapping_add(b & !(a | 0xff00))
            .wrapping_add((b >> 16) as i8 as u32)
    });
}

#[test]
fn bytes_side_by_side() {
    check("permute_bytes", |a: u32, b: u32| {
        let source = [a.to_le_bytes(), b.to_le_bytes()].concat();
        u32::from_le_bytes([7, 11, 15, 19].map(|shift| source[(a >> shift & 7) as usize]))
    });
    check("absolute_differences", |a: i32, b: i32| {
        let unsigned = (a as u32).abs_diff(b as u32);
        a.wrapping_abs()
            .wrapping_add(a.abs_diff(b).wrapping_add(7) as i32)
            .wrapping_add(unsigned.wrapping_add(9) as i32)
    });
    check("dot_products", |a: i32, b: i32| {
        let sum = |f: fn(u8) -> i32| -> i32 {
            a.to_le_bytes().iter().zip(b.to_le_bytes()).map(|(&x, y)| f(x) * f(y)).sum()
        };
        (sum(|byte| i32::from(byte as i8)) + 3) ^ (sum(i32::from) + 5)
    });
    check("average", |a: i32, b: i32| {
        let sum = i64::from(a) + i64::from(b);
        (sum >> 1) as i32 ^ ((sum + 1) >> 1) as i32
    });
    check("simd_bytes", |a: u32, b: u32| {
        let each = |f: fn(u8, u8) -> u8| {
            let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
            u32::from_le_bytes([0, 1, 2, 3].map(|i| f(a[i], b[i])))
        };
        each(u8::wrapping_add) ^ each(u8::abs_diff) ^ each(|x, y| (x as i8).saturating_sub(y as i8) as u8)
    });
}
