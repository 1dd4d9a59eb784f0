//! Issue stage of a sub-core: which warp issues, into which collector, and how long it waits for one.

mod sthld_controller;
mod sthld_table;

pub use sthld_controller::{SthldController, SthldControllerIn, SthldControllerOut, MAX_INTERVAL};
pub use sthld_table::{SthldTable, Transition, STATES};

/// Policies of the issue stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IssueParameters {
    /// Cycles between two decisions of the STHLD controller.
    pub interval: usize,
    pub sthld_table: SthldTable,
}

impl Default for IssueParameters {
    fn default() -> Self {
        IssueParameters { interval: 10_000, sthld_table: SthldTable::default() }
    }
}
