//! What a sub-core tells a scheduler of the whole SM, and what that lets it do.

use gpurf_blocks::WarpSet;

/// The decision of a scheduler of the whole SM; a bit per warp.
#[derive(Clone, Copy)]
pub(super) struct Permission {
    pub issue: WarpSet,
    pub active: WarpSet,
    /// It lets some warp of the SM issue.
    pub any: bool,
}

/// What a scheduler of the whole SM has to know; a bit per warp.
pub(in crate::sm) struct Candidates {
    pub ready: WarpSet,
    /// Waiting for something other than memory.
    pub dependence: WarpSet,
    /// Waiting for shared memory.
    pub shared: WarpSet,
    /// Waiting for other memory, or at a barrier.
    pub others: WarpSet,
    pub free_collector: bool,
}
