// SPDX-License-Identifier: Apache-2.0
//! Register caches in the SM: what they count, and what is found if they are wrong.

use std::fmt::Debug;

use gpurf_blocks::ports::{IntervalPrefetcherIn, IntervalPrefetcherOut, RegisterCacheIn, RegisterCacheOut};
use gpurf_blocks::{CacheReplacement, Clocked};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{Engines, PrefetcherEngine, RegisterCacheEngine};
use gpurf_sim::register_cache::RegisterCache;
use gpurf_sim::register_traffic::{Configuration, Reach, Rules, Study};
use gpurf_sim::sm::{Design, Family, Gpu};
use gpurf_sim::statistics::{Counters, Statistics};
use gpurf_trace::{KernelHeader, Workload};

use crate::altered::{Altered, Misled};
use crate::random_kernels::random_workload;
use crate::streams::{header, kernel, Line, ALL, EXIT};

/// The machine as it is.
const NONE: &[&str] = &[];

/// Caches of C's space beside its Table VI.
const OTHERS: [&[&str]; 7] = [
    &["rc_allocation=read"],
    &["rc_allocation=read_write"],
    &["rc_allocation=read_write", "rc_ways=2", "rc_replacement=lru"],
    &["rc_write=through"],
    &["rc_write=through", "rc_allocation=read_write", "rc_entries=4", "rc_ways=2"],
    &["rc_entries=16", "rc_ways=8"],
    &["rc_entries=4", "rc_ways=4", "rc_bank_lanes=1"],
];

/// The eight of C Table VI and these others, each with both organisations of tags and something else that is
/// set.
fn caches(others: &[&[&str]], more: &[&str]) -> Vec<Vec<String>> {
    let owned = |settings: &[&str]| settings.iter().map(|setting| setting.to_string()).collect();
    let table = Configuration::table_vi(Reach::Cache).into_iter().map(|one| one.settings());
    let all: Vec<Vec<String>> = table.chain(others.iter().map(|settings| owned(settings))).collect();
    let tagged =
        |tags| all.iter().map(move |settings| [&settings[..], &owned(&[tags]), &owned(more)].concat());
    ["rc_tag_lanes=1", "rc_tag_lanes=32"].into_iter().flat_map(tagged).collect()
}

fn config(settings: &[impl ToString]) -> Config {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Config::load(None, &settings).unwrap()
}

fn run(workload: &Workload, design: Design, settings: &[impl ToString]) -> Statistics {
    let config = config(settings);
    let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
    gpu.run(workload, None).unwrap();
    gpu.statistics("model", 0)
}

#[track_caller]
fn sound(workload: &Workload, design: Design, settings: &[impl ToString + Debug]) -> Counters {
    let statistics = run(workload, design, settings);
    assert!(statistics.is_sound(), "{design} {settings:?}: {:?}", statistics.errors);
    statistics.summary.counters
}

#[test]
fn every_cache_returns_what_was_written() {
    for seed in 0..4 {
        let workload = random_workload(1000 + seed);
        let baseline = sound(&workload, Design::BASELINE, NONE);
        for settings in caches(&OTHERS, NONE) {
            let counted = sound(&workload, Design::REGISTER_CACHE, &settings);
            assert_eq!(counted.token_checks, baseline.token_checks);
            assert_eq!(counted.operand_reads, baseline.operand_reads);
            assert_eq!(counted.hits + counted.bank_reads, counted.operand_reads);
            assert!(counted.rc_lane_read_hits > 0, "{settings:?}");
            assert!(counted.rc_lane_file_writes <= counted.rc_lane_writes, "{settings:?}");
        }
        for design in Design::family(Family::RegisterCache) {
            for settings in
                [&["organisation=monolithic"][..], &["active_warps=1"], &["collectors=8", "banks=4"]]
            {
                assert_eq!(sound(&workload, design, settings).token_checks, baseline.token_checks);
            }
        }
    }
}

/// Instructions over so many registers. Each waits for the one before, in some lanes.
fn chain(seed: u64, registers: u64) -> Workload {
    let mut state = seed;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let mut sources = vec![];
    let mut last = 0;
    for _ in 0..500 {
        let destination = random(registers) as u8;
        let mask = [ALL, ALL, 0xffff, 0xffff_0000, 1 << random(32)][random(5) as usize];
        sources.push(([last, random(registers) as u8, random(registers) as u8], destination, mask));
        last = destination;
    }
    let lines: Vec<Line> = sources
        .iter()
        .map(|(sources, destination, mask)| ("IADD3", Some(*destination), &sources[..], *mask, &[][..]))
        .collect();
    // Once more, so that what the last but one replaces has left when the warp ends.
    let again = [sources[499].1];
    let last = ("IADD3", Some(again[0]), &again[..], sources[499].2, &[][..]);
    let lines = [lines, vec![last, EXIT]].concat();
    kernel(KernelHeader { nregs: 256, ..header(32) }, &[vec![lines]])
}

