// SPDX-License-Identifier: Apache-2.0
//! The SM's links to L2 and DRAM, and how long an answer takes.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::MemoryAccess;

use crate::config::{Config, LINE};
use crate::statistics::Counters;

use super::cache::place;
use super::coalescer::{SectorAccess, SECTOR, SECTORS};
use super::exchange::{Exchange, L2Request, Purpose};
use super::fills::Sector;
use super::link::Link;
use super::partitions::Partitions;

#[derive(BorshSerialize, BorshDeserialize)]
pub(in crate::sm) struct L2 {
    shared_requests: bool,
    /// To the partitions.
    requests: Link,
    way_back: WayBack,
    /// The part behind the links. If all SMs share it, it is lent to an SM for its turn, or the SM's requests
    /// wait in the exchange.
    pub partitions: Option<Box<Partitions>>,
    #[borsh(skip)]
    pub exchange: Exchange,
}

/// The way of replies.
#[derive(BorshSerialize, BorshDeserialize)]
struct WayBack {
    replies: Link,
    /// From the arrival of a request at the link to its reply, from L2 and from DRAM, if nothing is in its
    /// way.
    latency: u64,
    dram_latency: u64,
}

/// The time of a reply.
#[derive(Clone, Copy)]
pub(super) enum Reply {
    /// It is there in this cycle.
    At(u64),
    /// It is not there before this cycle.
    NotBefore(u64),
}

impl WayBack {
    /// When the reply to a request of cycle `sent` is back, and whether L2 has the sector.
    fn read(&mut self, partitions: &mut Partitions, sent: u64, line: u64, sector: usize) -> (u64, bool) {
        let sent = partitions.take_slice(sent, line);
        let sent = self.replies.take(sent);
        let arrival = sent + self.latency;
        if let Some(ready) = partitions.lookup(line, sector) {
            return (arrival.max(ready), true);
        }
        let arrival = arrival.max(partitions.take_channel(sent, line) + self.dram_latency);
        partitions.fill(sent, line, sector, arrival);
        (arrival, false)
    }

    /// When the acknowledgement of a store is back.
    fn store(&self, partitions: &mut Partitions, sent: u64, access: SectorAccess) -> u64 {
        let SectorAccess { line, sector, bytes } = access;
        let sent = partitions.take_slice(sent, line);
        partitions.store(sent, line, sector, bytes);
        sent + self.latency
    }

    /// When the old value of an atomic operation is back.
    fn update(&mut self, partitions: &mut Partitions, sent: u64, access: SectorAccess) -> u64 {
        let (arrival, _) = self.read(partitions, sent, access.line, access.sector);
        partitions.change(access.line, access.sector);
        arrival
    }
}

impl L2 {
    pub fn new(config: &Config) -> Self {
        let Config { l1, l2, dram, .. } = config;
        L2 {
            shared_requests: l2.shared_requests,
            requests: Link::new(l2.cycles_per_sector),
            // Latencies are those from load to use: L1 has taken its share before a request leaves.
            way_back: WayBack {
                replies: Link::new(l2.cycles_per_sector),
                latency: l2.latency - l1.latency,
                dram_latency: dram.latency - l1.latency,
            },
            partitions: (!l2.shared).then(|| Box::new(Partitions::own(config))),
            exchange: Exchange::default(),
        }
    }

    /// Loads a sector into L1.
    pub(super) fn load(
        &mut self,
        now: u64,
        access: SectorAccess,
        purpose: Sector,
        counters: &mut Counters,
    ) -> Reply {
        let sent = self.send_load(now);
        let Some(partitions) = &mut self.partitions else {
            return self.ask(sent, access, Purpose::Load(purpose));
        };
        let (arrival, hit) = self.way_back.read(partitions, sent, access.line, access.sector);
        count(hit, counters);
        Reply::At(arrival)
    }

