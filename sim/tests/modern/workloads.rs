// SPDX-License-Identifier: Apache-2.0
//! Whole workloads on the compiler's control bits alone, without a scoreboard: every operand is right, and a
//! stall count that is lower by one is found.

use std::collections::BTreeMap;
use std::sync::Arc;

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::{Command, Control, Kernel, ListedControl, StaticInstruction, Workload};
use gpurf_workloads::suite::{Size, SUITE};
use gpurf_workloads::{Device, Options};
use rayon::prelude::*;

pub fn workload(name: &str) -> Workload {
    let benchmark = SUITE.iter().find(|benchmark| benchmark.name == name).unwrap();
    let mut device = Device::new(Options::default());
    (benchmark.run)(&mut device, Size::Small).unwrap_or_else(|error| panic!("{name}: {error}"));
    device.into_workload(name)
}

pub fn run(workload: &Workload, design: &str, settings: &[&str]) -> Statistics {
    let settings: Vec<String> = settings.iter().map(|setting| setting.to_string()).collect();
    run_on(&Config::load(None, &settings).unwrap(), workload, design)
}

pub fn run_on(config: &Config, workload: &Workload, design: &str) -> Statistics {
    let design = design.parse::<Design>().unwrap();
    let mut gpu = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    gpu.run(workload, None).unwrap_or_else(|error| panic!("{} under {design}: {error}", workload.name));
    gpu.statistics("model", 0)
}

/// Statistics are the same, down to each count, if every cycle is clocked.
pub fn assert_cycles_may_be_left_out(config: &Config, name: &str, design: &str) {
    let (workload, parsed) = (workload(name), design.parse::<Design>().unwrap());
    let run = |every: bool| {
        let mut gpu = Gpu::new(config, parsed, 1, Engines::models(config, parsed, 1));
        if every {
            gpu.clock_every_cycle();
        }
        gpu.run(&workload, None).unwrap();
        serde_json::to_value(gpu.statistics("model", 0)).unwrap()
    };
    assert_eq!(run(false), run(true), "{name}, {design}");
}

pub fn assert_right(name: &str, statistics: &Statistics) {
    let counters = &statistics.summary.counters;
    assert!(statistics.is_sound(), "{name}: {:?}", statistics.errors);
    assert!(counters.token_checks > 0 && counters.bank_reads > 0, "{name}");
}

/// Also, no value in the reuse cache is ever stale: that would be a wrong operand.
#[test]
fn every_operand_is_right_on_control_bits_alone() {
    let served: Vec<(&str, f64)> = SUITE
        .par_iter()
        .map(|benchmark| {
            let statistics = run(&workload(benchmark.name), "modern", &[]);
            assert_right(benchmark.name, &statistics);
            (benchmark.name, 100.0 * statistics.summary.hit_ratio)
        })
        .collect();
    let share = |name: &str| served.iter().find(|(known, _)| *known == name).unwrap().1;
    // Counted on the bits of the listings alone: sgemm 20.3, hgemm 10.5 and 5.3 on average.
    assert!((18.0..22.0).contains(&share("sgemm")), "{}", share("sgemm"));
    assert!((8.0..12.0).contains(&share("hgemm")), "{}", share("hgemm"));
    assert_eq!(share("vectoradd"), 0.0);
    let mean = served.iter().map(|(_, share)| share).sum::<f64>() / served.len() as f64;
    assert!((4.0..6.5).contains(&mean), "{mean}");
}

#[test]
fn every_operand_is_right_on_every_machine() {
    let settings: [&[&str]; 6] = [
        &["read_rule=held"],
        &["reuse_cache=off"],
        &["reuse_cache=shared"],
        &["read_ports=2"],
        &["variable_depth=1", "load_store.queue=1"],
        &["sms=2", "l2.shared=true"],
    ];
    for name in ["sgemm", "hgemm", "hotspot", "lud", "stencil"] {
        let workload = workload(name);
        settings.par_iter().for_each(|settings| {
            assert_right(&format!("{name} {settings:?}"), &run(&workload, "modern", settings));
        });
        let scoreboard = run(&workload, "modern+dependences=scoreboard", &[]);
        assert_right(name, &scoreboard);
        assert_right(name, &run(&workload, "modern+dependences=scoreboard+iwma", &[]));
    }
}

#[test]
fn cycles_that_change_nothing_may_be_left_out() {
    for (name, design) in [("bfs", "modern"), ("lud", "modern"), ("bfs", "modern+dependences=scoreboard")] {
        assert_cycles_may_be_left_out(&Config::default(), name, design);
    }
}

/// The latency that a consumer in the same pipe needs, and the pipe, of an instruction whose results take a
/// fixed time.
fn pipe(instruction: &StaticInstruction) -> Option<u8> {
    match instruction.base() {
        "FFMA" | "FADD" | "FMUL" | "IMAD" => Some(1),
        "IADD3" | "LOP3" | "SHF" | "LEA" | "SEL" | "IMNMX" | "MOV" | "PRMT" | "ISETP" | "FSETP" | "FSEL" => {
            Some(0)
        }
        _ => None,
    }
}

