//! Memory side of the SM: the load/store unit with L1, shared memory, L2 and DRAM behind it.
//!
//! The unit is the shared memory-I/O unit (MIO) of I §2: all that moves between the register files and L1
//! or shared memory passes it, loads and stores of both. It takes one instruction at a time from the
//! sub-cores' queues, in turn, and is busy with it for as long as L1 or shared memory needs to serve its
//! lanes: both give 128 bytes a cycle. When the results arrive is known as
//! soon as the instruction is taken: caches note the arrival of what is on its way, and links count
//! when they are free again. Left out: limits on outstanding misses, dirty evictions, DRAM pages and
//! refresh, instruction and constant misses.

mod access;
mod cache;
mod coalescer;

use std::collections::VecDeque;

use gpurf_blocks::SUB_CORES;
use gpurf_trace::{MemoryAccess, MemorySpace};

use crate::bits::members;
use crate::config::{Config, LINE};
use crate::statistics::Counters;

pub(super) use access::Access;
use cache::Cache;
use coalescer::{coalesce, shared_cost, LineAccess, SECTOR};

/// `T` is what identifies an instruction to the SM.
pub(super) struct LoadStoreUnit<T> {
    config: Config,
    queues: [VecDeque<T>; SUB_CORES],
    /// The sub-core whose turn it is.
    turn: usize,
    busy_until: u64,
    l1: Cache,
    l2: Cache,
    /// Cycles in which each is free again: L2 to SM, SM to L2, DRAM to L2.
    replies: Link,
    requests: Link,
    dram: Link,
}

/// A link that carries a sector every so many cycles.
#[derive(Default)]
struct Link {
    free: u64,
}

impl Link {
    /// The cycle, from `now` on, in which the link takes a sector.
    fn take(&mut self, now: u64, cycles_per_sector: u64) -> u64 {
        let start = now.max(self.free);
        self.free = start + cycles_per_sector;
        start
    }
}

impl<T> LoadStoreUnit<T> {
    pub fn new(config: &Config) -> Self {
        LoadStoreUnit {
            queues: std::array::from_fn(|_| VecDeque::with_capacity(config.load_store.queue)),
            turn: 0,
            busy_until: 0,
            l1: Cache::new(config.l1.unified, config.l1.ways),
            l2: Cache::new(config.l2.size, config.l2.ways),
            replies: Link::default(),
            requests: Link::default(),
            dram: Link::default(),
            config: config.clone(),
        }
    }

    /// Empties L1 and gives it what `shared_memory` bytes leave of the unified memory.
    pub fn start_kernel(&mut self, shared_memory: u64) {
        let l1 = &self.config.l1;
        let suffices = l1.carve_outs.iter().copied().filter(|&carve_out| carve_out >= shared_memory).min();
        let carve_out = suffices.expect("resident blocks do not exceed the largest carve-out");
        self.l1.resize(l1.unified - carve_out);
    }

