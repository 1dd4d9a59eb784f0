// SPDX-License-Identifier: Apache-2.0
//! Identities, half-precision parameters, narrow constants, scaled and dot products, fragments, barriers.

use gpurf_workloads::Argument;
use half::f16;

use super::{unary, IDIOMS};
use crate::support::device;

fn random_words(seed: u64, count: usize) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u32(..)).collect()
}

#[test]
fn warps_know_their_number_and_the_machine_its_sizes() {
    let mut device = device();
    let out = device.allocate(8 * 4 * 96);
    device.launch(&IDIOMS, "identities", 3, 96, 4 * 96, &[out.into()]).unwrap();
    for (thread, found) in device.read::<[u32; 8]>(out, 96).unwrap().into_iter().enumerate() {
        let warp = thread as u32 / 32;
        // All warps write a slot of `fixed`, and the last one wins.
        let last = 2 - thread as u32 / 8 * 8 / 32;
        assert_eq!(found, [warp, 1, 4 * 96 + 32, 4 * 96, 1, 1, 1, last], "thread {thread}");
    }
}

#[test]
fn parameters_of_half_precision() {
    let half = f16::from_f32;
    let (a, b, c) = (half(1.5), half(-0.75), [half(3.25), half(-8.5)]);
    let mut random = fastrand::Rng::with_seed(51);
    let values: Vec<[f16; 2]> =
        (0..64).map(|_| [0, 1].map(|_| half(random.i32(-40..40) as f32 / 8.0))).collect();
    let mut device = device();
    let (input, out) = (device.upload(&values), device.allocate(64 * 24));
    let pair = |[low, high]: [f16; 2]| u32::from(high.to_bits()) << 16 | u32::from(low.to_bits());
    for flag in [0u8, 1] {
        let arguments: [Argument; 6] =
            [a.to_bits().into(), b.to_bits().into(), pair(c).into(), input.into(), out.into(), flag.into()];
        device.launch(&IDIOMS, "half_parameters", 1, 64, 0, &arguments).unwrap();
        for (&x, found) in values.iter().zip(device.read::<[[f16; 2]; 6]>(out, 64).unwrap()) {
            // Sums and products of such numbers are exact.
            let each = |f: &dyn Fn(f32, usize) -> f32| [0, 1].map(|i| half(f(x[i].to_f32(), i)));
            let expected = [
                each(&|x, i| x * b.to_f32() + c[i].to_f32()),
                each(&|x, _| x * a.to_f32()),
                each(&|x, _| x + b.to_f32()),
                if x[0] > b { c } else { x },
                if flag == 1 { each(&|x, _| x * b.to_f32()) } else { x },
                each(&|x, _| x - b.to_f32()),
            ];
            assert_eq!(found, expected, "{x:?}");
        }
    }
}

#[test]
fn constants_of_a_byte_or_two() {
    let inputs: Vec<i32> = (0..32).map(|i| 7 * i - 90).collect();
    for (a, b, c, d, e) in [(200u8, -100i8, 60_000u16, -30_000i16, 1u8), (3, 100, 5, 7, 0)] {
        let mut narrow = vec![a, b as u8];
        narrow.extend(c.to_le_bytes());
        narrow.extend(d.to_le_bytes());
        narrow.extend([e, 0]);
        let mut device = device();
        let (input, out) = (device.upload(&inputs), device.allocate(128));
        let arguments = [Argument(narrow), input.into(), out.into(), 5.into()];
        device.launch(&IDIOMS, "narrow_constants", 1, 32, 0, &arguments).unwrap();
        let expected = inputs.iter().map(|&value| {
            (0..5).fold(value, |sum: i32, i| {
                let sum = sum.wrapping_mul(a.into()).wrapping_add(i32::from(b) * i32::from(c));
                sum.wrapping_add(d.into()).wrapping_add(if e == 1 { i } else { -i })
            })
        });
        assert_eq!(device.read::<i32>(out, 32).unwrap(), expected.collect::<Vec<_>>());
    }
}

#[test]
fn products_scaled_by_powers_of_two() {
    let mut random = fastrand::Rng::with_seed(52);
    // Also such that the result is subnormal or the product overflows.
    let values: Vec<f32> = (0..128)
        .map(|i| random.f32() * [1.0, 1e-38, 1e38, 1e-20][i % 4] * if random.bool() { -1.0 } else { 1.0 })
        .collect();
    for a in [3.7f32, 1e-3, 5.0] {
        let mut device = device();
        let (input, out) = (device.upload(&values), device.allocate(8 * 64));
        device.launch(&IDIOMS, "scaled_products", 1, 64, 0, &[input.into(), out.into(), a.into()]).unwrap();
        for (i, found) in device.read::<[f32; 2]>(out, 64).unwrap().into_iter().enumerate() {
            let (x, y) = (values[i], values[i + 64]);
            assert_eq!(found, [0.5 * (a * x), -0.2 * (x * y) * 0.5 * y], "{a} {x} {y}");
        }
    }
}

