// SPDX-License-Identifier: Apache-2.0
//! Random instructions: the study against plain models, and against itself where it must not matter how it
//! counts.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, DestinationMapping};
use gpurf_sim::register_traffic::{
    Configuration, InstructionRegisters, Reach, Rules, Source, Traffic, TrafficCounter, WarpCache,
};
use proptest::prelude::*;
use proptest::sample::select;

use super::{paper_model, rfc_sim_model};

type Instruction = (InstructionRegisters, u32);

/// Registers in all four quarters, so that both mappings use all sets, and few, so that they come again.
const REGISTERS: [u16; 14] = [0, 1, 2, 3, 5, 6, 64, 65, 70, 128, 130, 192, 200, 254];

/// Instructions with every register once, as C's rules have it, or with whatever RFC-sim makes of a trace.
fn instructions(as_rfc_sim: bool) -> impl Strategy<Value = Vec<Instruction>> {
    let register = || match as_rfc_sim {
        true => prop_oneof![9 => select(&REGISTERS[..]), 1 => 255u16..259].boxed(),
        false => select(&REGISTERS[..]).boxed(),
    };
    let source = (register(), any::<bool>());
    let destination = select(&REGISTERS[..]);
    let mask = prop_oneof![6 => Just(u32::MAX), 2 => any::<u32>(), 1 => Just(0xff), 1 => Just(0)];
    let one = (prop::collection::vec(source, 0..5), prop::collection::vec(destination, 0..4), mask);
    let operands = move |(named, written, mask): (Vec<(u16, bool)>, Vec<u16>, u32)| {
        let mut operands = InstructionRegisters::default();
        for (position, (register, flagged)) in (0..).zip(named) {
            if as_rfc_sim || !operands.sources.iter().any(|source| source.register == register) {
                operands.sources.push(Source { register, position, flagged });
            }
        }
        for register in written {
            if as_rfc_sim || !operands.destinations.contains(&register) {
                operands.destinations.push(register);
            }
        }
        (operands, mask)
    };
    prop::collection::vec(one.prop_map(operands), 1..200)
}

fn configurations() -> impl Strategy<Value = Configuration> {
    use CacheAllocation::{CompilerAided, Read, ReadWrite, Write};
    (
        select(&[4usize, 8, 16][..]),
        select(&[2usize, 4, 8][..]),
        select(&[Read, Write, ReadWrite, CompilerAided][..]),
        select(&[DestinationMapping::Linear, DestinationMapping::Interleaving][..]),
        select(&[CacheReplacement::Fifo, CacheReplacement::Lru][..]),
        select(&[CacheWrite::Back, CacheWrite::Through][..]),
        select(&[(1usize, 4usize), (32, 4), (1, 1), (32, 1)][..]),
        select(&[Reach::Set, Reach::Cache][..]),
    )
        .prop_map(
            |(entries, ways, allocation, mapping, replacement, write, (tag_lanes, bank_lanes), reach)| {
                Configuration {
                    entries,
                    ways: ways.min(entries),
                    allocation,
                    look_ahead: None,
                    mapping,
                    replacement,
                    write,
                    tag_lanes,
                    bank_lanes,
                    reach,
                }
            },
        )
}

fn counted(mut warp: WarpCache, instructions: &[Instruction]) -> Traffic {
    let mut counter = TrafficCounter::default();
    for (operands, mask) in instructions {
        warp.step(operands, *mask, &|_| false, &mut counter);
    }
    warp.finish(&mut counter);
    counter.traffic()
}

/// Accesses of banks for these lanes.
fn accesses(lanes: impl IntoIterator<Item = usize>, bank_lanes: usize) -> u64 {
    let banks: std::collections::BTreeSet<_> = lanes.into_iter().map(|lane| lane / bank_lanes).collect();
    banks.len() as u64
}

fn lanes_of(mask: u32) -> Vec<usize> {
    (0..32).filter(|lane| mask >> lane & 1 == 1).collect()
}

/// The counts of the plain model of C: a cache for every thread, or one for the warp.
fn by_paper_model(configuration: &Configuration, instructions: &[Instruction]) -> Traffic {
    let mut traffic = Traffic { instructions: instructions.len() as u64, ..Traffic::default() };
    let per_cache = configuration.tag_lanes;
    let mut caches: Vec<_> =
        (0..32 / per_cache).map(|_| paper_model::Cache::new(configuration, per_cache)).collect();
    for (operands, mask) in instructions {
        let all = operands.sources.len() + operands.destinations.len();
        let mut moved = vec![paper_model::Moved::default(); all];
        for (number, cache) in caches.iter_mut().enumerate() {
            let own = number * per_cache..(number + 1) * per_cache;
            let lanes: Vec<_> = lanes_of(*mask)
                .into_iter()
                .filter(|lane| own.contains(lane))
                .map(|lane| lane - own.start)
                .collect();
            if !lanes.is_empty() {
                let moves = cache.step(configuration, operands, &lanes, &mut traffic);
                for (moved, by_cache) in moved.iter_mut().zip(moves) {
                    let placed = |lanes: Vec<usize>| lanes.into_iter().map(|lane| lane + own.start);
                    moved.cache_read.extend(placed(by_cache.cache_read));
                    moved.cache_write.extend(placed(by_cache.cache_write));
                    moved.victim.extend(placed(by_cache.victim));
                }
            }
        }
        for moved in moved {
            traffic.cache_reads += accesses(moved.cache_read, configuration.bank_lanes);
            traffic.cache_writes += accesses(moved.cache_write, configuration.bank_lanes);
            traffic.victim_reads += accesses(moved.victim, configuration.bank_lanes);
        }
    }
    traffic.dropped = caches.iter().map(paper_model::Cache::dirty).sum();
    traffic
}

