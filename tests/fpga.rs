// SPDX-License-Identifier: Apache-2.0
//! `gpurf synth --target`: what Yosys maps modules to, and what nextpnr makes of that.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use gpurf_fixtures::skipped;
use gpurf_synth::ExternalProgram;
use gpurf_verilog::tools::Tool;
use predicates::str::contains;
use serde_json::Value;

fn synth(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("synth").args(arguments);
    command
}

/// The part of a target that a module takes.
fn taken(module: &str, target: &str) -> Value {
    let arguments =
        [module, "--set", "width=32", "--set", "pcrf_entries=64", "--target", target, "--json", "-"];
    let output = synth(&arguments).assert().success().get_output().stdout.clone();
    let all: Value = serde_json::from_slice(&output).expect("JSON");
    all[0].clone()
}

#[test]
fn each_target_has_tables_flip_flops_and_memories() {
    if Tool::Yosys.find().is_err() {
        return skipped("there is no Yosys");
    }
    for target in ["ecp5", "ice40", "xilinx"] {
        let one = taken("lfsr", target);
        // Eight flip-flops, and no memory.
        assert_eq!(one["flip_flops"], 8, "{target}: {one}");
        assert!(one["luts"].as_u64().expect("a count") >= 1, "{target}: {one}");
        assert_eq!((&one["lut_memories"], &one["block_memories"]), (&0.into(), &0.into()), "{target}: {one}");
        let bank = taken("bank", target);
        let memories = |name: &str| bank[name].as_u64().expect("a count");
        assert!(memories("lut_memories") + memories("block_memories") > 0, "{target}: {bank}");
        assert!(bank["flip_flops"].as_u64().expect("a count") < 64, "{target}: {bank}");
    }
}

#[test]
fn a_module_for_ecp5_is_routed() {
    let nextpnr = ExternalProgram::ALL[0];
    let routed = taken("round_robin", "ecp5")["routed"].clone();
    if nextpnr.find().is_none() {
        assert!(routed.is_null(), "nothing routes it: {routed}");
        return skipped(format!("there is no {}; {}", nextpnr.names[0], nextpnr.remedy));
    }
    assert!(routed["frequency_mhz"].as_f64().expect("a frequency") > 50.0, "{routed}");
    assert!(
        routed["cells"].as_u64().expect("cells") < routed["of_cells"].as_u64().expect("cells"),
        "{routed}"
    );
    assert!(routed["tool"].as_str().expect("a version").starts_with("nextpnr-"), "{routed}");
}

#[test]
fn options_of_a_cell_library_are_refused() {
    for other in ["--clock-gating", "--by-module", "--no-sat-sweeping"] {
        synth(&["lfsr", "--target", "ecp5", other]).assert().code(2).stderr(contains("--target"));
    }
    synth(&["lfsr", "--target", "gowin"]).assert().code(2).stderr(contains("ecp5, ice40, xilinx"));
}

/// The record has routed modules, and names what made each.
#[test]
fn the_record_names_what_made_it() {
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("synth/fpga.jsonl")).expect("a record");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a measurement")).collect();
    let routed = lines.iter().filter(|line| line["routed"]["tool"].as_str().is_some()).count();
    assert!(routed >= 20, "{routed} of {} modules are routed", lines.len());
    for line in &lines {
        assert!(line["tool"].as_str().expect("a version").contains("Yosys"), "{line}");
        assert!(line["measured"]["commit"].is_string(), "{line}");
    }
}