#[test]
fn dot_products_of_bytes_and_halves() {
    let words: Vec<[i32; 3]> =
        random_words(53, 96).chunks(3).map(|words| [0, 1, 2].map(|i| words[i] as i32)).collect();
    for ([a, b, c], found) in words.iter().zip(unary::<_, [i32; 6]>(&IDIOMS, "dot_products", &words)) {
        let halves =
            a.to_le_bytes().chunks(2).map(|two| i16::from_le_bytes([two[0], two[1]])).collect::<Vec<_>>();
        let bytes = b.to_le_bytes();
        // Of products in 64 bits: factors and their signs.
        let sum = |a: [i64; 2], b: [i64; 2]| (i64::from(*c) + a[0] * b[0] + a[1] * b[1]) as i32;
        let signed = [0, 1].map(|i| i64::from(halves[i]));
        let unsigned = [0, 1].map(|i| i64::from(halves[i] as u16));
        let four: i64 = (0..4).map(|i| i64::from(a.to_le_bytes()[i] as i8) * i64::from(bytes[i] as i8)).sum();
        let expected = [
            sum(signed, [0, 1].map(|i| i64::from(bytes[i] as i8))),
            sum(signed, [2, 3].map(|i| i64::from(bytes[i] as i8))),
            sum(unsigned, [0, 1].map(|i| i64::from(bytes[i]))),
            sum(signed, [2, 3].map(|i| i64::from(bytes[i]))),
            sum(unsigned, [0, 1].map(|i| i64::from(bytes[i] as i8))),
            (i64::from(*c) + four) as i32,
        ];
        assert_eq!(found, expected);
    }
}

#[test]
fn functions_of_halves() {
    let values: Vec<[f16; 2]> =
        (0..64).map(|i| [f16::from_f32(i as f32 / 5.0 - 6.0), f16::from_f32(3.0 - i as f32 / 9.0)]).collect();
    let found: Vec<[[f16; 2]; 2]> = unary(&IDIOMS, "half_functions", &values);
    for (x, [powers, tangents]) in values.iter().zip(found) {
        for i in 0..2 {
            let x = x[i].to_f64();
            let close =
                |found: f16, expected: f64| (found.to_f64() - expected).abs() <= expected.abs() / 2048.0;
            assert!(close(powers[i], x.exp2()), "2^{x} is {}", powers[i]);
            assert!(close(tangents[i], x.tanh()), "tanh {x} is {}", tangents[i]);
        }
    }
}

#[test]
fn a_matrix_of_halves_is_transposed() {
    let matrix: Vec<u16> = (0..64).collect();
    let transposed: Vec<u16> = (0..64).map(|i| i % 8 * 8 + i / 8).collect();
    let mut device = device();
    let (input, out) = (device.upload(&matrix), device.allocate(128));
    device.launch(&IDIOMS, "transposed", 1, 32, 0, &[input.into(), out.into()]).unwrap();
    assert_eq!(device.read::<u16>(out, 64).unwrap(), transposed);
}

#[test]
fn bits_that_differ_are_counted() {
    // Rows of A and columns of B of 128 bits, four words each.
    let words = random_words(54, 64);
    let mut device = device();
    let (input, out) = (device.upload(&words), device.allocate(256));
    device.launch(&IDIOMS, "bit_product", 1, 32, 0, &[input.into(), out.into()]).unwrap();
    let found: Vec<i32> = device.read(out, 64).unwrap();
    for row in 0..8 {
        for column in 0..8 {
            let different: u32 =
                (0..4).map(|i| (words[4 * row + i] ^ words[32 + 4 * column + i]).count_ones()).sum();
            let start = if column % 2 == 0 { 100 } else { -100 };
            assert_eq!(found[8 * row + column], start + different as i32);
        }
    }
}

