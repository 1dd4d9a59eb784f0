// SPDX-License-Identifier: Apache-2.0
//! Kernels made of NVIDIA's template libraries.

use gpurf_workloads::Argument;
use half::f16;

use super::{launched, TEMPLATES};
use crate::support::device;

/// Threads of a block, and values in all.
const THREADS: usize = 128;
const VALUES: usize = 4 * THREADS;

fn numbers(seed: u64, count: usize, range: std::ops::Range<i32>) -> Vec<i32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.i32(range.clone())).collect()
}

/// The results of a block for its values.
#[track_caller]
fn block<T: bytemuck::NoUninit, R: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
    name: &str,
    values: &[T],
    count: usize,
) -> Vec<R> {
    launched(&TEMPLATES, name, [1, THREADS as u32, 0], count, |device| {
        let out = device.allocate((count * size_of::<R>()) as u64);
        (vec![device.upload(values).into(), out.into()], out)
    })
}

#[test]
fn sums_over_a_block() {
    let values = numbers(81, VALUES, -1000..1000);
    let total: i32 = values.iter().sum();
    let expected = values.iter().scan(-total, |sum, value| Some(std::mem::replace(sum, *sum + value)));
    assert_eq!(block::<_, i32>("block_scans", &values, VALUES), expected.collect::<Vec<_>>());
}

#[test]
fn sorting_over_a_block() {
    let mut random = fastrand::Rng::with_seed(82);
    let keys: Vec<u32> = (0..VALUES).map(|_| random.u32(..)).collect();
    let mut device = device();
    let (memory, places) = (device.upload(&keys), device.allocate(2 * VALUES as u64));
    device.launch(&TEMPLATES, "block_sorts", 1, THREADS as u32, 0, &[memory.into(), places.into()]).unwrap();
    // Only the bits in the middle count; equal ones stay as they were.
    let mut order: Vec<usize> = (0..VALUES).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(keys[i] >> 4 & 0xff_ffff));
    let expected: Vec<u32> = order.iter().map(|&i| keys[i]).collect();
    assert_eq!(device.read::<u32>(memory, VALUES).unwrap(), expected);
    let expected: Vec<i16> = order.iter().map(|&i| i as i16).collect();
    assert_eq!(device.read::<i16>(places, VALUES).unwrap(), expected);

    let mut floats: Vec<f32> = (0..VALUES).map(|_| random.f32() * 200.0 - 100.0).collect();
    floats[7] = f32::INFINITY;
    floats[300] = -f32::INFINITY;
    let memory = device.upload(&floats);
    device.launch(&TEMPLATES, "sorted_floats", 1, THREADS as u32, 0, &[memory.into()]).unwrap();
    floats.sort_by(f32::total_cmp);
    assert_eq!(device.read::<f32>(memory, VALUES).unwrap(), floats);
}

#[test]
fn the_longest_of_a_block() {
    let values: Vec<[i32; 2]> =
        numbers(83, THREADS, 0..60).into_iter().enumerate().map(|(i, length)| [i as i32, length]).collect();
    for count in [1, 31, 77, 128] {
        let found: Vec<[i32; 2]> =
            launched(&TEMPLATES, "block_reductions", [1, THREADS as u32, 0], 2, |device| {
                let out = device.allocate(16);
                (vec![device.upload(&values).into(), out.into(), count.into()], out)
            });
        let longest = |values: &[[i32; 2]]| *values.iter().rev().max_by_key(|value| value[1]).unwrap();
        assert_eq!(found, [longest(&values[..count as usize]), longest(&values)]);
    }
}

#[test]
fn histograms_of_bytes() {
    let mut random = fastrand::Rng::with_seed(84);
    let values: Vec<u8> = (0..VALUES).map(|_| random.u8(..) & random.u8(..)).collect();
    let mut expected = vec![0u32; 256];
    values.iter().for_each(|&value| expected[usize::from(value)] += 1);
    assert_eq!(block::<_, u32>("histograms", &values, 512), [expected.clone(), expected].concat());
}

#[test]
fn runs_of_equal_values() {
    let values: Vec<i32> = numbers(85, VALUES, 0..3);
    let expected: Vec<i32> = (0..VALUES).map(|i| i32::from(i == 0 || values[i] != values[i - 1])).collect();
    assert_eq!(block::<_, i32>("beginnings_of_runs", &values, VALUES), expected);
}

