// SPDX-License-Identifier: Apache-2.0
//! Reference model of the use and age of a load request table's entries: I §3.3.

use gpurf_blocks::ports::{EntryStateIn, EntryStateOut};
use gpurf_blocks::{Clocked, Parameters, SCAN_LANES};

/// For each entry in use, how many ticks it has seen, up to two.
#[derive(Clone, Debug)]
pub struct EntryState {
    ages: Vec<Option<u32>>,
    inputs: EntryStateIn,
}

/// After so many ticks an entry is due.
const DUE: u32 = 2;

impl EntryState {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        EntryState { ages: vec![None; parameters.lrt_entries], inputs: EntryStateIn::default() }
    }

    /// A load without a partner takes a free entry: "inserted into the LRT" (I §3.1).
    fn inserts(&self, inputs: &EntryStateIn) -> bool {
        inputs.ends && inputs.done_ready && inputs.insert && !inputs.any_partner
    }

    /// Row and lane of the first entry that is such, 0 if none is.
    fn first(&self, is_such: impl Fn(&Option<u32>) -> bool) -> Option<(u32, u32)> {
        let entry = self.ages.iter().position(is_such)?;
        Some(((entry / SCAN_LANES) as u32, (entry % SCAN_LANES) as u32))
    }
}

fn entry(row: u32, lane: u32) -> usize {
    row as usize * SCAN_LANES + lane as usize
}

impl Clocked for EntryState {
    type In = EntryStateIn;
    type Out = EntryStateOut;

    fn settle(&mut self, inputs: &EntryStateIn) -> EntryStateOut {
        self.inputs = *inputs;
        let (free, due) = (self.first(Option::is_none), self.first(|age| *age == Some(DUE)));
        let mut outputs = EntryStateOut {
            done: inputs.ends,
            matched: inputs.ends && inputs.any_partner,
            finishes: inputs.ends && inputs.done_ready,
            writes: self.inserts(inputs) && free.is_some(),
            full: free.is_none(),
            any_due: due.is_some(),
            occupancy: self.ages.iter().flatten().count() as u32,
            ..EntryStateOut::default()
        };
        (outputs.free_row, outputs.free_lane) = free.unwrap_or_default();
        outputs.due_row = due.unwrap_or_default().0;
        for (entry, age) in self.ages.iter().enumerate() {
            let (row, lane) = (entry / SCAN_LANES, entry % SCAN_LANES);
            outputs.used[row] |= u32::from(age.is_some()) << lane;
            if row == outputs.due_row as usize {
                outputs.due_lanes |= u32::from(*age == Some(DUE)) << lane;
            }
        }
        outputs
    }

    /// Entries age before a new one comes, which is thus not a tick old.
    fn tick(&mut self) {
        let free = self.ages.iter().position(Option::is_none);
        if self.inputs.tick {
            self.ages.iter_mut().flatten().for_each(|age| *age = DUE.min(*age + 1));
        }
        let inputs = self.inputs;
        if inputs.evict && inputs.evict_ready {
            self.ages[entry(inputs.evict_row, inputs.evict_lane)] = None;
        }
        if inputs.ends && inputs.done_ready && inputs.any_partner {
            self.ages[entry(inputs.partner_row, inputs.partner_lane)] = None;
        }
        if let Some(free) = free.filter(|_| self.inserts(&inputs)) {
            self.ages[free] = Some(0);
        }
    }
}