    /// A copy from the host leaves its data in L2, or the end of it, if L2 is smaller.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        let end = address.saturating_add(bytes);
        let start = address.max(end.saturating_sub(self.config.l2.size));
        for sector in start / SECTOR..end.div_ceil(SECTOR) {
            let (line, sector) = (sector * SECTOR / LINE, sector % (LINE / SECTOR));
            self.l2.fill(line, sector as usize, 0);
        }
    }

    /// The sub-core's queue has room.
    pub fn accepts(&self, sub_core: usize) -> bool {
        self.queues[sub_core].len() < self.config.load_store.queue
    }

    pub fn push(&mut self, sub_core: usize, instruction: T) {
        self.queues[sub_core].push_back(instruction);
    }

    /// The oldest instruction in a sub-core's queue.
    pub fn head(&self, sub_core: usize) -> Option<&T> {
        self.queues[sub_core].front()
    }

    /// Takes the oldest instruction out of a sub-core's queue.
    pub fn pop(&mut self, sub_core: usize) -> Option<T> {
        self.queues[sub_core].pop_front()
    }

    pub fn is_free(&self, now: u64) -> bool {
        now >= self.busy_until
    }

    /// The instruction that the unit takes in cycle `now`, if it is free and one waits that it `may` take.
    pub fn take(&mut self, now: u64, may: impl Fn(&T) -> bool) -> Option<T> {
        if !self.is_free(now) {
            return None;
        }
        let mut waiting = (self.turn..self.turn + SUB_CORES).map(|index| index % SUB_CORES);
        let sub_core = waiting.find(|&index| self.queues[index].front().is_some_and(&may))?;
        self.turn = (sub_core + 1) % SUB_CORES;
        self.queues[sub_core].pop_front()
    }

    /// The next cycle in which the unit can take an instruction; `None` if none waits.
    pub fn next_take(&self) -> Option<u64> {
        self.queues.iter().any(|queue| !queue.is_empty()).then_some(self.busy_until)
    }

    /// Performs an access taken in cycle `now`; the cycle of its completion.
    ///
    /// Without addresses (constants, textures) it is taken for a hit in its own cache.
    pub fn access(&mut self, now: u64, access: Access, counters: &mut Counters) -> u64 {
        let completion = self.perform(now, &access, counters);
        counters.io_cycles += self.busy_until - now;
        access.count(counters);
        completion
    }

    fn perform(&mut self, now: u64, access: &Access, counters: &mut Counters) -> u64 {
        let Access { memory, width, addresses, transfers } = *access;
        self.busy_until = now + 1;
        if addresses.is_empty() || memory.space == MemorySpace::Constant {
            return now + self.config.l1.latency;
        }
        if memory.space == MemorySpace::Shared {
            let cost = shared_cost(addresses, width, self.config.shared.banks);
            let cycles = transfers * cost.cycles;
            self.busy_until = now + cycles;
            counters.shared_conflicts += transfers * cost.conflicts;
            return now + self.config.shared.latency + cycles - 1;
        }
        let lines = coalesce(addresses, width);
        let per_cycle = self.config.l1.sectors_per_cycle;
        self.busy_until = now + lines.sector_count().div_ceil(per_cycle);
        let mut completion = now;
        let mut sectors_before = 0;
        for line in lines.iter() {
            let start = now + sectors_before / per_cycle;
            completion = completion.max(match memory.access {
                MemoryAccess::Load => self.load(start, line, counters),
                MemoryAccess::Store | MemoryAccess::Atomic => self.write(start, line),
            });
            sectors_before += u64::from(line.sectors.count_ones());
        }
        completion
    }

    /// Reads sectors of one line through L1.
    fn load(&mut self, now: u64, LineAccess { line, sectors }: LineAccess, counters: &mut Counters) -> u64 {
        let mut completion = now + self.config.l1.latency;
        for sector in members(sectors) {
            counters.l1_reads += 1;
            let arrival = match self.l1.lookup(line, sector) {
                Some(ready) => {
                    counters.l1_hits += 1;
                    ready
                }
                None => {
                    let arrival = self.load_from_l2(now, line, sector, counters);
                    self.l1.fill(line, sector, arrival);
                    arrival
                }
            };
            completion = completion.max(arrival);
        }
        completion
    }

    /// Reads a sector for the SM itself, past L1; the cycle in which it is there.
    pub fn fetch(&mut self, now: u64, address: u64, counters: &mut Counters) -> u64 {
        let (line, sector) = (address / LINE, address % LINE / SECTOR);
        self.load_from_l2(now, line, sector as usize, counters)
    }

    /// Reads the 128 bytes of a register from DRAM, past the caches; the cycle in which they are there, and how many
    /// sectors they are.
    pub fn load_register(&mut self, now: u64) -> (u64, u64) {
        let Config { l2, dram, .. } = &self.config;
        let sectors = LINE / SECTOR;
        let arrivals = (0..sectors).map(|_| {
            let arrival = self.replies.take(now, l2.cycles_per_sector) + l2.latency;
            arrival.max(self.dram.take(now, dram.cycles_per_sector) + dram.latency)
        });
        (arrivals.max().unwrap_or(now), sectors)
    }

    /// Sends the 128 bytes of a register to DRAM; how many sectors they are.
    pub fn store_register(&mut self, now: u64) -> u64 {
        let Config { l2, dram, .. } = &self.config;
        for _ in 0..LINE / SECTOR {
            self.requests.take(now, l2.cycles_per_sector);
            self.dram.take(now, dram.cycles_per_sector);
        }
        LINE / SECTOR
    }

    fn load_from_l2(&mut self, now: u64, line: u64, sector: usize, counters: &mut Counters) -> u64 {
        let Config { l2, dram, .. } = &self.config;
        counters.l2_reads += 1;
        let arrival = self.replies.take(now, l2.cycles_per_sector) + l2.latency;
        match self.l2.lookup(line, sector) {
            Some(ready) => {
                counters.l2_hits += 1;
                arrival.max(ready)
            }
            None => {
                let arrival = arrival.max(self.dram.take(now, dram.cycles_per_sector) + dram.latency);
                self.l2.fill(line, sector, arrival);
                arrival
            }
        }
    }

    /// Sends sectors of one line to L2, which takes a written sector without reading DRAM, and
    /// performs atomics. The completion is the acknowledgement's or the old value's arrival.
    fn write(&mut self, now: u64, LineAccess { line, sectors }: LineAccess) -> u64 {
        let Config { l2, .. } = &self.config;
        let mut completion = now;
        for sector in members(sectors) {
            completion = self.requests.take(now, l2.cycles_per_sector) + l2.latency;
            self.l2.fill(line, sector, now);
        }
        completion
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::Memory;

    use super::*;

    const LOAD: Memory = Memory { space: MemorySpace::Global, access: MemoryAccess::Load };
    const STORE: Memory = Memory { space: MemorySpace::Global, access: MemoryAccess::Store };
    const SHARED: Memory = Memory { space: MemorySpace::Shared, access: MemoryAccess::Load };

    fn access(memory: Memory, width: u64, addresses: &[u64]) -> Access<'_> {
        Access { memory, width, addresses, transfers: 1 }
    }

    fn unit() -> LoadStoreUnit<u32> {
        LoadStoreUnit::new(&Config::default())
    }

    #[test]
    fn a_load_takes_dram_then_l1_latency() {
        let (mut unit, mut counters) = (unit(), Counters::default());
        assert_eq!(unit.access(100, access(LOAD, 4, &[64]), &mut counters), 100 + 489);
        assert_eq!(
            unit.access(200, access(LOAD, 4, &[68]), &mut counters),
            100 + 489,
            "joins the miss under way"
        );
        assert_eq!(unit.access(900, access(LOAD, 4, &[72]), &mut counters), 900 + 32);
        unit.start_kernel(0);
        assert_eq!(
            unit.access(1000, access(LOAD, 4, &[64]), &mut counters),
            1000 + 230,
            "L1 is emptied, L2 is not"
        );
        assert_eq!((counters.l1_reads, counters.l1_hits, counters.l2_reads, counters.l2_hits), (4, 2, 2, 1));
    }

    #[test]
    fn copies_from_the_host_are_found_in_l2() {
        let (mut unit, mut counters) = (unit(), Counters::default());
        unit.copy_to_device(0x1000, 40);
        assert_eq!(unit.access(0, access(LOAD, 4, &[0x1000]), &mut counters), 230);
        assert_eq!(unit.access(1000, access(LOAD, 4, &[0x1020]), &mut counters), 1230);
        assert_eq!(unit.access(2000, access(LOAD, 4, &[0x1040]), &mut counters), 2489);
    }

    #[test]
    fn links_carry_one_sector_at_a_time() {
        let (mut unit, mut counters) = (unit(), Counters::default());
        unit.copy_to_device(0, 4096);
        let strided: Vec<u64> = (0..32).map(|lane| 128 * lane).collect();
        assert_eq!(unit.access(0, access(LOAD, 4, &strided), &mut counters), 31 + 230);
        assert_eq!(unit.next_take(), None);
        unit.push(0, 7);
        assert_eq!(unit.next_take(), Some(8), "four sectors a cycle");
        let line: Vec<u64> = (0..32).map(|lane| 4 * lane).collect();
        assert_eq!(unit.access(1000, access(STORE, 4, &line), &mut counters), 1003 + 230);
    }

    #[test]
    fn shared_memory_is_busy_for_its_conflicts() {
        let (mut unit, mut counters) = (unit(), Counters::default());
        let conflicting: Vec<u64> = (0..32).map(|lane| 8 * lane).collect();
        unit.push(3, 1);
        assert_eq!(unit.access(0, access(SHARED, 4, &conflicting), &mut counters), 31);
        assert_eq!((unit.next_take(), counters.shared_conflicts), (Some(2), 1));
        assert_eq!(unit.access(10, access(SHARED, 8, &conflicting), &mut counters), 41);
        assert_eq!(counters.shared_conflicts, 1, "64 bits per lane take two cycles in any case");
    }

    #[test]
    fn sub_cores_take_turns() {
        let mut unit = unit();
        (0..3).for_each(|number| {
            unit.push(1, 10 + number);
            unit.push(3, 30 + number);
        });
        assert!(!unit.accepts(1) && unit.accepts(0));
        let order: Vec<u32> = (0..6).filter_map(|now| unit.take(now, |_| true)).collect();
        assert_eq!(order, [10, 30, 11, 31, 12, 32]);
    }

    #[test]
    fn an_instruction_that_may_not_be_taken_lets_others_pass() {
        let mut unit = unit();
        unit.push(0, 10);
        unit.push(1, 11);
        assert_eq!(unit.take(0, |&number| number != 10), Some(11));
        assert_eq!((unit.take(0, |&number| number != 10), unit.head(0)), (None, Some(&10)));
    }

    #[test]
    fn traffic_is_counted_by_kind() {
        let (mut unit, mut counters) = (unit(), Counters::default());
        let line: Vec<u64> = (0..32).map(|lane| 16 * lane).collect();
        unit.access(0, Access { transfers: 2, ..access(SHARED, 16, &line) }, &mut counters);
        assert_eq!((counters.shared_loads, counters.shared_load_bytes, counters.io_cycles), (2, 1024, 8));
        assert_eq!(unit.next_take(), None);
        assert!(!unit.is_free(7) && unit.is_free(8));
        unit.access(100, access(LOAD, 16, &line), &mut counters);
        unit.access(200, access(STORE, 4, &line[..8]), &mut counters);
        assert_eq!((counters.global_loads, counters.global_load_bytes), (1, 512));
        assert_eq!((counters.global_stores, counters.global_store_bytes), (1, 32));
        assert_eq!((counters.shared_stores, counters.io_cycles), (0, 8 + 4 + 1));
        unit.access(300, access(LOAD, 4, &[]), &mut counters);
        assert_eq!((counters.global_loads, counters.io_cycles), (1, 14), "constants are no such traffic");
    }
}
