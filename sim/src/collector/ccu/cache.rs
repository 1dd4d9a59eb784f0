// SPDX-License-Identifier: Apache-2.0
//! The values in a caching collector unit, and the rules by which they come and go: W §3.2 and §4,
//! F §III-C and §IV-A.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Data, Parameters, ReplacementPolicy, MAX_D_PORTS, MAX_ENTRIES, MAX_SLOTS};
use gpurf_trace::RegisterId;

use super::DWrite;
use crate::bits::{equal, equal_of_16, first, members};
use crate::cells::LruOrder;
use crate::collector::{choose, Issue, Placement};

/// A value from the banks that takes its entry in the cycle in which it arrives.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub struct ArrivingValue {
    pub entry: usize,
    pub register: RegisterId,
    /// Its next use is near.
    pub near: bool,
}

/// A fully associative table of register values; sets of entries are bit masks.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct CollectorCache<D: Data> {
    pub entries: usize,
    pub replacement: ReplacementPolicy,
    pub valid: u16,
    pub near: u16,
    pub lock: u16,
    tag: [u8; MAX_ENTRIES],
    pub data: [D; MAX_ENTRIES],
    order: LruOrder,
    /// The value that arrives in this cycle, under `allocate_on_arrival`.
    pub arrival: Option<ArrivingValue>,
}

