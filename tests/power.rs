// SPDX-License-Identifier: Apache-2.0
//! Operand stages under what code really moves: `gpurf power DESIGN INPUT`.

use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;

fn power(arguments: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = Command::cargo_bin("gpurf").expect("it is built");
    command.arg("power").args(arguments).assert()
}

fn has_tools() -> bool {
    let yosys = gpurf_verilog::tools::Tool::Yosys.find().map_err(anyhow::Error::from);
    let found = yosys.and_then(|_| gpurf_synth::nangate::liberty());
    found.inspect_err(|error| gpurf_fixtures::skipped(format!("{error:#}"))).is_ok()
}

const SMALL: [&str; 6] = ["--windows", "4", "--window-cycles", "50", "--clock-gating", "--json"];

fn mean(energy: &Value) -> f64 {
    energy["mean"].as_f64().expect("a mean")
}

/// The netlist of tokens follows the whole run, and the wide one the windows: a difference would have ended
/// it.
#[test]
fn a_design_has_the_energy_that_its_code_makes() {
    if !has_tools() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let [first, second] = ["first.json", "second.json"].map(file);
    for file in [&first, &second] {
        power(&[&["baseline", "vectoradd"], &SMALL[..], &[file.as_str()]].concat()).success();
    }
    let text = std::fs::read_to_string(&first).unwrap();
    assert_eq!(text, std::fs::read_to_string(&second).unwrap(), "the same seed, the same bytes");
    let runs: Value = serde_json::from_str(&text).unwrap();
    let run = &runs["runs"][0];
    let counts =
        |name: &str| run["events"].get(name).unwrap_or(&run["checks"][name]).as_u64().expect("a count");
    assert_eq!(counts("checked_values") + counts("uninitialised_reads"), counts("operand_reads"));
    assert!(counts("checked_values") > 1000);
    assert_eq!(counts("operand_reads"), counts("bank_reads"), "a collector without a cache hits nothing");
    let parts: f64 = run["parts"].as_array().unwrap().iter().map(|part| mean(&part["all"])).sum();
    let (cells, memories, all) = (mean(&run["cells"]), mean(&run["memories"]), mean(&run["all"]));
    assert!((parts - all).abs() < 1e-6 * all && (cells + memories - all).abs() < 1e-6 * all);
    assert!(cells > 0.0 && memories > 0.0 && run["all"]["error"].as_f64().unwrap() > 0.0);
}

/// Latches at 1,024 bits take over the state of those at 32, open ones too, and do what the SM's hardware
/// does.
#[test]
fn a_stage_of_latches_follows_a_workload() {
    if !has_tools() {
        return;
    }
    let latches = ["baseline", "vectoradd", "--set", "storage=latches", "--set", "isolation=operands"];
    let output = power(&[&latches[..], &["--first", "8000"], &SMALL[..], &["-"]].concat()).success();
    let runs: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let run = &runs["runs"][0];
    assert!(run["checks"]["checked_values"].as_u64() > Some(100), "{run}");
    let part = run["parts"].as_array().unwrap().iter().find(|part| part["name"] == "collectors.slot_latch");
    let part = part.unwrap_or_else(|| panic!("there are latches: {run}"));
    assert!(mean(&part["all"]) > 0.0, "{part}");
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refused = |arguments: &[&str], why: &str| {
        power(arguments).code(2).stderr(contains(why));
    };
    refused(&["baseline"], "give inputs behind the designs");
    refused(&["finereg", "vectoradd"], "Give a design without");
    refused(&["baseline", "vectoradd", "--windows", "1"], "an error of the mean needs two");
    refused(&["baseline", "vectoradd", "--vcd", "x.vcd"], "--vcd is for modules");
    refused(&["baseline", "vectoradd", "--no-data"], "--no-data is for modules");
    refused(&["baseline", "no_such_input"], "neither a built-in workload");
}
