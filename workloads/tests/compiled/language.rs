// SPDX-License-Identifier: Apache-2.0
//! Parts of C++ that kernels seldom use.

use gpurf_workloads::Argument;

use super::{launched, map, unary, LANGUAGE};

fn words(seed: u64, count: usize) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.u32(..)).collect()
}

fn small(seed: u64, count: usize, most: i32) -> Vec<i32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.i32(0..most)).collect()
}

#[test]
fn integers_of_128_bits() {
    let mut random = fastrand::Rng::with_seed(61);
    // Some divisors are short.
    let values: Vec<[u64; 4]> = (0..128)
        .map(|i| {
            [
                random.u64(..),
                random.u64(..),
                if i % 3 == 0 { 0 } else { random.u64(..) >> (i % 64) },
                random.u64(..),
            ]
        })
        .collect();
    let found: Vec<[u64; 12]> = unary(&LANGUAGE, "wide_integers", &values);
    let wide = |upper: u64, lower: u64| u128::from(upper) << 64 | u128::from(lower);
    for (value, found) in values.iter().zip(found) {
        let (a, b) = (wide(value[0], value[1]), wide(value[2], value[3]));
        let expected = [
            a.wrapping_mul(b),
            a / (b | 1),
            a % (b | 1),
            a.wrapping_sub(b),
            (a as i128 >> (b & 127)) as u128,
            if a < b { a << (b & 63) } else { b },
        ];
        for (i, expected) in expected.into_iter().enumerate() {
            assert_eq!(wide(found[2 * i], found[2 * i + 1]), expected, "{i}: {a:#x} {b:#x}");
        }
    }
}

#[test]
fn fields_of_bits() {
    let values = words(62, 128);
    let found: Vec<[i64; 5]> = unary(&LANGUAGE, "bit_fields", &values);
    let signed = |value: u32, bits: u32| i64::from((value << (32 - bits)) as i32 >> (32 - bits));
    for (value, found) in values.iter().zip(found) {
        let sum = (0..3).fold(0u32, |sum, round| sum.wrapping_add(value >> round));
        let long: u64 = (0..3).map(|round| u64::from(value >> round) << 20).sum();
        let odd = (0..3).fold(0, |odd, round| odd ^ (value >> round & 1));
        let expected = [
            i64::from(sum & 31),
            signed(sum.wrapping_neg(), 11),
            (long & ((1 << 37) - 1)) as i64,
            signed(sum, 3),
            i64::from(odd),
        ];
        assert_eq!(found, expected, "{value:#x}");
    }
}

#[test]
fn loops_that_are_entered_in_their_middle() {
    let values = words(63, 192);
    let found: Vec<u32> = unary(&LANGUAGE, "entered_in_the_middle", &values);
    for (&value, found) in values.iter().zip(found) {
        let (count, mut hash) = (value % 37 + 1, value);
        // Steps left, each of one of four kinds; the last kind ends a round.
        let mut rounds = count.div_ceil(4);
        for left in (1..=count).rev() {
            match left % 4 {
                0 => hash = hash.wrapping_mul(31).wrapping_add(7),
                3 => hash ^= hash >> 5,
                2 => hash = hash.wrapping_add(hash << 3),
                _ => {
                    hash = hash.wrapping_mul(17).wrapping_add(rounds);
                    rounds -= 1;
                }
            }
        }
        assert_eq!(found, hash, "{value}");
    }
}

