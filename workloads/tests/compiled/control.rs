// SPDX-License-Identifier: Apache-2.0
//! Divergence, jump tables, calls, recursion, local arrays, generic pointers.

use gpurf_workloads::{Argument, Module, Options};

use super::{unary, CONTROL};
use crate::support::{device, Device};

fn values(count: usize) -> Vec<i32> {
    let mut random = fastrand::Rng::with_seed(51);
    (0..count).map(|_| random.i32(..) >> random.u32(..31)).collect()
}

#[test]
fn jump_tables() {
    let a = values(256);
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "jump_table", &a)) {
        let mut sum = a;
        for _ in 0..6 {
            sum = match sum as u32 % 5 {
                0 => sum.wrapping_add(7),
                1 => sum.wrapping_mul(3),
                4 => sum >> 1,
                which => {
                    let sum = if which == 2 { sum ^ 21845 } else { sum };
                    (sum.count_ones() as i32).wrapping_sub(sum)
                }
            };
        }
        assert_eq!(found, sum, "{a}");
    }
}

#[test]
fn calls_under_divergence() {
    fn collatz(mut n: i32) -> i32 {
        let mut steps = 0;
        while n != 1 {
            n = if n % 2 != 0 { 3 * n + 1 } else { n / 2 };
            steps += 1;
        }
        steps
    }
    let a = values(256);
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "calls", &a)) {
        let a = a & 0x3ff;
        let first = if a % 3 == 0 { collatz(a + 1) } else { 0 };
        assert_eq!(found, first + (0..a % 5).map(|j| collatz(a + j + 1) * 1000).sum::<i32>(), "{a}");
    }
    let a = values(256);
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "function_pointers", &a)) {
        let expected = match a as u32 % 3 {
            0 => a.wrapping_mul(3),
            1 => a.wrapping_mul(a),
            _ => a.wrapping_neg(),
        };
        assert_eq!(found, expected, "{a}");
    }
}

#[test]
fn recursion_keeps_its_stack() {
    fn ackermann(m: i32, n: i32) -> i32 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    let a = values(256);
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "recursion", &a)) {
        assert_eq!(found, ackermann(a & 1, a >> 1 & 3), "{a}");
    }
    let fibonacci = [0, 1, 1, 2, 3, 5, 8, 13];
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "tree_recursion", &a)) {
        assert_eq!(found, fibonacci[a as usize & 7], "{a}");
    }
}

#[test]
fn recursion_has_the_stack_that_it_is_given() {
    let a = values(64);
    let found: Vec<u32> = unary(&CONTROL, "recursion_over_a_large_frame", &a);
    for (&a, found) in a.iter().zip(found) {
        let row = |j: u32| (a as u32).wrapping_mul(j) ^ j;
        let expected = (0..600).fold(0u32, |sum, j| sum.wrapping_add(row(j).wrapping_mul(j + 1)));
        assert_eq!(found, expected, "{a}");
    }
    let mut device = Device::new(Options { stream: false, stack_bytes: 1024, ..Options::default() });
    let place = Argument::from(device.upload(&a));
    let arguments = [place.clone(), place];
    let error = device.launch(&CONTROL, "recursion_over_a_large_frame", 1, 64, 0, &arguments).unwrap_err();
    assert!(
        error.to_string().contains("the thread has 2400 bytes of stack; `stack` in a launch file"),
        "{error}"
    );
}

/// Compilers of CUDA 12.4 to 12.9 write numbers of bytes where others say that they do not know.
#[test]
fn what_a_listing_says_of_a_stack_is_the_least() {
    let text = include_str!("../listings/control.sass");
    for told in ["0x00000000", "0x00000008"] {
        let text = text.replace(".word 0xffffffff", &format!(".word {told}"));
        let module = Module::parse("control.sass", &text).unwrap();
        for kernel in ["recursion", "tree_recursion", "function_pointers"] {
            assert!(module.kernel(kernel).unwrap().has_open_stack(), "{kernel}");
            let a = values(256);
            let right: Vec<i32> = unary(&CONTROL, kernel, &a);
            assert_eq!(unary::<i32, i32>(&module, kernel, &a), right, "{kernel}");
        }
    }
    // Calls of what needs no stack, and frames of a known size.
    for kernel in ["jump_table", "local_array"] {
        assert!(!CONTROL.kernel(kernel).unwrap().has_open_stack(), "{kernel}");
    }
}

