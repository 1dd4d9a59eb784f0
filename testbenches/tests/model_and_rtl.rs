//! Every module's RTL against its reference model: directed scenarios, and constrained-random stimulus
//! under proptest over parameters and choices.

use gpurf_blocks::{corners, Parameters, PARAMETERS};
use gpurf_hw::catalogue::{Entry, CATALOGUE};
use gpurf_testbenches::EngineKind::{Model, Rtl};
use gpurf_testbenches::{workbench, Outcome, Random};
use proptest::prelude::*;

fn compare(entry: &Entry, parameters: &Parameters, mut random: Random, cycles: u64) -> Outcome {
    let bench = workbench(entry.name, parameters);
    bench.run(&[Model, Rtl], &mut random, cycles, None).expect("nothing has to be built")
}

/// Any possible values, but tokens of 32 bits as data, and intervals so short that a run has many. Results that are
/// kept out of a collector always invalidate: without, stale values are found, as they should be.
fn parameters() -> impl Strategy<Value = Parameters> {
    prop::collection::vec(any::<prop::sample::Index>(), PARAMETERS.len()).prop_map(|indices| {
        let parameters = corners::chosen(|texts, place| indices[place].get(texts).clone());
        Parameters { width: 32, invalidate: true, interval: 1 + parameters.interval % 60, ..parameters }
    })
}

#[test]
fn directed_scenarios_hold() {
    let mut all = vec![];
    for number in 0..8 {
        // Loads wait for as long as the scenarios of multicasting need, and no run waits for a long age.
        let (interval, release_age) = (1 + 40 * number, [0, 100, 256, 5000][number % 4]);
        let parameters = Parameters { width: 32, interval, release_age, ..corners::varied(number) };
        for entry in CATALOGUE {
            let bench = workbench(entry.name, &parameters);
            let failures = bench.play(&[Model, Rtl]).expect("nothing has to be built");
            let named = failures.into_iter().map(|failure| format!("{}: {failure}", entry.name));
            all.extend(named.map(|failure| format!("{parameters:?}\n    {failure}")));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn agree_on_long_random_runs() {
    let parameters = Parameters { width: 32, interval: 50, ..Default::default() };
    for entry in CATALOGUE {
        let random = Random::seeded(7);
        let outcome = compare(entry, &parameters, random, 10_000);
        assert!(outcome.passed(), "{}, seed 7: {outcome:?}", entry.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn agree_under_any_parameters(
        parameters in parameters(),
        choices in prop::collection::vec(any::<u32>(), 12_000),
    ) {
        for entry in CATALOGUE {
            let random = Random::listed(choices.clone());
            let outcome = compare(entry, &parameters, random, 250);
            prop_assert!(outcome.passed(), "{}: {:?}", entry.name, outcome);
        }
    }
}
