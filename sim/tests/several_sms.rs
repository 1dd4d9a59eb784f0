// SPDX-License-Identifier: Apache-2.0
//! SMs side by side: with a share of L2 and DRAM each, or with both in common.

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Dependences, Design, Gpu, Sampling};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{KernelHeader, Reuse, Workload};

use crate::streams::{header, kernel, Line, ALL, EXIT};

/// Addresses of the loads of each warp of a block: a line for each load.
type Block = Vec<Vec<Vec<u64>>>;

const SMS: u64 = 4;
/// Each SM has a quarter of DRAM.
const MACHINE: [&str; 4] = ["sms=4", "dram.cycles_per_sector=4", "dram.channels=4", "l2.slices=8"];

/// Each of so many warps loads so many lines, from `first` on.
fn lines(warps: u64, loads: u64, first: u64) -> Block {
    let line = |number: u64| (0..32).map(|lane| first + 128 * number + 4 * lane).collect();
    (0..warps).map(|warp| (0..loads).map(|load| line(load * warps + warp)).collect()).collect()
}

/// Four loads of a warp are under way at a time.
fn warp(loads: &[Vec<u64>]) -> Vec<Line<'_>> {
    let lines = loads.iter().zip((8..12).cycle());
    let loads = lines.map(|(line, destination)| ("LDG.E", Some(destination), &[2][..], ALL, &line[..]));
    loads.chain([EXIT]).collect()
}

/// Block n goes to SM n.
fn blocks(blocks: &[Block]) -> Workload {
    let lines: Vec<Vec<Vec<Line>>> =
        blocks.iter().map(|warps| warps.iter().map(|loads| warp(loads)).collect()).collect();
    let warps = blocks.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let header = KernelHeader { nregs: 16, grid: [blocks.len() as u32, 1, 1], ..header(32 * warps) };
    kernel(header, &lines)
}

fn run(workload: &Workload, shared: bool) -> Statistics {
    let settings = MACHINE.iter().map(|setting| setting.to_string());
    let settings: Vec<String> = settings.chain([format!("l2.shared={shared}")]).collect();
    let config = Config::load(None, &settings).unwrap();
    let mut gpu = Gpu::new(&config, Design::BASELINE, 1, Engines::models(&config, Design::BASELINE, 1));
    gpu.run(workload, None).unwrap();
    let statistics = gpu.statistics("model", 0);
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    statistics
}

fn cycles(work: &[Block], shared: bool) -> f64 {
    run(&blocks(work), shared).summary.counters.cycles as f64
}

/// Far apart.
fn region(number: u64) -> u64 {
    number << 28
}

#[test]
fn an_sm_alone_has_the_whole_dram_if_it_is_shared() {
    let (few, many) = (lines(16, 20, 0), lines(16, 60, 0));
    let per_sector = |shared| {
        let [few, many] = [&few, &many].map(|block| cycles(std::slice::from_ref(block), shared));
        (many - few) / (16.0 * 40.0 * 4.0)
    };
    assert!((per_sector(false) - 4.0).abs() < 0.1, "{}", per_sector(false));
    // 256 sectors are on their way at a time, for 344 cycles each.
    assert!(per_sector(true) < 1.5, "{}", per_sector(true));
}

#[test]
fn sms_that_all_stream_have_their_share_either_way() {
    let blocks: Vec<Block> = (0..SMS).map(|number| lines(16, 60, region(number))).collect();
    let [own, shared] = [false, true].map(|shared| cycles(&blocks, shared));
    assert!((shared / own - 1.0).abs() < 0.15, "{shared} and {own}");
}

#[test]
fn latency_grows_with_what_others_load() {
    let chain = lines(1, 200, 0);
    let streams = (1..SMS).map(|number| lines(16, 40, region(number)));
    let together: Vec<Block> = std::iter::once(chain.clone()).chain(streams).collect();
    for (shared, least, most) in [(false, 1.0, 1.0), (true, 1.05, 2.0)] {
        let (alone, beside) = (cycles(std::slice::from_ref(&chain), shared), cycles(&together, shared));
        assert!(cycles(&together[1..], shared) < alone, "the chain ends last");
        assert!((least..=most).contains(&(beside / alone)), "{beside} beside streams, {alone} alone");
    }
}

#[test]
fn what_one_sm_loads_others_find_in_a_shared_l2() {
    let block = lines(4, 20, 0);
    let blocks = blocks(&vec![block; SMS as usize]);
    let [own, shared] = [false, true].map(|shared| run(&blocks, shared).summary.counters);
    let sectors = 4 * 20 * 4;
    assert_eq!((own.l2_reads, own.l2_hits), (SMS * sectors, 0));
    assert_eq!((shared.l2_reads, shared.l2_hits), (SMS * sectors, (SMS - 1) * sectors));
}

