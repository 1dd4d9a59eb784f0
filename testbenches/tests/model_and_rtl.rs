//! Every module's RTL against its reference model: directed scenarios, and constrained-random stimulus
//! under proptest over parameters and choices.

use gpurf_hw::catalogue::{Entry, Parameters, CATALOGUE};
use gpurf_hw::collector::Policy;
use gpurf_hw::dialect::Rtl;
use gpurf_hw::issue::{Allocation, IssueParameters, Occupied, Scheduling, Waiting};
use gpurf_hw::with_module;
use gpurf_testbenches::{run, Drive, Engine, Outcome, Random, Testbench};
use proptest::prelude::*;

fn engines<M: Testbench>(make: &impl Fn() -> M, parameters: &Parameters) -> [Engine<M>; 2] {
    [M::model(parameters), Box::new(Rtl::new(make()))]
}

fn compare<M: Testbench>(
    make: impl Fn() -> M,
    parameters: &Parameters,
    mut random: Random,
    cycles: u64,
) -> Outcome {
    let mut stimulus = M::stimulus(parameters);
    run::<M>(&mut engines(&make, parameters), &mut *stimulus, &mut random, cycles, |_, _, _| {})
}

fn direct<M: Testbench>(make: impl Fn() -> M, parameters: &Parameters) -> Vec<String> {
    let failures = M::scenarios().into_iter().filter_map(|scenario| {
        let mut engines = engines(&make, parameters);
        let failure = (scenario.play)(&mut Drive::new(parameters, &mut engines)).err()?;
        Some(format!("{} ({}): {failure}", scenario.name, scenario.rule))
    });
    failures.collect()
}

/// All policies of the issue stage, each in one of them.
const POLICIES: [(Scheduling, Occupied, Allocation, Waiting); 5] = [
    (Scheduling::Malekeh, Occupied::Skip, Allocation::Malekeh, Waiting::BelowThreshold),
    (Scheduling::Malekeh, Occupied::Stall, Allocation::Malekeh, Waiting::UpToThreshold),
    (Scheduling::GreedyThenOldest, Occupied::Skip, Allocation::OwnElseAnyFree, Waiting::BelowThreshold),
    (Scheduling::LooseRoundRobin, Occupied::Stall, Allocation::AnyFree, Waiting::BelowThreshold),
    (Scheduling::GreedyThenOldest, Occupied::Stall, Allocation::Private, Waiting::BelowThreshold),
];

/// The parameters, as far as the module can have them: caching collectors need an allocator that keeps a
/// warp to one of them.
fn suited(entry: &Entry, parameters: &Parameters) -> Parameters {
    let mut parameters = *parameters;
    if parameters.check_for(entry).is_err() {
        parameters.issue.allocation = Allocation::OwnElseAnyFree;
    }
    parameters
}

fn issue(policies: usize, interval: usize) -> IssueParameters {
    let (scheduling, occupied, allocation, waiting) = POLICIES[policies];
    IssueParameters { scheduling, occupied, allocation, waiting, interval, ..Default::default() }
}

/// Parameters that go together; simulated modules carry tokens of 32 bits.
fn parameters() -> impl Strategy<Value = Parameters> {
    let sizes = (prop::sample::select(vec![4, 8, 16]), 3..=7usize);
    let stage = (prop::sample::select(vec![1, 2, 4, 8]), prop::sample::select(vec![2, 4]));
    let window = (2..=8usize, 1..=4usize);
    let policies = (0..POLICIES.len(), 1..=60usize);
    (sizes, stage, window, any::<bool>(), any::<bool>(), policies).prop_map(
        |((entries, slots), (collectors, banks), window, lru, cache_far, (policies, interval))| {
            let mut parameters = Parameters { width: 32, entries, ..Default::default() };
            parameters.stage.slots = slots.min(entries - 1);
            (parameters.stage.collectors, parameters.stage.banks) = (collectors, banks);
            parameters.stage.policy = if lru { Policy::Lru } else { Policy::Malekeh };
            parameters.stage.cache_far = cache_far;
            (parameters.stage.window, parameters.stage.destinations) = window;
            parameters.issue = issue(policies, interval);
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
        (parameters.stage.window, parameters.stage.destinations) = window;
        for policy in [Policy::Malekeh, Policy::Lru] {
            parameters.stage.policy = policy;
            for entry in CATALOGUE {
                let parameters = suited(entry, &parameters);
                let failures = with_module!(entry.name, &parameters, make => direct(make, &parameters));
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
        let outcome =
            with_module!(entry.name, &parameters, make => compare(make, &parameters, random, 10_000));
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
            let parameters = suited(entry, &parameters);
            let outcome = with_module!(entry.name, &parameters, make => compare(make, &parameters, random, 250));
            prop_assert!(outcome.passed(), "{}: {:?}", entry.name, outcome);
        }
    }
}
