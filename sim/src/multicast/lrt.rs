// SPDX-License-Identifier: Apache-2.0
//! Common part of both readings of the load request table: its entries, and their changes in a cycle.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{LrtIn, LrtOut};

/// A load that waits for a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct LrtEntry {
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
    /// Ticks seen, up to two.
    age: u32,
}

impl LrtEntry {
    fn of(inputs: &LrtIn) -> Self {
        let LrtIn { warp, address, source, destination, .. } = *inputs;
        LrtEntry { warp, address, source, destination, age: 0 }
    }

    /// Returns true if it is to be loaded now.
    pub fn is_due(&self) -> bool {
        self.age == 2
    }

    /// It must leave before the operation.
    pub fn leaves_for(&self, inputs: &LrtIn) -> bool {
        self.warp == inputs.warp && (inputs.drain || self.destination == inputs.destination)
    }

    /// It can share one access with the load.
    pub fn is_partner_of(&self, inputs: &LrtIn) -> bool {
        let load = LrtEntry::of(inputs);
        let same = LrtEntry { warp: load.warp, age: 0, ..*self } == load;
        same && self.warp != load.warp && !inputs.drain
    }
}

/// The entries, of either reading.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Entries(pub Vec<Option<LrtEntry>>);

impl Entries {
    /// With so many entries, after reset.
    pub fn new(entries: usize) -> Self {
        Entries(vec![None; entries])
    }

    /// The first entry for which this holds.
    pub fn find(&self, holds: impl Fn(&LrtEntry) -> bool) -> Option<usize> {
        self.0.iter().position(|entry| entry.as_ref().is_some_and(&holds))
    }

    fn occupancy(&self) -> usize {
        self.0.iter().flatten().count()
    }

    /// Returns true if every entry is taken.
    pub fn is_full(&self) -> bool {
        self.occupancy() == self.0.len()
    }

    /// Puts the load into the first free entry, if there is one.
    fn insert(&mut self, inputs: &LrtIn) {
        if let Some(free) = self.0.iter_mut().find(|entry| entry.is_none()) {
            *free = Some(LrtEntry::of(inputs));
        }
    }

    fn grow_older(&mut self) {
        self.0.iter_mut().flatten().for_each(|entry| entry.age = 2.min(entry.age + 1));
    }

    /// The answer of the table after a step.
    pub fn outputs(&self, step: Option<LrtStep>) -> LrtOut {
        let mut outputs =
            LrtOut { full: self.is_full(), occupancy: self.occupancy() as u32, ..Default::default() };
        match step {
            Some(LrtStep::Leaves { place, aged }) => {
                let entry = self.0[place].expect("an entry that leaves");
                (outputs.evict, outputs.evict_aged) = (true, aged);
                (outputs.evict_warp, outputs.evict_address) = (entry.warp, entry.address);
                (outputs.evict_source, outputs.evict_destination) = (entry.source, entry.destination);
            }
            Some(LrtStep::Ends { partner }) => {
                outputs.done = true;
                outputs.matched = partner.is_some();
                outputs.matched_warp = partner.map_or(0, |place| self.0[place].expect("a partner").warp);
            }
            None => {}
        }
        outputs
    }

    /// The clock edge. Entries age before a new one comes, which is thus not a tick old.
    pub fn edge(&mut self, inputs: &LrtIn, step: Option<LrtStep>) {
        if inputs.tick {
            self.grow_older();
        }
        match step {
            Some(LrtStep::Leaves { place, .. }) if inputs.evict_ready => self.0[place] = None,
            Some(LrtStep::Ends { partner: Some(partner) }) if inputs.done_ready => self.0[partner] = None,
            Some(LrtStep::Ends { partner: None }) if inputs.done_ready && inputs.insert => {
                self.insert(inputs)
            }
            _ => {}
        }
    }
}

/// A step that a cycle shows, and that waits for somebody to take it.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub enum LrtStep {
    /// An entry leaves, and is loaded for its warp alone.
    Leaves {
        /// Its place in the table.
        place: usize,
        /// It has waited for long enough; if not, it has to leave for the request.
        aged: bool,
    },
    /// The search ends.
    Ends {
        /// The entry whose load the request shares, if there is one.
        partner: Option<usize>,
    },
}