/// Instructions of warps: opcode, register written if any, addresses.
type Access = (&'static str, Option<u8>, Vec<u64>);

/// Loads, stores, reductions and atomic operations of all blocks on the same lines, and arithmetic.
fn mixed(count: usize, length: usize) -> Workload {
    let mut random = fastrand::Rng::with_seed(1);
    let mut access = || -> Access {
        let (stride, first) = (random.choice([0, 4, 4, 32, 132]).unwrap(), 32 * random.u64(..2048));
        let addresses = (0..32).map(|lane| first + stride * lane).collect();
        let register = Some(random.u8(8..14));
        match random.u8(..8) {
            0..3 => ("LDG.E", register, addresses),
            3 => ("STG.E", None, addresses),
            4 => ("RED.E.ADD", None, addresses),
            5 => ("ATOMG.E.ADD", register, addresses),
            _ => ("FADD", register, vec![]),
        }
    };
    let accesses: Vec<Access> = (0..count * 4 * length).map(|_| access()).collect();
    fn warp(accesses: &[Access]) -> Vec<Line<'_>> {
        let accesses = accesses.iter();
        let lines = accesses.map(|access| (access.0, access.1, &[2, 9][..], ALL, &access.2[..]));
        lines.chain([EXIT]).collect()
    }
    let warps: Vec<Vec<Line>> = accesses.chunks(length).map(warp).collect();
    let blocks: Vec<Vec<Vec<Line>>> = warps.chunks(4).map(<[_]>::to_vec).collect();
    let header = KernelHeader { nregs: 16, grid: [count as u32, 1, 1], ..header(4 * 32) };
    kernel(header, &blocks)
}

/// Machines on whose L2 several SMs meet in all ways: replies that come at once, few misses at a time, lines
/// that keep their ways, little room and bandwidth.
const SHARING: [&[&str]; 5] = [
    &[],
    &["l1.reserved=true", "l1.kept_stores=25", "l1.outstanding=8"],
    &["l2.latency=31", "dram.latency=32", "l1.banks=1"],
    &["l2.size=16384", "dram.cycles_per_sector=40", "l2.shared_requests=true", "l1.interleaved=false"],
    &["l1.unified=73728", "l1.carve_outs=[65536]", "l1.store_fill=false", "l1.write_back_port=false"],
];

/// These streams have no control bits.
const MODERN: Design = Design { dependences: Dependences::Scoreboard, ..Design::MODERN };

fn sharing(settings: &[&str], sms: usize) -> Config {
    let settings = settings.iter().map(|setting| setting.to_string());
    let shared = [format!("sms={sms}"), "l2.shared=true".into(), "dram.channels=4".into()];
    Config::load(None, &settings.chain(shared).collect::<Vec<_>>()).unwrap()
}

/// On so many threads, or in turns.
fn simulate(config: &Config, design: Design, work: &Workload, threads: Option<usize>, draws: bool) -> String {
    let mut gpu = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    if draws {
        gpu.sample(Sampling { every: 8, seed: 1 });
    }
    let advance = match threads {
        Some(_) => Gpu::advance_in_parallel,
        None => {
            gpu.take_turns();
            Gpu::advance
        }
    };
    let run = || {
        for kernel in work.kernels() {
            gpu.launch(kernel, Some(&Reuse::default())).unwrap();
            while advance(&mut gpu, u64::MAX).unwrap() {}
        }
        gpu.statistics("model", 0)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(1)).build().unwrap();
    let statistics = pool.install(run);
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    assert!(!draws || statistics.sample.as_ref().is_some_and(|sample| sample.sampled_launches > 0));
    serde_json::to_string(&statistics).unwrap()
}

#[test]
fn sms_that_run_on_by_themselves_get_the_answers_of_turns() {
    let work = mixed(24, 60);
    for (settings, sms) in SHARING.into_iter().flat_map(|settings| [(settings, 2), (settings, 5)]) {
        for design in [Design::BASELINE, Design::MALEKEH, MODERN] {
            let config = sharing(settings, sms);
            let turns = simulate(&config, design, &work, None, false);
            let found = simulate(&config, design, &work, Some(2), false);
            assert_eq!(turns, found, "{settings:?}, {sms} SMs, {}", design.name());
        }
    }
}

#[test]
fn caches_are_warmed_in_the_order_of_turns() {
    let work = mixed(1600, 3);
    let config = sharing(&["l2.size=65536"], 3);
    let [turns, found] =
        [None, Some(2)].map(|threads| simulate(&config, Design::BASELINE, &work, threads, true));
    assert_eq!(turns, found);
}

#[test]
fn threads_change_nothing() {
    let work = mixed(24, 20);
    let streams = blocks(&(0..3 * SMS).map(|number| lines(8, 20, region(number))).collect::<Vec<_>>());
    let designs = [
        Design::BASELINE,
        Design::MALEKEH,
        MODERN,
        Design::BOW,
        Design::FINEREG,
        Design::IWMA,
        Design::REGISTER_CACHE,
    ];
    for (design, work) in designs.into_iter().flat_map(|design| [(design, &work), (design, &streams)]) {
        for (shared, sms) in [(false, 2), (false, 5), (true, 2), (true, 5)] {
            let settings = [format!("sms={sms}"), format!("l2.shared={shared}")];
            let config = Config::load(None, &settings).unwrap();
            let [one, two, three] =
                [1, 2, 3].map(|threads| simulate(&config, design, work, Some(threads), false));
            assert!(one == two && one == three, "{}, shared {shared}, {sms} SMs", design.name());
        }
    }
}
