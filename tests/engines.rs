// SPDX-License-Identifier: Apache-2.0
//! `gpurf sim --engine`: the units of an SM outside its sub-cores are run by the engine too.

use assert_cmd::Command;
use serde_json::Value;

/// Engines beside the models.
const OTHERS: [&str; 3] = ["rtl", "verilator", "lockstep"];

/// The statistics of `gpurf sim` with these arguments on an engine.
fn statistics(arguments: &[&str], engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("sim").args(arguments).args(["--engine", engine, "--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

/// The statistics of a run on models, once other engines have given the same.
fn same_on(engines: &[&str], arguments: &[&str]) -> Value {
    let model = statistics(arguments, "model");
    for engine in engines {
        let mut other = statistics(arguments, engine);
        assert_ne!(other["engine"], model["engine"]);
        assert_eq!(other["divergences"], 0, "{arguments:?}, {engine}");
        other["engine"] = model["engine"].clone();
        assert_eq!(other, model, "{arguments:?}, {engine}");
    }
    model
}

/// Blocks are switched.
#[test]
fn finereg_is_the_same_on_every_engine() {
    let machine = ["--config", "finereg", "--set", "pcrf_entries=64", "--set", "sm.registers=16384"];
    let run = ["vectoradd", "--design", "finereg", "--cycles", "3000"];
    let model = same_on(&OTHERS, &[&run[..], &machine].concat());
    let residency = &model["residency"];
    assert!(residency["registers_saved"].as_u64() > Some(100), "{residency}");
    assert!(residency["resumed_from_store"].as_u64() > Some(2), "{residency}");
}

/// Warps share registers, and wait for them.
#[test]
fn a_shared_register_pool_is_the_same_on_every_engine() {
    let shares = ["--set", "finereg.brs=40", "--set", "finereg.srp=10"];
    let run = ["backprop", "--design", "vt-regmutex", "--cycles", "4000"];
    let model = same_on(&OTHERS, &[&run[..], &shares].concat());
    let residency = &model["residency"];
    assert!(residency["pool_acquired"].as_u64() > Some(30), "{residency}");
    assert!(model["stalls"]["depletion"].as_u64() > Some(100), "{}", model["stalls"]);
}

/// Warps fetch register intervals, and do so again after they were pending.
#[test]
fn an_interval_prefetcher_is_the_same_on_every_engine() {
    let run = ["bfs", "--design", "ltrf", "--cycles", "4000", "--set", "slots=3"];
    let model = same_on(&OTHERS, &run);
    assert!(model["rc_prefetches"].as_u64() > Some(200), "{}", model["rc_prefetches"]);
    assert!(model["rc_flushes"].as_u64() > Some(100), "{}", model["rc_flushes"]);
}

/// Warps take values that others have loaded, from their rows.
#[test]
fn skip_tables_and_renaming_tables_are_the_same_on_every_engine() {
    let model = same_on(&OTHERS, &["sgemm", "--design", "darsie", "--cycles", "4000"]);
    assert!(model["renamed_loads"].as_u64() > Some(30), "{}", model["renamed_loads"]);
    assert_eq!(model["token_errors"], 0);
}

/// Collectors that cache drop what lies elsewhere now.
#[test]
fn rows_of_other_warps_are_the_same_beside_collectors_that_cache() {
    for design in ["malekeh+darsie", "bow+darsie"] {
        let model = same_on(&["lockstep"], &["sgemm", "--design", design, "--cycles", "2000"]);
        assert!(model["renamed_loads"].as_u64() > Some(15), "{}", model["renamed_loads"]);
        assert!(model["hits"].as_u64() > Some(1000), "{}", model["hits"]);
        assert_eq!(model["token_errors"], 0);
    }
}

/// Matrix instructions have operands as a trace names them; some are named twice.
#[test]
fn named_operands_are_the_same_on_every_engine() {
    let named = ["--set", "operands=named", "--set", "slots=6"];
    let run = ["hgemm", "--design", "malekeh", "--cycles", "2000"];
    let model = same_on(&["lockstep"], &[&run[..], &named].concat());
    assert!(model["token_checks"].as_u64() > Some(1000), "{}", model["token_checks"]);
    assert_eq!(model["token_errors"], 0);
}

#[test]
fn latches_before_collectors_are_the_same_on_every_engine() {
    for design in ["traditional-2021", "malekeh+issue_latch=passing"] {
        let model = same_on(&OTHERS, &["sgemm", "--design", design, "--cycles", "3000"]);
        assert!(model["hits"].as_u64() > Some(1000), "{}", model["hits"]);
        assert!(model["token_checks"].as_u64() > Some(5_000), "{}", model["token_checks"]);
        assert_eq!(model["token_errors"], 0);
    }
}
