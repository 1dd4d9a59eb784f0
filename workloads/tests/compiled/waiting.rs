// SPDX-License-Identifier: Apache-2.0
//! Blocks that wait for each other's plain stores, and for what never comes.

use gpurf_workloads::{Argument, Options};

use super::WAITING;
use crate::support::{device, Device, Trial};

#[test]
fn a_block_waits_for_a_later_one() {
    for stream in [false, true] {
        let mut device = Device::new(Options { stream, ..Options::default() });
        let (flags, order) = (device.allocate(4 * 20), device.allocate(4 * 20 * 32));
        device.launch(&WAITING, "backwards", 20, 32, 0, &[flags.into(), order.into()]).unwrap();
        let expected: Vec<i32> = (0..20 * 32).map(|i| 20 - i / 32).collect();
        assert_eq!(device.read::<i32>(order, 20 * 32).unwrap(), expected);
        if stream {
            let workload = device.into_workload("backwards");
            let kernel = workload.kernels().next().unwrap();
            let mut reader = kernel.open().unwrap();
            let mut blocks = 0;
            while reader.next_block().unwrap().is_some() {
                blocks += 1;
            }
            assert_eq!(blocks, 20);
        }
    }
}

#[test]
fn a_grid_meets_at_a_barrier_of_plain_stores() {
    let (blocks, threads, rounds) = (12, 64, 5);
    let count = blocks * threads;
    let mut values: Vec<i32> = (0..count as i32).collect();
    let mut device = device();
    let arrived = device.allocate(4 * blocks as u64);
    let both = device.upload(&[values.clone(), vec![0; count]].concat());
    device
        .launch(
            &WAITING,
            "grid_rounds",
            blocks as u32,
            threads as u32,
            0,
            &[arrived.into(), both.into(), rounds.into()],
        )
        .unwrap();
    for _ in 0..rounds {
        values = (0..count).map(|i| values[i].wrapping_add(values[(i + 1) % count])).collect();
    }
    assert_eq!(device.read::<i32>(both.offset(4 * count as u64), count).unwrap(), values);
}

#[test]
fn a_grid_meets_at_its_own_barrier_again_and_again() {
    let mut device = device();
    for (blocks, count) in [(1, 100), (7, 1000), (40, 3000)] {
        let values: Vec<i32> = (0..count).map(|i| i * 7919 % 1009 - 500).collect();
        let buffers = [device.upload(&values), device.allocate(4 * count as u64)];
        let [a, b] = buffers.map(Argument::from);
        device.launch(&WAITING, "sums", blocks, 64, 0, &[a, b, count.into()]).unwrap();
        let steps = u32::BITS - (count as u32 - 1).leading_zeros();
        let mut sum = 0;
        let expected: Vec<i32> = values
            .iter()
            .map(|value| {
                sum += value;
                sum
            })
            .collect();
        assert_eq!(device.read::<i32>(buffers[steps as usize % 2], values.len()).unwrap(), expected);
    }
}

#[test]
fn what_the_driver_would_say_and_nobody_knows_is_refused() {
    let error = Trial::new("MOV R0, c[0x0][0x98]").try_outputs(["R0"]).unwrap_err().to_string();
    assert!(error.contains("it is not known what the driver puts into c[0x0][0x98]"), "{error}");
}

#[test]
fn waiting_in_vain_ends_soon_and_names_the_address() {
    for blocks in [1, 5] {
        let mut device = device();
        let flags = device.upload(&[1, 1, 0, 1, 1][5 - blocks..]);
        if blocks == 1 {
            device.write(flags, &[0]).unwrap();
        }
        device.name(flags, "flags");
        let error = device.launch(&WAITING, "in_vain", blocks as u32, 32, 0, &[flags.into()]).unwrap_err();
        let text = error.to_string();
        let address = format!("{:#x}", flags.offset(if blocks == 1 { 0 } else { 8 }).0);
        assert!(text.contains("waits for ever") && text.contains(&address), "{text}");
        assert!(text.contains("buffer flags"), "{text}");
    }
}

#[test]
fn long_computations_are_not_taken_for_waiting() {
    let mut device = device();
    let out = device.allocate(4 * 128);
    device.launch(&WAITING, "patient", 4, 32, 0, &[out.into(), 200_000.into()]).unwrap();
    let expected = (0..128u32).map(|i| {
        (0..200_000)
            .fold(i % 32 + i / 32, |value: u32, _| value.wrapping_mul(1664525).wrapping_add(1013904223))
    });
    assert_eq!(device.read::<u32>(out, 128).unwrap(), expected.collect::<Vec<_>>());
}
