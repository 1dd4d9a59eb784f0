// SPDX-License-Identifier: Apache-2.0
//! The counts of a run.

use gpurf_sim::energy::Energy;
use gpurf_sim::sm::Design;
use gpurf_sim::statistics::{Counters, Interval, ResidentBlocks, Stalls};
use serde::{Deserialize, Serialize};

use super::stream::Stream;

/// The counts of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub workload: String,
    pub design: String,
    pub label: String,
    pub ipc: f64,
    pub hit_ratio: f64,
    pub counters: Counters,
    pub stalls: Stalls,
    pub energy_pj: Energy,
    pub intervals: Vec<Interval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub residency: Option<ResidentBlocks>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    /// Every check held.
    pub sound: bool,
    pub errors: Vec<String>,
}

impl Outcome {
    /// The same under another label.
    pub fn called(&self, label: &str) -> Outcome {
        Outcome { label: label.into(), ..self.clone() }
    }

    /// The design that it ran under.
    pub fn design(&self) -> Design {
        self.design.parse().expect("what has run is a design")
    }
}
