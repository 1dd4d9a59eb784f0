// SPDX-License-Identifier: Apache-2.0
//! Every module's RTL, compiled and as rust-hdl evaluates it, against its reference model: directed
//! scenarios, and constrained-random stimulus under proptest over parameters and choices. One test for each
//! module and concern. Long runs are part of the gate, with the Verilog beside them.

use std::process::ExitCode;

use gpurf_blocks::{corners, Parameters, PARAMETERS};
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_testbenches::EngineKind::{Model, Rtl, RustHdl};
use gpurf_testbenches::{workbench, EngineKind, Failure, Random};
use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};

mod per_module;

use per_module::{all, run};

fn main() -> ExitCode {
    run(&[
        ("directed_scenarios_hold", all, directed_scenarios_hold),
        ("agree_under_any_parameters", all, agree_under_any_parameters),
        ("agree_on_whole_registers", has_data, agree_on_whole_registers),
    ])
}

const ENGINES: [EngineKind; 3] = [Model, Rtl, RustHdl];

/// Returns true if somebody asks for many cases.
fn is_soak() -> bool {
    std::env::var("PROPTEST_CASES").is_ok()
}

/// Any possible values, but tokens of 32 bits as data, and intervals and ages so short that a run has many.
/// Results that are kept out of a collector always invalidate: without, stale values are found, as they
/// should be.
fn parameters() -> impl Strategy<Value = Parameters> {
    prop::collection::vec(any::<prop::sample::Index>(), PARAMETERS.len()).prop_map(|indices| {
        let parameters = corners::chosen(|texts, place| indices[place].get(texts).clone());
        let (interval, release_age) = (1 + parameters.interval % 60, parameters.release_age % 1100);
        Parameters { width: 32, invalidate: true, interval, release_age, ..parameters }
    })
}

fn directed_scenarios_hold(entry: &CatalogueEntry) {
    let count = if is_soak() { 8 } else { 4 };
    let mut all = String::new();
    for number in 0..count {
        // Loads wait for as long as the scenarios of multicasting need, and no run waits for a long age.
        let (interval, release_age) = (1 + 40 * number, [0, 100, 256, 5000][number % 4]);
        let parameters = Parameters { width: 32, interval, release_age, ..corners::varied(number, count) };
        let bench = workbench(entry.name, &parameters);
        let failures = bench.play(&ENGINES).expect("nothing has to be built");
        all += &bench.report(&ENGINES, 1, &failures);
    }
    assert!(all.is_empty(), "\n{all}");
}

fn agree_under_any_parameters(entry: &CatalogueEntry) {
    let given = ProptestConfig::default();
    let config = ProptestConfig {
        cases: if is_soak() { given.cases } else { 8 },
        source_file: Some(file!()),
        test_name: Some(entry.name),
        ..given
    };
    // Parameters shrink. A seed is a name of a stimulus: another one is not simpler, and the command takes
    // it.
    let any = (parameters(), any::<u32>().no_shrink());
    let result = TestRunner::new(config).run(&any, |(parameters, seed)| {
        let bench = workbench(entry.name, &parameters);
        let outcome = bench.run(&ENGINES, &mut Random::seeded(seed.into()), 750);
        let mut failures = Vec::from_iter(Failure::of(&outcome.expect("nothing has to be built")));
        if is_soak() {
            failures.extend(bench.play(&ENGINES).expect("nothing has to be built"));
        }
        prop_assert!(failures.is_empty(), "\n{}", bench.report(&ENGINES, seed.into(), &failures));
        Ok(())
    });
    // What failed, and not the values that made it, which the report names as a command does.
    match result {
        Ok(()) => {}
        Err(TestError::Fail(reason, _)) => panic!("{reason}"),
        Err(other) => panic!("{other}"),
    }
}

fn has_data(entry: &CatalogueEntry) -> bool {
    entry.parameters().contains(&"width")
}

/// Registers of 1,024 bits, as the hardware is exported. rust-hdl would take minutes for them.
fn agree_on_whole_registers(entry: &CatalogueEntry) {
    let bench = workbench(entry.name, &Parameters { interval: 50, pcrf_entries: 256, ..Default::default() });
    let engines = [Model, Rtl];
    let outcome = bench.run(&engines, &mut Random::seeded(5), 2_000).expect("nothing has to be built");
    let mut failures = Vec::from_iter(Failure::of(&outcome));
    failures.extend(bench.play(&engines).expect("nothing has to be built"));
    assert!(failures.is_empty(), "\n{}", bench.report(&engines, 5, &failures));
}
