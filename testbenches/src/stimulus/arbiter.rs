//! Stimulus of the arbiter.

use gpurf_blocks::Parameters;
use gpurf_hw::register_file::{ArbiterIn, ArbiterOut};

use super::Stimulus;
use crate::Random;

/// Instructions for collectors whose earlier reads have all been granted, results for every bank, and
/// owners that change at random.
pub struct ArbiterStimulus {
    parameters: Parameters,
    /// Reads that each collector waits for.
    pending: Vec<usize>,
    owners: Vec<Option<u32>>,
}

impl ArbiterStimulus {
    pub fn new(parameters: Parameters) -> Self {
        let collectors = parameters.collectors;
        ArbiterStimulus { parameters, pending: vec![0; collectors], owners: vec![None; collectors] }
    }
}

impl Stimulus<ArbiterIn, ArbiterOut> for ArbiterStimulus {
    fn next(&mut self, random: &mut Random) -> ArbiterIn {
        let mut inputs = ArbiterIn::default();
        let collector = random.below(self.parameters.collectors);
        if self.pending[collector] == 0 && random.percent(70) {
            inputs.issue[collector] = true;
            inputs.warp = random.below(8) as u32;
            inputs.base = random.below(256) as u32;
            for slot in 0..self.parameters.slots {
                inputs.request[slot] = random.percent(50);
                inputs.source_register[slot] = random.below(256) as u32;
            }
        }
        if random.percent(20) {
            self.owners[collector] = Some(random.below(8) as u32);
        }
        for (number, owner) in self.owners.iter().enumerate() {
            inputs.owned[number] = owner.is_some();
            inputs.held_warp[number] = owner.unwrap_or(0);
        }
        for bank in 0..self.parameters.banks {
            inputs.write_valid[bank] = random.percent(30);
            // Often several results of a warp that has a collector.
            inputs.write_warp[bank] = match self.owners[random.below(self.owners.len())] {
                Some(owner) if random.percent(70) => owner,
                _ => random.below(8) as u32,
            };
            inputs.write_register[bank] = random.below(256) as u32;
            inputs.write_base[bank] = random.below(256) as u32;
            inputs.write_near[bank] = random.percent(60);
        }
        inputs
    }

    fn observe(&mut self, inputs: &ArbiterIn, outputs: &ArbiterOut) -> Result<(), String> {
        for bank in (0..self.parameters.banks).filter(|bank| outputs.bank_read[*bank]) {
            let pending = &mut self.pending[outputs.bank_collector[bank] as usize];
            *pending = pending.saturating_sub(1);
        }
        if let Some(collector) = inputs.issue.iter().position(|issue| *issue) {
            self.pending[collector] += inputs.request.iter().filter(|request| **request).count();
        }
        Ok(())
    }
}
