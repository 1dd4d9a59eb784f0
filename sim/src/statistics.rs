// SPDX-License-Identifier: Apache-2.0
//! Counts of a run, and the JSON that they are written as.

pub(crate) mod counters;
mod sample;

use borsh::{BorshDeserialize, BorshSerialize};
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::energy::Energy;

use counters::is_zero;
pub use counters::{Counters, ResidentBlocks, Stalls};
pub(crate) use sample::{Auxiliary, Draw, Draws, Share, Stream};
pub use sample::{Estimate, Sample};

/// Counters with the ratios derived from them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct Summary {
    /// Events.
    #[serde(flatten)]
    pub counters: Counters,
    /// Warp instructions per cycle of the SM.
    pub ipc: f64,
    /// The same, from the launch of each kernel's first block to that of its last one: without the drain, in
    /// which fewer and fewer blocks are left. 0 if all blocks are launched at once.
    pub fed_ipc: f64,
    /// Hits per operand read.
    pub hit_ratio: f64,
    /// Cycles without an issue, by cause.
    pub stalls: Stalls,
}

impl Summary {
    /// With what follows from the counters.
    pub fn new(counters: Counters, stalls: Stalls) -> Self {
        Summary {
            ipc: ratio(counters.warp_instructions, counters.cycles),
            fed_ipc: ratio(counters.fed_instructions, counters.fed_cycles),
            hit_ratio: ratio(counters.hits, counters.operand_reads),
            counters,
            stalls,
        }
    }
}

/// `part / whole`, and 0 of nothing.
pub fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    part as f64 / whole as f64
}

/// A stretch of `config.hardware.interval` cycles; the last one of a run may be shorter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, BorshSerialize, BorshDeserialize)]
pub struct Interval {
    /// Last cycle of the interval, counted from 1.
    pub cycle: u64,
    /// The IPC of all SMs together.
    pub ipc: f64,
    /// Share of the operand reads that hit.
    pub hit_ratio: f64,
    /// STHLD during the interval.
    pub sthld: u32,
    /// State of the STHLD controller during the interval, 1 to 6; 0 if there is none.
    pub state: u32,
    /// Entries of an SM's load request table in use, on average; left out where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lrt_entries: f64,
    /// The most of an SM; left out where there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lrt_peak: u32,
}

/// One kernel of a run.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
pub struct KernelStatistics {
    /// Name of the kernel.
    pub name: String,
    /// Number of the launch.
    pub id: u32,
    /// Thread blocks run.
    pub blocks: u64,
    /// Thread blocks that are resident at a time, at most.
    pub resident_blocks: usize,
    /// Counts of the kernel.
    #[serde(flatten)]
    pub summary: Summary,
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Name of the design.
    pub design: String,
    /// The engine that ran the operand stages.
    pub engine: String,
    /// The seed of the hardware's random choices.
    pub seed: u64,
    /// Counts of the run.
    #[serde(flatten)]
    pub summary: Summary,
    /// Dynamic energy of the register file by component.
    pub energy_pj: Energy,
    /// Cycles in which two engines run in lockstep differed.
    pub divergences: u64,
    /// The first few failed checks, for people.
    pub errors: Vec<String>,
    /// Estimates for the whole run, if only some thread blocks were simulated. All other figures are of the
    /// simulated part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Sample>,
    /// Under a design that switches CTAs, or if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residency: Option<ResidentBlocks>,
    /// The intervals of STHLD, in order.
    pub intervals: Vec<Interval>,
    /// In the order of their launches.
    pub kernels: Vec<KernelStatistics>,
    /// The machine.
    pub config: Config,
}

impl Statistics {
    /// Every check held.
    pub fn is_sound(&self) -> bool {
        let counters = &self.summary.counters;
        counters.token_errors == 0
            && counters.stage_errors == 0
            && counters.delivery_errors == 0
            && self.divergences == 0
            && self.errors.is_empty()
    }
}
