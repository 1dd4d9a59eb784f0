//! Speed of the SM: every design with every engine on the beginning of a matrix product, and with models on whole
//! matrix products.
//!
//! Throughput is in warp instructions per second; the name of a group tells how many there are in how many cycles.
//!
//! `cargo bench -p gpurf-testbenches --bench sm`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use gpurf_blocks::{Clocked, Lockstep};
use gpurf_hw::dialect::{Module, Rtl};
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_sim::sub_core::SubCore;
use gpurf_testbenches::{with_sub_core, WithSubCore};
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

/// Warp instructions and cycles of a run, up to some cycles of a kernel.
fn run<E: Clocked<In = In, Out = Out>>(
    workload: &Workload,
    design: Design,
    cycles: Option<u64>,
    engine: impl FnMut(usize) -> E,
) -> (u64, u64) {
    let mut gpu = Gpu::new(&Config::default(), design, SEED, engine);
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

fn model(design: Design) -> SubCore<u32> {
    design.model(&Config::default(), SEED)
}

/// The beginning of a product, with each engine.
struct Compare<'a> {
    criterion: &'a mut Criterion,
    workload: &'a Workload,
    design: Design,
}

impl WithSubCore for Compare<'_> {
    type Result = ();

    fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) {
        let Compare { criterion, workload, design } = self;
        let verilated = || Verilated::new(&make()).expect("Verilator builds the sub-core");
        let cycles = Some(CYCLES);
        let (instructions, _) = run(workload, design, cycles, |_| model(design));
        let name = format!("{design}, {CYCLES} cycles, {instructions} instructions of {}", workload.name);
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(instructions));
        group.bench_function("model", |bencher| {
            bencher.iter(|| run(workload, design, cycles, |_| model(design)))
        });
        group.bench_function("rtl", |bencher| {
            bencher.iter(|| run(workload, design, cycles, |_| Rtl::new(make())))
        });
        group.bench_function("verilator", |bencher| {
            bencher.iter(|| run(workload, design, cycles, |_| verilated()))
        });
        group.bench_function("lockstep", |bencher| {
            let hardware = || Lockstep::new(Rtl::new(make()), verilated());
            bencher.iter(|| run(workload, design, cycles, |_| Lockstep::new(model(design), hardware())))
        });
        group.finish();
    }
}

fn engines(criterion: &mut Criterion) {
    let workload = &product("sgemm");
    for design in Design::ALL {
        with_sub_core(&Config::default(), &design, SEED, Compare { criterion, workload, design });
    }
}

/// Whole products with models.
fn models(criterion: &mut Criterion) {
    for workload in ["sgemm", "hgemm", "igemm"].map(product) {
        for design in Design::ALL {
            let (instructions, cycles) = run(&workload, design, None, |_| model(design));
            let mut group = criterion
                .benchmark_group(format!("{}, {cycles} cycles, {instructions} instructions", workload.name));
            group.throughput(Throughput::Elements(instructions));
            group.bench_function(format!("{design}"), |bencher| {
                bencher.iter(|| run(&workload, design, None, |_| model(design)))
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
