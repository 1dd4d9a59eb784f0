// SPDX-License-Identifier: Apache-2.0
//! Reference model of a caching collector unit's cache table as a block of its own: W §3.2, F §III-C.
//! [`super::Ccu`] is not built from it: it says directly what the whole unit does.

use gpurf_blocks::ports::LruOrderIn;
use gpurf_blocks::ports::{CacheTableIn, CacheTableOut};
use gpurf_blocks::{Clocked, Data, Parameters, MAX_ENTRIES, MAX_SLOTS};

use crate::bits::members;
use crate::cells::LruOrder;

/// One entry of the cache table.
#[derive(Clone, Copy, Debug, Default)]
struct CacheEntry<D> {
    valid: bool,
    tag: u32,
    lock: bool,
    near: bool,
    data: D,
}

/// A fully associative table whose replacement is decided elsewhere.
#[derive(Clone, Debug)]
pub struct CacheTable<D: Data> {
    slots: usize,
    banks: usize,
    d_ports: usize,
    allocate_on_arrival: bool,
    meets: bool,
    entries: Vec<CacheEntry<D>>,
    order: LruOrder,
    inputs: CacheTableIn<D>,
}

impl<D: Data> CacheTable<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, slots, banks, d_ports, allocate_on_arrival, .. } = *parameters;
        CacheTable {
            slots,
            banks,
            d_ports,
            allocate_on_arrival,
            meets: allocate_on_arrival && parameters.dispatch_on_arrival,
            entries: vec![CacheEntry::default(); entries],
            order: LruOrder::new(entries),
            inputs: CacheTableIn::default(),
        }
    }

    fn find(&self, register: u32) -> Option<usize> {
        self.entries.iter().position(|entry| entry.valid && entry.tag == register)
    }
}

impl<D: Data> Clocked for CacheTable<D> {
    type In = CacheTableIn<D>;
    type Out = CacheTableOut<D>;

    fn settle(&mut self, inputs: &CacheTableIn<D>) -> CacheTableOut<D> {
        self.inputs = *inputs;
        let mut outputs = CacheTableOut {
            newer: self.order.settle(&LruOrderIn::default()).newer,
            any_near: self.entries.iter().any(|entry| entry.valid && entry.near),
            ..Default::default()
        };
        let look_up = |register| self.find(register).filter(|_| !inputs.flush);
        // An instruction that meets an arriving value finds it, and no longer what makes room for it.
        let arrival = (self.meets && inputs.s_valid)
            .then(|| (inputs.s_register[0], members(inputs.s_entry).next().expect("it has an entry")));
        for slot in (0..self.slots).filter(|slot| inputs.source_valid[*slot]) {
            let register = inputs.source_register[slot];
            let found = match arrival {
                Some((arriving, entry)) if arriving == register => Some(entry),
                _ => look_up(register).filter(|found| arrival.is_none_or(|(_, entry)| entry != *found)),
            };
            if let Some(entry) = found {
                outputs.hit[slot] = true;
                outputs.hit_entry[slot] = 1 << entry;
                outputs.entry_hit[entry] = true;
            }
        }
        for port in 0..self.d_ports {
            let found = look_up(inputs.d_register[port]);
            outputs.d_hit[port] = found.is_some();
            outputs.d_hit_entry[port] = found.map_or(0, |entry| 1 << entry);
        }
        for (number, entry) in self.entries.iter().enumerate() {
            outputs.was_valid[number] = entry.valid;
            outputs.valid[number] = entry.valid && !inputs.flush;
            outputs.lock[number] = entry.lock;
            outputs.near[number] = entry.near;
            outputs.data[number] = entry.data;
        }
        outputs
    }

    fn tick(&mut self) {
        let inputs = self.inputs;
        let mut touched = [false; MAX_ENTRIES];
        if inputs.unlock {
            self.entries.iter_mut().for_each(|entry| entry.lock = false);
        }
        if inputs.flush {
            self.entries.iter_mut().for_each(|entry| entry.valid = false);
        }
        for bank in (0..self.banks).filter(|bank| inputs.kill[*bank]) {
            if let Some(entry) = self.find(inputs.kill_register[bank]) {
                self.entries[entry].valid = false;
            }
        }
        for number in members(inputs.s_entry).filter(|_| inputs.s_valid) {
            let entry = &mut self.entries[number];
            entry.data = inputs.s_data;
            if self.allocate_on_arrival {
                (entry.valid, entry.lock) = (true, !inputs.unlock);
                (entry.tag, entry.near) = (inputs.s_register[0], inputs.s_near[0]);
                touched[number] = true;
            }
        }
        for number in members(inputs.second_s_entry[0]).filter(|_| inputs.second_s_valid[0]) {
            self.entries[number].data = inputs.second_s_data[0];
        }
        let mut used = [false; MAX_ENTRIES];
        for slot in 0..self.slots.min(MAX_SLOTS) {
            let Some(number) = members(inputs.source_entry[slot]).next() else { continue };
            let entry = &mut self.entries[number];
            entry.near = inputs.source_near[slot] || used[number] && entry.near;
            (entry.valid, entry.lock, entry.tag) = (true, true, inputs.source_register[slot]);
            (used[number], touched[number]) = (true, true);
        }
        for port in (0..self.d_ports).filter(|port| inputs.d_valid[*port]) {
            let Some(number) = members(inputs.d_entry[port]).next() else { continue };
            if (port > 0 || self.allocate_on_arrival) && touched[number] {
                continue;
            }
            let entry = &mut self.entries[number];
            (entry.valid, entry.tag) = (true, inputs.d_register[port]);
            (entry.near, entry.data) = (inputs.d_near[port], inputs.d_data[port]);
            touched[number] = true;
        }
        self.order.settle(&LruOrderIn { touch: touched });
        self.order.tick();
    }
}
