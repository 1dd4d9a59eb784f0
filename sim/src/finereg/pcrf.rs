// SPDX-License-Identifier: Apache-2.0
//! Reference model of the pending-CTA register file: R §V-D, §V-E.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{PcrfIn, PcrfOut};
use gpurf_blocks::{Clocked, Data, Parameters};

/// A register with its tag; `next` counts unless `end` is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct PcrfEntry<D> {
    /// The last one of its chain.
    pub end: bool,
    /// The entry that follows.
    pub next: usize,
    /// Whose register it is.
    pub warp: u32,
    /// Register number in its warp.
    pub register: u32,
    /// Its value.
    pub data: D,
}

/// The entries, a walk, and a chain under construction.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Pcrf<D: Data> {
    entries: Vec<PcrfEntry<D>>,
    latency: usize,
    next_latency: usize,
    ports: usize,
    /// Entries being read, the oldest first, and for how many cycles each has been.
    reads: Vec<(usize, usize)>,
    /// The entry to be read next: its number has arrived.
    follow: Option<usize>,
    /// The register on the output; whether it is a new one.
    output: PcrfEntry<D>,
    shown: bool,
    /// The entry of the chain's next register.
    reserved: Option<usize>,
    head: usize,
    #[borsh(skip)]
    inputs: PcrfIn<D>,
}

impl<D: Data> Pcrf<D> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { pcrf_entries: entries, pcrf_latency: latency, next_latency, .. } = *parameters;
        Pcrf {
            entries: vec![PcrfEntry::default(); entries],
            latency,
            next_latency,
            ports: parameters.pcrf_ports,
            reads: vec![],
            follow: None,
            output: PcrfEntry::default(),
            shown: false,
            reserved: None,
            head: 0,
            inputs: Default::default(),
        }
    }

    /// The register that waits to be accepted.
    pub fn shown(&self) -> Option<&PcrfEntry<D>> {
        self.shown.then_some(&self.output)
    }

    /// One of the entries.
    pub fn entry(&self, number: usize) -> &PcrfEntry<D> {
        &self.entries[number]
    }

    /// The first entry of the chain that is being stored.
    pub fn head(&self) -> usize {
        self.head
    }

    /// The entry that the next register of the chain under construction takes.
    pub fn reserved(&self) -> Option<usize> {
        self.reserved
    }

    /// The first entry of a walk that has yet to be freed.
    pub fn walked_to(&self) -> Option<usize> {
        self.reads.first().map(|&(entry, _)| entry).or(self.follow)
    }

    fn advances(&self) -> bool {
        !self.shown || self.inputs.accept
    }

    /// The entry whose read begins in this cycle.
    fn beginning(&self) -> Option<usize> {
        self.follow.or_else(|| self.inputs.walk.then_some(self.inputs.walk_pointer as usize))
    }

    /// The entry whose read has taken so many cycles at the end of this one.
    fn read_after(&self, cycles: usize) -> Option<usize> {
        let begun = self.beginning().map(|entry| (entry, 0));
        let mut reads = self.reads.iter().copied().chain(begun);
        let found = reads.find(|&(_, age)| age + 1 == cycles).map(|(entry, _)| entry);
        found.filter(|_| self.advances())
    }

    fn begins_chain(&self) -> bool {
        self.inputs.store && self.reserved.is_none() && self.inputs.any_free
    }

    fn stores(&self) -> Option<usize> {
        let PcrfIn { store, store_last, any_free, .. } = self.inputs;
        let is_read = self.read_after(self.latency).or(self.read_after(self.next_latency)).is_some();
        let busy = is_read && self.ports == 1;
        self.reserved.filter(|_| store && !busy && (store_last || any_free))
    }
}

impl<D: Data> Clocked for Pcrf<D> {
    type In = PcrfIn<D>;
    type Out = PcrfOut<D>;

    fn settle(&mut self, inputs: &PcrfIn<D>) -> PcrfOut<D> {
        self.inputs = *inputs;
        let under_way = !self.reads.is_empty() || self.beginning().is_some();
        let freed = self.read_after(self.latency);
        let stored = self.stores().is_some();
        PcrfOut {
            walking: under_way || self.shown,
            restored: self.shown,
            restored_last: self.shown && !under_way,
            restored_warp: self.output.warp,
            restored_register: self.output.register,
            restored_data: self.output.data,
            take: self.begins_chain() || stored && !inputs.store_last,
            free: freed.is_some(),
            free_entry: freed.unwrap_or(0) as u32,
            stored,
            head: self.head as u32,
        }
    }

    fn tick(&mut self) {
        let PcrfIn { store_last, store_warp, store_register, store_data, first_free, .. } = self.inputs;
        let first_free = first_free as usize;
        let (stored, begins_chain) = (self.stores(), self.begins_chain());

        let (next_read, data_read) = (self.read_after(self.next_latency), self.read_after(self.latency));
        if self.advances() {
            self.reads.extend(self.beginning().map(|entry| (entry, 0)));
            self.reads.iter_mut().for_each(|(_, age)| *age += 1);
            self.reads.retain(|&(_, age)| age < self.latency);
            let next = next_read.map(|entry| &self.entries[entry]).filter(|entry| !entry.end);
            self.follow = next.map(|entry| entry.next);
            self.shown = data_read.is_some();
            if let Some(entry) = data_read {
                self.output = self.entries[entry];
            }
        }

        if begins_chain {
            (self.reserved, self.head) = (Some(first_free), first_free);
        }
        if let Some(entry) = stored {
            self.entries[entry] = PcrfEntry {
                end: store_last,
                next: first_free,
                warp: store_warp,
                register: store_register,
                data: store_data,
            };
            self.reserved = (!store_last).then_some(first_free);
        }
    }
}
