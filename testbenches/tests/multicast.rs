//! Inter-warp multicasting with small, middle and large tables, in both readings: the emitted Verilog against
//! RTL and model, and clean under every checker.

use gpurf_hw::catalogue::Parameters;
use gpurf_hw::dialect::{Module, Rtl};
use gpurf_hw::multicast::{Iwmu, IwmuParameters, LrtCam, LrtScan, Search};
use gpurf_testbenches::{run, Drive, Engine, Random, Testbench};
use gpurf_verilog::{check, emit, Verilated};

const SEED: u64 = 5;
const CYCLES: u64 = 10_000;

/// Entries and age of the tables; both readings have each.
const TABLES: [(usize, usize); 4] = [(16, 0), (16, 40), (64, 256), (192, 0)];

fn each(mut test: impl FnMut(&Parameters)) {
    for (entries, release_age) in TABLES {
        for search in [Search::Scan, Search::Cam] {
            let iwmu = IwmuParameters { entries, search, release_age };
            test(&Parameters { iwmu, ..Parameters::default() });
        }
    }
}

/// Scenarios and random stimulus on model, RTL and Verilator.
fn agree<M: Testbench>(make: impl Fn() -> M, parameters: &Parameters) -> Vec<(&'static str, u64)> {
    let engines = || -> [Engine<M>; 3] {
        let verilated = Verilated::new(&make()).expect("Verilator builds the module");
        [M::model(parameters), Box::new(Rtl::new(make())), Box::new(verilated)]
    };
    for scenario in M::scenarios() {
        let result = (scenario.play)(&mut Drive::new(parameters, &mut engines()));
        assert_eq!(result, Ok(()), "{}, {:?}", scenario.name, parameters.iwmu);
    }
    let mut stimulus = M::stimulus(parameters);
    let mut random = Random::seeded(SEED);
    let outcome = run::<M>(&mut engines(), &mut *stimulus, &mut random, CYCLES, |_, _, _| {});
    assert!(outcome.passed(), "{:?}, seed {SEED}: {outcome:?}", parameters.iwmu);
    stimulus.coverage()
}

#[test]
fn tables_agree() {
    each(|parameters| {
        let entries = parameters.iwmu.entries;
        match parameters.iwmu.search {
            Search::Scan => agree(|| LrtScan::<6, 16>::new(entries), parameters),
            Search::Cam => agree(|| LrtCam::<6, 16>::new(entries), parameters),
        };
    });
}

#[test]
fn units_agree_and_meet_every_event() {
    each(|parameters| {
        let coverage = agree(|| Iwmu::<6, 16>::new(parameters.iwmu), parameters);
        println!("{:?}: {coverage:?}", parameters.iwmu);
        for (what, count) in coverage {
            let never = match what {
                "by age" => parameters.iwmu.release_age == 0,
                // Wider tables are full in longer runs only.
                "found the table full" => parameters.iwmu.entries > 16 || parameters.iwmu.release_age > 0,
                _ => false,
            };
            assert!(count > 0 || never, "{what} is never met, {:?}", parameters.iwmu);
        }
    });
}

/// An address of another width: 18 bits are the shared memory of later GPUs.
#[test]
fn wider_addresses_agree() {
    let parameters = Parameters::default();
    agree(|| Iwmu::<6, 18>::new(parameters.iwmu), &parameters);
}

fn is_clean(module: &impl Module) {
    let design = emit(module).expect("emits");
    for result in [check::iverilog_wall(&design), check::verilator_lint(&design), check::yosys_check(&design)]
    {
        assert!(result.is_ok(), "{}: {}", design.top, result.unwrap_err());
    }
}

#[test]
fn checkers_find_nothing() {
    each(|parameters| {
        match parameters.iwmu.search {
            Search::Scan => is_clean(&LrtScan::<6, 16>::new(parameters.iwmu.entries)),
            Search::Cam => is_clean(&LrtCam::<6, 16>::new(parameters.iwmu.entries)),
        }
        is_clean(&Iwmu::<6, 16>::new(parameters.iwmu));
    });
}
