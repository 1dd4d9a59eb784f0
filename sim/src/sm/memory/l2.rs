// SPDX-License-Identifier: Apache-2.0
//! The SM's links to L2 and DRAM, and how long an answer takes.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::config::{Config, LINE};
use crate::statistics::Counters;

use super::cache::place;
use super::coalescer::{SectorAccess, SECTOR, SECTORS};
use super::link::Link;
use super::partitions::Partitions;

#[derive(BorshSerialize, BorshDeserialize)]
pub(in crate::sm) struct L2 {
    shared_requests: bool,
    /// To the partitions, and back.
    requests: Link,
    replies: Link,
    /// From the arrival of a request at the link to its reply, from L2 and from DRAM, if nothing is in its
    /// way.
    latency: u64,
    dram_latency: u64,
    /// The part behind the links. If all SMs share it, it goes from one to the next as they take turns.
    pub partitions: Option<Box<Partitions>>,
}

impl L2 {
    pub fn new(config: &Config) -> Self {
        let Config { l1, l2, dram, .. } = config;
        L2 {
            shared_requests: l2.shared_requests,
            requests: Link::new(l2.cycles_per_sector),
            replies: Link::new(l2.cycles_per_sector),
            // Latencies are those from load to use: L1 has taken its share before a request leaves.
            latency: l2.latency - l1.latency,
            dram_latency: dram.latency - l1.latency,
            partitions: (!l2.shared).then(|| Box::new(Partitions::own(config))),
        }
    }

    fn partitions(&mut self) -> &mut Partitions {
        self.partitions.as_mut().expect("it is this SM's turn")
    }

    /// Loads a sector; the cycle in which it is back.
    pub(super) fn load(&mut self, now: u64, line: u64, sector: usize, counters: &mut Counters) -> u64 {
        let sent = if self.shared_requests { self.requests.take(now) } else { now };
        let (arrival, hit) = self.read(sent, line, sector);
        counters.l2_reads += 1;
        counters.l2_hits += u64::from(hit);
        arrival
    }

    /// Stores a sector or a part of it; the cycle in which the acknowledgement is back.
    pub(super) fn store(&mut self, now: u64, access: SectorAccess) -> u64 {
        let SectorAccess { line, sector, bytes } = access;
        let sent = self.requests.take(now);
        let partitions = self.partitions();
        let sent = partitions.take_slice(sent, line);
        partitions.store(sent, line, sector, bytes);
        sent + self.latency
    }

    /// Performs an atomic operation on a sector; the cycle in which the old value is back.
    pub(super) fn update(&mut self, now: u64, SectorAccess { line, sector, .. }: SectorAccess) -> u64 {
        let sent = self.requests.take(now);
        let (arrival, _) = self.read(sent, line, sector);
        self.partitions().change(line, sector);
        arrival
    }

    /// When the reply to a request of cycle `sent` is back, and whether L2 has the sector.
    fn read(&mut self, sent: u64, line: u64, sector: usize) -> (u64, bool) {
        let sent = self.partitions().take_slice(sent, line);
        let sent = self.replies.take(sent);
        let (arrival, dram_latency) = (sent + self.latency, self.dram_latency);
        let partitions = self.partitions();
        if let Some(ready) = partitions.lookup(line, sector) {
            return (arrival.max(ready), true);
        }
        let arrival = arrival.max(partitions.take_channel(sent, line) + dram_latency);
        partitions.fill(sent, line, sector, arrival);
        (arrival, false)
    }

    /// Loads a sector for the SM itself, past L1; the cycle in which it is there.
    pub fn fetch(&mut self, now: u64, address: u64, counters: &mut Counters) -> u64 {
        let (line, sector) = place(address);
        self.load(now, line, sector, counters)
    }

    /// Loads the 128 bytes of a register from DRAM, past the caches; the cycle in which they are there, and
    /// how many sectors they are.
    pub fn load_register(&mut self, now: u64, line: u64) -> (u64, u64) {
        let arrivals = (0..SECTORS).map(|_| {
            let arrival = self.replies.take(now) + self.latency;
            let sent = self.partitions().take_channel(now, line);
            arrival.max(sent + self.dram_latency)
        });
        (arrivals.max().unwrap_or(now), LINE / SECTOR)
    }

    /// Sends the 128 bytes of a register to DRAM; how many sectors they are.
    pub fn store_register(&mut self, now: u64, line: u64) -> u64 {
        for _ in 0..SECTORS {
            let sent = self.requests.take(now);
            self.partitions().take_channel(sent, line);
        }
        LINE / SECTOR
    }
}
