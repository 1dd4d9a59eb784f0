// SPDX-License-Identifier: Apache-2.0
//! Shuffles, votes, matches, barriers that reduce, named barriers, loops that wait.

use super::{unary, WARPS};
use crate::support::device;

fn values(count: usize) -> Vec<i32> {
    let mut random = fastrand::Rng::with_seed(41);
    (0..count).map(|_| random.i32(-100..100)).collect()
}

#[test]
fn shuffles_give_the_value_of_another_lane() {
    let a = values(128);
    let found: Vec<[i32; 9]> = unary(&WARPS, "shuffles", &a);
    for (i, found) in found.into_iter().enumerate() {
        let (warp, lane) = (i / 32 * 32, i % 32);
        let of = |lane: usize| a[warp + lane];
        let within = |width: usize, source: i32| {
            let least = (lane / width * width) as i32;
            let valid = (least..least + width as i32).contains(&source);
            of(if valid { source as usize } else { lane })
        };
        let signed = lane as i32;
        let expected = [
            of((lane * 7 + 3) % 32),
            within(32, signed - 5),
            within(32, signed + 9),
            of(lane ^ 21),
            of(lane / 8 * 8 + lane / 3 % 8),
            within(16, signed - 3),
            within(4, signed + 3),
            // 9 leaves the segment for a higher one: then a lane keeps its own; a lower one is read.
            if lane ^ 9 > lane | 7 { of(lane) } else { of(lane ^ 9) },
            (i64::from(of(31 - lane)).pow(2) >> 16) as i32,
        ];
        assert_eq!(found, expected, "lane {lane}");
    }
}

#[test]
fn lanes_outside_the_mask_do_not_take_part() {
    let a = values(64);
    let found: Vec<i32> = unary(&WARPS, "partial_shuffles", &a);
    for (i, found) in found.into_iter().enumerate() {
        let quad = i / 4 * 4;
        let expected = match i % 4 {
            3 if a[i] > 0 => {
                let warp = i / 32 * 32;
                (warp..warp + 32).filter(|i| i % 4 == 3 && a[*i] > 0).count() as i32
            }
            3 => -1,
            _ => a[i] + (1..3).map(|distance| a[quad + (i + distance) % 4 % 3]).sum::<i32>(),
        };
        assert_eq!(found, expected, "thread {i}");
    }
}

#[test]
fn votes_and_matches() {
    let a = values(128);
    let found: Vec<[u32; 7]> = unary(&WARPS, "votes", &a);
    for (i, found) in found.into_iter().enumerate() {
        let warp = &a[i / 32 * 32..i / 32 * 32 + 32];
        let lanes = |test: &dyn Fn(i32) -> bool| {
            (0..32).fold(0, |mask, lane| mask | u32::from(test(warp[lane])) << lane)
        };
        let all = warp.iter().all(|&other| other / 64 == a[i] / 64);
        let expected = [
            lanes(&|a| a > 0),
            u32::from(warp.iter().all(|&a| a > -90)) | u32::from(warp.iter().any(|&a| a > 90)) << 1,
            lanes(&|other| other % 5 == a[i] % 5),
            if all { u32::MAX } else { 0 },
            all.into(),
            lanes(&|other| other % 3 == a[i] % 3),
            if a[i] > 0 { lanes(&|other| other > 0 && other % 2 == 0) } else { 0 },
        ];
        assert_eq!(found, expected, "thread {i}");
    }
}

#[test]
fn barriers_count_and_join_predicates() {
    let mut a = values(320);
    a[70] = 77;
    a[140] = -2000;
    let mut device = device();
    let input = device.upload(&a);
    let out = device.allocate(4 * 320);
    // The last warp of a block has 16 threads.
    device.launch(&WARPS, "barrier_reductions", 4, 80, 0, &[input.into(), out.into()]).unwrap();
    for (i, found) in device.read::<i32>(out, 320).unwrap().into_iter().enumerate() {
        let block = &a[i / 80 * 80..i / 80 * 80 + 80];
        let count = block.iter().filter(|&&a| a > 10).count() as i32;
        let all = block.iter().all(|&a| a > -1000);
        let some = block.contains(&77);
        assert_eq!(found, count * 4 + i32::from(all) * 2 + i32::from(some), "thread {i}");
    }
}

#[test]
fn named_barriers_reduce_apart() {
    let a = values(128);
    let mut device = device();
    let input = device.upload(&a);
    let out = device.allocate(4 * 128);
    device.launch(&WARPS, "named_barrier_reductions", 1, 128, 0, &[input.into(), out.into()]).unwrap();
    for (i, found) in device.read::<i32>(out, 128).unwrap().into_iter().enumerate() {
        let group = &a[i / 64 * 64..i / 64 * 64 + 64];
        let count = |threshold| group.iter().filter(|&&a| a > threshold).count() as i32;
        assert_eq!(found, (count(0) * 100 + count(10)) * 100 + count(20), "thread {i}");
    }
}

#[test]
fn a_block_adds_up() {
    let a: Vec<f32> = values(512).into_iter().map(|a| a as f32 / 8.0).collect();
    let mut device = device();
    let input = device.upload(&a);
    let out = device.allocate(8);
    device.launch(&WARPS, "block_sum", 2, 256, 1024, &[input.into(), out.into()]).unwrap();
    // Multiples of 1/8 of this size add up exactly in any order.
    let expected: Vec<f32> = a.chunks(256).map(|block| block.iter().sum()).collect();
    assert_eq!(device.read::<f32>(out, 2).unwrap(), expected);
}

#[test]
fn a_producer_and_a_consumer_take_turns() {
    for rounds in [1, 2, 5, 9] {
        let a = values(32 * rounds);
        let mut device = device();
        let input = device.upload(&a);
        let out = device.allocate(128);
        let arguments = [input.into(), out.into(), (rounds as i32).into()];
        device.launch(&WARPS, "producer_consumer", 1, 64, 0, &arguments).unwrap();
        for (lane, found) in device.read::<i32>(out, 32).unwrap().into_iter().enumerate() {
            let expected = (0..rounds)
                .fold(0i32, |sum, round| sum.wrapping_mul(3).wrapping_add(a[32 * round + 31 - lane]));
            assert_eq!(found, expected, "{rounds} rounds, lane {lane}");
        }
    }
}

#[test]
fn waiting_loops_make_progress() {
    let mut device = device();
    let out = device.allocate(4);
    device.launch(&WARPS, "spin", 1, 64, 0, &[out.into()]).unwrap();
    assert_eq!(device.read::<i32>(out, 1).unwrap(), [1234]);

    let state = device.upload(&[0, 0]);
    device.launch(&WARPS, "lock", 2, 16, 0, &[state.into(), state.offset(4).into()]).unwrap();
    // Threads of a block take the lock in some order; each enters once.
    let found = device.read::<u32>(state, 2).unwrap();
    assert_eq!(found[0], 0);
    let in_order =
        (0..32u32).fold(0u32, |counter, thread| counter.wrapping_mul(2).wrapping_add(thread % 16 % 3));
    assert_eq!(found[1], in_order);
}
