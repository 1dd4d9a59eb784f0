// SPDX-License-Identifier: Apache-2.0
//! Counts of an SM, and listeners to its events. Nothing here decides anything.

use crate::checkpoint::checkpoint;
use crate::statistics::{Counters, ResidentBlocks, Stalls};

use super::pipeline::Pipeline;
use super::usage::Usage;

/// Failed checks that are told in words; all of them are counted.
const TOLD_ERRORS: usize = 10;

#[derive(Default)]
pub(super) struct Records {
    pub counters: Counters,
    pub stalls: Stalls,
    pub blocks: ResidentBlocks,
    /// Which registers are used, if that is wanted.
    pub usage: Option<Box<Usage>>,
    /// The stages that instructions go through, if that is wanted.
    pub pipeline: Option<Box<Pipeline>>,
    /// Name of the kernel.
    pub kernel: String,
    /// The first few failed checks.
    pub errors: Vec<String>,
}

checkpoint! {
    [] Records {
        values: counters stalls blocks usage kernel errors;
        fixed: pipeline;
    }
}

impl Records {
    /// Lets those know who follow the instructions, if there are any. What an event or a failed check tells
    /// of is best moved into it: then nothing is stored for it while nothing is told.
    #[inline]
    pub fn show(&mut self, event: impl FnOnce(&mut Pipeline)) {
        if let Some(pipeline) = &mut self.pipeline {
            out_of_line(|| event(pipeline));
        }
    }

    /// Notes a failed check in cycle `now`; `what` is told for the first few.
    #[cold]
    pub fn report(&mut self, now: u64, what: impl FnOnce() -> String) {
        self.show(|pipeline| pipeline.fail(now));
        if self.errors.len() < TOLD_ERRORS {
            self.errors.push(format!("kernel {}, cycle {now}: {}", self.kernel, what()));
        }
    }

    /// The hardware does not do what the SM knows it must, in cycle `now`.
    #[cold]
    pub fn stage_error(&mut self, now: u64, what: impl FnOnce() -> String) {
        self.counters.stage_errors += 1;
        self.report(now, what);
    }
}

/// Keeps the work of few runs apart from the work of every cycle of all runs.
#[cold]
#[inline(never)]
fn out_of_line(action: impl FnOnce()) {
    action();
}
