//! The values in a caching collector unit, and the rules by which they come and go: W §3.2 and §4,
//! F §III-C and §IV-A.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Data, Parameters, ReplacementPolicy, MAX_D_PORTS, MAX_ENTRIES, MAX_SLOTS};
use gpurf_trace::RegisterId;

use super::DWrite;
use crate::bits::{equal, members};
use crate::cells::LruOrder;
use crate::collector::{choose, Placement};

/// A fully associative table of register values; sets of entries are bit masks.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct Cache<D: Data> {
    pub entries: usize,
    pub replacement: ReplacementPolicy,
    pub valid: u16,
    pub near: u16,
    pub lock: u16,
    tag: [u8; MAX_ENTRIES],
    pub data: [D; MAX_ENTRIES],
    order: LruOrder,
}

impl<D: Data> Cache<D> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { entries, replacement, .. } = *parameters;
        Cache {
            entries,
            replacement,
            valid: 0,
            near: 0,
            lock: 0,
            tag: [0; MAX_ENTRIES],
            data: [D::default(); MAX_ENTRIES],
            order: LruOrder::new(entries),
        }
    }

    /// The valid entry with this tag.
    pub fn find(&self, register: RegisterId) -> Option<usize> {
        let found = equal(&self.tag, register.0) & self.valid;
        (found != 0).then(|| found.trailing_zeros() as usize)
    }

    /// Hits and requests of an instruction's sources, before anything is changed. `sources`: a bit per
    /// used slot. In a table of another warp's values nothing is found.
    pub fn look_up(&self, sources: u8, registers: &[RegisterId; MAX_SLOTS], of_another: bool) -> Placement {
        let mut placement = Placement::default();
        for slot in members(sources) {
            match self.find(registers[slot]).filter(|_| !of_another) {
                Some(entry) => {
                    placement.index[slot] = entry as u8;
                    placement.hit |= 1 << slot;
                }
                None if !members(sources & ((1 << slot) - 1)).any(|s| registers[s] == registers[slot]) => {
                    placement.request |= 1 << slot;
                }
                None => {}
            }
        }
        placement
    }

    fn replace(&self, valid: u16, keep: u16, random: u32) -> Option<usize> {
        let oldest = |set| self.order.oldest(set);
        choose(self.replacement, self.entries, valid, self.near, keep, random, oldest)
    }

    /// Everything that one clock edge does to the table, except port S and unlocking.
    ///
    /// `issue`: placement from [`Cache::look_up`], registers and near bits of the issued instruction.
    /// `results`: what is at the ports D, the first port first. `invalid`: registers whose entries must go.
    /// Returns the entry of every slot.
    pub fn update(
        &mut self,
        issue: Option<(u8, Placement, &[RegisterId; MAX_SLOTS], u8)>,
        results: &[Option<DWrite<D>>; MAX_D_PORTS],
        invalid: &[RegisterId],
        random: u32,
    ) -> [u8; MAX_SLOTS] {
        // What was there decides the replacement; an entry invalidated now is free from the next cycle.
        let before = self.valid;
        let updated = results.map(|result| result.and_then(|result| self.find(result.register)));
        for register in invalid {
            self.valid &= !self.find(*register).map_or(0, |entry| 1 << entry);
        }
        let mut keep = self.lock | updated[0].map_or(0, |entry| 1 << entry);
        let mut touched = 0;
        let mut index = [0; MAX_SLOTS];
        if let Some((sources, placement, registers, near)) = issue {
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
            let Some(DWrite { register, near, data }) = *result else { continue };
            // The entry that holds a second result's register may have been taken by now, or all of them.
            let Some(entry) = updated.or_else(|| self.replace(before, keep, random)) else { continue };
            if touched >> entry & 1 == 1 {
                continue;
            }
            self.tag[entry] = register.0;
            self.data[entry] = data;
            self.valid |= 1 << entry;
            self.near = self.near & !(1 << entry) | (near as u16) << entry;
            touched |= 1 << entry;
            keep |= 1 << entry;
        }
        if touched != 0 {
            self.order.touch(touched);
        }
        index
    }
}
