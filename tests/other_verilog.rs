//! `gpurf testbench --verilog`: Verilog from files runs in the place of a module's own.

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
    testbench(&file).assert().code(1).stdout(predicate::str::contains("in verilator"));
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
