//! Every module's RTL against its reference model, on random stimulus.

use gpurf_hw::catalogue::{Parameters, CATALOGUE};
use gpurf_hw::dialect::Rtl;
use gpurf_hw::with_module;
use gpurf_testbenches::{run, Engine, Random, Testbench};

fn compare<M: Testbench>(make: impl Fn() -> M, parameters: &Parameters, seed: u64, cycles: u64) {
    let mut engines: [Engine<M>; 2] = [M::model(parameters), Box::new(Rtl::new(make()))];
    let mut stimulus = M::stimulus(parameters);
    let outcome = run::<M>(&mut engines, &mut *stimulus, &mut Random::seeded(seed), cycles, |_, _, _| {});
    assert!(outcome.passed(), "{parameters:?}, seed {seed}: {outcome:?}");
}

#[test]
fn agree_with_default_parameters() {
    let mut parameters = Parameters::default();
    parameters.width = 32;
    for entry in CATALOGUE {
        let start = std::time::Instant::now();
        with_module!(entry.name, &parameters, make => compare(make, &parameters, 7, 3000));
        println!("{}: {:?}", entry.name, start.elapsed());
    }
}
