//! Issue stage of a sub-core: which warp issues, into which collector, and how long it waits for one.

mod collector_allocator;
mod issue_stage;
mod sthld_controller;
mod sthld_table;
mod warp_scheduler;

pub use collector_allocator::{CollectorAllocator, CollectorAllocatorIn, CollectorAllocatorOut};
pub use issue_stage::{IssueStage, IssueStageIn, IssueStageOut, HEAD_DESTINATIONS, HEAD_SLOTS};
pub use sthld_controller::{SthldController, SthldControllerIn, SthldControllerOut, MAX_INTERVAL};
pub use sthld_table::{Edges, SthldTable, Transition, STATES};
pub use warp_scheduler::{WarpScheduler, WarpSchedulerIn, WarpSchedulerOut};

use crate::cells::Choice;

/// Warps of a sub-core: 32 per SM and four sub-cores, F Table I.
pub const WARPS: usize = 8;

/// Which ready warp goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// The warp issued last; else the oldest of those with data in a collector; else the oldest. F §IV-B1.
    Malekeh,
    /// The warp issued last; else the oldest.
    GreedyThenOldest,
    /// In turn, passing over those that are not ready.
    LooseRoundRobin,
}

/// What the scheduler does about a warp whose own collector is occupied. F §IV-B allows both readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupied {
    /// It passes over the warp.
    Skip,
    /// It selects the warp, which then gets no collector: nothing issues in this cycle.
    Stall,
}

/// Which collector an instruction enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// A random free one. F §II. A warp's values may then be in several caching collectors, all of which see
    /// its results.
    AnyFree,
    /// The one that holds the warp's data, if it is free; else a random free one.
    OwnElseAnyFree,
    /// The same, but collectors with far values only go first, and the others are waited for. F §IV-B2.
    Malekeh,
    /// Each of eight warps has its own. F §VI-B.
    Private,
}

/// How long an allocation waits rather than take a collector with near values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// "If the counter is lower than STHLD, no CCU is allocated" (F §IV-B2).
    BelowThreshold,
    /// "Only when the counter is higher than STHLD will the CCU be replaced" (W §6).
    UpToThreshold,
}

/// Policies of the issue stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssueParameters {
    pub scheduling: Scheduling,
    pub occupied: Occupied,
    pub allocation: Allocation,
    pub waiting: Waiting,
    /// Of one of several free collectors.
    pub choice: Choice,
    /// Of the random choices.
    pub seed: u8,
    /// Cycles between two decisions of the STHLD controller.
    pub interval: usize,
    pub sthld_table: SthldTable,
}

impl IssueParameters {
    /// Those of an issue stage, as a module's name has them.
    pub fn of_stage(&self) -> [(&'static str, usize); 6] {
        [
            ("sched", self.scheduling as usize),
            ("skip", (self.occupied == Occupied::Skip) as usize),
            ("alloc", self.allocation as usize),
            ("upto", (self.waiting == Waiting::UpToThreshold) as usize),
            ("fixed", (self.choice == Choice::Fixed) as usize),
            ("seed", self.seed.into()),
        ]
    }
}

impl Default for IssueParameters {
    /// Malekeh as in the full paper.
    fn default() -> Self {
        IssueParameters {
            scheduling: Scheduling::Malekeh,
            occupied: Occupied::Skip,
            allocation: Allocation::Malekeh,
            waiting: Waiting::BelowThreshold,
            choice: Choice::Random,
            seed: 0,
            interval: 10_000,
            sthld_table: SthldTable::default(),
        }
    }
}
