// SPDX-License-Identifier: Apache-2.0
//! Reference model of the shared register pool of RegMutex: R §I, §VI-A.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{SharedRegisterPoolIn, SharedRegisterPoolOut};
use gpurf_blocks::{Clocked, Parameters, MAX_WARPS};

use crate::checkpoint::model_state;

/// The sections of a pool, and who has them.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct SharedRegisterPool {
    warps: usize,
    /// Sections that a warp has, in a slot or not, a bit each.
    taken: u64,
    /// By slot: the warp has a section, and which one it has or had last.
    slots: [(bool, u8); MAX_WARPS],
    #[borsh(skip)]
    inputs: SharedRegisterPoolIn,
}

impl SharedRegisterPool {
    /// After reset: no warp has a section.
    pub fn new(parameters: &Parameters) -> Self {
        SharedRegisterPool {
            warps: parameters.warps,
            taken: 0,
            slots: [(false, 0); MAX_WARPS],
            inputs: SharedRegisterPoolIn::default(),
        }
    }

    /// Sections that nobody has, of so many.
    fn free(&self, sections: u32) -> u64 {
        let exist = 1u64.checked_shl(sections).map_or(u64::MAX, |beyond| beyond - 1);
        exist & !self.taken
    }

    /// The warp of a slot has a section.
    fn give(&mut self, slot: usize, section: u8) {
        self.taken |= 1 << section;
        self.slots[slot] = (true, section);
    }

    /// The sections that warps take in this cycle.
    fn update(&mut self, inputs: &SharedRegisterPoolIn) -> [Option<u8>; MAX_WARPS] {
        for slot in (0..self.warps).filter(|&slot| inputs.give_back[slot]) {
            self.taken &= !(1 << self.slots[slot].1);
            self.slots[slot].0 = false;
        }
        let mut given = [None; MAX_WARPS];
        for slot in 0..self.warps {
            if inputs.leave[slot] {
                self.slots[slot].0 = false;
            }
            if inputs.come[slot] {
                self.give(slot, inputs.come_section[slot] as u8);
            }
            let free = self.free(inputs.sections);
            if inputs.acquire[slot] && free != 0 {
                let section = free.trailing_zeros() as u8;
                self.give(slot, section);
                given[slot] = Some(section);
            }
        }
        given
    }
}

impl Clocked for SharedRegisterPool {
    type In = SharedRegisterPoolIn;
    type Out = SharedRegisterPoolOut;

    fn settle(&mut self, inputs: &SharedRegisterPoolIn) -> SharedRegisterPoolOut {
        self.inputs = *inputs;
        let given = self.clone().update(inputs);
        SharedRegisterPoolOut {
            granted: given.map(|section| section.is_some()),
            given: given.map(|section| section.unwrap_or(0).into()),
            holds: self.slots.map(|(holds, _)| holds),
            section: self.slots.map(|(_, section)| section.into()),
            any_free: self.free(inputs.sections) != 0,
        }
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        self.update(&inputs);
    }

    model_state!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_goes_from_hand_to_hand_in_a_cycle() {
        let mut pool = SharedRegisterPool::new(&Parameters::default());
        let inputs = |acquire: &[usize], give_back: &[usize]| {
            let mut inputs = SharedRegisterPoolIn { sections: 1, ..SharedRegisterPoolIn::default() };
            acquire.iter().for_each(|&warp| inputs.acquire[warp] = true);
            give_back.iter().for_each(|&warp| inputs.give_back[warp] = true);
            inputs
        };
        let mut cycle = |acquire: &[usize], give_back: &[usize]| {
            let outputs = pool.settle(&inputs(acquire, give_back));
            pool.tick();
            (0..8).filter(|&warp| outputs.granted[warp]).collect::<Vec<_>>()
        };
        assert_eq!(cycle(&[3, 5], &[]), [3]);
        assert_eq!(cycle(&[5], &[]), [0; 0]);
        assert_eq!(cycle(&[5, 7], &[3]), [5]);
    }
}
