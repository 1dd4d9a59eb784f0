// SPDX-License-Identifier: Apache-2.0
//! Reference model of DARSIE's renaming table: I §5.2.2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{RenamingTableIn, RenamingTableOut};
use gpurf_blocks::{Clocked, Parameters, MAX_WARPS};

use crate::checkpoint::model_state;

/// Registers that some warp does not have at home.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct RenamingTable {
    warps: usize,
    slots: usize,
    entries: Vec<Option<Renamed>>,
    #[borsh(skip)]
    inputs: RenamingTableIn,
}

/// A register, and in whose home each warp's value of it lies.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
struct Renamed {
    register: u32,
    homes: [u8; MAX_WARPS],
}

impl Renamed {
    /// All of its values lie at home.
    fn at_home(register: u32) -> Self {
        Renamed { register, homes: std::array::from_fn(|warp| warp as u8) }
    }

    fn is_at_home(&self) -> bool {
        self.homes.iter().enumerate().all(|(warp, &home)| warp == usize::from(home))
    }
}

impl RenamingTable {
    /// After reset: all registers lie at home.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { warps, slots, renaming_entries, .. } = *parameters;
        let entries = vec![None; renaming_entries];
        RenamingTable { warps, slots, entries, inputs: RenamingTableIn::default() }
    }

    fn find(&self, register: u32) -> Option<Renamed> {
        self.entries.iter().flatten().copied().find(|entry| entry.register == register)
    }

    /// Where a warp's value goes that is written now: the next home, in turn, from which no warp of its CTA
    /// reads; else where the last one is.
    fn row(&self, inputs: &RenamingTableIn) -> usize {
        let warp = inputs.warp as usize;
        let Some(Renamed { homes, .. }) = self.find(inputs.register) else { return warp };
        let present = usize::from(homes[warp]);
        let peers = (0..self.warps).filter(|&peer| inputs.peers[peer]);
        let is_read = |home: usize| peers.clone().any(|peer| usize::from(homes[peer]) == home);
        let behind = (0..self.warps).map(|step| (present + 1 + step) % self.warps);
        behind.into_iter().find(|&home| inputs.peers[home] && !is_read(home)).unwrap_or(present)
    }
}

impl Clocked for RenamingTable {
    type In = RenamingTableIn;
    type Out = RenamingTableOut;

    fn settle(&mut self, inputs: &RenamingTableIn) -> RenamingTableOut {
        self.inputs = *inputs;
        let mut outputs = RenamingTableOut {
            row: self.row(inputs) as u32,
            free: self.entries.iter().filter(|entry| entry.is_none()).count() as u32,
            ..RenamingTableOut::default()
        };
        for slot in 0..self.slots {
            let entry = self.find(inputs.source_register[slot]);
            let home = entry.map_or(inputs.warp, |entry| entry.homes[inputs.warp as usize].into());
            (outputs.lent[slot], outputs.lender[slot]) = (home != inputs.warp, home);
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let RenamingTableIn { warp, write, skip, register, leader, forget, .. } = inputs;
        let row = self.row(&inputs) as u32;
        if skip && self.find(register).is_none() {
            if let Some(hole) = self.entries.iter_mut().find(|entry| entry.is_none()) {
                *hole = Some(Renamed::at_home(register));
            }
        }
        for slot in &mut self.entries {
            if let Some(entry) = slot {
                if (write || skip) && entry.register == register {
                    entry.homes[warp as usize] = if skip { leader } else { row } as u8;
                }
                for (number, _) in forget.iter().enumerate().filter(|(_, forgets)| **forgets) {
                    entry.homes[number] = number as u8;
                }
            }
            slot.take_if(|entry| entry.is_at_home());
        }
    }

    model_state!();
}
