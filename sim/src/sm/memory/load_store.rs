// SPDX-License-Identifier: Apache-2.0
//! The load/store unit.
//!
//! It is the shared memory-I/O unit (MIO) of I §2: all that moves between the register files and L1 or shared
//! memory passes it, loads and stores of both. It takes one instruction at a time from the sub-cores' queues,
//! in turn, and is busy with it until shared memory has served its lanes, or the last of its sectors has gone
//! to a bank of L1.
//!
//! With `memory.pipeline=address_units` a sub-core has an address unit in place of a queue, which holds one
//! instruction for a fixed time, and the load/store unit takes one every few cycles: H §5.4 and Table 1. Data
//! of wide accesses then pass on while the rest of them is still read, so that shared memory's parts and L1's
//! sectors do not add to the cycles of their way back.

use std::collections::VecDeque;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::SUB_CORES;
use gpurf_trace::{MemoryAccess, MemorySpace};

use crate::bits::set;
use crate::config::{self, Config};
use crate::statistics::Counters;

use super::coalescer::{Coalescer, SectorAccess};
use super::l1::{AccessTiming, L1};
use super::l2::L2;
use super::latencies::{Delivery, Latencies};
use super::shared::{shared_cost, WORD};
use super::{local, Access, Served};

/// An access waits for replies of an L2 that all SMs share before it can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sm) struct WaitsForL2;

/// `T` is what identifies an instruction to the SM.
#[derive(BorshSerialize, BorshDeserialize)]
pub(in crate::sm) struct LoadStoreUnit<T> {
    config: Config,
    queues: [VecDeque<T>; SUB_CORES],
    /// Instructions that each has room for.
    room: usize,
    /// The cycle in which the instruction of each address unit can leave it. Queues have none.
    computed: [u64; SUB_CORES],
    /// Sub-cores whose address unit has become free, a bit each.
    left: u8,
    /// Latencies of address units, if there are such.
    latencies: Option<Latencies>,
    /// Cycles between two instructions that the unit takes, at least.
    interval: u64,
    /// Instructions in them.
    queued: usize,
    /// Queues that are full, a bit each.
    full: u8,
    /// The sub-core whose turn it is.
    turn: usize,
    busy_until: u64,
    /// Cycles to the completion of an access without a lane, except to shared memory.
    idle_latency: u64,
    coalescer: Coalescer,
    /// The access that waits for replies.
    #[borsh(skip)]
    waiting: Option<Passing>,
    l1: L1<T>,
    pub l2: L2,
}

/// An access to global memory on its way through L1.
#[derive(Clone, Copy)]
struct Passing {
    /// Its number among the fills.
    number: u32,
    access: MemoryAccess,
    /// The cycle in which it began.
    now: u64,
    passage: AccessTiming,
    /// Sectors that have passed.
    passed: usize,
    delivery: Delivery,
}

impl<T: Copy> LoadStoreUnit<T> {
    pub fn new(config: &Config) -> Self {
        let latencies = config.memory.has_address_units().then(|| Latencies::new(config));
        let config = &latencies.as_ref().map_or_else(|| config.clone(), |latencies| latencies.adapt(config));
        let room = if latencies.is_some() { 1 } else { config.load_store.queue };
        LoadStoreUnit {
            queues: std::array::from_fn(|_| VecDeque::with_capacity(room)),
            room,
            computed: [0; SUB_CORES],
            left: 0,
            interval: if latencies.is_some() { config.memory.shared_interval } else { 1 },
            latencies,
            queued: 0,
            full: 0,
            turn: 0,
            busy_until: 0,
            idle_latency: 1,
            coalescer: Coalescer::default(),
            waiting: None,
            l1: L1::new(config),
            l2: L2::new(config),
            config: config.clone(),
        }
    }

    /// An access without a lane does not complete before loads from shared memory that it follows.
    pub fn keep_order(&mut self) {
        self.idle_latency = self.config.shared.latency;
    }

    /// A kernel starts whose resident blocks use so much shared memory.
    pub fn start_kernel(&mut self, shared_memory: u64) {
        self.l1.start_kernel(shared_memory);
    }

    /// A copy from the host leaves its data in L2.
    pub fn copy_to_device(&mut self, address: u64, bytes: u64) {
        if let Some(partitions) = &mut self.l2.partitions {
            partitions.copy_to_device(address, bytes);
        }
    }

