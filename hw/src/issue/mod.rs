//! Issue stage of a sub-core: which warp issues, into which collector, and how long it waits for one.

mod collector_allocator;
mod issue_stage;
mod sthld_controller;
mod warp_scheduler;

pub use collector_allocator::{CollectorAllocator, CollectorAllocatorIn, CollectorAllocatorOut};
pub use issue_stage::{IssueStage, IssueStageIn, IssueStageOut};
pub use sthld_controller::{SthldController, SthldControllerIn, SthldControllerOut};
pub use warp_scheduler::{WarpScheduler, WarpSchedulerIn, WarpSchedulerOut};
