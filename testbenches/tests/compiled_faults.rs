//! Faults in the compiled RTL: comparing it with the models finds them.

use gpurf_blocks::Parameters;
use gpurf_hw::collector::Ccu;
use gpurf_hw::dialect::Configured as _;
use gpurf_hw::finereg::LiveRegisterCache;
use gpurf_hw::multicast::LrtScan;
use gpurf_testbenches::{run, Engine, Random, Testbench};
use gpurf_verilog::{Compiled, Fault};

/// Places of each kind of fault that are tried.
const PLACES: usize = 20;
const CYCLES: u64 = 3_000;

/// The places at which a kind of fault goes unnoticed.
fn unnoticed<M: Testbench>(fault: fn(usize) -> Fault) -> Vec<usize> {
    let parameters = M::seen(&Parameters { width: 32, pcrf_entries: 256, interval: 50, ..Default::default() });
    let is_unnoticed = |place: &usize| {
        // Places next to each other are alike.
        let compiled = Compiled::faulty(&M::configured(&parameters), fault(7919 * place));
        let faulty: Engine<M> = Box::new(compiled.expect("it compiles").engine());
        let mut engines = [M::model(&parameters), faulty];
        let outcome =
            run(&mut engines, &mut *M::stimulus(&parameters), &mut Random::seeded(3), CYCLES, |_, _, _| {});
        outcome.passed()
    };
    (0..PLACES).filter(is_unnoticed).collect()
}

fn all_are_found<M: Testbench>() {
    assert_eq!(unnoticed::<M>(Fault::SwappedInputs), [0; 0], "inputs of a choice swapped");
    assert_eq!(unnoticed::<M>(Fault::ForgottenReader), [0; 0], "a reader not told of a change");
}

#[test]
fn faults_in_a_collector_are_found() {
    all_are_found::<Ccu<32, 3>>();
    assert_eq!(unnoticed::<Ccu<32, 3>>(Fault::IndexOffByOne), [0; 0], "an index off by one");
}

#[test]
fn faults_in_the_load_request_table_are_found() {
    all_are_found::<LrtScan<6, 16>>();
}

#[test]
fn faults_in_a_cache_of_vectors_are_found() {
    all_are_found::<LiveRegisterCache>();
}
