// SPDX-License-Identifier: Apache-2.0
//! Verilog instead of a module's own: `gpurf testbench --verilog`, and `gpurf mutants`.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::*;

fn gpurf() -> Command {
    Command::cargo_bin("gpurf").expect("the binary is built")
}

/// The exported Verilog of the round-robin arbiter.
fn exported(folder: &Path) -> PathBuf {
    gpurf().args(["verilog", "round_robin", "--out"]).arg(folder).assert().success();
    let mut files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|ending| ending == "v")).expect("it is exported")
}

fn testbench(file: &Path) -> Command {
    let mut command = gpurf();
    command.args(["testbench", "round_robin", "--engines", "model,verilator", "--cycles", "2000"]);
    command.arg("--verilog").arg(file);
    command
}

#[test]
fn exported_verilog_passes_and_a_fault_in_it_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path());
    testbench(&file).assert().success();

    let text = fs::read_to_string(&file).unwrap();
    let broken = text.replacen("(!passed[i] | !fresh)", "(passed[i] | !fresh)", 1);
    assert_ne!(text, broken, "what is broken is there:\n{text}");
    fs::write(&file, broken).unwrap();
    let assert = testbench(&file).assert().code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    // One thing is wrong, and is said once, with all that one needs to look at it.
    let lines: Vec<&str> = said.lines().skip_while(|line| !line.starts_with("round_robin: ")).collect();
    let [what, inputs, outputs, command] = lines[..] else { panic!("{said}") };
    assert!(
        what.contains(" differs: 0x") && what.contains(" in verilator, under random stimulus of seed 1"),
        "{said}"
    );
    assert!(inputs.starts_with("  inputs of the cycle: request_"), "{said}");
    assert!(outputs.starts_with("  outputs of model: "), "{said}");
    let command = command.strip_prefix("  see it: gpurf ").expect("a command");
    assert!(
        command.contains(" --seed 1 --cycles ") && command.contains(" --waveform round_robin.vcd"),
        "{said}"
    );
    gpurf().args(command.split(' ')).current_dir(&folder).assert().success();
    assert!(folder.path().join("round_robin.vcd").exists());
}

/// A fault that many scenarios meet is one failure, with the first of them.
#[test]
fn scenarios_that_fail_alike_are_one_failure() {
    let folder = tempfile::tempdir().unwrap();
    gpurf().args(["verilog", "ocu", "--set", "width=32", "--out"]).arg(folder.path()).assert().success();
    let files = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "v")).collect();
    let held = "assign held_unit = unit_held;";
    let top =
        files.iter().find(|path| fs::read_to_string(path).unwrap().contains(held)).expect("the collector");
    let text = fs::read_to_string(top).unwrap();
    fs::write(top, text.replace(held, "assign held_unit = 3'd0;")).unwrap();
    let mut command = gpurf();
    command
        .args(["testbench", "ocu", "--set", "width=32", "--engines", "model,verilator", "--verilog"])
        .args(&files);
    let assert = command.assert().code(1);
    let said = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    let failures: Vec<&str> = said.lines().filter(|line| line.starts_with("ocu: ")).collect();
    assert_eq!(failures.len(), 1, "{said}");
    assert!(failures[0].starts_with("ocu: held_unit differs: 0x"), "{said}");
    assert!(failures[0].contains(" in model, 0x0 in verilator, in "), "{said}");
    assert!(failures[0].ends_with("scenarios and under random stimulus of seed 1"), "{said}");
    assert!(said.contains("  first scenario: ") && said.contains(" --scenario "), "{said}");
}

#[test]
fn files_of_other_parameters_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = exported(folder.path());
    testbench(&file)
        .args(["--set", "collectors=8"])
        .assert()
        .code(2)
        .stderr(predicate::str::contains("give the --set of the export"));
}

#[test]
fn mutants_are_killed_or_proved_equivalent_or_listed() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("mutants.json");
    gpurf()
        .args(["mutants", "round_robin", "--count", "20", "--cycles", "1000", "--proof", "20", "--json"])
        .arg(&json)
        .assert()
        .success();
    let report: serde_json::Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    let report = &report[0];
    let count = |name: &str| report[name].as_u64().unwrap();
    let survivors = report["survivors"].as_array().unwrap();
    // Fewer than asked for where there are no more places.
    assert!((18..=20).contains(&count("mutants")), "{report}");
    assert_eq!(count("killed") + count("equivalent") + survivors.len() as u64, count("mutants"), "{report}");
    assert!(count("killed") >= 15 && survivors.is_empty(), "{report}");
}

/// A sample of every module; `make mutants` draws more. What survives is not always a hole: it may differ
/// only for inputs that the ports' protocol forbids, or not have been proved equivalent in time.
#[test]
#[ignore = "takes an hour or more"]
fn few_mutants_of_any_module_survive() {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("mutants.json");
    gpurf()
        .args(["mutants", "--set", "width=32", "--count", "30", "--draw", "11", "--seed", "11", "--json"])
        .arg(&json)
        .assert()
        .success();
    let reports: Vec<serde_json::Value> = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert!(reports.len() > 40, "every module is in it");
    for report in reports {
        let survivors = report["survivors"].as_array().unwrap();
        let mutants = report["mutants"].as_u64().unwrap() as usize;
        assert!(survivors.len() <= mutants / 10, "{report:#}");
    }
}

