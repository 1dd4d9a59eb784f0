// SPDX-License-Identifier: Apache-2.0
//! The time of an SM.

use borsh::{BorshDeserialize, BorshSerialize};

#[derive(Clone, Copy, Debug, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Clock {
    /// The present cycle of the run, counted from 0.
    pub now: u64,
    /// Cycle of the last issue, dispatch or completion.
    pub last_progress: u64,
}

impl Clock {
    /// Something issues, is dispatched or completes in this cycle.
    #[inline]
    pub fn progress(&mut self) {
        self.last_progress = self.now;
    }
}
