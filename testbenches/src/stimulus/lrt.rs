//! Stimulus of both readings of the load request table, with the rules checked on the answers alone.

use gpurf_hw::multicast::{LrtIn, LrtOut};

use super::Stimulus;
use crate::Random;

/// A load in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    warp: u32,
    address: u32,
    source: u32,
    destination: u32,
}

/// Loads and releases, one after the other, answered at once or late. Phases of few and of many different
/// loads, so that the table has many pairs in some and is full in others.
pub struct LrtStimulus {
    entries: usize,
    operation: Option<LrtIn>,
    table: Vec<Entry>,
    warps: usize,
    registers: usize,
    addresses: usize,
    busy: usize,
    ready: usize,
}

impl LrtStimulus {
    pub fn new(entries: usize) -> Self {
        let table = Vec::with_capacity(entries);
        LrtStimulus {
            entries,
            operation: None,
            table,
            warps: 2,
            registers: 1,
            addresses: 1,
            busy: 0,
            ready: 0,
        }
    }

    fn check(&mut self, inputs: &LrtIn, outputs: &LrtOut) -> Option<String> {
        let held = self.table.len();
        if outputs.occupancy as usize != held || outputs.full != (held == self.entries) {
            return Some(format!("{held} entries of {}, not as reported", self.entries));
        }
        let LrtIn { warp, address, source, destination, .. } = *inputs;
        let load = Entry { warp, address, source, destination };
        if outputs.evict {
            let left = Entry {
                warp: outputs.evict_warp,
                address: outputs.evict_address,
                source: outputs.evict_source,
                destination: outputs.evict_destination,
            };
            let Some(place) = self.table.iter().position(|entry| *entry == left) else {
                return Some(format!("{left:?} leaves and is not there"));
            };
            let driven_out =
                inputs.search && left.warp == warp && (inputs.drain || left.destination == destination);
            if !outputs.evict_aged && !driven_out {
                return Some(format!("nothing drives {left:?} out"));
            }
            if inputs.evict_ready {
                self.table.remove(place);
            }
        }
        if !outputs.done {
            return outputs.matched.then(|| "a match before the search is done".into());
        }
        if outputs.evict || !inputs.search {
            return Some("done, but with what?".into());
        }
        let own = |entry: &Entry| entry.warp == warp && (inputs.drain || entry.destination == destination);
        if let Some(stays) = self.table.iter().find(|entry| own(entry)) {
            return Some(format!("{stays:?} is older and still there"));
        }
        let mut partners = self
            .table
            .iter()
            .filter(|entry| !inputs.drain && entry.warp != warp && Entry { warp, ..**entry } == load);
        let partner = partners.next().copied();
        if partners.next().is_some() {
            return Some(format!("{load:?} has two partners"));
        }
        if (outputs.matched, outputs.matched_warp) != (partner.is_some(), partner.map_or(0, |p| p.warp)) {
            return Some(format!("the partner of {load:?} is {partner:?}"));
        }
        if inputs.done_ready {
            if let Some(partner) = partner {
                self.table.retain(|entry| *entry != partner);
            } else if inputs.insert && held < self.entries {
                self.table.push(load);
            }
        }
        None
    }
}

impl Stimulus<LrtIn, LrtOut> for LrtStimulus {
    fn next(&mut self, random: &mut Random) -> LrtIn {
        if random.below(2000) == 1999 {
            self.warps = random.pick(&[2, 4, 64]);
            self.registers = random.pick(&[1, 4, 256]);
            self.addresses = random.pick(&[1, 4, 65536]);
            self.busy = random.pick(&[10, 60, 100]);
            self.ready = random.pick(&[20, 100]);
        }
        if self.operation.is_none() && random.percent(self.busy) {
            self.operation = Some(LrtIn {
                search: true,
                drain: random.percent(2),
                warp: random.below(self.warps) as u32,
                address: random.below(self.addresses) as u32,
                source: random.below(self.registers) as u32,
                destination: random.below(self.registers) as u32,
                ..Default::default()
            });
        }
        let operation = self.operation.unwrap_or_default();
        LrtIn {
            evict_ready: random.percent(self.ready),
            done_ready: random.percent(self.ready),
            insert: operation.search && !operation.drain && random.percent(95),
            tick: random.below(1000) == 999,
            ..operation
        }
    }

    fn observe(&mut self, inputs: &LrtIn, outputs: &LrtOut) -> Result<(), String> {
        let wrong = self.check(inputs, outputs);
        if outputs.done && inputs.done_ready {
            self.operation = None;
        }
        wrong.map_or(Ok(()), Err)
    }
}
