//! Reference models of the issue stage, written from W §5 to §7 and F §IV-B.

mod collector_allocator;
mod issue_stage;
mod sthld_controller;
mod warp_scheduler;

pub use collector_allocator::{Answer, CollectorAllocator};
pub use issue_stage::{Holders, IssueStage};
pub use sthld_controller::{Curve, SthldController, Walk, WalkStep};
pub use warp_scheduler::WarpScheduler;