    /// Stores a sector or a part of it; the reply is the acknowledgement.
    pub(super) fn store(&mut self, now: u64, access: SectorAccess, number: u32) -> Reply {
        let sent = self.requests.take(now);
        match &mut self.partitions {
            Some(partitions) => Reply::At(self.way_back.store(partitions, sent, access)),
            None => self.ask(sent, access, Purpose::Store(number)),
        }
    }

    /// Performs an atomic operation on a sector; the reply is the old value.
    pub(super) fn update(&mut self, now: u64, access: SectorAccess, number: u32) -> Reply {
        let sent = self.requests.take(now);
        match &mut self.partitions {
            Some(partitions) => Reply::At(self.way_back.update(partitions, sent, access)),
            None => self.ask(sent, access, Purpose::Update(number)),
        }
    }

    /// The tags take note of an access that is not simulated.
    pub(super) fn warm(&mut self, now: u64, access: MemoryAccess, sector: SectorAccess) {
        match &mut self.partitions {
            Some(partitions) => partitions.warm(now, access, sector),
            None => {
                self.exchange.now = now;
                self.exchange.ask(now, now, sector, Purpose::Warm(access));
            }
        }
    }

    /// The cycle in which a load is at the end of the link.
    fn send_load(&mut self, now: u64) -> u64 {
        match self.shared_requests {
            true => self.requests.take(now),
            false => now,
        }
    }

    fn ask(&mut self, sent: u64, access: SectorAccess, purpose: Purpose) -> Reply {
        let least = sent + self.way_back.latency;
        self.exchange.ask(sent, least, access, purpose);
        Reply::NotBefore(least)
    }

    /// Answers the SM's first request that is not answered; all those before it of any SM are.
    pub fn answer(&mut self, partitions: &mut Partitions) {
        let &mut L2Request { cycle, sent, access, purpose, ref mut reply, .. } = self.exchange.next();
        partitions.forget(cycle);
        *reply = match purpose {
            Purpose::Load(_) => self.way_back.read(partitions, sent, access.line, access.sector),
            Purpose::Store(_) => (self.way_back.store(partitions, sent, access), true),
            Purpose::Update(_) => (self.way_back.update(partitions, sent, access), true),
            Purpose::Warm(kind) => {
                partitions.warm(sent, kind, access);
                (sent, true)
            }
        };
    }

    /// Loads a sector for the SM itself, past L1; the cycle in which it is there.
    pub fn fetch(&mut self, now: u64, address: u64, counters: &mut Counters) -> u64 {
        let (line, sector) = place(address);
        let sent = self.send_load(now);
        let (arrival, hit) = self.way_back.read(lent(&mut self.partitions), sent, line, sector);
        count(hit, counters);
        arrival
    }

    /// Loads the 128 bytes of a register from DRAM, past the caches; the cycle in which they are there, and
    /// how many sectors they are.
    pub fn load_register(&mut self, now: u64, line: u64) -> (u64, u64) {
        let arrivals = (0..SECTORS).map(|_| {
            let arrival = self.way_back.replies.take(now) + self.way_back.latency;
            let sent = lent(&mut self.partitions).take_channel(now, line);
            arrival.max(sent + self.way_back.dram_latency)
        });
        (arrivals.max().unwrap_or(now), LINE / SECTOR)
    }

    /// Sends the 128 bytes of a register to DRAM; how many sectors they are.
    pub fn store_register(&mut self, now: u64, line: u64) -> u64 {
        for _ in 0..SECTORS {
            let sent = self.requests.take(now);
            lent(&mut self.partitions).take_channel(sent, line);
        }
        LINE / SECTOR
    }
}

/// The partitions, of an SM that has its own or takes its turn.
fn lent(partitions: &mut Option<Box<Partitions>>) -> &mut Partitions {
    partitions.as_mut().expect("it is this SM's turn")
}

/// A sector was loaded.
pub(super) fn count(hit: bool, counters: &mut Counters) {
    counters.l2_reads += 1;
    counters.l2_hits += u64::from(hit);
}
