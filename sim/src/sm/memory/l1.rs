// SPDX-License-Identifier: Apache-2.0
//! The L1 data cache: banks, tags, misses under way, and the write-back of what comes from L2.
//!
//! Sectors pass to the tags through the queues of the banks. A hit is there when it leaves them. A miss
//! leaves when the table of misses has room for it, and its line a way in the set: one that waits for a
//! sector, or was stored to, may keep its own. Data from L2, of a miss or of a hit on a sector that is on its
//! way, are written back as [`Fills`] says. Stores pass the queues as loads do, and go on to L2.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::MemoryAccess;

use crate::config::{self, Config};
use crate::statistics::Counters;

use super::bank_queue::BankQueue;
use super::cache::{Cache, Keeps};
use super::coalescer::{SectorAccess, SECTORS};
use super::fills::Fills;
use super::l2::L2;
use super::miss_table::MissTable;

/// `T` is what identifies a load.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct L1<T> {
    config: config::L1,
    tags: Cache,
    banks: Vec<BankQueue>,
    /// The bank whose turn it is, if a sector may go to any.
    turn: usize,
    misses: MissTable,
    pub fills: Fills<T>,
}

/// Where an access stands among the cycles.
#[derive(Clone, Copy)]
pub(super) struct Passage {
    /// The first cycle in which the next sector can enter a bank.
    pub entry: u64,
    /// The cycle in which all of it is done that does not wait for a sector.
    pub completion: u64,
}

/// Tags of a cache of so many bytes.
fn tags(l1: &config::L1, size: u64) -> Cache {
    let keeps = Keeps { reserved: l1.reserved, stored: l1.kept_stores };
    Cache::new(size, l1.ways_of(size), keeps)
}

impl<T: Copy> L1<T> {
    pub fn new(Config { l1, .. }: &Config) -> Self {
        L1 {
            tags: tags(l1, l1.unified),
            banks: (0..l1.banks).map(|_| BankQueue::new(l1.latency)).collect(),
            turn: 0,
            misses: MissTable::new(l1.outstanding),
            fills: Fills::new(l1.write_back_port),
            config: l1.clone(),
        }
    }

    /// Empties it and gives it what `shared_memory` bytes leave of the unified memory. What does not fit into
    /// the largest carve-out, of one large block, leaves as much as that does.
    pub fn start_kernel(&mut self, shared_memory: u64) {
        let l1 = &self.config;
        let suffices = l1.carve_outs.iter().copied().filter(|&carve_out| carve_out >= shared_memory).min();
        let largest = l1.carve_outs.iter().copied().max();
        let carve_out = suffices.or(largest).expect("there is a carve-out");
        self.tags = tags(l1, l1.unified - carve_out);
    }

    /// Loads a sector, after those of the passage. `load` is its number among the fills.
    pub fn load(
        &mut self,
        load: u32,
        passage: &mut Passage,
        access: SectorAccess,
        l2: &mut L2,
        counters: &mut Counters,
    ) {
        let SectorAccess { line, sector, .. } = access;
        let (bank, exit) = self.enter(passage, line, sector);
        counters.l1_reads += 1;
        match self.tags.lookup(line, sector) {
            Some(ready) => {
                counters.l1_hits += 1;
                self.banks[bank].leave(exit);
                if ready <= exit {
                    passage.completion = passage.completion.max(exit);
                } else {
                    self.fills.join(load, self.tags.number(line, sector));
                }
            }
            None => {
                let admitted = self.misses.admit(self.tags.room(line, exit));
                self.banks[bank].leave(admitted);
                let arrival = l2.load(admitted, line, sector, counters);
                self.misses.insert(arrival);
                self.tags.fill(line, sector, arrival, admitted);
                let number = self.fills.request(load, arrival);
                self.tags.set_number(line, sector, number);
            }
        }
    }

    /// Stores a sector or a part of it, after those of the passage.
    pub fn store(&mut self, passage: &mut Passage, access: SectorAccess, l2: &mut L2) {
        let SectorAccess { line, sector, bytes } = access;
        let (bank, mut exit) = self.enter(passage, line, sector);
        if self.config.store_fill {
            exit = self.tags.room(line, exit);
            self.tags.write(line, sector, bytes, exit);
        }
        self.banks[bank].leave(exit);
        passage.completion = passage.completion.max(l2.store(exit, access));
    }

    /// The tags after an access that takes no time; whether it goes on to L2.
    pub fn warm(&mut self, now: u64, access: MemoryAccess, sector: SectorAccess) -> bool {
        let SectorAccess { line, sector, bytes } = sector;
        match access {
            MemoryAccess::Load if self.tags.lookup(line, sector).is_some() => return false,
            MemoryAccess::Load => _ = self.tags.fill(line, sector, now, now),
            MemoryAccess::Store if self.config.store_fill => _ = self.tags.write(line, sector, bytes, now),
            MemoryAccess::Store | MemoryAccess::Atomic => {}
        }
        true
    }

    /// Performs an atomic operation on a sector, in L2, after those of the passage.
    pub fn update(&mut self, passage: &mut Passage, access: SectorAccess, l2: &mut L2) {
        let (bank, exit) = self.enter(passage, access.line, access.sector);
        self.banks[bank].leave(exit);
        passage.completion = passage.completion.max(l2.update(exit, access));
    }

    /// The bank that a sector passes, and the cycle in which it comes to the tags.
    fn enter(&mut self, passage: &mut Passage, line: u64, sector: usize) -> (usize, u64) {
        let bank = match self.config.interleaved {
            true => (line as usize * SECTORS + sector) % self.banks.len(),
            false => {
                self.turn = (self.turn + 1) % self.banks.len();
                self.turn
            }
        };
        let (entry, exit) = self.banks[bank].enter(passage.entry);
        passage.entry = entry;
        (bank, exit)
    }
}
