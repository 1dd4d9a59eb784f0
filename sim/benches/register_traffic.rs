// SPDX-License-Identifier: Apache-2.0
//! Speed of the study of register caches, in warp instructions per second and configuration, on a stream in
//! memory.
//!
//! `full masks` is a kernel of multiply-adds; `half masks` the same with the lanes of every other instruction
//! halved, so that threads go apart. `table VI` counts all eight configurations in one pass: an element there
//! is an instruction under one configuration. `the SM` runs the same stream cycle by cycle, as the baseline.
//! One thread.

mod arithmetic;

use std::hint::black_box;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_sim::config::Config;
use gpurf_sim::register_traffic::{Configuration, Reach, Rules, Study};
use gpurf_sim::sm::Design;

use arithmetic::{arithmetic, run, workload};

const WARPS: u32 = 8;
const LENGTH: u32 = 5000;
/// Instructions of the loop, as many as the main loop of a matrix product has.
const LOOP: u32 = 500;

fn benchmark(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("study of register caches");
    let table = Configuration::table_vi(Reach::Set);
    let one_each =
        [("8-way", table[0]), ("2-way interleaving", table[5]), ("2-way compiler-aided", table[7])];
    for (masks, other) in [("full masks", u32::MAX), ("half masks", 0xffff)] {
        let (program, block) = arithmetic(WARPS, LENGTH, LOOP, [u32::MAX, other]);
        let (workload, config) = (workload(program.clone(), block.clone()), Config::default());
        group.throughput(Throughput::Elements(block.instruction_count()));
        group.bench_function(format!("{masks}/the SM"), |bencher| {
            bencher.iter(|| run(black_box(&workload), &config, Design::BASELINE))
        });
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

criterion_group! {
    name = benches;
    config = processor_time();
    targets = benchmark
}
criterion_main!(benches);