#[test]
fn loops_that_jump_into_each_other() {
    #[derive(Clone, Copy)]
    enum At {
        First,
        Second,
    }
    let values = words(64, 192);
    let found: Vec<u32> = unary(&LANGUAGE, "irreducible", &values);
    for (&value, found) in values.iter().zip(found) {
        let (mut a, mut b, mut steps) = (value % 100, value / 100 % 100, 0);
        let mut at = if a & 1 != 0 { At::Second } else { At::First };
        'all: loop {
            match at {
                At::First => {
                    while a > 3 {
                        a -= 3;
                        steps += 1;
                        if b > a {
                            at = At::Second;
                            continue 'all;
                        }
                    }
                    break;
                }
                At::Second => {
                    while b > 5 {
                        b -= 5;
                        steps += 100;
                        if a > b + 7 {
                            at = At::First;
                            continue 'all;
                        }
                    }
                    if a <= 50 {
                        break;
                    }
                    at = At::First;
                }
            }
        }
        assert_eq!(found, steps * 10_000 + a * 100 + b, "{value}");
    }
}

#[test]
fn classes_with_a_base_in_common() {
    let values = small(65, 128, 1000);
    let found: Vec<i32> = unary(&LANGUAGE, "virtual_bases", &values);
    for (x, found) in values.iter().zip(found) {
        let expected = match x % 4 {
            0 => x * x * 1000,
            1 => 2 * 1000 + x + 1 + 2,
            2 => x * (x + 2) * 1000 + (x + 2 + 3) * 2,
            _ => x * 1000,
        };
        assert_eq!(found, expected, "{x}");
    }
}

#[test]
fn members_by_pointer() {
    let values = small(66, 128, 1000);
    let found: Vec<[i32; 2]> = unary(&LANGUAGE, "pointers_to_members", &values);
    for (&x, found) in values.iter().zip(found) {
        let (mut value, mut step) = (x, 3);
        for round in 0..5 {
            match (x + round) % 3 {
                0 => value += round * step,
                1 => value -= round + step,
                _ => value *= 2,
            }
            *if x >> round & 1 == 0 { &mut value } else { &mut step } += 1;
        }
        assert_eq!(found, [value, step], "{x}");
    }
}

#[test]
fn functions_by_number() {
    let numbers: Vec<f32> = (0..128).map(|i| i as f32 / 16.0 - 4.0).collect();
    let which = small(67, 128, 729);
    let found: Vec<f32> = launched(&LANGUAGE, "tables_of_functions", [2, 64, 0], 128, |device| {
        let out = device.allocate(512);
        (vec![device.upload(&numbers).into(), device.upload(&which).into(), out.into()], out)
    });
    for ((&x, &which), found) in numbers.iter().zip(&which).zip(found) {
        let (mut x, mut digits) = (x, which);
        while digits != 0 {
            x = match digits % 3 {
                0 => 0.5 * x,
                1 => x * x,
                _ => x + 1.0,
            };
            digits /= 3;
        }
        assert_eq!(found.to_bits(), x.to_bits());
    }
}

#[test]
fn packs_of_parameters_and_closures() {
    let values = small(68, 64, 10_000);
    let found: Vec<i32> = unary(&LANGUAGE, "packs_and_closures", &values);
    for (x, found) in values.iter().zip(found) {
        let weighed = [*x, 2, 3 * x, -4].iter().fold(0, |sum, value| sum * 10 + value);
        assert_eq!(found, weighed + 4 * (x + 2 + 3 * x - 4) + 2 * x);
    }
}

#[test]
fn matrices_by_value() {
    type Matrix = [[f64; 3]; 3];
    let mut random = fastrand::Rng::with_seed(69);
    // Small integers, so that all products are exact.
    let matrices: Vec<Matrix> =
        (0..64).map(|_| [0; 3].map(|_| [0; 3].map(|_| f64::from(random.i32(-5..6))))).collect();
    let found: Vec<Matrix> = launched(&LANGUAGE, "structs_by_value", [1, 64, 0], 64, |device| {
        let out = device.allocate(64 * 72);
        (vec![device.upload(&matrices).into(), out.into(), 5.into()], out)
    });
    let product = |a: &Matrix, b: &Matrix| -> Matrix {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    };
    for (matrix, found) in matrices.iter().zip(found) {
        assert_eq!(found, (1..5).fold(*matrix, |power, _| product(&power, matrix)));
    }
}

