// SPDX-License-Identifier: Apache-2.0
//! Clock cycles per second of a block in each engine, on one recorded stimulus.
//!
//! `cargo bench -p gpurf-testbenches`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use gpurf_blocks::Parameters;
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_testbenches::{workbench, EngineKind, Random};

const CYCLES: u64 = 2000;

fn compare(criterion: &mut Criterion<ProcessorTime>, name: &str, parameters: &Parameters) {
    let recording = workbench(name, parameters).record(&mut Random::seeded(1), CYCLES);
    let mut group = criterion.benchmark_group("engines of a module");
    group.throughput(Throughput::Elements(CYCLES));
    // The recording starts from reset, and so does every pass over it.
    for kind in [EngineKind::Model, EngineKind::Rtl, EngineKind::RustHdl, EngineKind::Verilator] {
        let fresh = || recording.playback(kind).expect("the engine is built");
        group.bench_function(format!("{name}, {} bits/{kind}", parameters.width), |bencher| {
            bencher.iter_batched(fresh, |playback| playback(), BatchSize::PerIteration)
        });
    }
    group.finish();
}

fn engines(criterion: &mut Criterion<ProcessorTime>) {
    for width in [32, 1024] {
        let parameters = Parameters { width, ..Default::default() };
        for name in ["ocu", "ccu", "ccu_stage", "ccu_sub_core", "rmu", "register_cache"] {
            compare(criterion, name, &parameters);
        }
    }
    let parameters = Parameters { width: 32, ..Default::default() };
    for name in ["ocu_stage", "ocu_sub_core", "boc_sub_core", "iwmu"] {
        compare(criterion, name, &parameters);
    }
}

criterion_group! {
    name = benches;
    config = processor_time();
    targets = engines
}
criterion_main!(benches);
