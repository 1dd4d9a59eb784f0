// SPDX-License-Identifier: Apache-2.0
//! Warp schedulers that only this test knows: a row is all that there is of each, and model, RTL and Verilog
//! are of it, alone and in an SM that runs code.

use gpurf_blocks::{Lockstep, Parameters, Scheduling, WarpOrder};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, RunsSubCore};
use gpurf_sim::sm::{Design, Gpu};
use gpurf_sim::statistics::Counters;
use gpurf_testbenches::EngineKind::{Model, Rtl, Verilator};
use gpurf_testbenches::{sub_core_engine, workbench, Failure, Random};
use gpurf_trace::{Reuse, Workload};
use gpurf_workloads::suite::{named, Size};
use gpurf_workloads::Device;

/// The oldest warp first, without greed.
const OLDEST: Scheduling =
    Scheduling { name: "oldest", is_greedy: false, prefers_data: false, order: WarpOrder::Age };
/// Warps with data in turn, then the others in turn.
const DATA_IN_TURN: Scheduling =
    Scheduling { name: "data_in_turn", is_greedy: false, prefers_data: true, order: WarpOrder::Turn };

#[test]
fn its_model_rtl_and_verilog_do_the_same() {
    let engines = [Model, Rtl, Verilator];
    for scheduling in [OLDEST, DATA_IN_TURN] {
        let bench = workbench("warp_scheduler", &Parameters { scheduling, ..Parameters::default() });
        let outcome = bench.run(&engines, &mut Random::seeded(1), 2000).expect("the engines are built");
        let failures = Vec::from_iter(Failure::of(&outcome));
        assert!(outcome.passed(), "{}", bench.report(&engines, 1, &failures));
        let failures = bench.play(&engines).expect("the engines are built");
        assert!(failures.is_empty(), "{}", bench.report(&engines, 1, &failures));
    }
}

/// Counts of some cycles of an SM, sound ones; each of its engines is looked at then.
fn counted<E: RunsSubCore>(
    workload: &Workload,
    design: Design,
    engine: impl FnMut(usize) -> E,
    look: impl Fn(&E),
) -> Counters {
    let config = Config::default();
    let mut gpu = Gpu::new(&config, design, 1, Engines::around(&config, design, engine));
    gpu.limit_cycles(1500);
    gpu.run(workload, Some(&Reuse::default())).expect("the workload runs");
    let statistics = gpu.statistics("", 0);
    assert!(statistics.is_sound(), "{design}");
    gpu.engines().for_each(look);
    statistics.summary.counters
}

#[test]
fn the_sm_runs_it_in_model_and_rtl() {
    let mut device = Device::default();
    let product = named("sgemm").expect("a built-in workload");
    (product.run)(&mut device, Size::Small).expect("the answer is right");
    let (workload, config) = (device.into_workload(product.name), Config::default());
    let known = counted(&workload, Design::MALEKEH, |_| Design::MALEKEH.model(&config, 1), |_| {});
    for scheduling in [OLDEST, DATA_IN_TURN] {
        let design = Design { scheduling, ..Design::MALEKEH };
        assert!(design.name().contains(scheduling.name), "{design}");
        let compiled = sub_core_engine::compiled(&config, &design, 1).expect("a sub-core is compiled");
        let both = |_| Lockstep::new(design.model(&config, 1), compiled.engine());
        let counters = counted(&workload, design, both, |engine| {
            assert!(engine.divergence.is_none(), "{design}: {}", engine.divergence.as_ref().unwrap());
        });
        assert!(counters.warp_instructions > 0 && counters.token_checks > 0);
        assert_ne!(counters, known, "{design} is another scheduler");
    }
}