/// As the PTX manual places the elements of `mma.m8n8k4`.
#[test]
fn products_of_four_threads_with_four_others() {
    let mut random = fastrand::Rng::with_seed(55);
    let mut small = |count: usize| -> Vec<f16> {
        (0..count).map(|_| f16::from_f32(random.i32(-32..32) as f32 / 8.0)).collect()
    };
    let (a, b, h) = (small(32 * 4), small(32 * 4), small(32 * 8));
    let c: Vec<f32> = small(32 * 8).iter().map(|value| value.to_f32() * 100.0).collect();
    let mut device = device();
    let inputs = [device.upload(&a), device.upload(&b), device.upload(&c), device.upload(&h)];
    let outputs = [32 * 32, 32 * 32, 32 * 16].map(|bytes| device.allocate(bytes));
    let arguments: Vec<Argument> = inputs.iter().chain(&outputs).map(|&pointer| pointer.into()).collect();
    device.launch(&IDIOMS, "quad_products", 1, 32, 0, &arguments).unwrap();
    let singles: Vec<f32> = device.read(outputs[0], 256).unwrap();
    let mixed: Vec<f32> = device.read(outputs[1], 256).unwrap();
    let halves: Vec<f16> = device.read(outputs[2], 256).unwrap();
    for quad in 0..4 {
        // The lane of the quad that has row or column i of eight.
        let lane = |i: usize| 4 * quad + i % 4 + i / 4 * 16;
        let value = |list: &[f16], lane: usize, i: usize| list[4 * lane + i].to_f32();
        for (row, column) in (0..64).map(|i| (i / 8, i % 8)) {
            let dot = |a_by_row: bool, b_by_row: bool| -> f32 {
                let a = |k: usize| {
                    if a_by_row {
                        value(&a, lane(row), k)
                    } else {
                        value(&a, lane(row / 4 * 4 + k), row % 4)
                    }
                };
                let b = |k: usize| {
                    if b_by_row {
                        value(&b, lane(column / 4 * 4 + k), column % 4)
                    } else {
                        value(&b, lane(column), k)
                    }
                };
                (0..4).map(|k| a(k) * b(k)).sum()
            };
            let holder = lane(row / 4 * 4 + (row & 1) + (column & 2));
            let place = 8 * holder + (column & 4) + (row & 2) + (column & 1);
            let addend = h[8 * lane(row) + column].to_f32();
            assert_eq!(singles[place], c[place] + dot(true, false), "{quad} {row} {column}");
            assert_eq!(mixed[place], addend + dot(false, true), "{quad} {row} {column}");
            assert_eq!(halves[8 * lane(row) + column], f16::from_f32(addend + dot(true, true)));
        }
    }
}

#[test]
fn lanes_of_a_mask_wait_for_each_other() {
    for mask in [u32::MAX, 0xff00_00ff, 0b11] {
        let mut device = device();
        let values = device.upload(&[-1; 32]);
        device.launch(&IDIOMS, "masked_sync", 1, 32, 0, &[values.into(), mask.into()]).unwrap();
        for (lane, found) in device.read::<i32>(values, 32).unwrap().into_iter().enumerate() {
            let expected = if mask >> lane & 1 != 0 { 3 * (lane + (lane ^ 1)) as i32 } else { -1 };
            assert_eq!(found, expected, "lane {lane} of {mask:#x}");
        }
    }
}

#[test]
fn groups_of_threads() {
    let mut random = fastrand::Rng::with_seed(56);
    let values: Vec<i32> = (0..64).map(|_| random.i32(-50..50)).collect();
    let mut device = device();
    let (input, out) = (device.upload(&values), device.allocate(4 * 192));
    device.launch(&IDIOMS, "groups", 1, 64, 0, &[input.into(), out.into()]).unwrap();
    let found: Vec<i32> = device.read(out, 192).unwrap();
    for (i, &value) in values.iter().enumerate() {
        assert_eq!(found[i], values[i / 8 * 8..i / 8 * 8 + 8].iter().sum::<i32>());
        let active: Vec<usize> = (i / 32 * 32..i / 32 * 32 + 32).filter(|&i| values[i] > 0).collect();
        if value > 0 {
            let rank = active.iter().position(|&other| other == i).unwrap();
            assert_eq!(found[i + 64], (100 * active.len() + rank) as i32);
            assert_eq!(found[i + 128], values[*active.last().unwrap()]);
        }
    }
}

#[test]
fn the_library_s_barrier() {
    let mut values: Vec<i32> = (0..64).collect();
    let mut device = device();
    let memory = device.upload(&values);
    device.launch(&IDIOMS, "library_barrier", 1, 64, 0, &[memory.into(), 5.into()]).unwrap();
    for _ in 0..5 {
        let before = values.clone();
        values.iter_mut().enumerate().for_each(|(i, value)| *value += before[(i + 1) % 64]);
    }
    assert_eq!(device.read::<i32>(memory, 64).unwrap(), values);
}
