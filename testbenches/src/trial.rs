// SPDX-License-Identifier: Apache-2.0
//! One run of a testbench: engines side by side, cycle by cycle.

use std::collections::BTreeMap;

use gpurf_blocks::{difference, Divergence, Ports};

use crate::{Ported, Random, Seen, Stimulus};

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Cycles run; fewer than asked for if something was wrong.
    pub cycles: u64,
    /// The first engine that differed from the first one, by its place, and where.
    pub divergence: Option<(usize, Divergence)>,
    /// An answer of the first engine that is wrong on its own account: cycle and reason.
    pub violation: Option<(u64, String)>,
    /// The ports of the cycle in which something was wrong.
    pub seen: Seen,
    /// Counts of the stimulus, where it counts what it meets.
    pub coverage: BTreeMap<&'static str, u64>,
}

impl Outcome {
    /// Returns true if nothing differed and no answer was wrong.
    pub fn passed(&self) -> bool {
        self.divergence.is_none() && self.violation.is_none()
    }
}

/// Drives all engines with one stimulus for so many cycles; stops at the first thing that is wrong.
/// `watch` sees the inputs and the first engine's outputs of every cycle.
pub fn run<I: Ports, O: Ports>(
    engines: &mut [Ported<I, O>],
    stimulus: &mut dyn Stimulus<I, O>,
    random: &mut Random,
    cycles: u64,
    watch: &mut dyn FnMut(u64, &I, &O),
) -> Outcome {
    let mut outcome = Outcome::default();
    for cycle in 0..cycles {
        let inputs = stimulus.next(random);
        let (outputs, divergence) = settle(engines, &inputs, cycle);
        outcome.divergence = divergence;
        watch(cycle, &inputs, &outputs);
        if let Err(reason) = stimulus.observe(&inputs, &outputs) {
            outcome.violation = Some((cycle, reason));
        }
        engines.iter_mut().for_each(|engine| engine.tick());
        outcome.cycles = cycle + 1;
        if !outcome.passed() {
            outcome.seen = Seen::new(cycle, &inputs, &outputs);
            break;
        }
    }
    outcome.coverage = stimulus.coverage().into_iter().collect();
    outcome
}

/// Settles all engines in a cycle: the outputs of the first, and the place of the first other one that
/// answers differently, and where.
pub(crate) fn settle<I: Ports, O: Ports>(
    engines: &mut [Ported<I, O>],
    inputs: &I,
    cycle: u64,
) -> (O, Option<(usize, Divergence)>) {
    let (first, others) = engines.split_first_mut().expect("at least one engine");
    let outputs = first.settle(inputs);
    let mut divergence = None;
    for (place, engine) in others.iter_mut().enumerate() {
        let answer = engine.settle(inputs);
        if answer != outputs && divergence.is_none() {
            divergence = Some((place + 1, difference(cycle, outputs, answer)));
        }
    }
    (outputs, divergence)
}