fn even_steps(n: i32) -> i32 {
    match n {
        ..=1 => n,
        _ if n % 3 != 0 => 1 + odd_steps(n / 2),
        _ => 1 + even_steps(n - 3),
    }
}

fn odd_steps(n: i32) -> i32 {
    match n {
        ..=0 => 0,
        _ => (n + (n & 3)) % 5 + even_steps(n - 1),
    }
}

fn ackermann(m: i32, n: i32) -> i32 {
    match (m, n) {
        (0, _) => n + 1,
        (_, 0) => ackermann(m - 1, 1),
        _ => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

#[test]
fn functions_that_call_each_other_and_themselves() {
    let values = small(70, 64, 60);
    let found: Vec<i32> = unary(&LANGUAGE, "recursion_in_circles", &values);
    assert_eq!(found, values.iter().map(|&n| even_steps(n)).collect::<Vec<_>>());
    let values = small(71, 64, 60);
    let found: Vec<i32> = unary(&LANGUAGE, "deep_recursion", &values);
    assert_eq!(found, values.iter().map(|n| ackermann(n % 3, n % 5)).collect::<Vec<_>>());
}

#[test]
fn text_on_the_stack() {
    let values = words(72, 64);
    let found: Vec<[u8; 16]> = unary(&LANGUAGE, "bytes_of_the_stack", &values);
    for (value, found) in values.iter().zip(found) {
        let mut digits = value.to_string().into_bytes();
        digits.sort_unstable();
        digits.resize(16, 0);
        assert_eq!(found.to_vec(), digits, "{value}");
    }
}

#[test]
fn registers_in_local_memory() {
    let input = words(73, 96);
    let found: Vec<u32> = launched(&LANGUAGE, "spilled", [1, 96, 0], 96, |device| {
        let out = device.allocate(4 * 96);
        (vec![device.upload(&input).into(), out.into()], out)
    });
    for (thread, found) in found.into_iter().enumerate() {
        let mut values: Vec<u32> =
            (0..40).map(|i| input[(thread + i * 17) % 96].wrapping_mul(i as u32 + 1)).collect();
        for round in 0..3 {
            for i in 0..40 {
                let mixed = values[(i + 13) % 40] ^ values[(i + 29) % 40] >> round;
                values[i] = values[i].wrapping_mul(5).wrapping_add(mixed);
            }
        }
        assert_eq!(found, values.iter().fold(0u32, |sum, value| sum.wrapping_mul(3).wrapping_add(*value)));
    }
}

#[test]
fn constants_in_rows() {
    let rows = [
        (-3, 0.5, [1, 2, 3]),
        (7, -1.25, [4, 5, 6]),
        (100, 3.0, [7, 8, 9]),
        (-100, 0.125, [250, 251, 252]),
        (0, 9.0, [0, 0, 1]),
    ];
    let values = small(74, 64, 1000);
    let found: Vec<f64> = unary(&LANGUAGE, "rows_of_constants", &values);
    for (x, found) in values.iter().map(|&x| x as usize).zip(found) {
        let (key, weight, flags) = rows[x % 5];
        assert_eq!(found, f64::from(key) * weight + f64::from(flags[x % 3]));
    }
}

#[test]
fn shared_memory_in_parts() {
    let values = small(75, 64, 9000);
    let found: Vec<f64> = launched(&LANGUAGE, "carved_shared_memory", [1, 64, 64 * 11], 64, |device| {
        let out = device.allocate(512);
        (vec![device.upload(&values).into(), out.into()], out)
    });
    let sum = |i: usize| f64::from(values[(i + 1) % 64] as u8) + 0.25 * f64::from(values[63 - i] as i16 * 3);
    for (i, found) in found.into_iter().enumerate() {
        assert_eq!(found, sum(i) - sum(63 - i));
    }
}

#[test]
fn instructions_of_ptx() {
    let words = words(76, 3 * 192);
    let values: Vec<[u32; 3]> = words.chunks(3).map(|three| three.try_into().unwrap()).collect();
    let found: Vec<[u32; 14]> = unary(&LANGUAGE, "inline_ptx", &values);
    for ([a, b, c], found) in values.into_iter().zip(found) {
        let (low, carry) = a.overflowing_add(b);
        let middle = u64::from(b) + u64::from(c) + u64::from(carry);
        let field = |start: u32, count: u32| (u64::from(a) >> start) as u32 & ((1u64 << count) - 1) as u32;
        let signed = {
            let (start, count) = (b & 31, c & 31);
            // The sign is that of the field's last bit, or of the word's where the field goes beyond.
            (i64::from(a as i32) >> start << (64 - count).min(63) >> (64 - count).min(63)) as u32
                * u32::from(count != 0)
        };
        let insert = {
            let (start, count) = (c & 31, a & 31);
            let mask = (((1u64 << count) - 1) << start) as u32;
            b & !mask | (a << start) & mask
        };
        let bytes: [u8; 8] = (u64::from(b) << 32 | u64::from(a)).to_le_bytes();
        let chosen = |selectors: [u32; 4]| {
            u32::from_le_bytes(selectors.map(|selector| {
                let byte = bytes[selector as usize & 7];
                if selector & 8 != 0 {
                    (byte as i8 >> 7) as u8
                } else {
                    byte
                }
            }))
        };
        let long = u64::from(b) << 32 | u64::from(a);
        let nth = {
            // The n-th set bit from bit b & 31 on.
            let wanted = 1 + (c & 3);
            let mut bits = (b & 31..32).filter(|bit| a >> bit & 1 != 0);
            bits.nth(wanted as usize - 1).unwrap_or(u32::MAX)
        };
        let expected = [
            low,
            middle as u32,
            c.wrapping_add(a).wrapping_add((middle >> 32) as u32),
            field(b & 63, c & 63),
            signed,
            insert,
            a & b | !a & c,
            chosen([0, 1, 2, 3].map(|i| i + (c & 3))),
            chosen([0, 4, 8, 12].map(|shift| c >> shift & 15)),
            (long << (c & 31) >> 32) as u32,
            if c & 63 >= 32 { b } else { (long >> (c & 63)) as u32 },
            ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
            (a as i32).abs_diff(b as i32).wrapping_add(c),
            nth,
        ];
        let expected: [u32; 14] =
            std::array::from_fn(|i| if i == 11 { expected[11].wrapping_add(c) } else { expected[i] });
        assert_eq!(found, expected, "{a:#x} {b:#x} {c:#x}");
    }
}

#[test]
fn loads_and_stores_with_hints() {
    let values: Vec<[i32; 4]> =
        small(77, 4 * 64, 30_000).chunks(4).map(|four| four.try_into().unwrap()).collect();
    let found: Vec<[[i32; 4]; 4]> = unary(&LANGUAGE, "hinted_accesses", &values);
    for (value, found) in values.into_iter().zip(found) {
        let [x, y, z, w] = value;
        assert_eq!(found, [[x + y, z + w, x * x, 7], value, value, value]);
    }
}

#[test]
fn the_last_block() {
    let values = small(78, 64 * 9, 1000);
    let found: Vec<i32> = launched(&LANGUAGE, "last_block_adds", [9, 64, 0], 1, |device| {
        let (partial, out) = (device.allocate(36), device.allocate(4));
        (vec![device.upload(&values).into(), partial.into(), out.into()], out)
    });
    assert_eq!(found, [values.iter().sum()]);
}

#[test]
fn lists_that_grow_by_many_at_once() {
    let values = small(79, 64 * 4, 5000);
    let mut device = crate::support::device();
    let (input, lengths, lists) = (device.upload(&values), device.allocate(20), device.allocate(4 * 5 * 256));
    let arguments = [input.into(), lengths.into(), lists.into(), 256.into()];
    device.launch(&LANGUAGE, "aggregated_append", 4, 64, 0, &arguments).unwrap();
    let lengths: Vec<u32> = device.read(lengths, 5).unwrap();
    let lists: Vec<i32> = device.read(lists, 5 * 256).unwrap();
    for list in 0..5 {
        let mut expected: Vec<i32> =
            values.iter().copied().filter(|value| value % 5 == list && value % 7 != 0).collect();
        let start = 256 * list as usize;
        let mut found = lists[start..start + lengths[list as usize] as usize].to_vec();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "list {list}");
    }
}

#[test]
fn random_numbers_from_a_counter() {
    let found: Vec<[u32; 4]> = launched(&LANGUAGE, "philox", [2, 64, 0], 128, |device| {
        let out = device.allocate(16 * 128);
        (vec![out.into(), 0xdead_beefu32.into(), 0x1234_5678u32.into()], out)
    });
    for (i, found) in found.into_iter().enumerate() {
        let mut c = [i as u32, 0, 7, 11];
        let (mut key0, mut key1) = (0xdead_beefu32, 0x1234_5678u32);
        for _ in 0..10 {
            let [even, odd] = [u64::from(c[0]) * 0xd251_1f53, u64::from(c[2]) * 0xcd9e_8d57];
            c = [
                (odd >> 32) as u32 ^ c[1] ^ key0,
                odd as u32,
                (even >> 32) as u32 ^ c[3] ^ key1,
                even as u32,
            ];
            key0 = key0.wrapping_add(0x9e37_79b9);
            key1 = key1.wrapping_add(0xbb67_ae85);
        }
        assert_eq!(found, c);
    }
}

#[test]
fn numbers_in_parts() {
    let mut random = fastrand::Rng::with_seed(80);
    let mut number = || (random.f64() - 0.5) * 2f64.powi(random.i32(-8..12));
    let values: Vec<[f64; 2]> = (0..128).map(|_| [number(), number()]).collect();
    let found: Vec<[f64; 8]> = map(&LANGUAGE, "parts_of_numbers", &[&values]);
    for ([x, y], found) in values.into_iter().zip(found) {
        let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32) - 1022;
        let remainder = {
            // Exact, by the remainder toward zero.
            let rest = x % y;
            let other = if (rest < 0.0) == (y < 0.0) { rest - y } else { rest + y };
            let odd = (x / y).trunc() % 2.0 != 0.0;
            if other.abs() < rest.abs() || other.abs() == rest.abs() && odd {
                other
            } else {
                rest
            }
        };
        let toward = x.to_bits().wrapping_add(if (y > x) == (x > 0.0) { 1 } else { u64::MAX });
        let expected = [
            x * 2f64.powi(-exponent) + f64::from(exponent),
            x * 2f64.powi(y as i32 % 40),
            x % y,
            remainder,
            x.fract() * 2.0 + x.trunc(),
            f64::from(exponent - 1),
            f64::from_bits(toward),
            (if x > y { x - y } else { 0.0 }).copysign(y) + if x < 0.0 { 1.0 } else { 0.0 } + 2.0,
        ];
        for (i, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            assert_eq!(found, expected, "{i}: {x} {y}");
        }
    }
}

#[test]
fn more_parameters_than_four_kilobytes() {
    let weights: Vec<i32> = (0..1200).map(|i| i * i - 7 * i).collect();
    let places = small(80, 64, 1200);
    let found: Vec<i32> = launched(&LANGUAGE, "long_parameter", [1, 64, 0], 64, |device| {
        let out = device.allocate(4 * 64);
        let list = Argument(bytemuck::cast_slice(&weights).to_vec());
        (vec![list, device.upload(&places).into(), out.into()], out)
    });
    let place = |place: i32| place as u32 as usize % 1200;
    assert_eq!(found, places.iter().map(|&at| weights[place(at)] + weights[1199] * 3).collect::<Vec<_>>());
}
