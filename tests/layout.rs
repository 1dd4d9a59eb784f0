// SPDX-License-Identifier: Apache-2.0
//! `gpurf layout`: small modules placed and routed by qflow, or a message about what is missing.

use std::fs;

use assert_cmd::Command;
use gpurf_fixtures::skipped;
use gpurf_synth::ExternalProgram;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

fn layout() -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("layout");
    command
}

#[test]
fn a_module_is_placed_and_routed() {
    if ExternalProgram::ALL
        .iter()
        .any(|program| program.names[0] != "nextpnr-ecp5" && program.find().is_none())
    {
        return skipped("qflow is missing; `tools/setup layout` installs it");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (picture, record) = (folder.path().join("lfsr.svg"), folder.path().join("layouts.jsonl"));
    let mut command = layout();
    command.args(["lfsr", "--json", "-", "--picture"]).arg(&picture).arg("--record").arg(&record);
    let output = command.assert().success().get_output().stdout.clone();
    let all: Value = serde_json::from_slice(&output).expect("JSON");
    let one = &all[0];
    let number = |name: &str| one[name].as_f64().unwrap_or_else(|| panic!("{name}: {one}"));
    assert!(number("cells") >= 8.0, "at least its eight flip-flops: {one}");
    assert_eq!(number("open_nets"), 0.0);
    assert!(number("routed_ns") > number("unrouted_ns") && number("unrouted_ns") > 0.0, "{one}");
    assert!(number("utilization") > 0.3 && number("utilization") < 1.0, "{one}");
    assert!(number("wire_mm") > 0.0, "{one}");
    let svg = fs::read_to_string(&picture).expect("a picture");
    assert!(svg.matches("<rect").count() as f64 > number("cells"), "each cell, and the ground");
    assert!(svg.matches("DFFPOSX1").count() >= 8 && svg.contains("<path d=\"M"));
    let line = fs::read_to_string(&record).expect("a record");
    let kept: Value = serde_json::from_str(line.trim()).expect("one line");
    assert_eq!((&kept["top"], &kept["cells"]), (&one["top"], &one["cells"]));
    assert!(kept["measured"]["date"].is_string());
}

#[test]
fn what_cannot_be_laid_out_is_said_first() {
    layout().arg("bank").assert().code(2).stderr(contains("bank: it has memories"));
    let two = layout().args(["lfsr", "round_robin", "--picture", "a.svg"]).assert().code(2);
    two.stderr(contains("--picture").and(contains("name one")));
    let empty = tempfile::tempdir().expect("a folder");
    let mut without = layout();
    let without = without.arg("lfsr").current_dir(&empty).env("PATH", empty.path());
    without.assert().code(2).stderr(contains("`qflow` is not installed: run `tools/setup layout`"));
}
