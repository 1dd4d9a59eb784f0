//! The gate of every module: its emitted Verilog against the rust-hdl simulation in both simulators,
//! and clean under every checker.

use gpurf_blocks::{Parameters, Search, Tie};
use gpurf_hw::catalogue::{build, Entry, CATALOGUE};
use gpurf_testbenches::EngineKind::{Icarus, Rtl, Verilator};
use gpurf_testbenches::{workbench, EngineKind, Random};
use gpurf_verilog::{check, emit};

const SEED: u64 = 11;
const CYCLES: u64 = 10_000;

/// Data of 32 bits, intervals so short that a run has many, and a PCRF so small that it fills.
fn tokens() -> Parameters {
    let mut parameters = Parameters { width: 32, ..Default::default() };
    parameters.issue.interval = 50;
    parameters.finereg.entries = 256;
    parameters
}

/// The smallest FineReg, and the largest.
fn finereg() -> (Parameters) {
    let tie = Tie::RoundRobin;
    (
        Parameters { entries: 64, ctas: 16, latency: 1, next_latency: 1, count_bits: 6, tie },
        Parameters { entries: 2048, latency: 8, next_latency: 3, ..Default::default() },
    )
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
    parameters.stage.d_ports = 2;
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
    let mut small = tokens();
    (small.entries, small.stage.slots, small.stage.collectors) = (4, 3, 1);
    small.stage.d_ports = 2;
    small.iwmu = Parameters { entries: 16, search: Search::Cam, release_age: 0 };
    let mut large = tokens();
    (large.entries, large.stage.collectors, large.stage.banks) = (16, 8, 4);
    large.iwmu = Parameters { entries: 64, ..large.iwmu };
    (small.finereg, large.finereg) = finereg();
    for parameters in [small, large, Parameters::default()] {
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
