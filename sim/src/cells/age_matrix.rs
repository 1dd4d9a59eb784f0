// SPDX-License-Identifier: Apache-2.0
//! Reference model of the age matrix.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{AgeMatrixIn, AgeMatrixOut};
use gpurf_blocks::{Clocked, WarpSet};

use crate::bits::{members, warp_mask};

/// Entries in the order of their age.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct AgeMatrix {
    oldest_first: Vec<u8>,
    renewals: WarpSet,
}

impl AgeMatrix {
    /// With so many entries, after reset.
    pub fn new(entries: usize) -> Self {
        AgeMatrix { oldest_first: (0..entries as u8).collect(), renewals: 0 }
    }

    /// The oldest of the entries in the mask.
    pub fn oldest(&self, requests: WarpSet) -> Option<usize> {
        if requests == 0 {
            return None;
        }
        self.oldest_first.iter().find(|&entry| requests >> entry & 1 == 1).map(|&entry| entry.into())
    }

    /// The entries in the mask become the youngest, the lower-numbered first.
    pub fn renew(&mut self, renewals: WarpSet) {
        if renewals == 0 {
            return;
        }
        self.oldest_first.retain(|&entry| renewals >> entry & 1 == 0);
        self.oldest_first.extend(members(renewals).map(|entry| entry as u8));
    }
}

impl Clocked for AgeMatrix {
    type In = AgeMatrixIn;
    type Out = AgeMatrixOut;

    fn settle(&mut self, inputs: &AgeMatrixIn) -> AgeMatrixOut {
        self.renewals = warp_mask(&inputs.renew);
        let mut outputs = AgeMatrixOut::default();
        if let Some(oldest) = self.oldest(warp_mask(&inputs.request)) {
            outputs.oldest[oldest] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        self.renew(self.renewals);
    }
}