impl<D: Data> CollectorCache<D> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, replacement, .. } = *parameters;
        CollectorCache {
            entries,
            replacement,
            valid: 0,
            near: 0,
            lock: 0,
            tag: [0; MAX_ENTRIES],
            data: [D::default(); MAX_ENTRIES],
            order: LruOrder::new(entries),
            arrival: None,
        }
    }

    /// The valid entry with this tag, as a set that is empty if there is none.
    fn find(&self, register: RegisterId) -> u16 {
        equal_of_16(&self.tag, register.0) & self.valid
    }

    /// Hits and requests of an instruction's sources, before anything is changed. `sources`: a bit per
    /// used slot. In a table of another warp's values nothing is found. A value that arrives in this cycle
    /// is, and what makes room for it is not.
    pub fn look_up(&self, sources: u8, registers: &[RegisterId; MAX_SLOTS], of_another: bool) -> Placement {
        let mut placement = Placement::default();
        let numbers = registers.map(|register| register.0);
        for slot in members(sources) {
            let found = match self.arrival {
                _ if of_another => 0,
                None => self.find(registers[slot]),
                Some(arrival) if arrival.register == registers[slot] => 1 << arrival.entry,
                Some(arrival) => self.find(registers[slot]) & !(1 << arrival.entry),
            };
            if found != 0 {
                placement.index[slot] = found.trailing_zeros() as u8;
                placement.hit |= 1 << slot;
            } else if equal(&numbers, numbers[slot]) & sources & ((1 << slot) - 1) == 0 {
                placement.request |= 1 << slot;
            }
        }
        placement
    }

    /// The entry that makes room next, except for those that are to be kept.
    pub fn replace(&self, valid: u16, keep: u16, random: u32) -> Option<usize> {
        let random = random & (self.entries as u32 - 1);
        let oldest = |set| self.order.oldest(set);
        choose(self.replacement, self.entries, valid, self.near, keep, random, oldest)
    }

    /// Everything that one clock edge does to the table, except port S and unlocking.
    ///
    /// `issue`: the issued instruction, with its placement from [`CollectorCache::look_up`].
    /// `results`: what is at the ports D, the first port first. `invalid`: registers whose entries must go.
    /// Returns the entry of every slot.
    pub fn update(
        &mut self,
        issue: Option<(&Issue, &Placement)>,
        results: &[Option<DWrite<D>>; MAX_D_PORTS],
        invalid: impl Iterator<Item = RegisterId>,
        random: u32,
    ) -> [u8; MAX_SLOTS] {
        // What was there decides the replacement; an entry invalidated now is free from the next cycle.
        let before = self.valid;
        let mut updated = [0; MAX_D_PORTS];
        for (updated, result) in updated.iter_mut().zip(results) {
            *updated = result.as_ref().map_or(0, |result| self.find(result.register));
        }
        invalid.for_each(|register| self.valid &= !self.find(register));
        let mut keep = self.lock | updated[0];
        let mut touched = 0;
        let mut index = [0; MAX_SLOTS];
        if let Some((&Issue { sources, near, ref registers, .. }, placement)) = issue {
            index = placement.index;
            keep |= members(placement.hit).fold(0, |hits, slot| hits | 1 << index[slot]);
            let mut nearer = 0;
            for slot in members(sources) {
                if placement.request >> slot & 1 == 1 {
                    let entry = self.replace(before, keep, random).expect("more entries than slots");
                    index[slot] = entry as u8;
                    keep |= 1 << entry;
                    self.tag[entry] = registers[slot].0;
                    self.valid |= 1 << entry;
                } else if placement.hit >> slot & 1 == 0 {
                    let first = members(sources).find(|s| registers[*s] == registers[slot]);
                    index[slot] = index[first.expect("repeats an earlier slot")];
                }
                touched |= 1 << index[slot];
                nearer |= ((near >> slot & 1) as u16) << index[slot];
            }
            self.lock |= touched;
            self.near = self.near & !touched | nearer;
        }
        for (result, updated) in results.iter().zip(updated) {
            let Some(result) = result else { continue };
            // The entry that holds a second result's register may have been taken by now, or all of them.
            let Some(entry) = first(updated).or_else(|| self.replace(before, keep, random)) else { continue };
            if touched >> entry & 1 == 1 {
                continue;
            }
            self.put(entry, result);
            touched |= 1 << entry;
            keep |= 1 << entry;
        }
        if touched != 0 {
            self.order.touch(touched);
        }
        index
    }

    /// A result goes into an entry.
    fn put(&mut self, entry: usize, &DWrite { register, near, data }: &DWrite<D>) {
        self.tag[entry] = register.0;
        self.data[entry] = data;
        self.valid |= 1 << entry;
        self.near = self.near & !(1 << entry) | (near as u16) << entry;
    }

    /// As [`CollectorCache::update`], under `allocate_on_arrival`: what arrives has its entry, sources only
    /// use what they have found, and results yield to both. `leaves`: the instruction is dispatched; what it
    /// has locked is kept in this cycle, too.
    pub fn update_on_arrival(
        &mut self,
        issue: Option<(&Issue, &Placement)>,
        results: &[Option<DWrite<D>>; MAX_D_PORTS],
        invalid: impl Iterator<Item = RegisterId>,
        random: u32,
        leaves: bool,
    ) {
        let arrival = self.arrival.take();
        let mut keep = self.lock | arrival.map_or(0, |arrival| 1 << arrival.entry);
        let entries = results.map(|result| {
            let result = result?;
            first(self.find(result.register)).or_else(|| {
                let chosen = self.replace(self.valid, keep, random);
                keep |= chosen.map_or(0, |entry| 1 << entry);
                chosen
            })
        });
        invalid.for_each(|register| self.valid &= !self.find(register));
        if leaves {
            self.lock = 0;
        }
        let mut touched = 0;
        if let Some(ArrivingValue { entry, register, near }) = arrival {
            touched = 1 << entry;
            self.tag[entry] = register.0;
            self.valid |= touched;
            self.near = self.near & !touched | (near as u16) << entry;
            self.lock |= if leaves { 0 } else { touched };
        }
        if let Some((&Issue { near, .. }, placement)) = issue {
            let (mut used, mut nearer) = (0, 0);
            for slot in members(placement.hit) {
                used |= 1 << placement.index[slot];
                nearer |= ((near >> slot & 1) as u16) << placement.index[slot];
            }
            self.lock |= used;
            self.near = self.near & !used | nearer;
            touched |= used;
        }
        for (result, entry) in results.iter().zip(entries) {
            let (Some(result), Some(entry)) = (result, entry) else { continue };
            if touched >> entry & 1 == 1 {
                continue;
            }
            self.put(entry, result);
            touched |= 1 << entry;
        }
        if touched != 0 {
            self.order.touch(touched);
        }
    }
}
