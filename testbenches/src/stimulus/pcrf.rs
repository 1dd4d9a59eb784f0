//! Stimulus of the pending-CTA register file.

use gpurf_blocks::Data;
use gpurf_hw::finereg::{PcrfIn, PcrfOut};

use super::Stimulus;
use crate::Random;

/// Warp, register and value.
type Stored<D> = (u32, u32, D);

/// Chains that are stored and walked at the same time, entries offered in any order, and what each chain must
/// bring back.
pub struct PcrfStimulus<D> {
    occupied: Vec<bool>,
    /// Complete chains: first entry and registers.
    chains: Vec<(u32, Vec<Stored<D>>)>,
    /// The chain under construction, and how many registers it still gets.
    storing: Vec<Stored<D>>,
    left: usize,
    register: Stored<D>,
    /// Registers that the walk has yet to show.
    walk: std::collections::VecDeque<Stored<D>>,
}

impl<D: Data> PcrfStimulus<D> {
    pub fn new(entries: usize) -> Self {
        PcrfStimulus {
            occupied: vec![false; entries],
            chains: vec![],
            storing: vec![],
            left: 0,
            register: Default::default(),
            walk: Default::default(),
        }
    }

    fn free(&self) -> usize {
        self.occupied.iter().filter(|&&occupied| !occupied).count()
    }

    fn new_register(&mut self, random: &mut Random) {
        self.register = (random.below(32) as u32, random.below(64) as u32, random.data());
    }
}

impl<D: Data> Stimulus<PcrfIn<D>, PcrfOut<D>> for PcrfStimulus<D> {
    fn next(&mut self, random: &mut Random) -> PcrfIn<D> {
        let mut inputs = PcrfIn::default();
        let room = self.free();
        if self.left == 0 && room > 0 && random.percent(20) {
            let most = random.pick(&[1, 4, 40, room]).min(room);
            self.left = 1 + random.below(most);
            self.new_register(random);
        }
        if self.walk.is_empty() && !self.chains.is_empty() && random.percent(10) {
            let (head, registers) = self.chains.swap_remove(random.below(self.chains.len()));
            self.walk = registers.into();
            (inputs.walk, inputs.walk_pointer) = (true, head);
        }
        inputs.accept = !random.percent(30);
        let entries = self.occupied.len();
        let start = random.below(entries);
        let mut around = (start..start + entries).map(|entry| entry % entries);
        let free = around.find(|&entry| !self.occupied[entry]).filter(|_| !random.percent(10));
        (inputs.any_free, inputs.first_free) = (free.is_some(), free.unwrap_or(0) as u32);
        inputs.store = self.left > 0;
        inputs.store_last = self.left == 1;
        (inputs.store_warp, inputs.store_register, inputs.store_data) = self.register;
        inputs
    }

    fn observe(&mut self, inputs: &PcrfIn<D>, outputs: &PcrfOut<D>) -> Result<(), String> {
        if outputs.restored {
            let PcrfOut { restored_warp, restored_register, restored_data, .. } = *outputs;
            let shown = (restored_warp, restored_register, restored_data);
            match self.walk.front() {
                Some(expected) if *expected == shown => {}
                expected => return Err(format!("{shown:x?} is shown in place of {expected:x?}")),
            }
            if outputs.restored_last != (self.walk.len() == 1) {
                return Err(format!("{} registers are left", self.walk.len()));
            }
            if inputs.accept {
                self.walk.pop_front();
            }
        }
        if outputs.free {
            let flag = &mut self.occupied[outputs.free_entry as usize];
            if !std::mem::replace(flag, false) {
                return Err(format!("entry {} is freed and is free", outputs.free_entry));
            }
        }
        if outputs.take {
            let flag = &mut self.occupied[inputs.first_free as usize];
            if !inputs.any_free || std::mem::replace(flag, true) {
                return Err(format!("entry {} is taken and was not offered", inputs.first_free));
            }
        }
        if outputs.stored {
            self.storing.push(self.register);
            self.left -= 1;
            if self.left == 0 {
                self.chains.push((outputs.head, std::mem::take(&mut self.storing)));
            }
            // The next register differs in every field.
            let (warp, register, mut data) = self.register;
            data.words_mut()
                .iter_mut()
                .for_each(|word| *word = word.wrapping_mul(0x9e37_79b1).wrapping_add(1));
            self.register = ((warp + 1) % 32, (register + 5) % 64, data);
        }
        Ok(())
    }
}
