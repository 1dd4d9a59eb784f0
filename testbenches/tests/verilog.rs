//! The gate of every module: its emitted Verilog against the rust-hdl simulation in both simulators,
//! and clean under every checker.

use gpurf_hw::catalogue::{build, Entry, Parameters, CATALOGUE};
use gpurf_hw::dialect::Rtl;
use gpurf_hw::with_module;
use gpurf_testbenches::{run, Drive, Engine, Outcome, Random, Testbench};
use gpurf_verilog::{check, emit, Icarus, Verilated};

const SEED: u64 = 11;
const CYCLES: u64 = 10_000;

/// Data of 32 bits, and intervals so short that a run has many.
fn tokens() -> Parameters {
    let mut parameters = Parameters { width: 32, ..Default::default() };
    parameters.issue.interval = 50;
    parameters
}

fn random<M: Testbench>(engines: &mut [Engine<M>], parameters: &Parameters, cycles: u64) -> Outcome {
    let mut stimulus = M::stimulus(parameters);
    run::<M>(engines, &mut *stimulus, &mut Random::seeded(SEED), cycles, |_, _, _| {})
}

fn verilator<M: Testbench>(entry: &Entry, make: impl Fn() -> M, parameters: &Parameters, cycles: u64) {
    let verilated = || Box::new(Verilated::new(&make()).expect("Verilator builds the module"));
    let mut engines: [Engine<M>; 2] = [Box::new(Rtl::new(make())), verilated()];
    let outcome = random::<M>(&mut engines, parameters, cycles);
    assert!(outcome.passed(), "{} under Verilator, seed {SEED}: {outcome:?}", entry.name);
    for scenario in M::scenarios() {
        let mut engines: [Engine<M>; 2] = [Box::new(Rtl::new(make())), verilated()];
        let result = (scenario.play)(&mut Drive::new(parameters, &mut engines));
        assert_eq!(result, Ok(()), "{}: {}", entry.name, scenario.name);
    }
}

fn icarus<M: Testbench>(entry: &Entry, make: impl Fn() -> M, parameters: &Parameters) {
    let icarus = Box::new(Icarus::new(&make()).expect("Icarus compiles the module"));
    let mut engines: [Engine<M>; 2] = [Box::new(Rtl::new(make())), icarus];
    let outcome = random::<M>(&mut engines, parameters, CYCLES);
    assert!(outcome.passed(), "{} under Icarus, seed {SEED}: {outcome:?}", entry.name);
}

#[test]
fn rtl_and_verilator_agree() {
    for entry in CATALOGUE {
        let parameters = tokens();
        with_module!(entry.name, &parameters, make => verilator(entry, make, &parameters, CYCLES));
    }
}

#[test]
fn rtl_and_verilator_agree_on_whole_registers() {
    for entry in CATALOGUE.iter().filter(|entry| ["ocu", "ccu", "bank"].contains(&entry.name)) {
        let parameters = Parameters::default();
        with_module!(entry.name, &parameters, make => verilator(entry, make, &parameters, 1000));
    }
}

#[test]
fn rtl_and_icarus_agree() {
    for entry in CATALOGUE {
        let parameters = tokens();
        with_module!(entry.name, &parameters, make => icarus(entry, make, &parameters));
    }
}

#[test]
fn checkers_find_nothing() {
    // Corners of the parameters, and the papers' hardware at its full width.
    let mut small = tokens();
    (small.entries, small.stage.slots, small.stage.collectors) = (4, 3, 1);
    let mut large = tokens();
    (large.entries, large.stage.collectors, large.stage.banks) = (16, 8, 4);
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
