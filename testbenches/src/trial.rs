// SPDX-License-Identifier: Apache-2.0
//! One run of a testbench: engines side by side, cycle by cycle.

use std::collections::BTreeMap;

use gpurf_blocks::{packed_difference, unpack, Divergence, Packed, PackedClocked, PortLayout, Ports};

use crate::stimulus::{PackedStimulus, TypedStimulus};
use crate::{Ported, Random, Seen, Stimulus};

/// The findings of a run.
#[derive(Clone, Debug, Default)]
pub struct TrialOutcome {
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

impl TrialOutcome {
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
) -> TrialOutcome {
    let mut stimulus = TypedStimulus { stimulus: Box::new(stimulus), inputs: I::default() };
    let mut watch = |cycle, inputs: &[u32], outputs: &[u32]| watch(cycle, &unpack(inputs), &unpack(outputs));
    let layout = PortLayout::of::<I, O>();
    run_packed(&layout, &mut packed(engines), &mut stimulus, random, cycles, &mut watch)
}

/// Engines of known ports, behind packed words.
pub(crate) fn packed<I: Ports, O: Ports>(engines: &mut [Ported<I, O>]) -> Vec<Box<dyn PackedClocked + '_>> {
    let packed = |engine| -> Box<dyn PackedClocked + '_> { Box::new(Packed(engine)) };
    engines.iter_mut().map(packed).collect()
}

/// Sees the number, the inputs and the first engine's outputs of every cycle.
pub(crate) type Watch<'a> = &'a mut dyn FnMut(u64, &[u32], &[u32]);

/// Drives packed engines as [`run`] does those of known ports.
pub(crate) fn run_packed(
    layout: &PortLayout,
    engines: &mut [Box<dyn PackedClocked + '_>],
    stimulus: &mut dyn PackedStimulus,
    random: &mut Random,
    cycles: u64,
    watch: Watch,
) -> TrialOutcome {
    let mut outcome = TrialOutcome::default();
    let mut inputs = layout.no_inputs();
    let mut settling = Settling::new(layout);
    for cycle in 0..cycles {
        stimulus.next(random, &mut inputs);
        outcome.divergence = settling.settle(engines, &inputs, cycle);
        watch(cycle, &inputs, &settling.outputs);
        if let Err(reason) = stimulus.observe(&settling.outputs) {
            outcome.violation = Some((cycle, reason));
        }
        engines.iter_mut().for_each(|engine| engine.tick());
        outcome.cycles = cycle + 1;
        if !outcome.passed() {
            outcome.seen = Seen::new(cycle, layout, &inputs, &settling.outputs);
            break;
        }
    }
    outcome.coverage = stimulus.coverage().into_iter().collect();
    outcome
}

/// Engines that settle side by side.
pub(crate) struct Settling<'a> {
    layout: &'a PortLayout,
    /// Answer of the first engine.
    pub outputs: Vec<u32>,
    answer: Vec<u32>,
}

impl<'a> Settling<'a> {
    pub fn new(layout: &'a PortLayout) -> Self {
        Settling { layout, outputs: layout.no_outputs(), answer: layout.no_outputs() }
    }

    /// Settles all engines in a cycle: the place of the first one that answers differently from the first of
    /// all, and where.
    pub fn settle(
        &mut self,
        engines: &mut [Box<dyn PackedClocked + '_>],
        inputs: &[u32],
        cycle: u64,
    ) -> Option<(usize, Divergence)> {
        let (first, others) = engines.split_first_mut().expect("at least one engine");
        first.settle(inputs, &mut self.outputs);
        let mut divergence = None;
        for (place, engine) in others.iter_mut().enumerate() {
            engine.settle(inputs, &mut self.answer);
            if self.answer != self.outputs && divergence.is_none() {
                let found = packed_difference(cycle, &self.layout.outputs, &self.outputs, &self.answer);
                divergence = Some((place + 1, found));
            }
        }
        divergence
    }
}
