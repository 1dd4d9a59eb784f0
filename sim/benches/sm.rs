// SPDX-License-Identifier: Apache-2.0
//! Speed of the SM with the reference model of the operand stage, in warp instructions per second.
//!
//! The workload is Rodinia's bfs, if its trace is there (folder `GPURF_TRACES`, by default
//! `../shared/traces` beside the project), parsed beforehand; else a kernel of dependent arithmetic.

mod arithmetic;

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Dependences, Design, Family};
use gpurf_trace::{Command, Kernel, Workload};

use arithmetic::{arithmetic, run, workload};

/// The same workload, held in memory.
fn parsed(workload: Workload) -> Workload {
    let commands = workload.commands.into_iter().map(|command| match command {
        Command::Kernel(kernel) => {
            let mut reader = kernel.open().expect("the trace opens");
            let mut blocks = Vec::new();
            while let Some(block) = reader.next_block().expect("the trace is whole") {
                blocks.push(block);
            }
            Command::Kernel(Kernel::in_memory(kernel.header().clone(), reader.program().clone(), blocks))
        }
        copy => copy,
    });
    Workload { name: workload.name, commands: commands.collect() }
}

fn bfs() -> Option<Workload> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let folder =
        std::env::var_os("GPURF_TRACES").map_or_else(|| root.join("../shared/traces"), PathBuf::from);
    gpurf_trace::open(folder.join("rodinia-bfs-sm80")).ok().map(parsed)
}

/// Full occupancy, chains of multiply-adds.
fn full_occupancy() -> Workload {
    let (program, block) = arithmetic(32, 5000, 5000, [u32::MAX; 2]);
    workload(program, block)
}

fn benchmark(criterion: &mut Criterion<ProcessorTime>) {
    let config = Config::default();
    let mut group = criterion.benchmark_group("sm");
    group.sample_size(10);
    for workload in bfs().into_iter().chain([full_occupancy()]) {
        // The stream has no control bits.
        let modern = Design { dependences: Dependences::Scoreboard, ..Design::MODERN };
        for design in Design::family(Family::Malekeh).chain([modern]) {
            group.throughput(Throughput::Elements(run(&workload, &config, design)));
            group.bench_function(format!("{}/{design}", workload.name), |bencher| {
                bencher.iter(|| run(black_box(&workload), &config, design))
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