/// The study counts without clock and hardware. Where instructions follow each other one by one, the SM must
/// count the same.
#[test]
fn a_chain_has_the_traffic_that_the_study_counts() {
    for (seed, registers) in [(1, 12), (2, 40), (3, 200)] {
        let workload = chain(seed, registers);
        // Fills are done before the result comes.
        for settings in caches(&OTHERS[..6], &["int.latency=40"]) {
            let configuration = Configuration::new(&config(&settings).hardware, Reach::Cache);
            // Ways used in one cycle are equally old in the hardware: under LRU the two may differ.
            if configuration.replacement == CacheReplacement::Lru {
                continue;
            }
            let counted = sound(&workload, Design::REGISTER_CACHE, &settings);
            let study = Study { configurations: vec![configuration], rules: Rules::PAPER, flags: None };
            let traffic = study.run(&workload).unwrap().traffic[0];
            let of_sm = [
                counted.rc_lane_reads,
                counted.rc_lane_read_hits,
                counted.rc_lane_writes,
                counted.rc_lane_write_hits,
                counted.rc_lane_file_writes,
                counted.rc_bank_reads,
                counted.rc_bank_writes,
            ];
            let of_study = [
                traffic.reads,
                traffic.read_hits,
                traffic.writes,
                traffic.write_hits,
                traffic.register_file_writes,
                traffic.cache_reads,
                traffic.cache_writes,
            ];
            assert_eq!(of_sm, of_study, "{settings:?}, {registers} registers");
        }
    }
}

/// A kernel in which warps wait for memory, and read what they wrote before.
fn waiting(warps: usize) -> Workload {
    let mut lines: Vec<Line> = vec![];
    for turn in 0..20 {
        for register in 0..6u8 {
            lines.push(("IADD3", Some(10 + register), &[1, 2], ALL, &[]));
        }
        // Replaced by what is loaded, past the cache if the warp is pending then.
        lines.push(("IADD3", Some(20), &[13, 14], ALL, &[]));
        lines.push(("LDG.E", Some(20), &[10], ALL, if turn % 2 == 0 { &NEAR } else { &FAR }));
        lines.push(("IADD3", Some(1), &[20, 11], ALL, &[]));
        lines.push(("IADD3", Some(2), &[12, 13, 14], ALL, &[]));
    }
    lines.push(EXIT);
    kernel(header(32 * warps as u32), &[vec![lines; warps]])
}

const NEAR: [u64; 32] = [64; 32];
const FAR: [u64; 32] = [1 << 20; 32];

#[test]
fn pending_warps_are_flushed() {
    let workload = waiting(32);
    let [rfc, software] = [Design::RFC, Design::SOFTWARE_RFC].map(|design| sound(&workload, design, NONE));
    assert!(rfc.rc_flushes > 100 && rfc.rc_dead_values == 0, "{rfc:?}");
    assert!(software.rc_flushes > 100, "{software:?}");
    // R15 and R10 are dead where the strand ends.
    assert!(software.rc_dead_values >= software.rc_flushes, "{software:?}");
    assert!(software.rc_lane_file_writes < rfc.rc_lane_file_writes);
    let all = sound(&workload, Design::REGISTER_CACHE, NONE);
    assert!(
        all.rc_flushes == 0 && all.rc_drops >= 31,
        "each is dropped at its end, the last perhaps after the run"
    );
}

#[test]
fn an_interval_is_fetched_before_it_is_needed() {
    let workload = waiting(16);
    let [rfc, ltrf] = [Design::RFC, Design::LTRF].map(|design| sound(&workload, design, NONE));
    assert!(ltrf.rc_prefetches > 0 && ltrf.rc_prefetched > 0, "{ltrf:?}");
    assert_eq!(rfc.rc_prefetches, 0);
    let known = ltrf.operand_reads - ltrf.uninitialised_reads;
    assert!(20 * ltrf.hits > 19 * known, "what an interval reads is there: {} of {known}", ltrf.hits);
    assert!(rfc.hits < ltrf.hits);
}

#[test]
fn faults_of_an_interval_prefetcher_are_found() {
    let (workload, config, design) = (waiting(16), config(NONE), Design::LTRF);
    let run = |alter: fn(&IntervalPrefetcherIn, &mut IntervalPrefetcherOut)| {
        let prefetcher = |_| -> PrefetcherEngine {
            Box::new(Altered { engine: design.interval_prefetcher_model(&config), alter })
        };
        let models = Engines::models(&config, design, 1);
        let engines = Engines { interval_prefetcher: Box::new(prefetcher), ..models };
        let mut gpu = Gpu::new(&config, design, 1, engines);
        gpu.run(&workload, None).unwrap();
        gpu.statistics("faulty", 0)
    };
    let sound = run(|_, _| {});
    assert!(sound.is_sound(), "{:?}", sound.errors);
    let strange: [fn(&IntervalPrefetcherIn, &mut IntervalPrefetcherOut); 2] =
        [|_, outputs| outputs.batch[0] ^= 64, |_, outputs| outputs.batch_valid.fill(false)];
    for fault in strange {
        let wrong = run(fault);
        assert!(wrong.summary.counters.stage_errors > 0);
        assert!(wrong.errors[0].contains("interval prefetcher"), "{:?}", wrong.errors);
    }
    // A register that is not fetched, or not waited for, misses.
    let hasty: [fn(&IntervalPrefetcherIn, &mut IntervalPrefetcherOut); 2] =
        [|_, outputs| outputs.asks.fill(false), |_, outputs| outputs.waits.fill(false)];
    for fault in hasty {
        let wrong = run(fault);
        assert!(wrong.is_sound(), "{:?}", wrong.errors);
        assert!(wrong.summary.counters.hits < sound.summary.counters.hits);
    }
}