#[test]
fn local_arrays_and_generic_pointers() {
    let a = values(256);
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "local_array", &a)) {
        let mut values: Vec<i32> = (0..16).map(|j| a.wrapping_mul(j * 40503 + 1) >> 3).collect();
        values.sort();
        assert_eq!(found, values[a as usize & 15] ^ values[8], "{a}");
    }
    for (&a, found) in a.iter().zip(unary::<i32, i32>(&CONTROL, "generic_pointers", &a)) {
        let mut parts = [a.wrapping_mul(2), a.wrapping_add(a & 3), 1];
        let part = &mut parts[a as u32 as usize % 3];
        *part = part.wrapping_add(1000);
        assert_eq!(found, parts[2].wrapping_add(parts[0].wrapping_mul(3)).wrapping_add(parts[1]), "{a}");
    }
}

#[test]
fn loops_are_left_by_each_lane_in_its_own_time() {
    let input = values(256);
    let found: Vec<i32> = unary(&CONTROL, "divergence", &input);
    for (i, (&a, found)) in input.iter().zip(found).enumerate() {
        let run = || {
            if a % 11 == 0 {
                return -5;
            }
            let mut sum = 0i32;
            for j in 0..a & 31 {
                if j % 4 == a % 4 {
                    continue;
                }
                if j * j > a & 0xff {
                    break;
                }
                let mut k = j;
                while k > 0 {
                    if (k ^ a) % 7 == 0 {
                        break;
                    }
                    sum += input[(i + k as usize) % 128] & 15;
                    if sum > 500 {
                        return sum;
                    }
                    k -= 3;
                }
                sum += if a & 1 != 0 { j } else { -j };
            }
            loop {
                sum = sum.wrapping_mul(5).wrapping_add(1);
                if sum & 7 == 0 || sum >= 100_000 {
                    return sum;
                }
            }
        };
        assert_eq!(found, run(), "thread {i}");
    }
}

#[test]
fn barriers_do_not_wait_for_threads_that_have_ended() {
    let a = values(128);
    let mut device = device();
    let input = device.upload(&a);
    let out = device.allocate(512);
    device.launch(&CONTROL, "barrier_after_exit", 1, 128, 0, &[input.into(), out.into()]).unwrap();
    let found: Vec<i32> = device.read(out, 128).unwrap();
    let alive = |i: usize| a[i] % 5 != 0;
    let first = |i: usize| {
        let warp = i / 32 * 32;
        a[127 - i].wrapping_add((warp..warp + 32).filter(|&i| alive(i)).count() as i32)
    };
    for i in 0..128 {
        let second = |i: usize| if alive(i) && a[i] % 5 != 1 { first(i) } else { a[i] };
        let expected = match a[i] % 5 {
            0 => 0,
            1 => first(i),
            _ => second(i ^ 1),
        };
        assert_eq!(found[i], expected, "thread {i}");
    }
}

#[test]
fn variables_are_where_the_listing_says() {
    let a = values(64);
    let mut device = device();
    let input = device.upload(&a);
    let out = device.allocate(256);
    let arguments = [input.into(), out.into()];
    let check = |device: &mut gpurf_workloads::Device, table: [i32; 4], scales: [i32; 4]| {
        device.launch(&CONTROL, "variables", 1, 64, 0, &arguments).unwrap();
        for (&a, found) in a.iter().zip(device.read::<i32>(out, 64).unwrap()) {
            let a = a as usize & 3;
            assert_eq!(found, table[a] * scales[a] + table[1] * 1000);
        }
    };
    check(&mut device, [10, 20, 30, 40], [1, 2, 3, 4]);
    device.write_symbol(&CONTROL, "table", &[5, 6, 7]).unwrap();
    device.write_symbol(&CONTROL, "scales", &[-1, 9]).unwrap();
    check(&mut device, [5, 6, 7, 40], [-1, 9, 3, 4]);
    let error = device.write_symbol(&CONTROL, "table", &[0i32; 5]).unwrap_err();
    assert!(error.to_string().contains("variable table has only 16 bytes"), "{error}");
}
