// SPDX-License-Identifier: Apache-2.0
//! Reference model of the round-robin arbiter.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RoundRobinIn, RoundRobinOut};
use gpurf_blocks::Clocked;

use crate::bits::{all, first_from, mask};

/// Grants the first request after the one granted last, around the circle.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RoundRobin {
    requesters: usize,
    /// Whose turn it is first.
    next: usize,
    granted: Option<usize>,
}

impl RoundRobin {
    /// For so many requesters, after reset.
    pub fn new(requesters: usize) -> Self {
        RoundRobin { requesters, next: 0, granted: None }
    }

    /// Who is granted among the requests of the mask.
    pub fn grant(&self, requests: u32) -> Option<usize> {
        first_from(requests, self.next)
    }

    /// The turn passes to the requester after this one.
    pub fn advance(&mut self, granted: usize) {
        self.next = if granted + 1 == self.requesters { 0 } else { granted + 1 };
    }
}

impl Clocked for RoundRobin {
    type In = RoundRobinIn;
    type Out = RoundRobinOut;

    fn settle(&mut self, inputs: &RoundRobinIn) -> RoundRobinOut {
        let granted = self.grant((mask(&inputs.request) & all(self.requesters)).into());
        self.granted = granted.filter(|_| inputs.advance);
        let mut outputs = RoundRobinOut::default();
        if let Some(granted) = granted {
            outputs.grant[granted] = true;
        }
        outputs
    }

    fn tick(&mut self) {
        if let Some(granted) = self.granted {
            self.advance(granted);
        }
    }
}