    /// The sectors that an access to global memory touches.
    pub fn sectors(&mut self, width: u64, addresses: &[u64]) -> impl Iterator<Item = SectorAccess> + '_ {
        self.coalescer.coalesce(addresses.iter().copied(), width);
        self.coalescer.sectors()
    }

    /// The caches take note of an access that is not simulated.
    pub fn warm(&mut self, now: u64, access: MemoryAccess, sector: SectorAccess) {
        if self.l1.warm(now, access, sector) {
            self.l2.warm(now, access, sector);
        }
    }

    /// The sub-core's queue has room.
    #[inline]
    pub fn accepts(&self, sub_core: usize) -> bool {
        self.full >> sub_core & 1 == 0
    }

    /// The queue of a sub-core has changed.
    #[inline]
    fn note(&mut self, sub_core: usize) {
        set(&mut self.full, sub_core, self.queues[sub_core].len() >= self.room);
    }

    /// An instruction comes in cycle `now`.
    #[inline]
    pub fn push(&mut self, now: u64, sub_core: usize, instruction: T) {
        self.queues[sub_core].push_back(instruction);
        self.queued += 1;
        if self.latencies.is_some() {
            self.computed[sub_core] = now + self.config.memory.address_interval;
        }
        self.note(sub_core);
    }

    /// The oldest instruction in a sub-core's queue, if it can leave that in cycle `now`.
    pub fn head(&self, now: u64, sub_core: usize) -> Option<&T> {
        self.queues[sub_core].front().filter(|_| self.computed[sub_core] <= now)
    }

    /// Takes the oldest instruction out of a sub-core's queue.
    pub fn pop(&mut self, sub_core: usize) -> Option<T> {
        let taken = self.queues[sub_core].pop_front();
        self.queued -= usize::from(taken.is_some());
        self.note(sub_core);
        self.pass_by(sub_core);
        taken
    }

    /// An instruction of the sub-core needs the unit no more.
    #[inline]
    pub fn pass_by(&mut self, sub_core: usize) {
        self.left |= u8::from(self.latencies.is_some()) << sub_core;
    }

    /// Sub-cores whose instruction has left their address unit since this was asked last, a bit each.
    #[inline]
    pub fn take_left(&mut self) -> u8 {
        std::mem::take(&mut self.left)
    }

    #[inline]
    pub fn is_free(&self, now: u64) -> bool {
        now >= self.busy_until
    }

    /// The instruction that the unit takes in cycle `now`, if it is free and one waits that it `may` take.
    #[inline]
    pub fn take(&mut self, now: u64, may: impl Fn(&T) -> bool) -> Option<T> {
        if self.queued == 0 || !self.is_free(now) {
            return None;
        }
        let mut waiting = (self.turn..self.turn + SUB_CORES).map(|index| index % SUB_CORES);
        let sub_core = waiting.find(|&index| self.head(now, index).is_some_and(&may))?;
        self.turn = (sub_core + 1) % SUB_CORES;
        self.pop(sub_core)
    }

    /// The next cycle in which the unit can take an instruction; `None` if none waits.
    #[inline]
    pub fn next_take(&self) -> Option<u64> {
        if self.queued == 0 || self.latencies.is_none() {
            return (self.queued > 0).then_some(self.busy_until);
        }
        let units = self.queues.iter().zip(self.computed);
        let computed = units.filter(|(queue, _)| !queue.is_empty()).map(|(_, cycle)| cycle).min();
        computed.map(|cycle| cycle.max(self.busy_until))
    }

    /// The next cycle in which a sector arrives that loads wait for.
    #[inline]
    pub fn next_arrival(&self) -> Option<u64> {
        self.l1.fills.next_arrival()
    }

    /// A load that what has arrived until cycle `now` completes, and when.
    #[inline]
    pub fn arrive(&mut self, now: u64) -> Option<(T, u64)> {
        self.l1.fills.arrive(now)
    }

    /// Performs the access of an instruction taken in cycle `now`.
    ///
    /// Without addresses (constants, textures) it is taken for a hit in its own cache.
    ///
    /// # Errors
    /// It waits for replies: [`LoadStoreUnit::go_on`], when more are known. Shared memory waits for none.
    pub fn access(
        &mut self,
        now: u64,
        access: Access,
        instruction: T,
        counters: &mut Counters,
    ) -> Result<Served, WaitsForL2> {
        self.busy_until = now + self.interval;
        access.count(counters);
        let constant = self
            .latencies
            .as_ref()
            .map_or(self.config.l1.latency, |latencies| latencies.constant[usize::from(!access.uniform)]);
        let served = match access.memory.space {
            MemorySpace::Shared if access.is_idle() => Served::hit(now + self.config.shared.latency),
            _ if access.is_idle() => Served::hit(now + self.idle_latency),
            MemorySpace::Constant => Served::hit(now + constant),
            _ if access.addresses.is_empty() => Served::hit(now + self.config.l1.latency),
            MemorySpace::Shared => self.access_shared(now, &access, counters),
            _ => return self.access_global(now, &access, instruction, counters),
        };
        counters.io_cycles += self.busy_until - now;
        Ok(served)
    }

    fn access_shared(&mut self, now: u64, access: &Access, counters: &mut Counters) -> Served {
        let config::Shared { banks, first_words, .. } = self.config.shared;
        let width = if first_words { WORD } else { access.width };
        let cost = shared_cost(access.addresses, width, banks);
        let cycles = access.transfers * cost.cycles;
        self.busy_until = now + cycles.max(self.interval);
        counters.shared_conflicts += access.transfers * cost.conflicts;
        match &self.latencies {
            None => Served::hit(now + self.config.shared.latency + cycles - 1),
            Some(latencies) => {
                let latency = latencies.shared[usize::from(!access.uniform)];
                Served::hit(now + latency + access.transfers * (cost.conflicts + 1) - 1)
            }
        }
    }

    fn access_global(
        &mut self,
        now: u64,
        access: &Access,
        instruction: T,
        counters: &mut Counters,
    ) -> Result<Served, WaitsForL2> {
        let Access { memory, width, addresses, ref threads, order, .. } = *access;
        let LoadStoreUnit { coalescer, l1, .. } = self;
        if memory.space == MemorySpace::Local && self.config.local.interleaved {
            coalescer.coalesce(local::words(addresses, width, threads), 4);
        } else {
            coalescer.coalesce(addresses.iter().copied(), width);
        }
        let passage = AccessTiming { entry: now, completion: now };
        let number = l1.fills.open(instruction, order);
        let delivery =
            self.latencies.as_ref().map_or(Delivery::default(), |latencies| latencies.delivery(access));
        self.pass(Passing { number, access: memory.access, now, passage, passed: 0, delivery }, counters)
    }

    /// The instruction whose access waits for replies.
    #[inline]
    pub fn waiting(&self) -> Option<T> {
        self.waiting.as_ref().map(|passing| self.l1.fills.of(passing.number))
    }

    /// The access that has waited for replies goes on.
    ///
    /// # Errors
    /// It waits again.
    pub fn go_on(&mut self, counters: &mut Counters) -> Result<Served, WaitsForL2> {
        let passing = self.waiting.take().expect("one waits");
        self.pass(passing, counters)
    }

    /// The sectors of an access pass L1.
    fn pass(&mut self, passing: Passing, counters: &mut Counters) -> Result<Served, WaitsForL2> {
        let Passing { number, access, now, mut passage, mut passed, delivery } = passing;
        let LoadStoreUnit { coalescer, l1, l2, waiting, .. } = self;
        l2.exchange.now = now;
        for sector in coalescer.sectors().skip(passed) {
            let passes = match access {
                MemoryAccess::Load => l1.load(number, &mut passage, sector, l2, counters),
                MemoryAccess::Store => l1.store(number, &mut passage, sector, l2),
                MemoryAccess::Atomic => l1.update(number, &mut passage, sector, l2),
            };
            if !passes {
                *waiting = Some(Passing { passage, passed, ..passing });
                return Err(WaitsForL2);
            }
            passed += 1;
        }
        self.busy_until = (passage.entry + 1).max(now + self.interval);
        counters.io_cycles += self.busy_until - now;
        let mut completion = l1.fills.close(number, passage.completion);
        if self.latencies.is_some() && access == MemoryAccess::Load {
            let first = now + self.config.l1.latency;
            completion = completion.map(|last| delivery.begins(first, last));
        }
        let hit = match access {
            MemoryAccess::Load => completion.is_some(),
            MemoryAccess::Store => true,
            MemoryAccess::Atomic => false,
        };
        Ok(Served { completion, hit })
    }

    /// Takes note of the answers of an L2 that all SMs share. `complete` is told of each store and atomic
    /// operation that they complete, with its place among the completions and the cycle.
    pub fn take_replies(&mut self, counters: &mut Counters, mut complete: impl FnMut(T, u64, u64)) {
        if self.l2.exchange.is_empty() {
            return;
        }
        for number in 0..self.l2.exchange.answered {
            let answer = self.l2.exchange.answer(number);
            if let Some((instruction, order, cycle)) = self.l1.take_reply(answer, counters) {
                complete(instruction, order, cycle);
            }
        }
        self.l2.exchange.forget();
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::Memory;

    use super::*;
    use crate::sm::memory::Threads;

    const LOAD: Memory = Memory { space: MemorySpace::Global, access: MemoryAccess::Load };
    const STORE: Memory = Memory { space: MemorySpace::Global, access: MemoryAccess::Store };
    const ATOMIC: Memory = Memory { space: MemorySpace::Global, access: MemoryAccess::Atomic };
    const SHARED: Memory = Memory { space: MemorySpace::Shared, access: MemoryAccess::Load };

    fn access(memory: Memory, width: u64, addresses: &[u64]) -> Access<'_> {
        Access {
            memory,
            width,
            addresses,
            uniform: false,
            copies: false,
            transfers: 1,
            threads: Threads::default(),
            order: 0,
        }
    }

    /// A unit, and what it counts.
    struct Bench(LoadStoreUnit<u32>, Counters);

    fn bench(settings: &[&str]) -> Bench {
        let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
        Bench(LoadStoreUnit::new(&Config::load(None, &settings).unwrap()), Counters::default())
    }

    impl Bench {
        /// The cycles that an access takes, whatever comes after it.
        fn takes(&mut self, now: u64, memory: Memory, width: u64, addresses: &[u64]) -> u64 {
            self.cycles(now, access(memory, width, addresses))
        }

        fn cycles(&mut self, now: u64, access: Access) -> u64 {
            let served = self.0.access(now, access, 1, &mut self.1).unwrap();
            let arrived = || self.0.arrive(u64::MAX).map(|(_, completion)| completion);
            served.completion.or_else(arrived).expect("it completes") - now
        }
    }

    fn lanes(stride: u64) -> Vec<u64> {
        (0..32).map(|lane| stride * lane).collect()
    }

    #[test]
    fn a_load_takes_the_latency_of_where_its_data_are() {
        let mut unit = bench(&[]);
        assert_eq!(unit.takes(100, LOAD, 4, &[64]), 344);
        assert_eq!(unit.takes(900, LOAD, 4, &[72]), 30);
        unit.0.start_kernel(0);
        assert_eq!(unit.takes(1000, LOAD, 4, &[64]), 233, "L1 is emptied, L2 is not");
        let Counters { l1_reads, l1_hits, l2_reads, l2_hits, .. } = unit.1;
        assert_eq!((l1_reads, l1_hits, l2_reads, l2_hits), (3, 1, 2, 1));
    }

    #[test]
    fn copies_from_the_host_are_found_in_l2() {
        for (copies, expected) in [("l2.copies=true", 233), ("l2.copies=false", 344)] {
            let mut unit = bench(&[copies]);
            unit.0.copy_to_device(0x1000, 40);
            assert_eq!(unit.takes(0, LOAD, 4, &[0x1000]), expected);
            assert_eq!(unit.takes(1000, LOAD, 4, &[0x1020]), expected);
            assert_eq!(unit.takes(2000, LOAD, 4, &[0x1040]), 344);
        }
    }

    #[test]
    fn a_sector_goes_to_the_bank_of_its_address() {
        let free_after = |settings: &[&str], stride| {
            let mut unit = bench(settings);
            unit.takes(0, LOAD, 4, &lanes(stride));
            unit.0.push(0, 0, 7);
            unit.0.next_take()
        };
        assert_eq!(free_after(&[], 128), Some(32), "all are in one bank");
        assert_eq!(free_after(&[], 160), Some(8));
        assert_eq!(free_after(&["l1.interleaved=false"], 128), Some(8));
        assert_eq!(free_after(&["l1.banks=8"], 160), Some(4));
    }

    #[test]
    fn a_full_table_of_misses_holds_what_comes() {
        let mut unit = bench(&["l1.outstanding=4"]);
        assert_eq!(unit.takes(0, LOAD, 4, &lanes(4)), 344 + 3);
        assert_eq!(unit.takes(10, LOAD, 4, &[4096]), 334 + 344 - 30, "waits for the first to be there");
        assert_eq!(unit.takes(11, LOAD, 4, &[4096 + 32]), 334 + 344 - 30, "another bank, the second");
        assert_eq!(bench(&[]).takes(10, LOAD, 4, &[4096]), 344);
    }

    #[test]
    fn loads_that_wait_for_a_sector_are_written_back_one_after_the_other() {
        for (port, expected) in
            [("l1.write_back_port=true", [345, 346]), ("l1.write_back_port=false", [345, 345])]
        {
            let Bench(mut unit, mut counters) = bench(&[port]);
            for (number, now) in [(7, 0), (8, 10)] {
                let both = access(LOAD, 4, &[0, 32]);
                let served = unit.access(now, both, number, &mut counters);
                assert_eq!(served, Ok(Served { completion: None, hit: false }));
            }
            assert_eq!((unit.next_arrival(), unit.arrive(343)), (Some(344), None));
            let complete: Vec<_> = std::iter::from_fn(|| unit.arrive(345)).collect();
            // The second arrives a cycle later; the first is written back twice before it.
            let expected = expected.map(|cycle| if port.ends_with("true") { cycle + 1 } else { cycle });
            assert_eq!(complete, [(7, expected[0]), (8, expected[1])], "{port}");
            assert_eq!((counters.l1_reads, counters.l1_hits, counters.l2_reads), (4, 2, 2));
        }
    }

    #[test]
    fn loads_and_stores_share_the_way_to_l2() {
        for (shared, expected) in
            [("l2.shared_requests=true", 233 + 32 - 8), ("l2.shared_requests=false", 233)]
        {
            let mut unit = bench(&[shared]);
            unit.0.copy_to_device(0x10000, 32);
            assert_eq!(unit.takes(0, STORE, 4, &lanes(32)), 31 + 233);
            assert_eq!(unit.takes(8, LOAD, 4, &[0x10000]), expected);
        }
    }

    #[test]
    fn stores_leave_whole_sectors() {
        for (fill, l1, l2) in [("true", 30, 233), ("false", 233, 233)] {
            let mut unit = bench(&[&format!("l1.store_fill={fill}")]);
            unit.takes(0, STORE, 4, &lanes(4));
            assert_eq!(unit.takes(1000, LOAD, 4, &[64]), l1);
            unit.0.start_kernel(0);
            assert_eq!(unit.takes(2000, LOAD, 4, &[64]), l2);
        }
        for (fill, expected) in [("false", 344), ("true", 233)] {
            let mut unit = bench(&[&format!("l2.partial_fill={fill}")]);
            unit.takes(0, STORE, 4, &[0, 4]);
            assert_eq!(unit.takes(1000, LOAD, 4, &[0]), expected, "a part of it");
        }
    }

    #[test]
    fn stores_reach_dram_when_l2_has_no_room() {
        let small = ["l2.size=4096", "dram.cycles_per_sector=100"];
        let load_after_stores = |setting| {
            let mut unit = bench(&[small[0], small[1], setting]);
            unit.takes(0, STORE, 4, &lanes(128));
            unit.takes(1000, STORE, 4, &(0..32).map(|lane| 4096 + 128 * lane).collect::<Vec<_>>());
            unit.takes(2000, LOAD, 4, &[65536])
        };
        assert_eq!(load_after_stores("l2.write_back=false"), 344);
        assert!(load_after_stores("l2.write_back=true") > 2000);
    }

    #[test]
    fn atomics_are_performed_in_l2() {
        let mut unit = bench(&[]);
        let served = unit.0.access(0, access(ATOMIC, 4, &[64]), 1, &mut unit.1);
        assert_eq!(served, Ok(Served { completion: Some(344), hit: false }));
        assert_eq!(unit.takes(1000, ATOMIC, 4, &[64]), 233);
        assert_eq!(unit.takes(2000, LOAD, 4, &[64]), 233, "L1 has nothing of it");
    }

    #[test]
    fn the_words_of_local_memory_lie_by_thread() {
        let local = |access| Memory { space: MemorySpace::Local, access };
        for (layout, store, load) in [("true", 233 + 3, 30), ("false", 233, 344)] {
            let mut unit = bench(&[&format!("local.interleaved={layout}")]);
            let threads = Threads { first: 64, mask: u32::MAX, count: 1024 };
            let mut takes = |now, memory| {
                let access = Access { threads, ..access(memory, 4, &[0xfffbd0; 32]) };
                unit.cycles(now, access)
            };
            assert_eq!(takes(0, local(MemoryAccess::Store)), store);
            assert_eq!(takes(1000, local(MemoryAccess::Load)), load);
        }
    }

    #[test]
    fn shared_memory_is_busy_for_its_conflicts() {
        let mut unit = bench(&[]);
        unit.0.push(0, 3, 1);
        assert_eq!(unit.takes(0, SHARED, 4, &lanes(8)), 31);
        assert_eq!((unit.0.next_take(), unit.1.shared_conflicts), (Some(2), 1));
        assert_eq!(unit.takes(10, SHARED, 8, &lanes(8)), 31);
        assert_eq!(unit.1.shared_conflicts, 1, "64 bits per lane take two cycles in any case");
    }

    #[test]
    fn of_wide_accesses_first_words_may_count_alone() {
        let two: Vec<u64> = (0..32).map(|lane| 64 * (lane / 16)).collect();
        for (first_words, cycles) in [("true", 1), ("false", 4)] {
            let mut unit = bench(&[&format!("shared.first_words={first_words}")]);
            unit.0.push(0, 0, 1);
            unit.takes(0, SHARED, 16, &two);
            assert_eq!(unit.0.next_take(), Some(cycles), "{first_words}");
            unit.takes(10, SHARED, 16, &lanes(16));
            assert_eq!(unit.0.next_take(), Some(14), "{first_words}: 512 bytes");
        }
    }

    #[test]
    fn an_access_without_a_lane_takes_a_cycle() {
        let mut unit = bench(&[]);
        unit.0.push(0, 0, 1);
        assert_eq!((unit.takes(0, LOAD, 4, &[]), unit.takes(5, SHARED, 4, &[])), (1, 30));
        assert_eq!((unit.0.next_take(), unit.1.shared_loads, unit.1.global_loads), (Some(6), 0, 0));
    }

    #[test]
    fn sub_cores_take_turns() {
        let mut unit = bench(&[]).0;
        (0..3).for_each(|number| {
            unit.push(0, 1, 10 + number);
            unit.push(0, 3, 30 + number);
        });
        assert!(!unit.accepts(1) && unit.accepts(0));
        let order: Vec<u32> = (0..6).filter_map(|now| unit.take(now, |_| true)).collect();
        assert_eq!(order, [10, 30, 11, 31, 12, 32]);
    }

    #[test]
    fn an_instruction_that_may_not_be_taken_lets_others_pass() {
        let mut unit = bench(&[]).0;
        unit.push(0, 0, 10);
        unit.push(0, 1, 11);
        assert_eq!(unit.take(0, |&number| number != 10), Some(11));
        assert_eq!((unit.take(0, |&number| number != 10), unit.head(0, 0)), (None, Some(&10)));
    }

    #[test]
    fn traffic_is_counted_by_kind() {
        let mut unit = bench(&[]);
        let line = lanes(16);
        let Bench(ref mut load_store, ref mut counters) = unit;
        load_store.access(0, Access { transfers: 2, ..access(SHARED, 16, &line) }, 1, counters).unwrap();
        assert_eq!((counters.shared_loads, counters.shared_load_bytes, counters.io_cycles), (2, 1024, 8));
        assert_eq!(load_store.next_take(), None);
        assert!(!load_store.is_free(7) && load_store.is_free(8));
        unit.takes(100, LOAD, 16, &line);
        unit.takes(200, STORE, 4, &line[..8]);
        let counters = &unit.1;
        assert_eq!((counters.global_loads, counters.global_load_bytes), (1, 512));
        assert_eq!((counters.global_stores, counters.global_store_bytes), (1, 32));
        assert_eq!((counters.shared_stores, counters.io_cycles), (0, 8 + 4 + 1));
        unit.takes(300, LOAD, 4, &[]);
        assert_eq!((unit.1.global_loads, unit.1.io_cycles), (1, 14), "constants are no such traffic");
    }
}