/// Places whose stall count is just what the instruction right behind them needs, by kernel, with how often
/// warps go on from the one to the other with active lanes.
fn exact_places(kernel: &Kernel) -> BTreeMap<u32, (Control, u64)> {
    let mut reader = kernel.open().unwrap();
    let mut places = BTreeMap::new();
    while let Some(block) = reader.next_block().unwrap() {
        for warp in &block.warps {
            for pair in warp.instructions.windows(2) {
                let [first, second] = [0, 1].map(|index| &reader.program()[pair[index].static_index]);
                let (Some(from), Some(to)) = (pipe(first), pipe(second)) else { continue };
                let uses = first.destinations.iter().any(|register| second.sources.contains(register));
                let needed = 4 + u8::from(from != to);
                let waits = second.control.wait_mask() != 0;
                let active = pair.iter().all(|instruction| instruction.mask != 0);
                if uses && active && !waits && second.pc == first.pc + 16 && first.control.stall() == needed {
                    places.entry(first.pc).or_insert((first.control, 0)).1 += 1;
                }
            }
        }
    }
    places
}

/// The workload with one stall count of a kernel lower by one.
fn lowered(workload: &Workload, kernel: &str, pc: u32, control: Control) -> Workload {
    let listed =
        ListedControl { control: control.with_stall(control.stall() - 1), limit: None, operands: vec![] };
    let places = Arc::new(BTreeMap::from([(pc, listed)]));
    let commands = workload.commands.iter().map(|command| match command {
        Command::Kernel(one) if one.header().name == kernel => {
            Command::Kernel(one.with_control_bits(Arc::clone(&places)))
        }
        other => other.clone(),
    });
    Workload { name: workload.name.clone(), commands: commands.collect() }
}

#[test]
fn a_stall_count_that_is_lower_by_one_is_found() {
    let mut tried = 0;
    for name in ["sgemm", "hotspot", "lud", "pathfinder", "gaussian", "nw", "cfd", "hgemm"] {
        let workload = workload(name);
        let mut of_kernels: BTreeMap<String, BTreeMap<u32, (Control, u64)>> = BTreeMap::new();
        for kernel in workload.kernels() {
            let places = of_kernels.entry(kernel.header().name.clone()).or_default();
            for (pc, (control, times)) in exact_places(kernel) {
                places.entry(pc).or_insert((control, 0)).1 += times;
            }
        }
        let all: Vec<_> = of_kernels
            .iter()
            .flat_map(|(kernel, places)| {
                places.iter().map(move |(pc, (control, times))| (kernel, *pc, *control, *times))
            })
            .filter(|(.., times)| *times >= 8)
            .collect();
        assert!(!all.is_empty(), "{name}");
        let step = all.len().div_ceil(6);
        let sample: Vec<_> = all.iter().step_by(step).collect();
        sample.par_iter().for_each(|(kernel, pc, control, times)| {
            let statistics = run(&lowered(&workload, kernel, *pc, *control), "modern", &[]);
            assert!(
                statistics.summary.counters.token_errors > 0,
                "{name}, {kernel}, pc {pc:#06x}, {times} times: stall count {} is one too low, and nothing is found",
                control.stall()
            );
        });
        tried += sample.len();
    }
    assert!(tried >= 30, "{tried} stall counts were lowered");
}

#[test]
fn a_wait_for_a_load_that_is_left_out_is_found() {
    let workload = workload("vectoradd");
    let kernel = workload.kernels().next().unwrap();
    let mut reader = kernel.open().unwrap();
    reader.next_block().unwrap();
    let waits = reader.program().instructions().iter().find(|place| place.base() == "FADD").unwrap();
    assert!(waits.control.wait_mask() != 0, "it adds what is loaded");
    let listed = ListedControl { control: waits.control.with_wait_mask(0), limit: None, operands: vec![] };
    let places = Arc::new(BTreeMap::from([(waits.pc, listed)]));
    let commands = vec![Command::Kernel(kernel.with_control_bits(places))];
    let altered = Workload { name: "altered".into(), commands };
    assert!(run(&altered, "modern", &[]).summary.counters.token_errors > 0);
}

#[test]
fn a_window_that_compilers_do_not_know_is_refused_with_a_remedy() {
    let settings = ["read_window=4".to_string()];
    let (config, design) = (Config::load(None, &settings).unwrap(), Design::MODERN);
    let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
    let error = gpu.run(&workload("vectoradd"), None).unwrap_err().to_string();
    assert!(error.contains("`read_window=3`"), "{error}");
}

#[test]
fn a_stream_without_control_bits_is_refused_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let workload = workload("vectoradd");
    gpurf_trace::write(&workload, folder.path()).unwrap();
    let trace = gpurf_trace::open(folder.path()).unwrap();
    let (config, design) = (Config::default(), Design::MODERN);
    let mut gpu = Gpu::new(&config, design, 1, Engines::models(&config, design, 1));
    let error = gpu.run(&trace, None).unwrap_err().to_string();
    assert!(error.contains("no control bits") && error.contains("--control"), "{error}");
    assert_right("trace", &run(&trace, "modern+dependences=scoreboard", &[]));
}
