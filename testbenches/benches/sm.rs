//! Warp instructions per second of the SM with each engine, on the beginning of a matrix product.
//!
//! `cargo bench -p gpurf-testbenches --bench sm`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_hw::dialect::{Clocked, Lockstep, Module, Rtl};
use gpurf_hw::sub_core::{CcuSubCore, OcuSubCore, SubCoreIn, SubCoreOut};
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_trace::{Reuse, Workload};
use gpurf_verilog::Verilated;
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::Device;

type In = SubCoreIn<u32>;
type Out = SubCoreOut<u32>;

/// Of the random choices.
const SEED: u64 = 1;
/// Cycles of a run: the slowest engine takes a second or so for them.
const CYCLES: u64 = 3000;

/// Runs the beginning of the workload and tells its warp instructions.
fn run<E: Clocked<In = In, Out = Out>>(
    workload: &Workload,
    design: Design,
    engine: impl FnMut(usize) -> E,
) -> u64 {
    let mut gpu = Gpu::new(&Config::default(), design, SEED, engine);
    gpu.limit_cycles(CYCLES);
    gpu.run(workload, Some(&Reuse::default())).expect("the workload runs");
    let statistics = gpu.statistics("", 0);
    assert!(statistics.is_sound());
    statistics.summary.counters.warp_instructions
}

fn sgemm() -> Workload {
    let mut device = Device::default();
    let sgemm = named("sgemm").expect("a built-in workload");
    (sgemm.run)(&mut device, Size::Small).expect("the answer is right");
    device.into_workload(sgemm.name)
}

fn compare<M: Module<In = In, Out = Out>>(criterion: &mut Criterion, design: Design, make: impl Fn() -> M) {
    let workload = sgemm();
    let model = || design.model(&Config::default(), SEED);
    let verilated = || Verilated::new(&make()).expect("Verilator builds the sub-core");
    let mut group = criterion.benchmark_group(format!("SM, {design}"));
    group.throughput(Throughput::Elements(run(&workload, design, |_| model())));
    group.bench_function("model", |bencher| bencher.iter(|| run(&workload, design, |_| model())));
    group.bench_function("rtl", |bencher| bencher.iter(|| run(&workload, design, |_| Rtl::new(make()))));
    group.bench_function("verilator", |bencher| bencher.iter(|| run(&workload, design, |_| verilated())));
    group.bench_function("lockstep", |bencher| {
        let hardware = || Lockstep::new(Rtl::new(make()), verilated());
        bencher.iter(|| run(&workload, design, |_| Lockstep::new(model(), hardware())))
    });
    group.finish();
}

fn engines(criterion: &mut Criterion) {
    let config = Config::default();
    let parameters = |design: Design| (design.issue_stage(&config, SEED), design.operand_stage(&config));
    let (issue, stage) = parameters(Design::BASELINE);
    compare(criterion, Design::BASELINE, || OcuSubCore::<32, 1>::new(issue, stage));
    let (issue, stage) = parameters(Design::TRADITIONAL);
    compare(criterion, Design::TRADITIONAL, || CcuSubCore::<32, 3, 1>::new(issue, stage));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = engines
}
criterion_main!(benches);
