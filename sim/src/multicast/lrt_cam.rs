// SPDX-License-Identifier: Apache-2.0
//! Reference model of the load request table whose entries are all compared at once: I §3.1 to §3.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LrtIn, LrtOut};
use gpurf_blocks::{Clocked, Parameters};

use super::lrt::{Entries, LrtEntry, LrtStep};
use crate::checkpoint::model_state;

/// All entries are compared at once.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct LrtCam {
    entries: Entries,
    #[borsh(skip)]
    inputs: LrtIn,
    step: Option<LrtStep>,
}

impl LrtCam {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        LrtCam { entries: Entries::new(parameters.lrt_entries), inputs: LrtIn::default(), step: None }
    }

    fn step(&self, inputs: &LrtIn) -> Option<LrtStep> {
        if let Some(place) = self.entries.find(LrtEntry::is_due) {
            return Some(LrtStep::Leaves { place, aged: true });
        }
        if !inputs.search {
            return None;
        }
        Some(match self.entries.find(|entry| entry.leaves_for(inputs)) {
            Some(place) => LrtStep::Leaves { place, aged: false },
            None => LrtStep::Ends { partner: self.entries.find(|entry| entry.is_partner_of(inputs)) },
        })
    }
}

impl Clocked for LrtCam {
    type In = LrtIn;
    type Out = LrtOut;

    fn settle(&mut self, inputs: &LrtIn) -> LrtOut {
        self.inputs = *inputs;
        self.step = self.step(inputs);
        self.entries.outputs(self.step)
    }

    fn tick(&mut self) {
        self.entries.edge(&self.inputs, self.step);
    }

    model_state!();
}
