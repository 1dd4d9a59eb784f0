// SPDX-License-Identifier: Apache-2.0
//! The L1 data cache: banks, tags, misses under way, and the write-back of what comes from L2.
//!
//! Sectors pass to the tags through the queues of the banks. A hit is there when it leaves them. A miss
//! leaves when the table of misses has room for it, and its line a way in the set: one that waits for a
//! sector, or was stored to, may keep its own. Data from L2, of a miss or of a hit on a sector that is on its
//! way, are written back as [`Fills`] says. Stores pass the queues as loads do, and go on to L2.
//!
//! If all SMs share L2, replies are known later. All times here lie before the first cycle in which one that
//! is not known may be there: then none of them depends on it. A sector for which that does not hold is not
//! taken until more replies are known.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::MemoryAccess;

use crate::config::{self, Config};
use crate::statistics::Counters;

use super::bank_queue::BankQueue;
use super::cache::{CacheTags, Keeps};
use super::coalescer::{SectorAccess, SECTORS};
use super::exchange::{L2Request, Purpose};
use super::fills::Fills;
use super::l2::{count, Reply, L2};
use super::miss_table::MissTable;

/// `T` is what identifies a load.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct L1<T> {
    config: config::L1Config,
    tags: CacheTags,
    banks: Vec<BankQueue>,
    /// The bank whose turn it is, if a sector may go to any.
    turn: usize,
    misses: MissTable,
    pub fills: Fills<T>,
}

/// Where an access stands among the cycles.
#[derive(Clone, Copy)]
pub(super) struct AccessTiming {
    /// The first cycle in which the next sector can enter a bank.
    pub entry: u64,
    /// The cycle in which all of it is done that does not wait for a sector.
    pub completion: u64,
}

/// Tags of a cache of so many bytes.
fn tags(l1: &config::L1Config, size: u64) -> CacheTags {
    let keeps = Keeps { reserved: l1.reserved, stored: l1.kept_stores };
    CacheTags::new(size, l1.ways_of(size), keeps)
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

    /// Loads a sector, after those of the passage. `load` is its number among the fills. False if it has to
    /// wait for replies.
    #[must_use]
    pub fn load(
        &mut self,
        load: u32,
        passage: &mut AccessTiming,
        access: SectorAccess,
        l2: &mut L2,
        counters: &mut Counters,
    ) -> bool {
        let SectorAccess { line, sector, .. } = access;
        let (bank, entry, exit) = self.next(passage, line, sector);
        if is_beyond(exit, l2) {
            return false;
        }
        match self.tags.lookup(line, sector) {
            Some(ready) => {
                counters.l1_hits += 1;
                self.pass(passage, bank, entry, exit);
                if ready <= exit {
                    passage.completion = passage.completion.max(exit);
                } else {
                    self.fills.join(load, self.tags.number(line, sector));
                }
            }
            None => {
                let room = self.tags.room(line, exit);
                if is_beyond(room, l2) {
                    return false;
                }
                let admitted = self.misses.room(room);
                if is_beyond(admitted, l2) {
                    return false;
                }
                self.misses.admit();
                self.pass(passage, bank, entry, admitted);
                let request = self.fills.request(load);
                let arrival = match l2.load(admitted, access, request, counters) {
                    Reply::At(arrival) => {
                        self.misses.end(arrival);
                        self.fills.expect(request, arrival);
                        arrival
                    }
                    Reply::NotBefore(least) => least,
                };
                self.tags.fill(line, sector, arrival, admitted);
                self.tags.set_number(line, sector, request.number);
            }
        }
        counters.l1_reads += 1;
        true
    }

    /// Stores a sector or a part of it, after those of the passage. `store` is its number among the fills.
    /// False if it has to wait for replies.
    #[must_use]
    pub fn store(
        &mut self,
        store: u32,
        passage: &mut AccessTiming,
        access: SectorAccess,
        l2: &mut L2,
    ) -> bool {
        let SectorAccess { line, sector, bytes } = access;
        let (bank, entry, mut exit) = self.next(passage, line, sector);
        if self.config.store_fill && !is_beyond(exit, l2) {
            exit = self.tags.room(line, exit);
        }
        if is_beyond(exit, l2) {
            return false;
        }
        if self.config.store_fill {
            self.tags.write(line, sector, bytes, exit);
        }
        self.pass(passage, bank, entry, exit);
        let reply = l2.store(exit, access, store);
        self.end(store, passage, reply);
        true
    }

    /// A part of a store or atomic operation has left for L2.
    fn end(&mut self, number: u32, passage: &mut AccessTiming, reply: Reply) {
        match reply {
            Reply::At(cycle) => passage.completion = passage.completion.max(cycle),
            Reply::NotBefore(_) => self.fills.owe(number),
        }
    }

    /// L2 has answered a request. If that completes a store or an atomic operation: what it is, its place
    /// among the completions, and the cycle.
    pub fn take_reply(&mut self, request: L2Request, counters: &mut Counters) -> Option<(T, u64, u64)> {
        let L2Request { least, access: SectorAccess { line, sector, .. }, purpose, reply, .. } = request;
        let (cycle, hit) = reply;
        match purpose {
            Purpose::Load(asked) => {
                count(hit, counters);
                self.misses.end(cycle);
                self.fills.expect(asked, cycle);
                self.tags.correct(line, sector, asked.number, (least, cycle));
                None
            }
            Purpose::Store(number) | Purpose::Update(number) => self.fills.reply(number, cycle),
            Purpose::Warm(_) => None,
        }
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

    /// Performs an atomic operation on a sector, in L2, after those of the passage. `number` is its own among
    /// the fills. False if it has to wait for replies.
    #[must_use]
    pub fn update(
        &mut self,
        number: u32,
        passage: &mut AccessTiming,
        access: SectorAccess,
        l2: &mut L2,
    ) -> bool {
        let (bank, entry, exit) = self.next(passage, access.line, access.sector);
        if is_beyond(exit, l2) {
            return false;
        }
        self.pass(passage, bank, entry, exit);
        let reply = l2.update(exit, access, number);
        self.end(number, passage, reply);
        true
    }

    /// The bank that the next sector passes, and the cycles in which it enters and comes to the tags.
    fn next(&self, passage: &AccessTiming, line: u64, sector: usize) -> (usize, u64, u64) {
        let bank = match self.config.interleaved {
            true => (line as usize * SECTORS + sector) % self.banks.len(),
            false => (self.turn + 1) % self.banks.len(),
        };
        let (entry, exit) = self.banks[bank].next(passage.entry);
        (bank, entry, exit)
    }

    /// The sector passes the bank.
    fn pass(&mut self, passage: &mut AccessTiming, bank: usize, entry: u64, exit: u64) {
        self.banks[bank].pass(entry, exit);
        self.turn = bank;
        passage.entry = entry;
    }
}

/// A reply that is not known may be there by this cycle.
fn is_beyond(cycle: u64, l2: &L2) -> bool {
    l2.exchange.horizon().is_some_and(|horizon| cycle >= horizon)
}