#[test]
fn scans_reductions_and_sorting_of_warps() {
    let values = numbers(86, THREADS, -500..500);
    let found: Vec<[i32; 4]> = block("warp_algorithms", &values, THREADS);
    for warp in 0..4 {
        let of_warp = &values[32 * warp..][..32];
        let mut pairs: Vec<i16> =
            of_warp.iter().flat_map(|&value| [value as i16, (value * 7) as i16]).collect();
        pairs.sort_unstable();
        for lane in 0..32 {
            let found = found[32 * warp + lane];
            assert_eq!(found[0], *of_warp[lane / 16 * 16..=lane].iter().max().unwrap());
            assert_eq!(found[2..], [pairs[2 * lane], pairs[2 * lane + 1]].map(i32::from));
            // Sums are with the first lanes of segments.
            if lane == 0 || of_warp[lane] % 4 == 0 {
                let end = (lane + 1..32).find(|&other| of_warp[other] % 4 == 0).unwrap_or(32);
                assert_eq!(found[1], of_warp[lane..end].iter().sum::<i32>(), "warp {warp}, lane {lane}");
            }
        }
    }
}

#[test]
fn algorithms_of_groups() {
    let values = numbers(87, THREADS, -50..50);
    let found: Vec<[i32; 6]> = block("group_algorithms", &values, THREADS);
    for i in 0..THREADS {
        let tile = &values[i / 16 * 16..][..16];
        let before = &tile[..i % 16];
        let warp = i / 32 * 32;
        let label = values[i] & 3;
        let same: Vec<usize> = (warp..warp + 32).filter(|&other| values[other] & 3 == label).collect();
        let rank = same.iter().position(|&other| other == i).unwrap() as i32;
        let half: Vec<i32> = tile.iter().copied().filter(|&value| (value > 0) == (values[i] > 0)).collect();
        let expected = [
            tile.iter().sum(),
            *tile.iter().min().unwrap(),
            before.iter().sum::<i32>() + values[i],
            before.iter().fold(0, |all, value| all ^ value),
            same.iter().map(|&other| values[other]).sum::<i32>() * 100 + rank,
            half.last().unwrap() * 100 + half.len() as i32,
        ];
        assert_eq!(found[i], expected, "thread {i}");
    }
}

#[test]
fn copies_to_shared_memory() {
    let values: Vec<[i32; 4]> = (0..THREADS as i32).map(|i| [i, -i, i * i, 7]).collect();
    let expected: Vec<[i32; 4]> = values.iter().rev().copied().collect();
    assert_eq!(block::<_, [i32; 4]>("copies_that_are_waited_for", &values, THREADS), expected);
}

#[test]
fn a_latch_and_a_semaphore() {
    let found: Vec<i32> = launched(&TEMPLATES, "latches_and_semaphores", [1, 96, 0], 96, |device| {
        let out = device.allocate(4 * 96);
        (vec![out.into()], out)
    });
    assert_eq!(found, [95 * 96 / 2 * 10 + 3; 96]);
}

#[test]
fn atomic_operations_by_reference() {
    let values = numbers(88, THREADS, 0..1_000_000);
    let mut device = device();
    let (input, cells, sums) = (device.upload(&values), device.upload(&[-1i64, 1, 0]), device.allocate(16));
    let arguments: [Argument; 3] = [input.into(), cells.into(), sums.into()];
    device.launch(&TEMPLATES, "references_to_atomics", 1, THREADS as u32, 0, &arguments).unwrap();
    let expected = [
        i64::from(*values.iter().max().unwrap()),
        values.iter().fold(1i64, |product, value| product.wrapping_mul(i64::from(2 * (value & 7) + 1))),
        values.iter().fold(0, |all, value| all ^ 1i64 << (value & 63)),
    ];
    assert_eq!(device.read::<i64>(cells, 3).unwrap(), expected);
    let sum =
        |odd: i32| values.iter().filter(|&value| value & 1 == odd).map(|&value| 0.5 * f64::from(value)).sum();
    assert_eq!(device.read::<f64>(sums, 2).unwrap(), [sum(0), sum(1)]);
}

