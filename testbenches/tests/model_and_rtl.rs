//! Every module's RTL, compiled and as rust-hdl evaluates it, against its reference model: directed scenarios, and
//! constrained-random stimulus under proptest over parameters and choices. One test for each module and concern. Long runs
//! are part of the gate, with the Verilog beside them.

use std::process::ExitCode;

use gpurf_blocks::{corners, Parameters, PARAMETERS};
use gpurf_hw::catalogue::Entry;
use gpurf_testbenches::EngineKind::{Model, Rtl, RustHdl};
use gpurf_testbenches::{workbench, Random};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

mod per_module;

use per_module::{all, run};

fn main() -> ExitCode {
    run(&[
        ("directed_scenarios_hold", all, directed_scenarios_hold),
        ("agree_under_any_parameters", all, agree_under_any_parameters),
        ("agree_on_whole_registers", has_data, agree_on_whole_registers),
    ])
}

/// Whether somebody asks for many cases.
fn is_soak() -> bool {
    std::env::var("PROPTEST_CASES").is_ok()
}

/// Any possible values, but tokens of 32 bits as data, and intervals and ages so short that a run has many. Results that are
/// kept out of a collector always invalidate: without, stale values are found, as they should be.
fn parameters() -> impl Strategy<Value = Parameters> {
    prop::collection::vec(any::<prop::sample::Index>(), PARAMETERS.len()).prop_map(|indices| {
        let parameters = corners::chosen(|texts, place| indices[place].get(texts).clone());
        let (interval, release_age) = (1 + parameters.interval % 60, parameters.release_age % 1100);
        Parameters { width: 32, invalidate: true, interval, release_age, ..parameters }
    })
}

fn directed_scenarios_hold(entry: &Entry) {
    let count = if is_soak() { 8 } else { 4 };
    let mut all = vec![];
    for number in 0..count {
        // Loads wait for as long as the scenarios of multicasting need, and no run waits for a long age.
        let (interval, release_age) = (1 + 40 * number, [0, 100, 256, 5000][number % 4]);
        let parameters = Parameters { width: 32, interval, release_age, ..corners::varied(number, count) };
        let bench = workbench(entry.name, &parameters);
        let failures = bench.play(&[Model, Rtl, RustHdl]).expect("nothing has to be built");
        all.extend(failures.into_iter().map(|failure| format!("{parameters:?}\n    {failure}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

fn agree_under_any_parameters(entry: &Entry) {
    let given = ProptestConfig::default();
    let config = ProptestConfig {
        cases: if is_soak() { given.cases } else { 24 },
        source_file: Some(file!()),
        test_name: Some(entry.name),
        ..given
    };
    let any = (parameters(), prop::collection::vec(any::<u32>(), 12_000));
    let result = TestRunner::new(config).run(&any, |(parameters, choices)| {
        let bench = workbench(entry.name, &parameters);
        let outcome = bench.run(&[Model, Rtl, RustHdl], &mut Random::listed(choices), 250);
        let outcome = outcome.expect("nothing has to be built");
        prop_assert!(outcome.passed(), "{outcome:?}");
        if is_soak() {
            let failures = bench.play(&[Model, Rtl, RustHdl]).expect("nothing has to be built");
            prop_assert!(failures.is_empty(), "{}", failures.join("\n"));
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

fn has_data(entry: &Entry) -> bool {
    entry.parameters().contains(&"width")
}

/// Registers of 1,024 bits, as the hardware is exported. rust-hdl would take minutes for them.
fn agree_on_whole_registers(entry: &Entry) {
    let bench = workbench(entry.name, &Parameters { interval: 50, pcrf_entries: 256, ..Default::default() });
    let outcome = bench.run(&[Model, Rtl], &mut Random::seeded(5), 2_000).expect("nothing has to be built");
    assert!(outcome.passed(), "{outcome:?}");
    let failures = bench.play(&[Model, Rtl]).expect("nothing has to be built");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
