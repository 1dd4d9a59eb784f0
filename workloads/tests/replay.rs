// SPDX-License-Identifier: Apache-2.0
//! Launches that are executed again for their streams: each on memory as it was, whoever reads what, and
//! when.

use crate::support::{Device, Frame};
#[allow(dead_code)]
use gpurf_trace::{Kernel, ThreadBlock, Workload};
use gpurf_workloads::{Argument, Dim, Module, Options};

/// A step in which each thread's second load depends on the number that it loads first, and increments.
const STEP: &str = "
    S2R R0, SR_TID.X
    S2R R1, SR_CTAID.X
    IMAD R0, R1, 0x20, R0
    MOV R9, 0x4
    IMAD.WIDE R2, R0, R9, c[0x0][0x160]
    LDG.E.SYS R4, [R2]
    LOP3.LUT R6, R4, 0x1f, RZ, 0xc0, !PT
    IMAD.WIDE R6, R6, R9, c[0x0][0x160]
    LDG.E.SYS R8, [R6]
    IADD3 R4, R4, 0x1, RZ
    STG.E.SYS [R2], R4
    EXIT";

/// The same with an atomic operation: its blocks run one after the other.
const SERIAL_STEP: &str = "
    S2R R0, SR_TID.X
    S2R R1, SR_CTAID.X
    IMAD R0, R1, 0x20, R0
    MOV R9, 0x4
    MOV R5, 0x1
    IMAD.WIDE R2, R0, R9, c[0x0][0x160]
    LDG.E.SYS R4, [R2]
    LOP3.LUT R6, R4, 0x1f, RZ, 0xc0, !PT
    IMAD.WIDE R6, R6, R9, c[0x0][0x160]
    LDG.E.SYS R8, [R6]
    RED.E.ADD.STRONG.GPU [R6], R5
    EXIT";

const BLOCKS: u32 = 200;

/// A program whose launches need what host and launches before them wrote.
fn program(keep_bytes: usize) -> Workload {
    let frame = Frame::default();
    let (step, serial_step) = (frame.module(STEP), frame.module(SERIAL_STEP));
    let waiting = Module::parse("waiting.sass", include_str!("listings/waiting.sass")).unwrap();
    let mut device = Device::new(Options { keep_bytes, ..Options::default() });
    let numbers = device.upload(&(0..32 * BLOCKS).collect::<Vec<u32>>());
    let flags = device.allocate(1024);
    let order = device.allocate(4 * 20 * 32);
    let launch = |device: &mut Device, module: &Module, blocks: u32, threads: u32, pointer| {
        device.launch(module, "k", Dim::from(blocks), threads, 0, &[Argument::from(pointer)]).unwrap();
    };
    launch(&mut device, &step, BLOCKS, 32, numbers);
    launch(&mut device, &step, BLOCKS, 32, numbers);
    device.write(numbers.offset(4096), &[77u32; 50]).unwrap();
    launch(&mut device, &serial_step, 7, 32, numbers);
    launch(&mut device, &step, BLOCKS, 32, numbers);
    // Its blocks wait for each other: its stream is kept, and memory after it is not made again.
    device.launch(&waiting, "backwards", 20, 32, 0, &[flags.into(), order.into()]).unwrap();
    launch(&mut device, &step, 20, 32, order);
    let late = device.upload(&[5u32; 64]);
    launch(&mut device, &step, 2, 32, late);
    launch(&mut device, &step, 20, 32, order);
    device.into_workload("program")
}

fn blocks(kernel: &Kernel, own: u64, count: u64) -> Vec<ThreadBlock> {
    let mut reader = kernel.open().unwrap();
    reader.restrict(own, count);
    let mut blocks = vec![];
    while let Some(block) = reader.next_block().unwrap() {
        blocks.push(block);
    }
    blocks
}

fn pool<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

#[test]
fn every_launch_sees_memory_as_it_was_in_whatever_order_they_are_read() {
    let expected: Vec<Vec<ThreadBlock>> =
        program(usize::MAX).kernels().map(|kernel| blocks(kernel, 0, 1)).collect();
    // The third launch does what it does because of the host's write, and so on: no two streams are the same.
    for (number, one) in expected.iter().enumerate() {
        assert!(expected[..number].iter().all(|other| other != one), "{number}");
    }
    for threads in [1, 3] {
        pool(threads, || {
            let again = program(0);
            let kernels: Vec<&Kernel> = again.kernels().collect();
            let forwards = 0..kernels.len();
            let backwards = forwards.clone().rev();
            let mixed = [5, 5, 2, 7, 0, 3, 3, 1, 6, 4];
            for number in backwards.chain(mixed).chain(forwards.clone()).chain(forwards.clone()) {
                assert!(blocks(kernels[number], 0, 1) == expected[number], "launch {number}");
                // One that is given up early leaves nothing behind.
                kernels[(number + 3) % kernels.len()].open().unwrap().next_block().unwrap();
            }
        });
    }
}

#[test]
fn shares_of_a_launch_are_its_blocks_by_number() {
    for keep_bytes in [0, usize::MAX] {
        let workload = program(keep_bytes);
        for kernel in workload.kernels() {
            let whole = blocks(kernel, 0, 1);
            for own in 0..3 {
                let share = blocks(kernel, own as u64, 3);
                assert!(share.iter().eq(whole.iter().skip(own).step_by(3)), "share {own}");
            }
        }
    }
}
