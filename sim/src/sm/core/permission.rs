// SPDX-License-Identifier: Apache-2.0
//! The facts that a sub-core tells a scheduler of the whole SM, and the permission that comes back.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::WarpSet;

use crate::issue::WarpWaits;

/// The decision of a scheduler of the whole SM; a bit per warp.
#[derive(Clone, Copy, BorshSerialize, BorshDeserialize)]
pub(super) struct Permission {
    pub issue: WarpSet,
    pub active: WarpSet,
    /// It lets some warp of the SM issue.
    pub any: bool,
}

/// Facts that a scheduler of the whole SM needs.
pub(in crate::sm) struct Candidates {
    pub waits: WarpWaits,
    /// Or there are latches, whichever are full.
    pub free_collector: bool,
}
