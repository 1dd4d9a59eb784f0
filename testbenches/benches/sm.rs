//! Speed of the SM: every design with every engine on the beginning of a matrix product, and with models on whole
//! matrix products.
//!
//! Throughput is in warp instructions per second; the name of a group tells how many there are in how many cycles.
//!
//! `cargo bench -p gpurf-testbenches --bench sm`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_blocks::Lockstep;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, RunsSubCore};
use gpurf_sim::sm::{Design, Family, Gpu};
use gpurf_testbenches::sub_core_engine;
use gpurf_trace::{Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::Device;

/// Of the random choices.
const SEED: u64 = 1;
/// Cycles of a run: the slowest engine takes a second or so for them.
const CYCLES: u64 = 3000;

/// Warp instructions and cycles of a run, up to some cycles of a kernel.
fn run<E: RunsSubCore>(
    workload: &Workload,
    design: Design,
    cycles: Option<u64>,
    engine: impl FnMut(usize) -> E,
) -> (u64, u64) {
    let config = Config::default();
    let mut gpu = Gpu::new(&config, design, SEED, Engines::around(&config, design, engine));
    if let Some(cycles) = cycles {
        gpu.limit_cycles(cycles);
    }
    gpu.run(workload, Some(&Reuse::default())).expect("the workload runs");
    let statistics = gpu.statistics("", 0);
    assert!(statistics.is_sound());
    let counters = statistics.summary.counters;
    (counters.warp_instructions, counters.cycles)
}

fn product(name: &str) -> Workload {
    let mut device = Device::default();
    let product = named(name).expect("a built-in workload");
    (product.run)(&mut device, Size::Small).expect("the answer is right");
    device.into_workload(product.name)
}

/// The beginning of a product, with each engine.
fn engines(criterion: &mut Criterion) {
    let (workload, config) = (&product("sgemm"), &Config::default());
    for design in &Design::family(Family::Malekeh).collect::<Vec<_>>() {
        let cycles = Some(CYCLES);
        let model = || design.model(config, SEED);
        let rtl = || sub_core_engine::rtl(config, design, SEED);
        let verilator =
            || sub_core_engine::verilator(config, design, SEED).expect("Verilator builds the sub-core");
        let (instructions, _) = run(workload, *design, cycles, |_| model());
        let name = format!("{design}, {CYCLES} cycles, {instructions} instructions of {}", workload.name);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(instructions));
        group.bench_function("model", |bencher| bencher.iter(|| run(workload, *design, cycles, |_| model())));
        group.bench_function("rtl", |bencher| bencher.iter(|| run(workload, *design, cycles, |_| rtl())));
        group.bench_function("verilator", |bencher| {
            bencher.iter(|| run(workload, *design, cycles, |_| verilator()))
        });
        group.bench_function("lockstep", |bencher| {
            let hardware = || Lockstep::new(rtl(), verilator());
            bencher.iter(|| run(workload, *design, cycles, |_| Lockstep::new(model(), hardware())))
        });
        group.finish();
    }
}

/// Whole products with models.
fn models(criterion: &mut Criterion) {
    for workload in ["sgemm", "hgemm", "igemm"].map(product) {
        for design in Design::family(Family::Malekeh) {
            let (instructions, cycles) =
                run(&workload, design, None, |_| design.model(&Config::default(), SEED));
            let mut group = criterion
                .benchmark_group(format!("{}, {cycles} cycles, {instructions} instructions", workload.name));
            group.throughput(Throughput::Elements(instructions));
            group.bench_function(format!("{design}"), |bencher| {
                bencher.iter(|| run(&workload, design, None, |_| design.model(&Config::default(), SEED)))
            });
            group.finish();
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = engines, models
}
criterion_main!(benches);
