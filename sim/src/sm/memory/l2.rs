//! L2 and DRAM, as one SM sees them, and the links to them.

use crate::config::{self, Config, LINE};
use crate::statistics::Counters;

use super::cache::{place, Cache};
use super::coalescer::{SectorAccess, SECTOR, SECTORS};
use super::link::Link;

pub(in crate::sm) struct L2 {
    config: config::L2,
    tags: Cache,
    /// To L2, and back.
    requests: Link,
    replies: Link,
    dram: Link,
    /// From the arrival of a request at the link to its reply, from L2 and from DRAM.
    latency: u64,
    dram_latency: u64,
}

impl L2 {
    pub fn new(Config { l1, l2, dram, .. }: &Config) -> Self {
        L2 {
            tags: Cache::new(l2.size, l2.ways),
            requests: Link::new(l2.cycles_per_sector),
            replies: Link::new(l2.cycles_per_sector),
            dram: Link::new(dram.cycles_per_sector),
            // Latencies are those from load to use: L1 has taken its share before a request leaves.
            latency: l2.latency - l1.latency,
            dram_latency: dram.latency - l1.latency,
            config: l2.clone(),
        }
    }

    /// A copy from the host leaves its data here, or the end of it, if there is less room.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        if !self.config.copies {
            return;
        }
        let end = address.saturating_add(bytes);
        let start = address.max(end.saturating_sub(self.config.size));
        for number in start / SECTOR..end.div_ceil(SECTOR) {
            let (line, sector) = place(number * SECTOR);
            self.tags.fill(line, sector, 0);
        }
    }

    /// Loads a sector; the cycle in which it is back.
    pub(super) fn load(&mut self, now: u64, line: u64, sector: usize, counters: &mut Counters) -> u64 {
        let sent = if self.config.shared_requests { self.requests.take(now) } else { now };
        let (arrival, hit) = self.read(sent, line, sector);
        counters.l2_reads += 1;
        counters.l2_hits += u64::from(hit);
        arrival
    }

    /// Stores a sector or a part of it; the cycle in which the acknowledgement is back.
    pub(super) fn store(&mut self, now: u64, access: SectorAccess) -> u64 {
        let SectorAccess { line, sector, bytes } = access;
        let sent = self.requests.take(now);
        // What is stored is here; the rest of the sector need not be.
        let bytes = if self.config.partial_fill { u32::MAX } else { bytes };
        let replaced = self.tags.write(line, sector, bytes, sent);
        self.keep(sent, line, sector, replaced);
        sent + self.latency
    }

    /// Performs an atomic operation on a sector; the cycle in which the old value is back.
    pub(super) fn update(&mut self, now: u64, SectorAccess { line, sector, .. }: SectorAccess) -> u64 {
        let sent = self.requests.take(now);
        let (arrival, _) = self.read(sent, line, sector);
        self.keep(sent, line, sector, 0);
        arrival
    }

    /// When the reply to a request of cycle `sent` is back, and whether L2 has the sector.
    fn read(&mut self, sent: u64, line: u64, sector: usize) -> (u64, bool) {
        let sent = self.replies.take(sent);
        let arrival = sent + self.latency;
        if let Some(ready) = self.tags.lookup(line, sector) {
            return (arrival.max(ready), true);
        }
        let arrival = arrival.max(self.dram.take(sent) + self.dram_latency);
        let replaced = self.tags.fill(line, sector, arrival);
        self.write_back(sent, replaced);
        (arrival, false)
    }

    /// What is stored stays until its line is replaced.
    fn keep(&mut self, now: u64, line: u64, sector: usize, replaced: u32) {
        if self.config.write_back {
            self.tags.mark_dirty(line, sector);
            self.write_back(now, replaced);
        }
    }

    /// Sectors that L2 has no room for any more go to DRAM.
    fn write_back(&mut self, now: u64, sectors: u32) {
        for _ in 0..sectors {
            self.dram.take(now);
        }
    }

    /// Loads a sector for the SM itself, past L1; the cycle in which it is there.
    pub fn fetch(&mut self, now: u64, address: u64, counters: &mut Counters) -> u64 {
        let (line, sector) = place(address);
        self.load(now, line, sector, counters)
    }

    /// Loads the 128 bytes of a register from DRAM, past the caches; the cycle in which they are there, and how many
    /// sectors they are.
    pub fn load_register(&mut self, now: u64) -> (u64, u64) {
        let arrivals = (0..SECTORS).map(|_| {
            let arrival = self.replies.take(now) + self.latency;
            arrival.max(self.dram.take(now) + self.dram_latency)
        });
        (arrivals.max().unwrap_or(now), LINE / SECTOR)
    }

    /// Sends the 128 bytes of a register to DRAM; how many sectors they are.
    pub fn store_register(&mut self, now: u64) -> u64 {
        for _ in 0..SECTORS {
            let sent = self.requests.take(now);
            self.dram.take(sent);
        }
        LINE / SECTOR
    }
}
