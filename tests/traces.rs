// SPDX-License-Identifier: Apache-2.0
//! Traces through the SM: one of our own, and those of real GPUs where they are at hand.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use gpurf_fixtures::{traces, AMPERE_TRACE, HOPPER_TRACE, OWN_TRACE};
use gpurf_trace::Workload;
use gpurf_workloads::suite::{named, Size, SUITE};
use gpurf_workloads::Device;
use rayon::prelude::*;
use serde_json::Value;

const TRACES: [&str; 6] = [
    "rodinia-bfs-sm80",
    "rodinia-b+tree-sm90",
    "vectoradd-sm75",
    "minerva-nn-training-sm90",
    "atax-v6-sm90",
    "simtune-ffma-1-32-40-sm90",
];

const DESIGNS: [&str; 12] = [
    "baseline",
    "traditional",
    "malekeh-gto",
    "malekeh",
    "malekeh-pr",
    "bow",
    "rfc-scheduler",
    "software-rfc-scheduler",
    "register-cache",
    "rfc",
    "software-rfc",
    "ltrf",
];

/// Designs whose hardware differs: the others share the baseline's or that of malekeh-gto's.
const HARDWARE: [&str; 7] =
    ["baseline", "traditional", "malekeh", "malekeh-pr", "bow", "register-cache", "ltrf"];

/// An SM whose sub-cores have sixteen warps each.
const SIXTEEN_WARPS: [&str; 6] =
    ["--set", "sm.warps=64", "--set", "sm.threads=2048", "--set", "sm.blocks=32"];

/// A caching collector in which values get their entries as they arrive, without and with the next
/// instruction entering in that cycle.
const ON_ARRIVAL: [&str; 4] = ["--set", "allocate_on_arrival=true", "--set", "lru_order=pairs"];
const ON_ARRIVAL_AND_AWAY: [&str; 6] =
    ["--set", "allocate_on_arrival=true", "--set", "lru_order=pairs", "--set", "dispatch_on_arrival=true"];

/// Real traces, with their names.
#[track_caller]
fn real_traces() -> Option<[(&'static str, String); TRACES.len()]> {
    let folder = traces()?;
    Some(TRACES.map(|trace| (trace, folder.join(trace).display().to_string())))
}

fn sim(arguments: &[&str], exit_code: i32) -> Value {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let assert = command.arg("sim").args(arguments).args(["--json", "-"]).assert().code(exit_code);
    serde_json::from_slice(&assert.get_output().stdout).expect("statistics are JSON")
}

fn assert_sound(statistics: &Value) {
    for zero in ["token_errors", "stage_errors", "divergences"] {
        assert_eq!(statistics[zero], 0, "{zero}: {statistics}");
    }
    let count = |key: &str| statistics[key].as_u64().expect("a count");
    assert_eq!(count("token_checks") + count("uninitialised_reads"), count("operand_reads"));
    let fetched = statistics["rc_prefetched"].as_u64().unwrap_or(0);
    assert_eq!(count("hits") + count("bank_reads"), count("operand_reads") + fetched);
}

#[test]
fn our_own_trace_is_what_the_emulator_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let launches = format!("{OWN_TRACE}.toml");
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["trace", &launches, "--out"]).arg(folder.path()).assert().success();
    for file in ["kernelslist.g", "kernel-1.traceg", "kernel-2.traceg"] {
        let (written, kept) = (folder.path().join("stencil").join(file), format!("{OWN_TRACE}/{file}"));
        let read = |path: &Path| fs::read_to_string(path).expect("a file of the trace");
        assert!(read(&written) == read(kept.as_ref()), "{kept} is stale; write it anew as {launches} says");
    }
}

#[test]
fn our_own_trace_runs_under_every_design() {
    for design in DESIGNS {
        let statistics = sim(&[OWN_TRACE, "--design", design], 0);
        assert_sound(&statistics);
        assert_eq!(statistics["warp_instructions"], 1_594);
        assert_eq!(statistics["named_operand_reads"], 1_958);
        assert_eq!(statistics["kernels"].as_array().map(Vec::len), Some(2));
    }
}

