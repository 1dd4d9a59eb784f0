// SPDX-License-Identifier: Apache-2.0
//! Random stimulus that keeps to each module's protocol.
//!
//! What a module may be asked depends on what it answered: an occupied collector takes no instruction,
//! a value arrives only for a request. A stimulus therefore watches the outputs.

use gpurf_blocks::{pack, unpack, Ports};

use crate::Random;

/// Inputs for a module, cycle by cycle.
pub trait Stimulus<I, O> {
    /// Inputs of the next cycle.
    fn next(&mut self, random: &mut Random) -> I;

    /// Takes the module's answer to them. An error says which answer was wrong on its own account, whatever
    /// other engines answered.
    fn observe(&mut self, _inputs: &I, _outputs: &O) -> Result<(), String> {
        Ok(())
    }

    /// Counts of the things that the run has met.
    fn coverage(&self) -> Vec<(&'static str, u64)> {
        vec![]
    }
}

impl<I, O, S: Stimulus<I, O> + ?Sized> Stimulus<I, O> for &mut S {
    fn next(&mut self, random: &mut Random) -> I {
        (**self).next(random)
    }

    fn observe(&mut self, inputs: &I, outputs: &O) -> Result<(), String> {
        (**self).observe(inputs, outputs)
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        (**self).coverage()
    }
}

/// A stimulus whose ports are packed words.
pub(crate) trait PackedStimulus {
    /// Writes the inputs of the next cycle.
    fn next(&mut self, random: &mut Random, inputs: &mut [u32]);

    /// Takes the answer to them: see [`Stimulus::observe`].
    fn observe(&mut self, outputs: &[u32]) -> Result<(), String>;

    /// As [`Stimulus::coverage`].
    fn coverage(&self) -> Vec<(&'static str, u64)>;
}

/// A stimulus of known ports, behind packed words.
pub(crate) struct TypedStimulus<'a, I, O> {
    pub stimulus: Box<dyn Stimulus<I, O> + 'a>,
    pub inputs: I,
}

impl<I: Ports, O: Ports> PackedStimulus for TypedStimulus<'_, I, O> {
    fn next(&mut self, random: &mut Random, inputs: &mut [u32]) {
        self.inputs = self.stimulus.next(random);
        pack(&self.inputs, inputs);
    }

    fn observe(&mut self, outputs: &[u32]) -> Result<(), String> {
        self.stimulus.observe(&self.inputs, &unpack(outputs))
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        self.stimulus.coverage()
    }
}
