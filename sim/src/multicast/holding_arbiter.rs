// SPDX-License-Identifier: Apache-2.0
//! Reference model of the round-robin arbiter that holds its grant.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{HoldingArbiterIn, HoldingArbiterOut};
use gpurf_blocks::Clocked;

use crate::bits::{all, first_from, mask};

/// Grants the first request from the one whose turn it is, around the circle; the turn stays until it is used
/// up.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct HoldingArbiter {
    requesters: usize,
    turn: usize,
    granted: Option<usize>,
    finish: bool,
}

impl HoldingArbiter {
    /// For so many requesters, after reset.
    pub fn new(requesters: usize) -> Self {
        HoldingArbiter { requesters, turn: 0, granted: None, finish: false }
    }

    /// Who is granted among the requests of the mask.
    pub fn grant(&self, requests: u32) -> Option<usize> {
        first_from(requests, self.turn)
    }

    /// The clock edge: the turn passes to the granted one, or to the next if that is done.
    pub fn pass(&mut self, granted: Option<usize>, finish: bool) {
        if let Some(granted) = granted {
            self.turn = (granted + usize::from(finish)) % self.requesters;
        }
    }
}

impl Clocked for HoldingArbiter {
    type In = HoldingArbiterIn;
    type Out = HoldingArbiterOut;

    fn settle(&mut self, inputs: &HoldingArbiterIn) -> HoldingArbiterOut {
        self.granted = self.grant((mask(&inputs.request) & all(self.requesters)).into());
        self.finish = inputs.finish;
        let mut outputs = HoldingArbiterOut::default();
        if let Some(granted) = self.granted {
            outputs.grant[granted] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        self.pass(self.granted, self.finish);
    }
}
