// SPDX-License-Identifier: Apache-2.0
//! The STHLD controller on synthetic curves (F Fig. 9), model and RTL, and both over many random intervals.

use gpurf_blocks::{Parameters, SthldTable, Transition};
use gpurf_hw::dialect::Rtl;
use gpurf_hw::issue::SthldController;
use gpurf_sim::issue::{self as model, Curve, Walk};
use gpurf_testbenches::{run, Engine, Random, Testbench};

/// Cycles: long enough that the noise is not rounded away.
const INTERVAL: usize = 500;
const NOISE: f64 = 0.005;
const KNEES: [u32; 5] = [0, 2, 5, 10, 20];
/// Intervals of each curve; it must have settled after the first 30.
const PHASE: usize = 50;
const SETTLED: usize = 30;

fn parameters(sthld_table: SthldTable) -> Parameters {
    Parameters { interval: INTERVAL, sthld_table, ..Parameters::default() }
}

fn engines() -> [(&'static str, Engine<SthldController>); 2] {
    let parameters = parameters(SthldTable::default());
    [
        ("model", Box::new(model::SthldController::new(&parameters))),
        ("rtl", Box::new(Rtl::new(SthldController::new(&parameters)))),
    ]
}

/// Two curves one after the other; the level moves by 5% in the direction of the knee.
fn phases(first: u32, second: u32, slope: f64) -> [(Curve, usize); 2] {
    let level = if second < first { 0.95 } else { 1.05 };
    let curve = |knee, level| (Curve { level: 2.0 * level, knee, slope }, PHASE);
    [curve(first, 1.0), curve(second, level)]
}

#[test]
fn settles_at_the_knee_and_again_when_the_curve_changes() {
    for slope in [0.015, 0.03, 0.1] {
        for first in KNEES {
            for second in KNEES.into_iter().filter(|second| *second != first) {
                for (name, mut controller) in engines() {
                    let seed = (7 * first + second) as u8;
                    let curves = phases(first, second, slope);
                    let walk = Walk::new(&mut controller, INTERVAL, &curves, NOISE, seed);
                    for phase in [0, PHASE] {
                        assert!(
                            walk.settled(phase + SETTLED..phase + PHASE, 2),
                            "{name}: knee {first}, then {second}, slope {slope}\n{}",
                            walk.csv()
                        );
                    }
                }
            }
        }
    }
}

/// Why the first reconstruction was given up: at a steep knee its last step, from state 5 to 6, is itself a
/// large change.
#[test]
fn a_rest_that_moves_never_rests() {
    let mut first = SthldTable::default();
    first.state[1].large = Transition { next: 3, step: 1 };
    first.state[2].large = Transition { next: 4, step: -3 };
    first.state[4].small = Transition { next: 6, step: 0 };
    first.state[4].large = Transition { next: 6, step: -1 };
    first.state[5].large = Transition { next: 3, step: 1 };
    let curve = Curve { level: 2.0, knee: 0, slope: 0.05 };
    let changes_at_the_end = |table| {
        let mut controller = model::SthldController::new(&parameters(table));
        let walk = Walk::new(&mut controller, INTERVAL, &[(curve, 200)], 0.0, 0);
        walk.steps[150..].windows(2).filter(|pair| pair[0].sthld != pair[1].sthld).count()
    };
    assert!(changes_at_the_end(first) > 10);
    assert_eq!(changes_at_the_end(SthldTable::default()), 0);
}

#[test]
fn agree_over_ten_thousand_random_intervals() {
    // Rates of whole instructions a cycle meet the threshold of a fiftieth exactly.
    let parameters = Parameters { interval: 50, ..Parameters::default() };
    let mut engines: [Engine<SthldController>; 2] =
        [SthldController::model(&parameters), Box::new(Rtl::new(SthldController::new(&parameters)))];
    let mut stimulus = SthldController::stimulus(&parameters);
    let mut visits = [0u64; 7];
    let outcome = run(
        &mut engines,
        &mut *stimulus,
        &mut Random::seeded(3),
        10_000 * parameters.interval as u64,
        &mut |_, _, out| visits[out.state as usize] += u64::from(out.interval_end),
    );
    assert!(outcome.passed(), "seed 3: {outcome:?}");
    assert_eq!(visits.iter().sum::<u64>(), 10_000);
    assert!(visits[2..].iter().all(|&intervals| intervals > 300), "every state is met often: {visits:?}");
}
