//! Every module's RTL against its reference model: directed scenarios, and constrained-random stimulus
//! under proptest over parameters and choices.

use gpurf_blocks::{
    Allocation, Choice, Occupied, Parameters, ReplacementPolicy, Scheduling, Search, Tie, Waiting,
};
use gpurf_hw::catalogue::{Entry, CATALOGUE};
use gpurf_testbenches::EngineKind::{Model, Rtl};
use gpurf_testbenches::{workbench, Outcome, Random};
use proptest::prelude::*;

fn compare(entry: &Entry, parameters: &Parameters, mut random: Random, cycles: u64) -> Outcome {
    let bench = workbench(entry.name, parameters);
    bench.run(&[Model, Rtl], &mut random, cycles, None).expect("nothing has to be built")
}

/// All policies of the issue stage, each in one of them.
const POLICIES: [(Scheduling, Occupied, Allocation, Waiting); 5] = [
    (Scheduling::Malekeh, Occupied::Skip, Allocation::Malekeh, Waiting::Below),
    (Scheduling::Malekeh, Occupied::Stall, Allocation::Malekeh, Waiting::UpTo),
    (Scheduling::Gto, Occupied::Skip, Allocation::OwnElseAnyFree, Waiting::Below),
    (Scheduling::Lrr, Occupied::Stall, Allocation::AnyFree, Waiting::Below),
    (Scheduling::Gto, Occupied::Stall, Allocation::Private, Waiting::Below),
];

fn issue(policies: usize, interval: usize) -> Parameters {
    let (scheduling, occupied, allocation, waiting) = POLICIES[policies];
    Parameters { scheduling, occupied, allocation, waiting, interval, ..Default::default() }
}

/// Tables of inter-warp multicasting: both readings, and entries that never leave by age.
const TABLES: [Parameters; 5] = [
    Parameters { entries: 64, search: Search::Scan, release_age: 0 },
    Parameters { entries: 64, search: Search::Cam, release_age: 0 },
    Parameters { entries: 192, search: Search::Scan, release_age: 256 },
    Parameters { entries: 192, search: Search::Cam, release_age: 5000 },
    Parameters { entries: 16, search: Search::Scan, release_age: 100 },
];
/// Small sizes of FineReg, with every policy in one of them.
fn finereg(number: usize) -> Parameters {
    let default = Parameters::default();
    let tie = Tie::RoundRobin;
    [
        Parameters { entries: 64, ctas: 16, latency: 1, next_latency: 1, count_bits: 6, tie },
        Parameters { entries: 64, ctas: 32, ..default },
        Parameters { entries: 256, next_latency: 1, tie, ..default },
        Parameters { entries: 256, latency: 5, next_latency: 2, count_bits: 6, ..default },
    ][number % 4]
}

/// Parameters that go together; simulated modules carry tokens of 32 bits.
fn parameters() -> impl Strategy<Value = Parameters> {
    let sizes = (prop::sample::select(vec![4, 8, 16]), 3..=7usize);
    let stage = (prop::sample::select(vec![1, 2, 4, 8]), prop::sample::select(vec![2, 4]), 1..=2usize);
    let window = (2..=8usize, 1..=4usize);
    let policies = (0..POLICIES.len(), 1..=60usize);
    (sizes, stage, window, any::<bool>(), any::<bool>(), any::<bool>(), policies).prop_map(
        |(
            (entries, slots),
            (collectors, banks, d_ports),
            window,
            lru,
            cache_far,
            fixed,
            (policies, interval),
        )| {
            let mut parameters = Parameters { width: 32, entries, ..Default::default() };
            parameters.stage.slots = slots.min(entries - 1);
            (parameters.stage.collectors, parameters.stage.banks) = (collectors, banks);
            parameters.stage.d_ports = d_ports;
            parameters.stage.policy = if lru { ReplacementPolicy::Lru } else { ReplacementPolicy::Malekeh };
            parameters.stage.cache_far = cache_far;
            (parameters.stage.window, parameters.stage.destinations) = window;
            parameters.issue = issue(policies, interval);
            if fixed {
                (parameters.stage.choice, parameters.issue.choice) = (Choice::Fixed, Choice::Fixed);
            }
            parameters.iwmu = TABLES[policies];
            parameters.finereg = finereg(interval);
            if parameters.issue.allocation == Allocation::Private {
                parameters.stage.collectors = 8;
            }
            parameters
        },
    )
}

#[test]
fn directed_scenarios_hold() {
    let mut all = vec![];
    let sizes = [(8, 7, 2, 2), (8, 6, 1, 4), (4, 3, 8, 2), (16, 7, 4, 4), (8, 7, 8, 2)];
    let windows = [(3, 2), (8, 4), (2, 1), (4, 3), (3, 4)];
    for (policies, ((entries, slots, collectors, banks), window)) in
        sizes.into_iter().zip(windows).enumerate()
    {
        let issue = issue(policies, 40 * policies + 1);
        let mut parameters = Parameters { width: 32, entries, issue, ..Default::default() };
        (parameters.stage.slots, parameters.stage.collectors) = (slots, collectors);
        parameters.stage.banks = banks;
        parameters.stage.d_ports = 1 + policies % 2;
        (parameters.stage.window, parameters.stage.destinations) = window;
        parameters.iwmu = TABLES[policies];
        parameters.finereg = finereg(policies);
        for policy in [ReplacementPolicy::Malekeh, ReplacementPolicy::Lru] {
            parameters.stage.policy = policy;
            for entry in CATALOGUE {
                let bench = workbench(entry.name, &parameters);
                let failures = bench.play(&[Model, Rtl]).expect("nothing has to be built");
                let named = failures.into_iter().map(|failure| format!("{}: {failure}", entry.name));
                all.extend(named.map(|failure| format!("{parameters:?}\n    {failure}")));
            }
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn agree_on_long_random_runs() {
    let parameters = Parameters { width: 32, issue: issue(0, 50), ..Default::default() };
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
