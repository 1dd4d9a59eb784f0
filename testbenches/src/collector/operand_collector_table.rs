//! Testbench of the operand collector table.

use gpurf_blocks::ports::{OperandCollectorTableIn, OperandCollectorTableOut};
use gpurf_blocks::Parameters;
use gpurf_hw::collector::OperandCollectorTable;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const I: usize> Testbench for OperandCollectorTable<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::OperandCollectorTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandCollectorTableStimulus::new(parameters))
    }
}

register!(OperandCollectorTable<I>);

/// Instructions one after another; slots that share an entry, hits, and values for the rest.
struct OperandCollectorTableStimulus {
    entries: usize,
    slots: usize,
    on_arrival: bool,
    /// Slots of the present instruction that wait, and all slots' entries.
    waiting: Vec<usize>,
    index: Vec<u32>,
}

impl OperandCollectorTableStimulus {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, dispatch_on_arrival: on_arrival, .. } = *parameters;
        OperandCollectorTableStimulus { entries, slots, on_arrival, waiting: vec![], index: vec![0; slots] }
    }
}

impl Stimulus<OperandCollectorTableIn, OperandCollectorTableOut> for OperandCollectorTableStimulus {
    fn next(&mut self, random: &mut Random) -> OperandCollectorTableIn {
        let mut inputs = OperandCollectorTableIn::default();
        inputs.source_valid[..self.slots].fill_with(|| random.percent(60));
        inputs.source_index[..self.slots].fill_with(|| random.below(self.entries) as u32);
        // Slots of one entry hit together or not at all.
        let hits: Vec<bool> = (0..self.entries).map(|_| random.percent(40)).collect();
        for slot in 0..self.slots {
            inputs.source_hit[slot] = inputs.source_valid[slot] && hits[inputs.source_index[slot] as usize];
        }
        inputs.s_valid = !self.waiting.is_empty() && random.percent(70);
        inputs.s_slot = match inputs.s_valid {
            true => self.waiting[random.below(self.waiting.len())] as u32,
            false => random.below(self.slots) as u32,
        };
        // The last value may arrive as its instruction leaves and the next one enters.
        let filled = self.index[inputs.s_slot as usize];
        let complete =
            self.waiting.iter().all(|slot| self.on_arrival && inputs.s_valid && self.index[*slot] == filled);
        inputs.issue = complete && random.percent(70);
        inputs
    }

    fn observe(
        &mut self,
        inputs: &OperandCollectorTableIn,
        _: &OperandCollectorTableOut,
    ) -> Result<(), String> {
        if inputs.s_valid {
            let filled = self.index[inputs.s_slot as usize];
            self.waiting.retain(|slot| self.index[*slot] != filled);
        }
        if inputs.issue {
            self.index = inputs.source_index[..self.slots].to_vec();
            let waits = |slot: &usize| inputs.source_valid[*slot] && !inputs.source_hit[*slot];
            self.waiting = (0..self.slots).filter(waits).collect();
        }
        Ok(())
    }
}
