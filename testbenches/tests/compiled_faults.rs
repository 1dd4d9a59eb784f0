// SPDX-License-Identifier: Apache-2.0
//! Faults in the compiled RTL: comparing it with the models finds them.

use gpurf_blocks::{Parameters, PortLayout, Typed};
use gpurf_hw::collector::Ccu;
use gpurf_hw::finereg::LiveRegisterCache;
use gpurf_hw::multicast::LrtScan;
use gpurf_testbenches::{run, Engine, Random, Testbench};
use gpurf_verilog::{Fault, PackedCompiled};

/// Places of each kind of fault that are tried.
const PLACES: usize = 24;
const CYCLES: u64 = 3_000;

/// How many faults of a kind go unnoticed.
fn unnoticed<M: Testbench>(fault: fn(usize) -> Fault) -> usize {
    let given =
        Parameters { width: 32, pcrf_entries: 256, lrt_entries: 16, interval: 50, ..Default::default() };
    let parameters = M::seen(&given);
    let is_unnoticed = |place: &usize| {
        // Places next to each other are alike.
        let (module, layout) = (M::configured(&parameters), PortLayout::of::<M::In, M::Out>());
        let compiled = PackedCompiled::faulty(&module, &layout, fault(7919 * place));
        let faulty: Engine<M> = Box::new(Typed::new(compiled.expect("it compiles").engine()));
        let mut engines = [M::model(&parameters), faulty];
        let outcome = run(
            &mut engines,
            &mut *M::stimulus(&parameters),
            &mut Random::seeded(3),
            CYCLES,
            &mut |_, _, _| {},
        );
        outcome.passed()
    };
    (0..PLACES).filter(is_unnoticed).count()
}

/// A fault that is not noticed lies where nothing depends on it in these cycles: few do, but of changes that
/// are not told, since most code runs for another change as well.
fn most_are_found<M: Testbench>() {
    let swapped = unnoticed::<M>(Fault::SwappedInputs);
    assert!(swapped <= PLACES / 8, "{swapped} of {PLACES} choices with swapped inputs go unnoticed");
    let forgotten = unnoticed::<M>(Fault::ForgottenChange);
    assert!(forgotten <= PLACES / 2, "{forgotten} of {PLACES} changes of which nobody is told go unnoticed");
}

#[test]
fn faults_in_a_collector_are_found() {
    most_are_found::<Ccu<32, 3>>();
    let shifted = unnoticed::<Ccu<32, 3>>(Fault::IndexOffByOne);
    assert!(shifted <= PLACES / 4, "{shifted} of {PLACES} indices off by one go unnoticed");
}

#[test]
fn faults_in_the_load_request_table_are_found() {
    most_are_found::<LrtScan<6, 16>>();
}

#[test]
fn faults_in_a_cache_of_vectors_are_found() {
    most_are_found::<LiveRegisterCache>();
}
