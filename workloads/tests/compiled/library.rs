// SPDX-License-Identifier: Apache-2.0
//! printf, assert, malloc and free, and functions in sections of their own.

use gpurf_workloads::{Argument, Module, Options};

use super::{CHILDREN, FUNCTIONS_DEBUG, FUNCTIONS_SEPARATE, LIBRARY};
use crate::support::{device, Device};

#[test]
fn printf_prints_in_the_order_of_blocks_and_lanes() {
    let mut device = device();
    let name = device.upload(b"Ada\0");
    let arguments: [Argument; 3] = [7.into(), 2.5f32.into(), name.into()];
    device.launch(&LIBRARY, "greets", 2, 2, 0, &arguments).unwrap();
    let block =
        "thread 0 of 7:  2.50 Ada\nthread 1 of 7:  2.50 Ada\nonly one, 100%, 123456789abcdef q 0x10\n";
    assert_eq!(device.take_printed(), block.repeat(2));
    assert_eq!(device.take_printed(), "");
}

#[test]
fn an_assertion_that_fails_says_what_was_asserted() {
    let mut device = device();
    let values = device.upload(&[3, 0, 5, -1]);
    let error = device.launch(&LIBRARY, "asserts", 1, 4, 0, &[values.into()]).unwrap_err().to_string();
    for part in [
        "lane 3",
        "library.cu:16: ",
        "assertion `values[threadIdx.x] >= 0 && \"no value may be negative\"` failed",
        "asserts",
    ] {
        assert!(error.contains(part), "{error}");
    }
    device.launch(&LIBRARY, "asserts", 1, 3, 0, &[values.into()]).unwrap();
    assert_eq!(device.read::<i32>(values, 3).unwrap(), [4, 1, 6]);
}

#[test]
fn memory_that_a_kernel_allocates_lasts_until_it_is_freed() {
    let mut device = Device::new(Options { stream: false, heap_bytes: 64 * 48, ..Options::default() });
    let (lists, sums) = (device.allocate(8 * 64), device.allocate(4 * 64));
    // Twelve integers take 48 bytes: all fit, again and again.
    for _ in 0..3 {
        device.launch(&LIBRARY, "allocates", 2, 32, 0, &[lists.into(), 12.into()]).unwrap();
        let mut found: Vec<u64> = device.read(lists, 64).unwrap();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 64);
        device.launch(&LIBRARY, "frees", 2, 32, 0, &[lists.into(), sums.into(), 12.into()]).unwrap();
        let expected: Vec<i32> = (0..64).map(|i| 66 * (i % 32 + 1)).collect();
        assert_eq!(device.read::<i32>(sums, 64).unwrap(), expected);
    }
    // Of 64 lists of 160 bytes, 19 fit.
    device.launch(&LIBRARY, "allocates", 2, 32, 0, &[lists.into(), 40.into()]).unwrap();
    assert_eq!(device.read::<u64>(lists, 64).unwrap().iter().filter(|&&list| list != 0).count(), 19);
    let error = device.launch(&LIBRARY, "frees_twice", 1, 1, 0, &[lists.into()]).unwrap_err().to_string();
    assert!(error.contains("which the kernel's malloc did not give"), "{error}");
}

#[test]
fn virtual_destructors_free_what_new_made() {
    let mut device = Device::new(Options { stream: false, heap_bytes: 4096, ..Options::default() });
    let areas = device.allocate(4 * 32);
    for scale in 1..20 {
        device.launch(&LIBRARY, "shapes", 1, 32, 0, &[areas.into(), scale.into()]).unwrap();
        let expected: Vec<i32> = (0..32).map(|i| scale * if i % 3 != 0 { i * i } else { 7 * i }).collect();
        assert_eq!(device.read::<i32>(areas, 32).unwrap(), expected);
    }
}