/// Instructions with more sources than a collector has slots, on models and RTL side by side.
#[test]
fn products_of_newer_gpus_run_under_every_design() {
    for (path, instructions, operands, rounds) in
        [(AMPERE_TRACE, 588, 3_072, 228), (HOPPER_TRACE, 240, 5_076, 660)]
    {
        for design in DESIGNS {
            let statistics = sim(&[path, "--design", design], 0);
            assert_sound(&statistics);
            assert_eq!(statistics["warp_instructions"], instructions, "{design}");
            assert_eq!(statistics["operand_reads"], operands, "{design}");
            assert_eq!(statistics["stalls"]["rounds"], rounds, "{design}");
        }
    }
    run_in_lockstep("lockstep", &[AMPERE_TRACE, HOPPER_TRACE].map(String::from), &DESIGNS, &[]);
}

/// The sub-core that ships: whole applications on control bits, and streams that have none on a scoreboard.
#[test]
fn the_sub_core_that_ships_runs_whole_applications() {
    let some = ["sgemm", "stencil", "hgemm"].map(String::from);
    run_in_lockstep("lockstep", &some, &["modern"], &[]);
    let other = ["--set", "read_rule=held", "--set", "read_ports=2", "--set", "reuse_cache=shared"];
    run_in_lockstep("lockstep", &some[1..], &["modern"], &other);
    let streams = ["nw", OWN_TRACE, AMPERE_TRACE, HOPPER_TRACE].map(String::from);
    run_in_lockstep("lockstep", &streams, &["modern+dependences=scoreboard"], &[]);
    run_in_lockstep("lockstep", &streams[1..2], &["modern+dependences=scoreboard"], &SIXTEEN_WARPS);
    for (engine, cycles) in [("rtl", "100000"), ("rust-hdl", "300"), ("lockstep-verilator", "2000")] {
        run_in_lockstep(engine, &some[1..2], &["modern"], &["--cycles", cycles]);
    }
}

#[test]
fn a_block_can_have_the_shared_memory_of_newer_gpus() {
    /// An SM of Hopper: 228 KB of shared memory, 256 KB with L1.
    const HOPPER: [&str; 6] =
        ["--set", "sm.shared_memory=233472", "--set", "l1.unified=262144", "--set", "l1.carve_outs=[233472]"];
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(format!("{HOPPER_TRACE}/kernel-1.traceg")).expect("a trace");
    let path = folder.path().join("kernel-1.traceg");
    let kernel = path.to_str().expect("a path");
    for (bytes, fits) in [(131_072, true), (232_448, false), (233_472, false)] {
        fs::write(&path, text.replace("-shmem = 16384", &format!("-shmem = {bytes}"))).expect("a file");
        if !fits {
            let mut refused = Command::cargo_bin("gpurf").expect("the tool is built");
            let refused = refused.args(["sim", kernel]).assert().code(2);
            refused.stderr(predicates::str::contains("raise `sm.block_shared_memory`"));
        }
        let statistics = sim(&[kernel, "--set", &format!("sm.block_shared_memory={bytes}")], 0);
        assert_eq!(statistics["kernels"][0]["resident_blocks"], 1);
        assert_eq!(sim(&[&[kernel][..], &HOPPER].concat(), 0)["kernels"][0]["resident_blocks"], 1);
    }
}

#[test]
fn every_trace_runs_under_every_design() {
    let Some(traces) = real_traces() else { return };
    for (trace, path) in traces {
        for design in DESIGNS {
            let statistics = sim(&[&path, "--design", design], 0);
            assert_sound(&statistics);
            if trace == "rodinia-bfs-sm80" {
                assert_eq!(statistics["warp_instructions"], 159_509);
                assert_eq!(statistics["named_operand_reads"], 162_053);
                assert_eq!(statistics["kernels"].as_array().map(Vec::len), Some(16));
            }
        }
    }
}

/// Real code with several engines side by side: the stimulus that the gate of the hardware takes from it.
fn run_in_lockstep(engine: &str, inputs: &[String], designs: &[&str], machine: &[&str]) {
    each_in_lockstep(engine, inputs, designs, machine, |run, statistics| {
        // Alone, the model is not asked in cycles in which it is taken to stand still.
        let mut alone = sim(run, 0);
        alone["engine"] = statistics["engine"].clone();
        assert_eq!(alone, statistics);
    });
}

