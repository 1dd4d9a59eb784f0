// SPDX-License-Identifier: Apache-2.0
//! Throughput of the trace reader on plain text, in bytes of file per second on one core.

use std::time::Duration;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_trace::{Command, Instruction, Kernel, KernelHeader, Program, Register, ThreadBlock, Workload};

/// A loop body with the mix of a memory-bound kernel: of ten instructions one loads from
/// consecutive addresses, one from scattered ones.
const BODY: [(&str, Option<u8>, &[u8], u16); 10] = [
    ("IADD3", Some(4), &[6, 255], 0),
    ("IMAD.WIDE", Some(2), &[6, 7], 0),
    ("LDG.E.SYS", Some(8), &[2], 4),
    ("LEA.HI.X.SX32", Some(5), &[6], 0),
    ("ISETP.NE.AND", None, &[8, 255], 0),
    ("FFMA", Some(12), &[8, 9, 12], 0),
    ("FFMA", Some(13), &[8, 10, 13], 0),
    ("LDG.E.SYS", Some(9), &[4], 4),
    ("IADD3.X", Some(3), &[255, 4, 255], 0),
    ("BRA", None, &[], 0),
];

fn workload() -> Workload {
    let mut program = Program::default();
    let body: Vec<u32> = BODY
        .iter()
        .enumerate()
        .map(|(i, &(opcode, destination, sources, width))| {
            let sources: Vec<_> = sources.iter().copied().map(Register::vector).collect();
            let instruction = Instruction {
                pc: 16 * i as u32,
                opcode,
                destination: destination.map(Register::vector),
                sources: &sources,
                width,
                immediates: [0; 2],
            };
            program.intern(&instruction).expect("known opcodes")
        })
        .collect();
    let blocks = (0..64).map(|x| {
        let mut block = ThreadBlock::new([x, 0, 0]);
        for warp in 0..8 {
            block.begin_warp(warp);
            for round in 0..100 {
                let base = 0x7fc8_4150_0000 + u64::from(x * 8 + warp) * 0x1000 + round * 128;
                let consecutive: Vec<u64> = (0..32).map(|lane| base + 4 * lane).collect();
                let scattered: Vec<u64> = (0..32).map(|lane| base + 4096 * (lane * 7 % 32)).collect();
                for (i, &index) in body.iter().enumerate() {
                    let addresses = match i {
                        2 => &consecutive[..],
                        7 => &scattered[..],
                        _ => &[],
                    };
                    block.push(index, u32::MAX, addresses);
                }
            }
        }
        block
    });
    let header = KernelHeader {
        name: "bench".into(),
        grid: [64, 1, 1],
        block: [256, 1, 1],
        nregs: 16,
        binary_version: 75,
        ..KernelHeader::default()
    };
    let blocks = blocks.collect();
    Workload {
        name: "bench".into(),
        commands: vec![Command::Kernel(Kernel::in_memory(header, program, blocks))],
    }
}

fn read_through(workload: &Workload) -> u64 {
    let mut instructions = 0;
    for kernel in workload.kernels() {
        let mut reader = kernel.open().expect("a readable trace");
        while let Some(block) = reader.next_block().expect("a readable trace") {
            instructions += block.instruction_count();
        }
    }
    instructions
}

fn reader(criterion: &mut Criterion<ProcessorTime>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trace = folder.path().join("trace");
    gpurf_trace::write(&workload(), &trace).expect("a written trace");
    let bytes = std::fs::metadata(trace.join("kernel-1.traceg")).expect("a kernel file").len();
    let workload = gpurf_trace::open(&trace).expect("a readable trace");

    let mut group = criterion.benchmark_group("trace reader");
    let elements = read_through(&workload);
    group.throughput(Throughput::ElementsAndBytes { elements, bytes });
    group.sample_size(20);
    group.measurement_time(Duration::from_secs(10));
    group.bench_function("plain text", |bencher| bencher.iter(|| read_through(&workload)));
    group.finish();
}

criterion_group! {
    name = benches;
    config = processor_time();
    targets = reader
}
criterion_main!(benches);
