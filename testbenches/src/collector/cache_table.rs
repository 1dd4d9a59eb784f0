// SPDX-License-Identifier: Apache-2.0
//! Testbench of the cache table.

use gpurf_blocks::ports::{CacheTableIn, CacheTableOut};
use gpurf_blocks::{Clocked, Data, Parameters};
use gpurf_hw::collector::CacheTable;
use gpurf_hw::dialect::Word;
use gpurf_sim::collector as model;
use rust_hdl::prelude::Bits;

use crate::{at_most_one, register, spread, Engine, Random, Stimulus, Testbench};

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

    fn protocol(parameters: &Parameters) -> Vec<String> {
        // A register has one entry at most.
        let Parameters { entries, d_ports, .. } = *parameters;
        (0..d_ports).map(|port| at_most_one(&format!("d_hit_entry[{} +: {entries}]", 16 * port))).collect()
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
    accesses: usize,
    allocate_on_arrival: bool,
    /// A value can arrive with an issue.
    meets: bool,
    table: model::CacheTable<D>,
}

impl<D: Data> CacheTableStimulus<D> {
    fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, banks, d_ports, accesses, allocate_on_arrival, .. } = *parameters;
        let meets = allocate_on_arrival && parameters.dispatch_on_arrival;
        let table = model::CacheTable::new(parameters);
        CacheTableStimulus { entries, slots, banks, d_ports, accesses, allocate_on_arrival, meets, table }
    }
}

impl<D: Data> CacheTableStimulus<D> {
    /// A value that takes an entry which is not locked. Its register is not in the table, and that of a
    /// source only where the two can meet; of another warp it takes none.
    fn arrive(&self, inputs: &mut CacheTableIn<D>, unused: &[u32], random: &mut Random) {
        let table = self.table.clone().settle(&CacheTableIn::default());
        inputs.s_register[0] = random.pick(unused);
        inputs.s_near[0] = random.percent(50);
        let sources = (0..self.slots).filter(|slot| inputs.source_valid[*slot]);
        if self.meets {
            if let Some(slot) = sources.clone().nth(random.below(self.slots)) {
                inputs.s_register[0] = inputs.source_register[slot];
            }
        } else if inputs.s_valid {
            inputs.source_valid = Default::default();
        }
        // Looked up as a source, it says whether it is there.
        let mut looked_up = CacheTableIn::<D>::default();
        (looked_up.source_valid[0], looked_up.source_register[0]) = (true, inputs.s_register[0]);
        let is_there = self.table.clone().settle(&looked_up).hit[0];
        let entry = inputs.s_entry.trailing_zeros() as usize;
        inputs.s_valid &= !is_there && !table.lock[entry] && !inputs.flush;
    }
}

impl<D: Data> Stimulus<CacheTableIn<D>, CacheTableOut<D>> for CacheTableStimulus<D> {
    fn next(&mut self, random: &mut Random) -> CacheTableIn<D> {
        // Enough for all slots, banks and ports D to name different ones.
        let registers = 2 * self.entries + self.d_ports + 1;
        let mut inputs = CacheTableIn {
            flush: random.percent(5),
            unlock: random.percent(30),
            s_valid: random.percent(30),
            s_entry: 1 << random.below(self.entries),
            s_data: random.data(),
            ..Default::default()
        };
        if self.accesses > 1 {
            inputs.second_s_entry[0] = 1 << random.below(self.entries);
            inputs.second_s_data[0] = random.data();
            let differs = inputs.second_s_entry[0] != inputs.s_entry || !inputs.s_valid;
            inputs.second_s_valid[0] = differs && random.percent(30);
        }
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
        if self.allocate_on_arrival {
            self.arrive(&mut inputs, &unused, random);
        }
        let seen = self.table.settle(&inputs);
        let mut taken: Vec<bool> = seen.entry_hit.to_vec();
        // A source may take the entry of the second result, but not that of the first.
        if seen.d_hit[0] {
            taken[seen.d_hit_entry[0].trailing_zeros() as usize] = true;
        }
        let mut allocate = |random: &mut Random| {
            let start = random.below(self.entries);
            let free = (0..self.entries).map(|k| (start + k) % self.entries).find(|entry| !taken[*entry]);
            taken[free?] = true;
            free.map(|free| 1 << free)
        };
        for slot in (0..self.slots).filter(|slot| inputs.source_valid[*slot]) {
            let repeats = (0..slot).find(|s| {
                inputs.source_valid[*s] && inputs.source_register[*s] == inputs.source_register[slot]
            });
            inputs.source_entry[slot] = match (seen.hit[slot], repeats) {
                (true, _) => seen.hit_entry[slot],
                _ if self.allocate_on_arrival => 0,
                (false, Some(earlier)) => inputs.source_entry[earlier],
                (false, None) => allocate(random).expect("more entries than slots"),
            };
        }
        for port in 0..self.d_ports {
            let entry = if seen.d_hit[port] { Some(seen.d_hit_entry[port]) } else { allocate(random) };
            inputs.d_valid[port] = entry.is_some() && random.percent(30);
            inputs.d_entry[port] = entry.unwrap_or(0);
            // A value from the banks meets a result in one entry only where it takes that entry now: else it
            // is locked.
            inputs.s_valid &= self.allocate_on_arrival || inputs.s_entry != inputs.d_entry[port];
            inputs.second_s_valid[0] &= inputs.second_s_entry[0] != inputs.d_entry[port];
        }
        inputs
    }

    fn observe(&mut self, inputs: &CacheTableIn<D>, _: &CacheTableOut<D>) -> Result<(), String> {
        self.table.settle(inputs);
        self.table.tick();
        Ok(())
    }
}