/// Runs each input under each design, and gives the arguments and the statistics to `then`.
fn each_in_lockstep(
    engine: &str,
    inputs: &[String],
    designs: &[&str],
    machine: &[&str],
    then: impl Fn(&[&str], Value) + Sync,
) {
    // Designs that share a sub-core may build its Verilog twice at a time, each in a folder of its own.
    designs.par_iter().for_each(|design| {
        for input in inputs {
            let run = [&[input, "--design", design], machine].concat();
            let statistics = sim(&[&run[..], &["--engine", engine]].concat(), 0);
            assert_sound_in_part(&statistics);
            then(&run, statistics);
        }
    });
}

/// Models and RTL, from the first cycle to the last; `make soak` has every application under every design.
#[test]
fn the_rtl_runs_whole_applications() {
    run_in_lockstep("lockstep", &["nn".into()], &DESIGNS, &[]);
    let longer = ["bfs", "hgemm"].map(String::from);
    by_halves(&longer, |inputs, designs| run_in_lockstep("lockstep", inputs, designs, &[]));
    run_in_lockstep("lockstep", &longer[..1], &HARDWARE[..3], &SIXTEEN_WARPS);
    run_in_lockstep("lockstep", &longer[1..], &["malekeh"], &ON_ARRIVAL);
    let Some(traces) = real_traces() else { return };
    by_halves(&traces.map(|(_, path)| path), |inputs, designs| {
        run_in_lockstep("lockstep", inputs, designs, &[]);
    });
}

/// Each of the inputs on half of the hardware, and each hardware with half of the inputs.
fn by_halves(inputs: &[String], run: impl Fn(&[String], &[&str])) {
    for half in 0..2 {
        let inputs: Vec<_> = inputs.iter().skip(half).step_by(2).cloned().collect();
        let designs: Vec<_> = HARDWARE.into_iter().skip(half).step_by(2).collect();
        run(&inputs, &designs);
    }
}

/// The beginning of a run with the emitted Verilog beside the others.
#[test]
fn the_verilog_agrees_on_real_code() {
    /// Building the Verilog of so many sub-cores takes the longest; `make soak` has many more cycles.
    const BEGINNING: [&str; 2] = ["--cycles", "250"];
    let run = |inputs: &[String], designs: &[&str], machine: &[&str]| {
        // The models alone are compared with where runs are whole.
        each_in_lockstep("lockstep-verilator", inputs, designs, &[machine, &BEGINNING].concat(), |_, _| ());
    };
    // In the same test, so that little Verilog is built twice at a time.
    run(&["bfs".into(), "hgemm".into()], &HARDWARE, &[]);
    run(&["bfs".into()], &HARDWARE[..3], &SIXTEEN_WARPS);
    run(&[OWN_TRACE, AMPERE_TRACE, HOPPER_TRACE].map(String::from), &HARDWARE, &[]);
    for machine in [&ON_ARRIVAL[..], &ON_ARRIVAL_AND_AWAY] {
        run(&["bfs".into(), "hgemm".into(), OWN_TRACE.into()], &["malekeh"], machine);
    }
    let Some(traces) = real_traces() else { return };
    let traces = traces.map(|(_, path)| path);
    by_halves(&traces, |inputs, designs| run(inputs, designs, &[]));
    run(&traces, &["malekeh"], &ON_ARRIVAL);
}

