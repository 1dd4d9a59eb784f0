// SPDX-License-Identifier: Apache-2.0
//! A run beside its reference.

use gpurf_sim::config::Config;

use super::outcome::Outcome;

/// A run and what it is compared with, and the machine that each had.
pub struct Pair<'a> {
    pub run: &'a Outcome,
    pub reference: &'a Outcome,
    pub machine: &'a Config,
    pub reference_machine: &'a Config,
}
