// SPDX-License-Identifier: Apache-2.0
//! Reference model of the youth matrix.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{YouthMatrixIn, YouthMatrixOut};
use gpurf_blocks::{Clocked, WarpSet};

use crate::bits::{members, warp_mask};

/// Entries in the order of their age.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct YouthMatrix {
    youngest_first: Vec<u8>,
    renewals: WarpSet,
}

impl YouthMatrix {
    /// With so many entries, after reset.
    pub fn new(entries: usize) -> Self {
        YouthMatrix { youngest_first: (0..entries as u8).rev().collect(), renewals: 0 }
    }

    /// The youngest of the entries in the mask.
    pub fn youngest(&self, requests: WarpSet) -> Option<usize> {
        if requests == 0 {
            return None;
        }
        self.youngest_first.iter().find(|&entry| requests >> entry & 1 == 1).map(|&entry| entry.into())
    }

    /// The entries in the mask become the youngest, the highest-numbered first.
    pub fn renew(&mut self, renewals: WarpSet) {
        self.youngest_first.retain(|&entry| renewals >> entry & 1 == 0);
        for entry in members(renewals) {
            self.youngest_first.insert(0, entry as u8);
        }
    }
}

impl Clocked for YouthMatrix {
    type In = YouthMatrixIn;
    type Out = YouthMatrixOut;

    fn settle(&mut self, inputs: &YouthMatrixIn) -> YouthMatrixOut {
        self.renewals = warp_mask(&inputs.renew);
        let mut outputs = YouthMatrixOut::default();
        if let Some(youngest) = self.youngest(warp_mask(&inputs.request)) {
            outputs.youngest[youngest] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        self.renew(self.renewals);
    }
}
