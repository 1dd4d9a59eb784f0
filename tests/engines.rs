// SPDX-License-Identifier: Apache-2.0
//! `gpurf sim --engine`: the units of an SM outside its sub-cores are run by the engine too.

use assert_cmd::Command;
use serde_json::Value;

/// A short run under FineReg, in which blocks are switched; its statistics.
fn finereg(engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let machine = ["--config", "finereg", "--set", "pcrf_entries=64", "--set", "sm.registers=16384"];
    command.args(["sim", "vectoradd", "--design", "finereg", "--engine", engine, "--cycles", "3000"]);
    command.args(machine).args(["--json", &json]).assert().success();
    let text = std::fs::read_to_string(&json).expect("statistics");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn finereg_is_the_same_on_every_engine() {
    let model = finereg("model");
    let residency = &model["residency"];
    assert!(residency["registers_saved"].as_u64() > Some(100), "{residency}");
    assert!(residency["resumed_from_store"].as_u64() > Some(2), "{residency}");
    for engine in ["rtl", "verilator", "lockstep"] {
        let mut other = finereg(engine);
        assert_ne!(other["engine"], model["engine"]);
        assert_eq!(other["divergences"], 0, "{engine}");
        other["engine"] = model["engine"].clone();
        assert_eq!(other, model, "{engine}");
    }
}

/// A short run in which warps share registers, and wait for them; its statistics.
fn pooled(engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let shares = ["--set", "finereg.brs=40", "--set", "finereg.srp=10"];
    command.args(["sim", "backprop", "--design", "vt-regmutex", "--engine", engine, "--cycles", "4000"]);
    command.args(shares).args(["--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

#[test]
fn a_shared_register_pool_is_the_same_on_every_engine() {
    let model = pooled("model");
    let residency = &model["residency"];
    assert!(residency["pool_acquired"].as_u64() > Some(30), "{residency}");
    assert!(model["stalls"]["depletion"].as_u64() > Some(100), "{}", model["stalls"]);
    for engine in ["rtl", "verilator", "lockstep"] {
        let mut other = pooled(engine);
        assert_ne!(other["engine"], model["engine"]);
        assert_eq!(other["divergences"], 0, "{engine}");
        other["engine"] = model["engine"].clone();
        assert_eq!(other, model, "{engine}");
    }
}

/// A short run in which warps fetch register intervals, and do so again after they were pending; its
/// statistics.
fn fetched(engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["sim", "bfs", "--design", "ltrf", "--engine", engine, "--cycles", "4000"]);
    command.args(["--set", "slots=3", "--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

#[test]
fn an_interval_prefetcher_is_the_same_on_every_engine() {
    let model = fetched("model");
    assert!(model["rc_prefetches"].as_u64() > Some(200), "{}", model["rc_prefetches"]);
    assert!(model["rc_flushes"].as_u64() > Some(100), "{}", model["rc_flushes"]);
    for engine in ["rtl", "verilator", "lockstep"] {
        let mut other = fetched(engine);
        assert_ne!(other["engine"], model["engine"]);
        assert_eq!(other["divergences"], 0, "{engine}");
        other["engine"] = model["engine"].clone();
        assert_eq!(other, model, "{engine}");
    }
}

/// A short run in which warps take values that others have loaded; its statistics.
fn renamed(engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["sim", "sgemm", "--design", "darsie", "--engine", engine, "--cycles", "4000"]);
    command.args(["--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

#[test]
fn a_skip_table_is_the_same_on_every_engine() {
    let model = renamed("model");
    assert!(model["renamed_loads"].as_u64() > Some(30), "{}", model["renamed_loads"]);
    for engine in ["rtl", "verilator", "lockstep"] {
        let mut other = renamed(engine);
        assert_ne!(other["engine"], model["engine"]);
        assert_eq!(other["divergences"], 0, "{engine}");
        other["engine"] = model["engine"].clone();
        assert_eq!(other, model, "{engine}");
    }
}

/// A short run of matrix instructions with operands as a trace names them; some are named twice.
fn named(engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["sim", "hgemm", "--design", "malekeh", "--engine", engine, "--cycles", "2000"]);
    command.args(["--set", "operands=named", "--set", "slots=6", "--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

#[test]
fn named_operands_are_the_same_on_every_engine() {
    let model = named("model");
    assert!(model["token_checks"].as_u64() > Some(1000), "{}", model["token_checks"]);
    assert_eq!(model["token_errors"], 0);
    let mut lockstep = named("lockstep");
    assert_eq!(lockstep["divergences"], 0);
    lockstep["engine"] = model["engine"].clone();
    assert_eq!(lockstep, model);
}

/// A short run with latches before the collectors; its statistics.
fn latched(design: &str, engine: &str) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("out.json").display().to_string();
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["sim", "sgemm", "--design", design, "--engine", engine, "--cycles", "3000"]);
    command.args(["--json", &json]).assert().success();
    serde_json::from_str(&std::fs::read_to_string(&json).expect("statistics")).expect("JSON")
}

#[test]
fn latches_before_collectors_are_the_same_on_every_engine() {
    for design in ["traditional-2021", "malekeh+issue_latch=passing"] {
        let model = latched(design, "model");
        assert!(model["hits"].as_u64() > Some(1000), "{}", model["hits"]);
        assert!(model["token_checks"].as_u64() > Some(5_000), "{}", model["token_checks"]);
        assert_eq!(model["token_errors"], 0);
        for engine in ["rtl", "verilator", "lockstep"] {
            let mut other = latched(design, engine);
            assert_eq!(other["divergences"], 0, "{design}, {engine}");
            other["engine"] = model["engine"].clone();
            assert_eq!(other, model, "{design}, {engine}");
        }
    }
}
