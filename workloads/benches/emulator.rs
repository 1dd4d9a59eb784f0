// SPDX-License-Identifier: Apache-2.0
//! Warp instructions per second of the emulator on one thread: functional only, and with the
//! instruction stream.
//!
//! `cargo bench -p gpurf-workloads --bench emulator`. The times are of whole runs: inputs, parsing of the
//! listing and the comparison with the reference are part of them.

mod counted;

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_workloads::suite::{named, Benchmark, Size};
use gpurf_workloads::{Device, Options};

use counted::instructions;

fn run(benchmark: &Benchmark, stream: bool) -> Device {
    let mut device = Device::new(Options { stream, ..Options::default() });
    (benchmark.run)(&mut device, Size::Medium).expect("the answer is right");
    device
}

fn emulator(criterion: &mut Criterion<ProcessorTime>) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    let mut group = criterion.benchmark_group("emulator");
    for name in ["sgemm", "hgemm", "bfs"] {
        let benchmark = named(name).expect("a built-in workload");
        group.throughput(Throughput::Elements(instructions(run(benchmark, true))));
        group.bench_function(format!("{name}/functional only"), |bencher| {
            bencher.iter(|| run(benchmark, false))
        });
        group.bench_function(format!("{name}/with stream"), |bencher| bencher.iter(|| run(benchmark, true)));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = processor_time();
    targets = emulator
}
criterion_main!(benches);