/// The counts of RFC-sim's state machine, thread by thread.
fn by_rfc_sim_model(configuration: &Configuration, instructions: &[Instruction]) -> Traffic {
    let mut traffic = Traffic { instructions: instructions.len() as u64, ..Traffic::default() };
    let mut threads: Vec<_> = (0..32).map(|_| rfc_sim_model::Thread::new(configuration)).collect();
    for (operands, mask) in instructions {
        let all = operands.sources.len() + operands.destinations.len();
        let (mut read, mut written) = (vec![vec![]; all], vec![vec![]; all]);
        for (lane, thread) in threads.iter_mut().enumerate() {
            thread.age();
            if mask >> lane & 1 == 1 {
                for (number, moved) in thread.step(configuration, operands, &mut traffic).iter().enumerate() {
                    read[number].extend(moved.cache_read.then_some(lane));
                    written[number].extend(moved.cache_write.then_some(lane));
                }
            }
        }
        traffic.cache_reads +=
            read.into_iter().map(|lanes| accesses(lanes, configuration.bank_lanes)).sum::<u64>();
        traffic.cache_writes +=
            written.into_iter().map(|lanes| accesses(lanes, configuration.bank_lanes)).sum::<u64>();
    }
    traffic.dropped = threads.iter().map(rfc_sim_model::Thread::dirty).sum();
    traffic
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_study_counts_what_the_plain_model_counts(
        configuration in configurations(),
        instructions in instructions(false),
    ) {
        let found = counted(WarpCache::new(&configuration, &Rules::PAPER), &instructions);
        prop_assert_eq!(found, by_paper_model(&configuration, &instructions));
        if configuration.reach == Reach::Cache || configuration.entries == configuration.ways {
            prop_assert_eq!((found.stale_hits, found.stale_misses), (0, 0), "every value is the last one written");
        }
        prop_assert_eq!(found.reads, found.read_hits + found.register_file_reads);
    }

    #[test]
    fn as_rfc_sim_it_counts_what_its_state_machine_counts(
        configuration in configurations(),
        instructions in instructions(true),
    ) {
        let allocation = match configuration.allocation {
            CacheAllocation::Read | CacheAllocation::ReadWrite => CacheAllocation::CompilerAided,
            allocation => allocation,
        };
        let configuration = Configuration { allocation, tag_lanes: 1, reach: Reach::Set, ..configuration };
        let found = counted(WarpCache::new(&configuration, &Rules::RFC_SIM), &instructions);
        // RFC-sim does not count these.
        let found = Traffic { stale_hits: 0, stale_misses: 0, victim_reads: 0, ..found };
        prop_assert_eq!(found, by_rfc_sim_model(&configuration, &instructions));
    }

    #[test]
    fn threads_that_share_a_state_count_as_threads_apart(
        configuration in configurations(),
        instructions in instructions(false),
        as_rfc_sim in any::<bool>(),
    ) {
        let rules = if as_rfc_sim { Rules::RFC_SIM } else { Rules::PAPER };
        let together = counted(WarpCache::new(&configuration, &rules), &instructions);
        prop_assert_eq!(together, counted(WarpCache::apart(&configuration, &rules), &instructions));
    }

    #[test]
    fn tags_for_a_warp_are_tags_for_threads_on_full_masks(
        configuration in configurations(),
        mut instructions in instructions(false),
    ) {
        instructions.iter_mut().for_each(|(_, mask)| *mask = u32::MAX);
        let of = |tag_lanes| {
            let configuration = Configuration { tag_lanes, ..configuration };
            counted(WarpCache::new(&configuration, &Rules::PAPER), &instructions)
        };
        prop_assert_eq!(of(1), of(32));
    }

    #[test]
    fn within_reach_no_register_lies_twice(
        configuration in configurations(),
        instructions in instructions(false),
    ) {
        let mut warp = WarpCache::new(&configuration, &Rules::PAPER);
        let mut counter = TrafficCounter::default();
        for (operands, mask) in &instructions {
            warp.step(operands, *mask, &|_| false, &mut counter);
            for lane in 0..32 {
                let registers = warp.registers(lane);
                prop_assert!(registers.len() <= configuration.entries);
                if configuration.reach == Reach::Cache {
                    let different: std::collections::BTreeSet<_> = registers.iter().collect();
                    prop_assert_eq!(different.len(), registers.len());
                }
            }
        }
    }
}

#[test]
fn a_warp_that_does_not_diverge_has_one_state_and_returns_to_it() {
    let configuration = Configuration::table_vi(Reach::Set)[0];
    let mut warp = WarpCache::new(&configuration, &Rules::PAPER);
    let mut counter = TrafficCounter::default();
    let write =
        |register| InstructionRegisters { destinations: vec![register], ..InstructionRegisters::default() };
    let mut step =
        |warp: &mut WarpCache, register, mask| warp.step(&write(register), mask, &|_| false, &mut counter);
    for register in 0..20 {
        step(&mut warp, register, u32::MAX);
    }
    assert_eq!(warp.states(), 1);
    step(&mut warp, 30, 0xff);
    assert_eq!(warp.states(), 2);
    for register in 0..16 {
        step(&mut warp, register, u32::MAX);
    }
    assert_eq!(warp.states(), 1, "all entries of all threads are the same again");
}
