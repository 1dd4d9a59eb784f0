// SPDX-License-Identifier: Apache-2.0
//! Reference model of DARSIE's skip table: I §5.2.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{SkipTableIn, SkipTableOut};
use gpurf_blocks::{Clocked, Parameters};

use crate::bits::warp_flags;
use crate::checkpoint::model_state;

/// Loads that led, in their order, the newest last.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct SkipTable {
    entries: Vec<Option<KeptLoad>>,
    #[borsh(skip)]
    inputs: SkipTableIn,
}

/// A load whose data are kept or under way.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct KeptLoad {
    pc: u32,
    cta: u32,
    section: u32,
    leader: u32,
    has_come: bool,
    /// Warps that wait for it, a bit each.
    following: u16,
}

impl SkipTable {
    /// After reset: nothing is kept.
    pub fn new(parameters: &Parameters) -> Self {
        // The values of four registers that the banks have room for.
        let entries = parameters.rows * parameters.banks / 4;
        SkipTable { entries: vec![None; entries], inputs: SkipTableIn::default() }
    }

    /// The entry that a load finds, or that of a load whose data come.
    fn find(&self, inputs: &SkipTableIn) -> Option<(usize, KeptLoad)> {
        let SkipTableIn { request, loaded, pc, warp, cta, section, alike, .. } = *inputs;
        let kept = self.entries.iter().enumerate();
        let mut kept = kept.filter_map(|(number, entry)| Some((number, (*entry)?)));
        match (request, loaded) {
            (true, _) => kept.rfind(|(number, entry)| {
                (entry.pc, entry.cta, entry.section) == (pc, cta, section)
                    && entry.leader != warp
                    && alike[*number]
            }),
            (_, true) => {
                kept.find(|(_, entry)| (entry.pc, entry.leader, entry.has_come) == (pc, warp, false))
            }
            _ => None,
        }
    }

    /// The entry that makes room: one without a value, else the oldest whose data have come.
    fn room(&self) -> Option<usize> {
        let hole = self.entries.iter().position(Option::is_none);
        hole.or_else(|| self.entries.iter().position(|entry| entry.is_some_and(|entry| entry.has_come)))
    }
}

impl Clocked for SkipTable {
    type In = SkipTableIn;
    type Out = SkipTableOut;

    fn settle(&mut self, inputs: &SkipTableIn) -> SkipTableOut {
        self.inputs = *inputs;
        let entry = self.find(inputs);
        let found = entry.filter(|_| inputs.request);
        let arrived = entry.filter(|_| !inputs.request);
        let removed = self.room().filter(|_| inputs.request && found.is_none());
        SkipTableOut {
            found: found.is_some(),
            under_way: found.is_some_and(|(_, entry)| !entry.has_come),
            kept: removed.is_some(),
            removed: removed.unwrap_or(0) as u32,
            arrived: arrived.is_some(),
            entry: entry.map_or(0, |(number, _)| number as u32),
            followers: warp_flags(arrived.map_or(0, |(_, entry)| entry.following)),
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let SkipTableIn { request, pc, warp, cta, section, opens, forget, .. } = inputs;
        match self.find(&inputs) {
            Some((number, mut entry)) => {
                match request {
                    true if entry.has_come => {}
                    true => entry.following |= 1 << warp,
                    false => entry.has_come = true,
                }
                self.entries[number] = Some(entry);
            }
            None if request => {
                if let Some(removed) = self.room() {
                    self.entries.remove(removed);
                    let entry = KeptLoad { pc, cta, section, leader: warp, has_come: false, following: 0 };
                    self.entries.push(Some(entry));
                }
            }
            None => {}
        }
        for slot in self.entries.iter_mut().filter(|_| opens || forget) {
            let drops = |entry: &mut KeptLoad| {
                let is_over = section.wrapping_sub(entry.section) & 0xff > 1;
                entry.cta == cta && (forget || entry.has_come && is_over)
            };
            slot.take_if(drops);
        }
    }

    model_state!();
}