/// A fault in the inputs of a cache in a cycle, or a slip in its outputs.
type Fault = fn(&mut RegisterCacheIn<u32>, u32);
type Slip = fn(&RegisterCacheIn<u32>, &mut RegisterCacheOut<u32>, u32);

fn errors(workload: &Workload, design: Design, settings: &[&str], fault: Fault, slip: Slip) -> u64 {
    let config = config(settings);
    let cache = |_| -> RegisterCacheEngine {
        let engine = RegisterCache::new(&design.parameters(&config, 0));
        let mut seen = 0;
        let alter = move |inputs: &RegisterCacheIn<u32>, outputs: &mut RegisterCacheOut<u32>| {
            seen += 1;
            slip(inputs, outputs, seen);
        };
        let altered: Box<dyn Clocked<In = _, Out = _> + Send> =
            Box::new(Altered { engine: Misled::new(engine, fault), alter });
        Box::new(altered)
    };
    let engines = Engines { register_cache: Box::new(cache), ..Engines::models(&config, design, 1) };
    let mut gpu = Gpu::new(&config, design, 1, engines);
    gpu.run(workload, None).unwrap_or_else(|error| panic!("{settings:?}: {error}"));
    gpu.statistics("model", 0).summary.counters.token_errors
}

/// A fault or slip to put in, with its workload, design and settings.
type Case<'a> = (&'a str, &'a Workload, Design, &'a [&'a str], Fault, Slip);

const SAME: Fault = |_, _| {};
const AS_IT_IS: Slip = |_, _, _| {};

#[test]
fn faults_of_a_register_cache_are_found() {
    let chained = chain(7, 40);
    let (all, rfc) = (Design::REGISTER_CACHE, Design::RFC);
    let waiting = waiting(32);
    assert_eq!(errors(&chained, all, &[], SAME, AS_IT_IS), 0);
    assert_eq!(errors(&waiting, rfc, &[], SAME, AS_IT_IS), 0);
    let taken_in = &["rc_allocation=read_write"];
    let faults: [Case; 13] = [
        ("a dropped write-back", &chained, all, &[], SAME, |_, out, _| out.register_write = false),
        ("a write-back that is lost now and then", &chained, all, &[], SAME, |_, out, seen| {
            out.register_write &= seen % 16 != 0
        }),
        ("a write-back to another register", &chained, all, &[], SAME, |_, out, _| out.register_number ^= 1),
        ("a write-back of too few lanes", &chained, all, &[], SAME, |_, out, _| out.register_lanes &= !1),
        (
            "a dropped flush",
            &waiting,
            rfc,
            &[],
            |inputs, _| inputs.flush &= inputs.flush_drop,
            |inputs, out, _| out.flush_ready |= inputs.flush,
        ),
        ("a flush that drops", &waiting, rfc, &[], |inputs, _| inputs.flush_drop = true, AS_IT_IS),
        ("a flush that loses its values", &waiting, rfc, &[], SAME, |_, out, _| {
            out.register_write &= !out.flushing
        }),
        ("results in all lanes", &chained, all, &[], |inputs, _| inputs.write_lanes = ALL, AS_IT_IS),
        ("sources in all lanes", &chained, all, &[], SAME, |inputs, out, _| {
            let asked = inputs.read.iter().zip(&mut out.hit);
            asked.filter(|(read, hit)| **read && **hit != 0).for_each(|(_, hit)| *hit = inputs.read_lanes);
        }),
        (
            "six of eight bits of a register",
            &chained,
            all,
            &[],
            |inputs, _| {
                inputs.read_register.iter_mut().for_each(|register| *register &= 0x7e);
                inputs.write_register &= 0x7e;
            },
            AS_IT_IS,
        ),
        ("another warp's part", &waiting, all, &[], |inputs, _| inputs.read_warp ^= 1, AS_IT_IS),
        ("a source on its way is read from the banks", &chained, all, &[], SAME, |_, out, _| {
            out.conflict = false
        }),
        (
            "a fill of the wrong register",
            &chained,
            all,
            taken_in,
            |inputs, _| inputs.fill_register ^= 1,
            AS_IT_IS,
        ),
    ];
    for (name, workload, design, settings, fault, slip) in faults {
        for tags in ["rc_tag_lanes=1", "rc_tag_lanes=32"] {
            let settings = [settings, &[tags][..]].concat();
            assert!(
                errors(workload, design, &settings, fault, slip) > 0,
                "{name} goes unnoticed, {settings:?}"
            );
        }
    }
}