/// Takes hours: `make soak`.
#[test]
#[ignore = "takes hours"]
fn engines_agree_on_every_workload_and_every_whole_trace() {
    let workloads: Vec<_> = SUITE.iter().map(|benchmark| benchmark.name.to_string()).collect();
    run_in_lockstep("lockstep", &workloads, &DESIGNS, &[]);
    run_in_lockstep("lockstep", &workloads, &["modern", "modern+dependences=scoreboard"], &[]);
    let some = ["--cycles", "20000"];
    run_in_lockstep("lockstep-verilator", &workloads, &DESIGNS, &some);
    run_in_lockstep("lockstep-verilator", &workloads, &["modern"], &some);
    run_in_lockstep("lockstep-verilator", &workloads, &HARDWARE[..3], &[&SIXTEEN_WARPS[..], &some].concat());
    let Some(traces) = real_traces() else { return };
    let traces = traces.map(|(_, path)| path);
    run_in_lockstep("lockstep-verilator", &traces, &DESIGNS, &[]);
    run_in_lockstep("lockstep-verilator", &traces, &HARDWARE[..3], &SIXTEEN_WARPS);
    run_in_lockstep("lockstep-verilator", &traces, &["malekeh"], &ON_ARRIVAL);
}

/// A run that is cut off has instructions on their way.
fn assert_sound_in_part(statistics: &Value) {
    for zero in ["token_errors", "stage_errors", "divergences"] {
        assert_eq!(statistics[zero], 0, "{zero}: {statistics}");
    }
    assert!(statistics["token_checks"].as_u64() > Some(0));
}

#[test]
fn the_token_check_finds_stale_values() {
    let Some(folder) = traces() else { return };
    let path = folder.join("rodinia-b+tree-sm90").display().to_string();
    let statistics = sim(&[&path, "--design", "traditional", "--set", "invalidate=false"], 1);
    assert!(statistics["token_errors"].as_u64() > Some(0), "stale operands go unnoticed");
}

#[test]
fn sixteen_warps_of_a_sub_core_hide_more_latency() {
    for design in &HARDWARE[..3] {
        let run = ["nn", "--design", design];
        let (few, many) = (sim(&run, 0), sim(&[&run[..], &SIXTEEN_WARPS].concat(), 0));
        assert_sound(&many);
        assert_eq!(few["warp_instructions"], many["warp_instructions"]);
        assert!(many["cycles"].as_u64() < few["cycles"].as_u64(), "{design}");
    }
    let mut refused = Command::cargo_bin("gpurf").expect("the tool is built");
    let refused = refused.args(["sim", "nn", "--design", "bow"]).args(SIXTEEN_WARPS).assert().code(2);
    refused.stderr(predicates::str::contains("set `sm.warps` to 32 at most"));
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let Some(folder) = traces() else { return };
    let path = folder.join("minerva-nn-training-sm90").display().to_string();
    let run = |seed| sim(&[&path, "--design", "traditional", "--seed", seed], 0).to_string();
    assert_eq!(run("5"), run("5"));
}

/// Instructions that every warp executed, by block and warp: place, lanes, opcode without modifiers,
/// registers.
fn executed(workload: &Workload) -> BTreeMap<([u32; 3], u32), Vec<String>> {
    let mut warps = BTreeMap::new();
    let kernel = workload.kernels().next().expect("a kernel");
    let mut reader = kernel.open().expect("the stream opens");
    while let Some(block) = reader.next_block().expect("the stream is whole") {
        for warp in &block.warps {
            let lines = warp.instructions.iter().map(|instruction| {
                let place = &reader.program()[instruction.static_index];
                let (pc, mask, base) = (place.pc, instruction.mask, place.base());
                format!("{pc:04x} {mask:08x} {:?} {base} {:?}", place.named_destination, place.named_sources)
            });
            warps.insert((block.id, warp.id), lines.collect());
        }
    }
    warps
}

/// NVIDIA's sample traced on a Turing GPU, and ours in the emulator: they differ in a modifier of the
/// loads only, since our pointers are `__restrict__`.
#[test]
fn the_emulator_executes_what_a_gpu_executed() {
    let Some(folder) = traces() else { return };
    let traced = gpurf_trace::open(folder.join("vectoradd-sm75")).expect("a trace");
    let mut device = Device::default();
    (named("vectoradd").expect("a built-in workload").run)(&mut device, Size::Small).expect("right");
    let (traced, emulated) = (executed(&traced), executed(&device.into_workload("vectoradd")));
    assert_eq!(traced.len(), 256 * 8);
    assert_eq!(emulated.len(), traced.len());
    for (warp, instructions) in &traced {
        assert_eq!(&emulated[warp], instructions, "block and warp {warp:?}");
    }
}
