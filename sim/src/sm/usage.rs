// SPDX-License-Identifier: Apache-2.0
//! How much of the register file is in use: R §III-B, Fig. 5. Of the registers allocated to the active
//! blocks, the share that is read or written in a window of `finereg.window` instructions of the SM.
//!
//! R says "1,000-instruction frames" and not whose instructions; the register file is the SM's. A warp slot
//! that changes hands within a window counts once for each register number.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, MAX_WARPS, SUB_CORES};
use gpurf_trace::RegisterSet;

#[derive(Clone, BorshSerialize, BorshDeserialize)]
pub(super) struct Usage {
    /// In instructions.
    window: u64,
    touched: [[RegisterSet; MAX_WARPS]; SUB_CORES],
    issued: u64,
}

impl Usage {
    pub fn new(window: u64) -> Usage {
        Usage { window, touched: Default::default(), issued: 0 }
    }

    pub fn issue(&mut self, sub_core: usize, warp: WarpId, touches: RegisterSet) {
        let touched = &mut self.touched[sub_core][warp.index()];
        *touched = touched.union(touches);
        self.issued += 1;
    }

    /// At the end of a window, the registers used in it.
    pub fn end_window(&mut self) -> Option<u64> {
        if self.issued < self.window {
            return None;
        }
        let used = self.touched.iter().flatten().map(|set| u64::from(set.len())).sum();
        *self = Usage::new(self.window);
        Some(used)
    }
}
