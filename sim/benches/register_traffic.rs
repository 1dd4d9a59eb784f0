//! Speed of the study of register caches, in warp instructions per second and configuration, on a stream in memory.
//!
//! `full masks` is a kernel of multiply-adds; `half masks` the same with the lanes of every other instruction halved, so
//! that threads go apart. `table VI` counts all eight configurations in one pass: an element there is an instruction
//! under one configuration. One thread.

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_sim::register_traffic::{Configuration, Reach, Rules, Study};
use gpurf_trace::{Instruction, Program, Register, ThreadBlock};

const WARPS: u32 = 8;
const LENGTH: u32 = 5000;
/// Instructions of the loop, as many as the main loop of a matrix product has.
const LOOP: u32 = 500;

/// A loop of multiply-adds over 13 registers, which a cache of 8 holds in part.
fn arithmetic(other_mask: u32) -> (Program, ThreadBlock) {
    let mut program = Program::default();
    let mut block = ThreadBlock::new([0; 3]);
    for warp in 0..WARPS {
        block.begin_warp(warp);
        for number in 0..LENGTH {
            let place = number % LOOP;
            let register = |number: u32| Register::Vector((number % 13) as u8);
            let index = program.intern(&Instruction {
                pc: 16 * place,
                opcode: "FFMA",
                destination: Some(register(place)),
                sources: &[register(place + 3), register(place + 7), register(place)],
                width: 0,
                immediates: [0, 0],
            });
            let mask = if place % 2 == 0 { u32::MAX } else { other_mask };
            block.push(index.expect("FFMA is known"), mask, &[]);
        }
    }
    (program, block)
}

fn benchmark(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("register_traffic");
    let table = Configuration::table_vi(Reach::Set);
    let one_each =
        [("8-way", table[0]), ("2-way interleaving", table[5]), ("2-way compiler-aided", table[7])];
    for (masks, other) in [("full masks", u32::MAX), ("half masks", 0xffff)] {
        let (program, block) = arithmetic(other);
        let sets = one_each.iter().map(|&(name, one)| (name, vec![one]));
        for (name, configurations) in sets.chain([("table VI", table.clone())]) {
            let instructions = block.instruction_count() * configurations.len() as u64;
            let study = Study { configurations, rules: Rules::PAPER, flags: None };
            let operands = study.operands("arithmetic", &program, 0);
            group.throughput(Throughput::Elements(instructions));
            group.bench_function(format!("{masks}/{name}"), |bencher| {
                bencher.iter(|| study.count(black_box(&operands), black_box(&block)))
            });
        }
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