#[test]
fn traps_stop_and_other_kernels_of_the_listing_run() {
    let mut device = device();
    let values = device.upload(&[1, 2, -1, 3]);
    let error = device.launch(&LIBRARY, "traps", 1, 4, 0, &[values.into()]).unwrap_err().to_string();
    assert!(error.contains("lane 2") && error.contains("the kernel trapped"), "{error}");
    let code = include_str!("../listings/library.sass");
    let place = code.find(".section .text.traps").unwrap();
    let line = code[place..].find("EXIT").unwrap() + place;
    for damage in ["%%% ;", "FROB R1, R2 ;"] {
        // A line of one kernel that nobody understands.
        let spoiled = format!("{}{damage}{}", &code[..line], &code[line + 4..]);
        let module = Module::parse("library.sass", &spoiled).unwrap();
        let error = device.launch(&module, "traps", 1, 4, 0, &[values.into()]).unwrap_err().to_string();
        assert!(error.contains("traps"), "{error}");
        device.launch(&module, "plain", 1, 4, 0, &[values.into()]).unwrap();
        assert_eq!(device.read::<i32>(values, 4).unwrap(), [0, 3, 6, 9]);
    }
    // A call of what is nowhere traps when it is reached.
    let module = Module::parse("library.sass", &code.replace(".dword free", ".dword release")).unwrap();
    let error = device.launch(&module, "frees_twice", 1, 1, 0, &[values.into()]).unwrap_err().to_string();
    assert!(error.contains("calls release, which the listing lacks"), "{error}");
    device.launch(&module, "asserts", 1, 4, 0, &[values.into()]).unwrap();
}

#[test]
fn functions_in_sections_of_their_own() {
    for module in [&*FUNCTIONS_SEPARATE, &*FUNCTIONS_DEBUG] {
        let mut device = device();
        let squares: Vec<f32> = (0..32).map(|i| (i * i) as f32).collect();
        let values = device.upload(&squares);
        device.launch(module, "roots", 1, 32, 0, &[values.into(), 6.into()]).unwrap();
        for (x, found) in squares.iter().zip(device.read::<f32>(values, 32).unwrap()) {
            let expected = (0..6).fold(0.0, |sum: f32, i| sum + (x + i as f32).sqrt()) + 30.0;
            assert_eq!(found, expected);
        }

        let numbers: Vec<i32> = (0..32).map(|i| 5 * i - 40).collect();
        let values = device.upload(&numbers);
        device.launch(module, "by_pointer", 1, 32, 0, &[values.into()]).unwrap();
        let expected: Vec<i32> =
            numbers.iter().enumerate().map(|(i, x)| x * if i % 2 == 0 { 2 } else { 3 } + 5).collect();
        assert_eq!(device.read::<i32>(values, 32).unwrap(), expected);

        let doubles: Vec<f64> = (0..64).map(|i| f64::from(i) * 1.7 - 30.0).collect();
        let wholes: Vec<i32> = (0..64).map(|i| if i < 32 { i * 1000 - 9000 } else { 40 - i }).collect();
        let wholes: Vec<i32> = wholes.into_iter().map(|value| if value == 0 { 1 } else { value }).collect();
        let arguments = [device.upload(&doubles), device.upload(&wholes)];
        device.launch(module, "quotients", 1, 32, 0, &arguments.map(Argument::from)).unwrap();
        let found: Vec<f64> = device.read(arguments[0], 32).unwrap();
        let found_wholes: Vec<i32> = device.read(arguments[1], 32).unwrap();
        for i in 0..32 {
            assert_eq!(found[i], doubles[i] / doubles[i + 32]);
            assert_eq!(found_wholes[i], wholes[i] / wholes[i + 32]);
        }

        let values = device.allocate(128);
        device.launch(module, "recursive", 1, 32, 0, &[values.into()]).unwrap();
        let numbers = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89];
        let expected: Vec<i32> = (0..32).map(|i| numbers[i % 12]).collect();
        assert_eq!(device.read::<i32>(values, 32).unwrap(), expected);

        let lists = device.allocate(8 * 32);
        device.launch(module, "allocates", 1, 32, 0, &[lists.into()]).unwrap();
        for (i, list) in device.read::<u64>(lists, 32).unwrap().into_iter().enumerate() {
            assert_eq!(device.read::<i32>(gpurf_workloads::Pointer(list), 1).unwrap(), [7 * i as i32]);
        }
    }
}

#[test]
fn kernels_that_launch_kernels_are_refused_before_they_start() {
    let mut device = device();
    let values = device.upload(&[0; 32]);
    let error = device.launch(&CHILDREN, "parent", 1, 32, 0, &[values.into()]).unwrap_err().to_string();
    assert!(error.contains("kernels that launch kernels are not executed"), "{error}");
    assert!(error.contains("kernel parent, PC 0x") && !error.contains("block"), "{error}");
    device.launch(&CHILDREN, "child", 1, 32, 0, &[values.into()]).unwrap();
    assert_eq!(device.read::<i32>(values, 32).unwrap(), [1; 32]);
}
