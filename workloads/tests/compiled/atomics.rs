// SPDX-License-Identifier: Apache-2.0
//! Atomic operations on global and shared memory. Threads take their turns in order.

use bytemuck::{AnyBitPattern, NoUninit};
use half::f16;

use super::ATOMICS;
use crate::support::device;

const CELLS: usize = 8;

/// Loops in which lanes that change nothing do not wait for those before them.
const UNORDERED: [&str; 2] = ["shared_min_u64", "shared_max_i64"];

/// Applies `step` (what a cell holds, the thread's value) in these spaces; `make` makes a value from
/// random bits.
#[track_caller]
fn check<T>(name: &str, spaces: &[&str], make: impl Fn(u64) -> T, step: impl Fn(T, T) -> T)
where
    T: NoUninit + AnyBitPattern + PartialEq + std::fmt::Debug,
{
    for space in spaces {
        // Warps of a block take their turns in any order.
        let (blocks, threads) = if *space == "shared" { (1, 32) } else { (6, 192) };
        let mut random = fastrand::Rng::with_seed(31);
        let keys: Vec<i32> = (0..threads).map(|_| random.i32(0..CELLS as i32)).collect();
        let values: Vec<T> = (0..threads).map(|_| make(random.u64(..))).collect();
        let start: Vec<T> = (0..CELLS).map(|_| make(random.u64(..))).collect();
        let mut expected = start.clone();
        let mut before = vec![];
        for (&key, &value) in keys.iter().zip(&values) {
            let cell = &mut expected[key as usize];
            before.push(*cell);
            *cell = step(*cell, value);
        }
        let kernel = format!("{space}_{name}");
        let mut device = device();
        let cells = device.upload(&start);
        let out = device.allocate((threads * size_of::<T>()) as u64);
        let arguments =
            [device.upload(&keys).into(), device.upload(&values).into(), cells.into(), out.into()];
        let launched = device.launch(&ATOMICS, &kernel, blocks, 32, 0, &arguments);
        launched.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(device.read::<T>(cells, CELLS).unwrap(), expected, "{kernel}");
        if *space != "reduce" && !UNORDERED.contains(&&*kernel) {
            assert_eq!(device.read::<T>(out, threads).unwrap(), before, "{kernel}");
        }
    }
}

const ALL: &[&str] = &["global", "reduce", "shared"];

#[test]
fn words() {
    let small = |bits: u64| bits as u32 >> 20;
    let signed = |bits: u64| bits as i32;
    check("add_i32", ALL, signed, i32::wrapping_add);
    check("sub_i32", ALL, signed, i32::wrapping_sub);
    check("min_i32", ALL, signed, i32::min);
    check("max_i32", ALL, signed, i32::max);
    check("min_u32", ALL, |bits| bits as u32, u32::min);
    check("max_u32", ALL, |bits| bits as u32, u32::max);
    check("and_u32", ALL, |bits| bits as u32 | 0xf0f0_f0f0, |a, b| a & b);
    check("or_u32", ALL, |bits| (bits & bits >> 7 & bits >> 11) as u32, |a, b| a | b);
    check("xor_u32", ALL, |bits| bits as u32, |a, b| a ^ b);
    check("inc_u32", ALL, small, |a, b| if a >= b { 0 } else { a + 1 });
    check("dec_u32", ALL, small, |a, b| if a == 0 || a > b { b } else { a - 1 });
    check("exch_u32", ALL, small, |_, b| b);
    check("cas_u32", ALL, |bits| bits as u32 & 15, |a, b| if a == b & 3 { b >> 2 } else { a });
    check("count", ALL, small, |a, _| a + 1);
}

#[test]
fn long_words() {
    check("add_u64", ALL, |bits| bits, u64::wrapping_add);
    check("min_u64", ALL, |bits| bits, u64::min);
    check("max_i64", ALL, |bits| bits as i64, i64::max);
    check("and_u64", ALL, |bits| bits | 0xf0f0_f0f0_f0f0_f0f0, |a, b| a & b);
    check("exch_u64", ALL, |bits| bits, |_, b| b);
    check("cas_u64", ALL, |bits| bits & 15, |a, b| if a == b & 3 { b >> 2 } else { a });
}

#[test]
fn floats() {
    let single = |bits: u64| (bits as i32 as f32) / 1000.0;
    check("add_f32", ALL, single, |a, b| a + b);
    check("exch_f32", ALL, single, |_, b| b);
    check("add_f64", ALL, |bits| (bits as i64 as f64) / 1000.0, |a, b| a + b);
    // Two halves at once.
    let half = |bits: u64| (bits % 512) as f32 / 16.0 - 8.0;
    let pack = |low: f32, high: f32| {
        u32::from(f16::from_f32(high).to_bits()) << 16 | u32::from(f16::from_f32(low).to_bits())
    };
    let value = |bits: u32, shift: u32| f16::from_bits((bits >> shift) as u16).to_f32();
    check(
        "add_f16x2",
        &["global", "reduce"],
        |bits| pack(half(bits), half(bits >> 30)),
        |a, b| pack(value(a, 0) + value(b, 0), value(a, 16) + value(b, 16)),
    );
}
