// SPDX-License-Identifier: Apache-2.0
//! Speed of the SM: two designs with every engine on the beginning of a matrix product, and every design with
//! models on whole matrix products.
//!
//! Throughput is in warp instructions per second.
//!
//! `cargo bench -p gpurf-testbenches --bench sm`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_blocks::Lockstep;
use gpurf_clock::{processor_time, ProcessorTime};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, RunsSubCore};
use gpurf_sim::sm::{Design, Family, Gpu};
use gpurf_testbenches::sub_core_engine::{self, SubCoreHardware};
use gpurf_trace::{Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::Device;

/// The seed of the random choices.
const SEED: u64 = 1;
/// Cycles of a run: the slowest engine takes a second or so for them.
const CYCLES: u64 = 3000;

/// Warp instructions of a run, up to some cycles of a kernel.
fn run<E: RunsSubCore>(
    workload: &Workload,
    design: Design,
    cycles: Option<u64>,
    engine: impl FnMut(usize) -> E,
) -> u64 {
    let config = Config::default();
    let mut gpu = Gpu::new(&config, design, SEED, Engines::around(&config, design, engine));
    if let Some(cycles) = cycles {
        gpu.limit_cycles(cycles);
    }
    gpu.run(workload, Some(&Reuse::default())).expect("the workload runs");
    let statistics = gpu.statistics("", 0);
    assert!(statistics.is_sound());
    statistics.summary.counters.warp_instructions
}

fn product(name: &str) -> Workload {
    let mut device = Device::default();
    let product = named(name).expect("a built-in workload");
    (product.run)(&mut device, Size::Small).expect("the answer is right");
    device.into_workload(product.name)
}

/// The beginning of a product, with each engine.
fn engines(criterion: &mut Criterion<ProcessorTime>) {
    let (workload, config) = (&product("sgemm"), &Config::default());
    let mut group = criterion.benchmark_group("engines in the SM");
    for design in &[Design::BASELINE, Design::MALEKEH] {
        let cycles = Some(CYCLES);
        let model = || design.model(config, SEED);
        let compiled = sub_core_engine::compiled(config, design, SEED).expect("a sub-core is compiled");
        let rtl = || -> SubCoreHardware { Box::new(compiled.engine()) };
        let rust_hdl = || sub_core_engine::rust_hdl(config, design, SEED).expect("a sub-core is opened");
        let verilog = sub_core_engine::verilog(config, design, SEED).expect("a sub-core is emitted");
        let verilator = || sub_core_engine::verilator(&verilog).expect("Verilator builds the sub-core");
        let name = |engine| format!("{design}/{engine}");
        group.throughput(Throughput::Elements(run(workload, *design, cycles, |_| model())));
        group.bench_function(name("model"), |bencher| {
            bencher.iter(|| run(workload, *design, cycles, |_| model()))
        });
        group.bench_function(name("verilator"), |bencher| {
            bencher.iter(|| run(workload, *design, cycles, |_| verilator()))
        });
        group.bench_function(name("rtl"), |bencher| {
            bencher.iter(|| run(workload, *design, cycles, |_| rtl()))
        });
        group.bench_function(name("rust-hdl"), |bencher| {
            bencher.iter(|| run(workload, *design, cycles, |_| rust_hdl()))
        });
        group.bench_function(name("lockstep of the three"), |bencher| {
            let hardware = || Lockstep::new(rtl(), verilator());
            bencher.iter(|| run(workload, *design, cycles, |_| Lockstep::new(model(), hardware())))
        });
    }
    group.finish();
}

/// Whole products with models.
fn models(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("matrix products");
    for workload in ["sgemm", "hgemm", "igemm"].map(product) {
        for design in Design::family(Family::Malekeh) {
            let whole = || run(&workload, design, None, |_| design.model(&Config::default(), SEED));
            group.throughput(Throughput::Elements(whole()));
            group.bench_function(format!("{}/{design}", workload.name), |bencher| bencher.iter(whole));
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = processor_time();
    targets = engines, models
}
criterion_main!(benches);
