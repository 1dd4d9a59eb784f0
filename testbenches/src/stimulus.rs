// SPDX-License-Identifier: Apache-2.0
//! Random stimulus that keeps to each module's protocol.
//!
//! What a module may be asked depends on what it answered: an occupied collector takes no instruction,
//! a value arrives only for a request. A stimulus therefore watches the outputs.

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