/// A module, its parameters, and what is broken in its Verilog: what stands there, and what in its place.
type Fault = (&'static str, &'static [&'static str], &'static str, &'static str);

/// Mistakes that a faster operand stage can make.
const FAULTS: [Fault; 6] = [
    // What is granted at issue joins the queue all the same.
    ("arbiter", &[], "wants[b*7 + s] & !(direct[b*7 + s] & granted[b])", "wants[b*7 + s]"),
    // An instruction at the door goes before the queue.
    ("arbiter", &[], "= wants[b*7 + s] & !next_valid[b]", "= wants[b*7 + s]"),
    // What arrives for the leaving instruction makes the next one ready.
    ("ocu", &["dispatch_on_arrival=true"], "slot_ready[s] <= !issue", "slot_ready[s] <= 1'd1"),
    ("operand_collector_table", &["dispatch_on_arrival=true"], "!issue | source_hit[s]", "1'd1"),
    // What leaves stays locked, and the next instruction finds no room.
    ("ccu", &[], "(cache_table_lock[e] & !dispatch)", "cache_table_lock[e]"),
    // A collector that is dispatched can take nothing.
    ("ocu_stage", &[], "collectors_occupied[c] & !dispatch_arbiter_grant[c]", "collectors_occupied[c]"),
];

/// Mistakes that are possible where registers leave and come at the same time.
const FAULTS_OF_STREAMS: [Fault; 10] = [
    // A register in the way is overwritten: of the warp being saved, of another, while it is read.
    ("rmu", SMALL_PCRF, "& (!decoder_found & ", "& ("),
    ("rmu", SMALL_PCRF, "elsewhere = comes & present", "elsewhere = 1'd0 & present"),
    ("rmu", SMALL_PCRF, "under_way = comes", "under_way = 1'd0"),
    // What is left of a warp's vector is not put back.
    ("rmu", SMALL_PCRF, "else state_d = RmuState_Return", "else state_d = RmuState_Select"),
    // The buffer fills with registers that wait for the walk, which waits for the buffer.
    ("rmu", SMALL_PCRF, "(|monitor_free_count[11:2])", "1'd1"),
    // The second register in the buffer is lost.
    ("rmu", SMALL_PCRF, "else held_d[0] = held[1]", "else held_d[0] = 1'd0"),
    // With one port a register is stored while another is read.
    ("pcrf", &["pcrf_ports=1"], "is_read = next_read | value_read", "is_read = 1'd0"),
    // A register leaves in a cycle in which its bank reads or writes something else; it is another bank's.
    ("ocu_stage", &["transfer_ports=1"], "!(granted[b] | write_valid[b])", "1'd1"),
    ("arbiter", &["transfer_ports=1"], "{4'd0, transfer_warp}) + 8'd1", "{4'd0, transfer_warp})"),
    (
        "ocu_stage",
        &["transfer_ports=1"],
        "transfer_data = banks_data[b*32 +: 32]",
        "transfer_data = banks_data[31:0]",
    ),
];

/// A PCRF that is often full.
const SMALL_PCRF: &[&str] = &["pcrf_entries=64", "ctas=16"];

#[test]
fn faults_of_registers_that_stream_are_found() {
    find(&FAULTS_OF_STREAMS, "verilator", "20000");
}

#[test]
fn faults_of_a_faster_operand_stage_are_found() {
    find(&FAULTS, "icarus", "1000");
}

/// Each fault is found by the module's testbench within so many cycles. Icarus needs no time to build a
/// model, and more for each cycle.
fn find(faults: &[Fault], simulator: &str, cycles: &str) {
    let engines = format!("model,{simulator}");
    for (module, settings, there, instead) in faults {
        let folder = tempfile::tempdir().unwrap();
        let settings: Vec<&str> =
            ["width=32"].iter().chain(*settings).flat_map(|setting| ["--set", setting]).collect();
        gpurf().args(["verilog", module]).args(&settings).arg("--out").arg(folder.path()).assert().success();
        let entries = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path());
        let files: Vec<PathBuf> =
            entries.filter(|path| path.extension().is_some_and(|it| it == "v")).collect();
        let mut places = 0;
        for file in &files {
            let text = fs::read_to_string(file).unwrap();
            places += text.matches(*there).count();
            fs::write(file, text.replace(*there, instead)).unwrap();
        }
        assert!(places > 0, "{module}: `{there}`");
        let mut command = gpurf();
        command.args(["testbench", module, "--engines", &engines, "--cycles", cycles]).args(&settings);
        for file in &files {
            command.arg("--verilog").arg(file);
        }
        command.assert().code(1).stdout(predicate::str::contains(simulator));
    }
}
