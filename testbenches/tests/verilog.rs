//! The gate of every module: its emitted Verilog against the rust-hdl simulation in both simulators,
//! and clean under every checker.

use gpurf_blocks::{corners, Parameters};
use gpurf_hw::catalogue::{build, Entry, CATALOGUE};
use gpurf_testbenches::EngineKind::{Icarus, Rtl, Verilator};
use gpurf_testbenches::{workbench, EngineKind, Random};
use gpurf_verilog::{check, emit};

const SEED: u64 = 11;
const CYCLES: u64 = 10_000;

/// Data of 32 bits, intervals so short that a run has many, and a PCRF so small that it fills.
fn tokens() -> Parameters {
    Parameters { width: 32, interval: 50, pcrf_entries: 256, ..Default::default() }
}

fn agree(entry: &Entry, engines: &[EngineKind], parameters: &Parameters, cycles: u64) {
    let bench = workbench(entry.name, parameters);
    let outcome = bench.run(engines, &mut Random::seeded(SEED), cycles, None).expect("the engines are built");
    assert!(outcome.passed(), "{}, {engines:?}, seed {SEED}: {outcome:?}", entry.name);
}

#[test]
fn rtl_and_verilator_agree() {
    for entry in CATALOGUE {
        agree(entry, &[Rtl, Verilator], &tokens(), CYCLES);
        let failures =
            workbench(entry.name, &tokens()).play(&[Rtl, Verilator]).expect("the engines are built");
        assert!(failures.is_empty(), "{}: {}", entry.name, failures.join("\n"));
    }
}

#[test]
fn rtl_and_verilator_agree_on_whole_registers() {
    for entry in CATALOGUE.iter().filter(|entry| ["ocu", "ccu", "bank"].contains(&entry.name)) {
        agree(entry, &[Rtl, Verilator], &Parameters::default(), 1000);
    }
}

#[test]
fn rtl_and_verilator_agree_with_two_results_at_once() {
    let mut parameters = tokens();
    parameters.d_ports = 2;
    for entry in CATALOGUE.iter().filter(|entry| entry.parameters.contains(&"d_ports")) {
        agree(entry, &[Rtl, Verilator], &parameters, CYCLES);
    }
}

#[test]
fn rtl_and_icarus_agree() {
    for entry in CATALOGUE {
        agree(entry, &[Rtl, Icarus], &tokens(), CYCLES);
    }
}

#[test]
fn checkers_find_nothing() {
    // Corners of the parameters, and the papers' hardware at its full width.
    let corners = [corners::smallest(), corners::largest()].map(|corner| Parameters { width: 32, ..corner });
    for parameters in corners.into_iter().chain([Parameters::default()]) {
        for entry in CATALOGUE {
            let design = emit(&*build(entry.name, &parameters)).expect("emits");
            for result in
                [check::iverilog_wall(&design), check::verilator_lint(&design), check::yosys_check(&design)]
            {
                assert!(result.is_ok(), "{}: {}", design.top, result.unwrap_err());
            }
        }
    }
}

#[test]
fn verilog_is_the_same_every_time() {
    let parameters = Parameters::default();
    for entry in CATALOGUE {
        let text = || emit(&*build(entry.name, &parameters)).expect("emits").source();
        assert_eq!(text(), text(), "{}", entry.name);
    }
}
