// SPDX-License-Identifier: Apache-2.0
//! Inter-warp multicasting with small and large tables, in both readings: the emitted Verilog against RTL and
//! model, and clean under every checker. The gate of all modules has tables of middle size.

use gpurf_blocks::{Parameters, Search};
use gpurf_hw::dialect::Module;
use gpurf_hw::multicast::{Iwmu, LrtCam, LrtScan};
use gpurf_testbenches::{run, settings, Engine, EngineKind, Failure, Random, Testbench};
use gpurf_verilog::{check, emit, Compiled, Verilated};

const SEED: u64 = 5;
const CYCLES: u64 = 10_000;

/// Entries and age of tables.
const SMALL: (usize, usize) = (16, 40);
const LARGE: (usize, usize) = (192, 0);

/// Both readings, with tables of these sizes.
fn each(sizes: &[(usize, usize)], mut test: impl FnMut(&Parameters)) {
    for &(lrt_entries, release_age) in sizes {
        for search in [Search::Scan, Search::Cam] {
            test(&Parameters { lrt_entries, search, release_age, ..Parameters::default() });
        }
    }
}

/// Random stimulus on model, RTL and Verilator; scenarios without the RTL, which is held to the model under
/// them, with tables of other sizes, in a test of all modules.
fn agree<M: Testbench>(make: impl Fn() -> M, parameters: &Parameters) -> Vec<(&'static str, u64)> {
    let engines = || -> [Engine<M>; 2] {
        let verilated = Verilated::new(&make()).expect("Verilator builds the module");
        [M::model(parameters), Box::new(verilated)]
    };
    for scenario in M::scenarios() {
        let failed = scenario.play_on(parameters, &mut engines());
        let line = |failure: Failure| failure.line(&[EngineKind::Model, EngineKind::Verilator]);
        let size = settings(&["lrt_entries", "search", "release_age"], parameters);
        assert_eq!(failed.map(line), None, "{size}");
    }
    let mut stimulus = M::stimulus(parameters);
    let mut random = Random::seeded(SEED);
    // A scan takes a cycle for each row: a large table fills and empties slowly.
    let longer = if parameters.search == Search::Scan { parameters.lrt_entries as u64 / 96 } else { 0 };
    let [model, verilated] = engines();
    let rtl = Compiled::new(&make()).expect("the RTL is compiled").engine();
    let mut all: [Engine<M>; 3] = [model, Box::new(rtl), verilated];
    let outcome = run(&mut all, &mut *stimulus, &mut random, CYCLES * (1 + longer), &mut |_, _, _| {});
    assert!(outcome.passed(), "{:?}, seed {SEED}: {outcome:?}", parameters);
    stimulus.coverage()
}

/// Large ones stand in a unit.
#[test]
fn tables_agree() {
    each(&[SMALL], |parameters| {
        match parameters.search {
            Search::Scan => agree(|| LrtScan::<6, 16>::new(parameters), parameters),
            Search::Cam => agree(|| LrtCam::<6, 16>::new(parameters), parameters),
        };
    });
}

#[test]
fn units_agree_and_meet_every_event() {
    each(&[SMALL, LARGE], |parameters| {
        let coverage = agree(|| Iwmu::<6, 16>::new(parameters), parameters);
        println!("{:?}: {coverage:?}", parameters);
        for (what, count) in coverage {
            let never = match what {
                "by age" => parameters.release_age == 0,
                // Entries can leave by age before a table is full.
                "found the table full" => parameters.release_age > 0,
                _ => false,
            };
            assert!(count > 0 || never, "{what} is never met, {:?}", parameters);
        }
    });
}

/// An address of another width: 18 bits are the shared memory of later GPUs.
#[test]
fn wider_addresses_agree() {
    let (lrt_entries, release_age) = SMALL;
    let parameters = Parameters { lrt_entries, release_age, ..Parameters::default() };
    agree(|| Iwmu::<6, 18>::new(&parameters), &parameters);
}

/// RTL, model and Verilog over a million loads, in either reading.
#[test]
#[ignore = "a quarter of an hour of processor time"]
fn units_agree_over_a_million_loads() {
    for search in [Search::Cam, Search::Scan] {
        let parameters = Parameters { lrt_entries: 16, search, ..Parameters::default() };
        let make = || Iwmu::<6, 16>::new(&parameters);
        let verilated = Verilated::new(&make()).expect("Verilator builds the module");
        let rtl = Compiled::new(&make()).expect("the RTL is compiled").engine();
        let mut engines: [Engine<Iwmu<6, 16>>; 3] =
            [<Iwmu<6, 16> as Testbench>::model(&parameters), Box::new(rtl), Box::new(verilated)];
        let mut stimulus = <Iwmu<6, 16> as Testbench>::stimulus(&parameters);
        let mut random = Random::seeded(SEED);
        let (mut loads, mut cycles) = (0, 0);
        while loads < 1_000_000 {
            let outcome = run(&mut engines, &mut *stimulus, &mut random, 100_000, &mut |_, _, _| {});
            assert!(outcome.passed(), "{search:?}, after {loads} loads, seed {SEED}: {outcome:?}");
            cycles += outcome.cycles;
            let counted = stimulus.coverage().into_iter().find(|(what, _)| *what == "loads");
            loads = counted.expect("loads are counted").1;
        }
        println!("{search:?}: {loads} loads in {cycles} cycles");
    }
}

fn is_clean(module: &impl Module) {
    let design = emit(module).expect("emits");
    for result in [check::iverilog_wall(&design), check::verilator_lint(&design), check::yosys_check(&design)]
    {
        assert!(result.is_ok(), "{}: {}", design.top, result.unwrap_err());
    }
}

/// A unit has a table in it.
#[test]
fn checkers_find_nothing() {
    each(&[SMALL, LARGE], |parameters| is_clean(&Iwmu::<6, 16>::new(parameters)));
}
