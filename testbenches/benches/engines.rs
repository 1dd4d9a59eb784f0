//! Clock cycles per second of a block in each engine, on one recorded stimulus.
//!
//! `cargo bench -p gpurf-testbenches`: compare the engines within a run; machines differ.

use criterion::{criterion_group, criterion_main, BatchSize, Criterion, Throughput};
use gpurf_hw::catalogue::Parameters;
use gpurf_hw::dialect::Rtl;
use gpurf_hw::with_module;
use gpurf_testbenches::{run, Engine, Random, Testbench};
use gpurf_verilog::{Icarus, Verilated};

const CYCLES: u64 = 2000;

/// Inputs of a random run, which every engine answers alike.
fn record<M: Testbench>(parameters: &Parameters) -> Vec<M::In> {
    let mut inputs = vec![];
    let mut engine = [M::model(parameters)];
    let mut stimulus = M::stimulus(parameters);
    run::<M>(&mut engine, &mut *stimulus, &mut Random::seeded(1), CYCLES, |_, cycle, _| inputs.push(*cycle));
    inputs
}

fn compare<M: Testbench>(
    criterion: &mut Criterion,
    name: &str,
    make: impl Fn() -> M,
    parameters: &Parameters,
) {
    let inputs = record::<M>(parameters);
    let mut group = criterion.benchmark_group(format!("{name}, {} bits", parameters.width));
    group.throughput(Throughput::Elements(CYCLES));
    // The recording starts from reset, and so does every pass over it.
    let mut measure = |kind: &str, new: &dyn Fn() -> Engine<M>| {
        group.bench_function(kind, |bencher| {
            let pass = |mut engine: Engine<M>| {
                for cycle in &inputs {
                    std::hint::black_box(engine.settle(cycle));
                    engine.tick();
                }
                engine
            };
            bencher.iter_batched(new, pass, BatchSize::PerIteration)
        });
    };
    measure("model", &|| M::model(parameters));
    measure("rtl", &|| Box::new(Rtl::new(make())));
    measure("verilator", &|| Box::new(Verilated::new(&make()).expect("Verilator builds the module")));
    measure("icarus", &|| Box::new(Icarus::new(&make()).expect("Icarus compiles the module")));
    group.finish();
}

fn engines(criterion: &mut Criterion) {
    for width in [32, 1024] {
        let parameters = Parameters { width, ..Default::default() };
        for name in ["ocu", "ccu"] {
            with_module!(name, &parameters, make => compare(criterion, name, make, &parameters));
        }
    }
    let parameters = Parameters { width: 32, ..Default::default() };
    for name in ["ocu_stage", "ccu_stage"] {
        with_module!(name, &parameters, make => compare(criterion, name, make, &parameters));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = engines
}
criterion_main!(benches);