#[test]
fn types_of_the_cpp_library() {
    let mut random = fastrand::Rng::with_seed(89);
    let values: Vec<[f32; 2]> = (0..THREADS).map(|_| [0; 2].map(|_| random.f32() * 4.0 - 2.0)).collect();
    let found: Vec<[f32; 4]> = block("types_of_the_library", &values, THREADS);
    for ([re, im], found) in values.into_iter().zip(found) {
        let (x, y) = (f64::from(re), f64::from(im));
        // (x + iy)(1/2 - 2i) / (y + 3i)
        let (a, b) = (0.5 * x + 2.0 * y, 0.5 * y - 2.0 * x);
        let norm = y * y + 9.0;
        let quotient = [(a * y + 3.0 * b) / norm, (b * y - 3.0 * a) / norm];
        for (found, expected) in found.into_iter().zip(quotient) {
            assert!((f64::from(found) - expected).abs() < 1e-6, "{found} {expected}");
        }
        let parts = [x, y, quotient[0], quotient[1], x * x + y * y];
        let largest = (0..5).filter(|&i| parts[i] > 1.0).fold(None, |best: Option<usize>, i| match best {
            Some(best) if parts[best] >= parts[i] => Some(best),
            _ => Some(i),
        });
        assert_eq!(found[2], largest.map_or(-7.0, |i| i as f32));
        assert_eq!(found[3], re.to_bits().count_ones() as f32);
    }
}

#[test]
fn sorting_and_searching_in_a_thread() {
    const EACH: usize = 37;
    let mut values = numbers(90, 32 * EACH, 0..50);
    let wanted = numbers(91, 32, 0..55);
    let mut device = device();
    let (memory, places) = (device.upload(&values), device.allocate(128));
    let arguments = [memory.into(), device.upload(&wanted).into(), places.into(), (EACH as i32).into()];
    device.launch(&TEMPLATES, "a_thread_sorts", 1, 32, 0, &arguments).unwrap();
    values.chunks_mut(EACH).for_each(<[i32]>::sort_unstable);
    assert_eq!(device.read::<i32>(memory, 32 * EACH).unwrap(), values);
    for (i, place) in device.read::<i32>(places, 32).unwrap().into_iter().enumerate() {
        let list = &values[i * EACH..][..EACH];
        assert_eq!(place as usize, list.partition_point(|&value| value < wanted[i]));
    }
}

#[test]
fn fragments_of_matrices() {
    let mut random = fastrand::Rng::with_seed(92);
    let mut small =
        |count: usize| -> Vec<f32> { (0..count).map(|_| random.i32(-8..9) as f32 / 4.0).collect() };
    let (a, b, c) = (small(256), small(256), small(256));
    let halves = |values: &[f32]| -> Vec<f16> { values.iter().map(|&value| f16::from_f32(value)).collect() };
    let e: Vec<i8> = (0..32 * 16).map(|_| random.i8(..)).collect();
    let f: Vec<i8> = (0..16 * 16).map(|_| random.i8(..)).collect();
    let mut device = device();
    let (d, g) = (device.allocate(1024), device.allocate(1024));
    let arguments: [Argument; 7] = [
        device.upload(&halves(&a)).into(),
        device.upload(&halves(&b)).into(),
        device.upload(&c).into(),
        d.into(),
        device.upload(&e).into(),
        device.upload(&f).into(),
        g.into(),
    ];
    device.launch(&TEMPLATES, "fragments", 1, 32, 0, &arguments).unwrap();
    let (d, g): (Vec<f32>, Vec<i32>) = (device.read(d, 256).unwrap(), device.read(g, 256).unwrap());
    for (row, column) in (0..256).map(|i| (i / 16, i % 16)) {
        // Sums of such numbers are exact. B and C lie column by column.
        let dot: f32 = (0..16).map(|k| a[16 * row + k] * b[16 * column + k]).sum();
        assert_eq!(d[16 * row + column], 2.0 * (dot + c[16 * column + row]));
    }
    for (row, column) in (0..256).map(|i| (i / 8, i % 8)) {
        let dot: i32 = (0..16).map(|k| i32::from(e[16 * row + k]) * i32::from(f[16 * k + column])).sum();
        assert_eq!(g[8 * row + column], dot - 5);
    }
}
