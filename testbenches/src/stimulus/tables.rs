//! Stimulus of the two tables of a caching collector unit.

use gpurf_blocks::{Clocked, Data, Parameters};
use gpurf_hw::collector::{CacheTableIn, CacheTableOut, OperandCollectorTableIn, OperandCollectorTableOut};
use gpurf_sim::collector::CacheTable;

use super::Stimulus;
use crate::Random;

/// Instructions one after another; slots that share an entry, hits, and values for the rest.
pub struct OperandCollectorTableStimulus {
    entries: usize,
    slots: usize,
    /// Slots of the present instruction that wait, and all slots' entries.
    waiting: Vec<usize>,
    index: Vec<u32>,
}

impl OperandCollectorTableStimulus {
    pub fn new(entries: usize, slots: usize) -> Self {
        OperandCollectorTableStimulus { entries, slots, waiting: vec![], index: vec![0; slots] }
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
        inputs.issue = self.waiting.is_empty() && random.percent(70);
        inputs.s_valid = !self.waiting.is_empty() && random.percent(70);
        inputs.s_slot = match inputs.s_valid {
            true => self.waiting[random.below(self.waiting.len())] as u32,
            false => random.below(self.slots) as u32,
        };
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

/// Allocation that keeps registers unique in the table; where a source hits, the model is asked, as the
/// unit around the table would know it in the same cycle.
pub struct CacheTableStimulus<D: Data> {
    entries: usize,
    slots: usize,
    banks: usize,
    d_ports: usize,
    table: CacheTable<D>,
}

impl<D: Data> CacheTableStimulus<D> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, banks, d_ports, .. } = *parameters;
        CacheTableStimulus { entries, slots, banks, d_ports, table: CacheTable::new(parameters) }
    }
}

impl<D: Data> Stimulus<CacheTableIn<D>, CacheTableOut<D>> for CacheTableStimulus<D> {
    fn next(&mut self, random: &mut Random) -> CacheTableIn<D> {
        // Enough for all slots, banks and ports D to name different ones.
        let registers = 2 * self.entries + self.d_ports;
        let mut inputs = CacheTableIn {
            flush: random.percent(5),
            unlock: random.percent(30),
            s_valid: random.percent(30),
            s_index: random.below(self.entries) as u32,
            s_data: random.data(),
            ..Default::default()
        };
        let density = random.pick(&[0, 30, 80]);
        let mut unused: Vec<u32> = (0..registers as u32).collect();
        for port in 0..self.d_ports {
            inputs.d_register[port] = unused.swap_remove(random.below(unused.len()));
            inputs.d_near[port] = random.percent(60);
            inputs.d_data[port] = random.data();
        }
        for slot in 0..self.slots {
            inputs.source_valid[slot] = random.percent(density);
            // Now and then a register is named twice.
            inputs.source_register[slot] = match slot > 0 && random.percent(10) {
                true => inputs.source_register[slot - 1],
                false => unused.swap_remove(random.below(unused.len())),
            };
            inputs.source_near[slot] = random.percent(50);
        }
        for bank in 0..self.banks {
            inputs.kill[bank] = random.percent(20);
            inputs.kill_register[bank] = unused.swap_remove(random.below(unused.len()));
        }
        let seen = self.table.settle(&inputs);
        let mut taken: Vec<bool> = seen.entry_hit.to_vec();
        // A source may take the entry of the second result, but not that of the first.
        if seen.d_hit[0] {
            taken[seen.d_hit_index[0] as usize] = true;
        }
        let mut allocate = |random: &mut Random| {
            let start = random.below(self.entries);
            let free = (0..self.entries).map(|k| (start + k) % self.entries).find(|entry| !taken[*entry]);
            taken[free?] = true;
            free.map(|free| free as u32)
        };
        for slot in (0..self.slots).filter(|slot| inputs.source_valid[*slot]) {
            let repeats = (0..slot).find(|s| {
                inputs.source_valid[*s] && inputs.source_register[*s] == inputs.source_register[slot]
            });
            inputs.source_index[slot] = match (seen.hit[slot], repeats) {
                (true, _) => seen.hit_index[slot],
                (false, Some(earlier)) => inputs.source_index[earlier],
                (false, None) => allocate(random).expect("more entries than slots"),
            };
        }
        for port in 0..self.d_ports {
            let entry = if seen.d_hit[port] { Some(seen.d_hit_index[port]) } else { allocate(random) };
            inputs.d_valid[port] = entry.is_some() && random.percent(30);
            inputs.d_index[port] = entry.unwrap_or(0);
            // A value from the banks never meets a result in one entry: the entry is locked.
            inputs.s_valid &= inputs.s_index != inputs.d_index[port];
        }
        inputs
    }

    fn observe(&mut self, inputs: &CacheTableIn<D>, _: &CacheTableOut<D>) -> Result<(), String> {
        self.table.settle(inputs);
        self.table.tick();
        Ok(())
    }
}
