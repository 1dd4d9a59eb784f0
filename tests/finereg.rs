// SPDX-License-Identifier: Apache-2.0
//! Every built-in workload under FineReg and the designs it is compared with, also with the smallest PCRF:
//! every operand is right, and nothing stands still.

use gpurf_sim::config::{Config, FINEREG};
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Family, Gpu, Limit, SmError};
use gpurf_workloads::suite::{self, Benchmark, Size, SUITE};
use gpurf_workloads::{Device, Options};
use rayon::prelude::*;

fn run(benchmark: &Benchmark) {
    let mut device = Device::new(Options::default());
    (benchmark.run)(&mut device, Size::Small).unwrap();
    let workload = device.into_workload(benchmark.name);
    let tight = ["pcrf_entries=64", "finereg.dram_ctas=1"].map(String::from);
    for settings in [&[][..], &tight] {
        let config = Config::load_over(FINEREG, None, settings).unwrap();
        let mut instructions = None;
        for design in [Design::BASELINE].into_iter().chain(Design::family(Family::FineReg)) {
            let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
            match gpu.run(&workload, None) {
                Ok(()) => {}
                Err(SmError::BlockTooLarge { .. }) => return eprintln!("{}: too large", benchmark.name),
                Err(error) => panic!("{}, {design}: {error}", benchmark.name),
            }
            let statistics = gpu.statistics("model", 0);
            assert!(statistics.is_sound(), "{}, {design}: {:?}", benchmark.name, statistics.errors);
            let counters = statistics.summary.counters;
            let counted = (counters.warp_instructions, counters.token_checks);
            assert_eq!(*instructions.get_or_insert(counted), counted, "{}, {design}", benchmark.name);
        }
    }
}

#[test]
fn some_workloads_are_right_under_every_design() {
    for name in ["hotspot", "bfs", "pathfinder"] {
        run(suite::named(name).unwrap());
    }
}

/// Takes minutes: `make soak`.
#[test]
#[ignore = "takes minutes"]
fn all_workloads_are_right_under_every_design() {
    SUITE.par_iter().for_each(|benchmark| run(benchmark));
}

/// R "modified a few benchmarks to generate a large number of CTAs"; so that an SM's drain at the end of a
/// launch is a small part.
#[test]
fn launches_at_medium_size_fill_the_sm_eight_times() {
    let study: toml::Table = include_str!("../papers/finereg-evaluation.toml").parse().unwrap();
    let config = Config::load_over(FINEREG, None, &[] as &[String]).unwrap();
    let names: Vec<_> =
        study["inputs"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names.len(), 18, "R Table II has 18 applications");
    names.par_iter().for_each(|name| {
        let mut device = Device::new(Options { keep_bytes: 0, ..Options::default() });
        (suite::named(name).unwrap().run)(&mut device, Size::Medium)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for kernel in device.into_workload(*name).kernels() {
            let header = kernel.header();
            let (_, resident) = Limit::of(header, &config).unwrap();
            let blocks = header.block_count();
            assert!(
                blocks >= 8 * resident as u64,
                "{name}, {}: {blocks} blocks, {resident} resident",
                header.name
            );
            assert!(header.nregs <= 63, "{name}, {}: {} registers", header.name, header.nregs);
        }
    });
}
