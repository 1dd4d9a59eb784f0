// SPDX-License-Identifier: Apache-2.0
//! Reference model of the load request table that is searched row by row: I §3.1 to §3.3.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LrtIn, LrtOut};
use gpurf_blocks::{Clocked, Parameters, SCAN_LANES};

use super::lrt::{Entries, LrtEntry, LrtStep};
use crate::checkpoint::model_state;

/// One row of four entries is compared per cycle.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct LrtScan {
    entries: Entries,
    /// The row that can be compared in this cycle; none after a write.
    shown: Option<usize>,
    /// The row that an operation under way has come to.
    row: Option<usize>,
    #[borsh(skip)]
    inputs: LrtIn,
    step: Option<LrtStep>,
}

impl LrtScan {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let entries = Entries::new(parameters.lrt_entries);
        LrtScan { entries, shown: None, row: None, inputs: LrtIn::default(), step: None }
    }

    /// The row that must be shown next, and whether that is to let entries leave by age.
    fn target(&self) -> (usize, bool) {
        match (self.row, self.entries.find(LrtEntry::is_due)) {
            (Some(row), _) => (row, false),
            (None, Some(place)) => (place / SCAN_LANES, true),
            (None, None) => (0, false),
        }
    }

    fn last_row(&self) -> usize {
        self.entries.0.iter().rposition(Option::is_some).map_or(0, |place| place / SCAN_LANES)
    }

    /// The first entry of a row with the property.
    fn find_in(&self, row: usize, holds: impl Fn(&LrtEntry) -> bool) -> Option<usize> {
        let mut places = SCAN_LANES * row..SCAN_LANES * (row + 1);
        places.find(|place| self.entries.0[*place].as_ref().is_some_and(&holds))
    }

    fn step(&self, inputs: &LrtIn) -> Option<LrtStep> {
        let (row, aging) = self.target();
        if self.shown != Some(row) {
            return None;
        }
        if aging {
            return self.find_in(row, LrtEntry::is_due).map(|place| LrtStep::Leaves { place, aged: true });
        }
        if !inputs.search {
            return None;
        }
        if let Some(place) = self.find_in(row, |entry| entry.leaves_for(inputs)) {
            return Some(LrtStep::Leaves { place, aged: false });
        }
        // Rows up to this one have been compared; what is in the table cannot become a partner meanwhile.
        let partner = self.entries.find(|entry| entry.is_partner_of(inputs));
        (row >= self.last_row()).then_some(LrtStep::Ends { partner })
    }
}

impl Clocked for LrtScan {
    type In = LrtIn;
    type Out = LrtOut;

    fn settle(&mut self, inputs: &LrtIn) -> LrtOut {
        self.inputs = *inputs;
        self.step = self.step(inputs);
        self.entries.outputs(self.step)
    }

    fn tick(&mut self) {
        let (row, aging) = self.target();
        let compared = self.shown == Some(row) && !aging && self.inputs.search;
        let ends = matches!(self.step, Some(LrtStep::Ends { .. })) && self.inputs.done_ready;
        if ends {
            let alone = matches!(self.step, Some(LrtStep::Ends { partner: None }));
            let writes = alone && self.inputs.insert && !self.entries.is_full();
            self.row = None;
            self.shown = Some(0).filter(|_| !writes);
        } else if compared {
            let goes_on = self.step.is_none();
            self.row = Some(row + usize::from(goes_on));
            self.shown = self.row;
        } else {
            self.shown = Some(row);
        }
        self.entries.edge(&self.inputs, self.step);
    }

    model_state!();
}
