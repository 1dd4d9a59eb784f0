// SPDX-License-Identifier: Apache-2.0
//! SMs side by side: with a share of L2 and DRAM each, or with both in common.

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, KernelHeader, Workload};

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

fn run(workload: &Workload, shared: bool, in_parallel: bool) -> Statistics {
    let settings = MACHINE.iter().map(|setting| setting.to_string());
    let settings: Vec<String> = settings.chain([format!("l2.shared={shared}")]).collect();
    let config = Config::load(None, &settings).unwrap();
    let mut gpu = Gpu::new(&config, Design::BASELINE, 1, Engines::models(&config, Design::BASELINE, 1));
    for command in &workload.commands {
        match command {
            Command::Kernel(kernel) if in_parallel => {
                gpu.launch(kernel, None).unwrap();
                while gpu.advance_in_parallel(u64::MAX).unwrap() {}
            }
            Command::Kernel(kernel) => gpu.run_kernel(kernel, None).unwrap(),
            Command::MemcpyHtoD { address, bytes } => gpu.copy_to_device(*address, *bytes),
        }
    }
    let statistics = gpu.statistics("model", 0);
    assert!(statistics.is_sound(), "{:?}", statistics.errors);
    statistics
}

fn cycles(work: &[Block], shared: bool) -> f64 {
    run(&blocks(work), shared, false).summary.counters.cycles as f64
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
    let [own, shared] = [false, true].map(|shared| run(&blocks, shared, false).summary.counters);
    let sectors = 4 * 20 * 4;
    assert_eq!((own.l2_reads, own.l2_hits), (SMS * sectors, 0));
    assert_eq!((shared.l2_reads, shared.l2_hits), (SMS * sectors, (SMS - 1) * sectors));
}

#[test]
fn threads_change_nothing() {
    let blocks = blocks(&(0..3 * SMS).map(|number| lines(8, 20, region(number))).collect::<Vec<_>>());
    for shared in [false, true] {
        let [one, many] = [false, true].map(|in_parallel| run(&blocks, shared, in_parallel));
        assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&many).unwrap());
    }
}
