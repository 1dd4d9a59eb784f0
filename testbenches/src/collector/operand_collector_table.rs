// SPDX-License-Identifier: Apache-2.0
//! Testbench of the operand collector table.

use gpurf_blocks::ports::{OperandCollectorTableIn, OperandCollectorTableOut};
use gpurf_blocks::Parameters;
use gpurf_hw::collector::OperandCollectorTable;

use super::port_s;
use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const I: usize> Testbench for OperandCollectorTable<I> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::collector::OperandCollectorTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandCollectorTableStimulus::new(parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        port_s(parameters)
    }
}

register!(OperandCollectorTable<I>);

/// Instructions one after another; slots that share an entry, hits, and values for the rest.
struct OperandCollectorTableStimulus {
    entries: usize,
    slots: usize,
    dispatch_on_arrival: bool,
    allocate_on_arrival: bool,
    /// Values that can arrive in a cycle.
    accesses: usize,
    /// Slots of the present instruction that wait, and all slots' entries.
    waiting: Vec<usize>,
    index: Vec<u32>,
}

impl OperandCollectorTableStimulus {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, accesses, dispatch_on_arrival, allocate_on_arrival, .. } =
            *parameters;
        let (waiting, index) = (vec![], vec![0; slots]);
        OperandCollectorTableStimulus {
            entries,
            slots,
            dispatch_on_arrival,
            allocate_on_arrival,
            accesses,
            waiting,
            index,
        }
    }
}

impl OperandCollectorTableStimulus {
    /// The slot that asked for the value that a slot waits for.
    fn asker(&self, slot: usize) -> u32 {
        if self.allocate_on_arrival {
            self.index[slot]
        } else {
            slot as u32
        }
    }

    /// The entries of the slots whose values arrive in a cycle.
    fn all_filled(&self, inputs: &OperandCollectorTableIn) -> Vec<u32> {
        let first = inputs.s_valid.then_some(inputs.s_slot);
        let second = inputs.second_s_valid[0].then_some(inputs.second_s_slot[0]);
        [first, second].into_iter().flatten().map(|slot| self.filled(slot)).collect()
    }

    /// The entry of the slots that wait for the value that a slot asked for.
    fn filled(&self, asker: u32) -> u32 {
        if self.allocate_on_arrival {
            asker
        } else {
            self.index[asker as usize]
        }
    }
}

impl Stimulus<OperandCollectorTableIn, OperandCollectorTableOut> for OperandCollectorTableStimulus {
    fn next(&mut self, random: &mut Random) -> OperandCollectorTableIn {
        let mut inputs = OperandCollectorTableIn::default();
        inputs.source_valid[..self.slots].fill_with(|| random.percent(60));
        inputs.source_index[..self.slots].fill_with(|| random.below(self.entries) as u32);
        if self.allocate_on_arrival {
            inputs.source_register[..self.slots].fill_with(|| random.below(256) as u32);
            inputs.source_near[..self.slots].fill_with(|| random.percent(50));
            inputs.s_entry[0] = random.below(self.entries) as u32;
        }
        // Slots of one entry hit together or not at all.
        let hits: Vec<bool> = (0..self.entries).map(|_| random.percent(40)).collect();
        for slot in 0..self.slots {
            inputs.source_hit[slot] = inputs.source_valid[slot] && hits[inputs.source_index[slot] as usize];
            // One that misses has no entry yet, but a slot that asks: its own, or an earlier one of the same
            // register.
            if self.allocate_on_arrival && !inputs.source_hit[slot] {
                let asks = |other: &usize| inputs.source_valid[*other] && !inputs.source_hit[*other];
                let earlier =
                    (0..slot).find(asks).filter(|_| inputs.source_valid[slot] && random.percent(20));
                let asked = earlier.map_or(slot as u32, |other| inputs.source_index[other]);
                inputs.source_index[slot] = asked;
            }
        }
        inputs.s_valid = !self.waiting.is_empty() && random.percent(70);
        inputs.s_slot = match inputs.s_valid {
            true => self.asker(self.waiting[random.below(self.waiting.len())]),
            false => random.below(self.slots) as u32,
        };
        let filled = self.all_filled(&inputs);
        let others: Vec<usize> =
            self.waiting.iter().copied().filter(|slot| !filled.contains(&self.index[*slot])).collect();
        if self.accesses > 1 && !others.is_empty() && random.percent(50) {
            inputs.second_s_valid[0] = true;
            inputs.second_s_slot[0] = others[random.below(others.len())] as u32;
        }
        // The last value may arrive as its instruction leaves and the next one enters.
        let filled = self.all_filled(&inputs);
        let complete =
            self.waiting.iter().all(|slot| self.dispatch_on_arrival && filled.contains(&self.index[*slot]));
        inputs.issue = complete && random.percent(70);
        inputs
    }

    fn observe(
        &mut self,
        inputs: &OperandCollectorTableIn,
        _: &OperandCollectorTableOut,
    ) -> Result<(), String> {
        let filled = self.all_filled(inputs);
        let index = &self.index;
        self.waiting.retain(|slot| !filled.contains(&index[*slot]));
        if inputs.issue {
            self.index = inputs.source_index[..self.slots].to_vec();
            let waits = |slot: &usize| inputs.source_valid[*slot] && !inputs.source_hit[*slot];
            self.waiting = (0..self.slots).filter(waits).collect();
        }
        Ok(())
    }
}
