//! Testbench of the cache table.

use gpurf_blocks::ports::{CacheTableIn, CacheTableOut};
use gpurf_blocks::{Clocked, Data, Parameters};
use gpurf_hw::collector::CacheTable;
use gpurf_hw::dialect::Word;
use gpurf_sim::collector as model;
use rust_hdl::prelude::Bits;

use crate::{register, spread, Engine, Random, Stimulus, Testbench};

impl<const W: usize, const I: usize> Testbench for CacheTable<W, I>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(model::CacheTable::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(CacheTableStimulus::new(parameters))
    }
}

register!(CacheTable<W, I>);

/// Allocation that keeps registers unique in the table; where a source hits, the model is asked, as the
/// unit around the table would know it in the same cycle.
struct CacheTableStimulus<D: Data> {
    entries: usize,
    slots: usize,
    banks: usize,
    d_ports: usize,
    table: model::CacheTable<D>,
}

impl<D: Data> CacheTableStimulus<D> {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, banks, d_ports, .. } = *parameters;
        CacheTableStimulus { entries, slots, banks, d_ports, table: model::CacheTable::new(parameters) }
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
        let mut unused: Vec<u32> = (0..registers).map(|index| spread(index, 8)).collect();
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
