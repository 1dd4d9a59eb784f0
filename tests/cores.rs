// SPDX-License-Identifier: Apache-2.0
//! Exported cores in other people's flows: FuseSoC lints and builds them, slang reads them, and a cocotb test
//! drives one.
//!
//! `tools/cores` installs these programs into `.venv`; where they are missing, these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::Command as Tested;
use gpurf_fixtures::missing;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A program of `.venv`, or the test is skipped.
#[track_caller]
fn installed(program: &str) -> Option<PathBuf> {
    let path = root().join(".venv/bin").join(program);
    if !path.exists() {
        missing(path.display(), "tools/cores");
        return None;
    }
    Some(path)
}

/// Modules as Verilog of 32-bit registers, with their core files; their tops.
fn exported(modules: &[&str], settings: &[&str]) -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    let mut command = Tested::cargo_bin("gpurf").expect("the tool is built");
    command.arg("verilog").args(modules).args(["--set", "width=32", "--out", &out]);
    command.args(settings.iter().flat_map(|setting| ["--set", setting])).assert().success();
    let files = fs::read_dir(folder.path()).expect("written").map(|entry| entry.expect("a file").path());
    let cores = files.filter(|path| path.extension().is_some_and(|extension| extension == "core"));
    let mut tops: Vec<_> =
        cores.map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned()).collect();
    tops.sort();
    (folder, tops)
}

#[test]
fn fusesoc_lints_builds_and_synthesizes() {
    let Some(fusesoc) = installed("fusesoc") else { return };
    let modules = ["ccu", "arbiter", "cta_status_monitor"];
    let (folder, tops) = exported(&modules, &[]);
    assert_eq!(tops.len(), modules.len());
    let work = tempfile::tempdir().expect("a folder");
    for top in &tops {
        // Synthesis takes minutes for the others.
        let is_small = top.starts_with("arbiter");
        let targets = [("lint", None), ("sim", Some("--build")), ("synth", Some("--build"))];
        for (target, more) in targets.into_iter().filter(|(target, _)| is_small || *target != "synth") {
            let mut command = Command::new(&fusesoc);
            command
                .current_dir(&work)
                .arg("--cores-root")
                .arg(folder.path())
                .args(["run", "--target", target]);
            let output = command.args(more).arg(format!("gpurf:hw:{top}")).output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{top}, {target}: {said}");
            assert!(!said.contains("%Warning"), "{top}, {target}: {said}");
        }
    }
}

/// Another house's names of modules, clock and reset.
const NAMES: [&str; 6] = ["--prefix", "acme_", "--clock", "clk_i", "--reset", "rst_ni:low"];

#[test]
fn cores_with_other_names_are_linted() {
    let Some(fusesoc) = installed("fusesoc") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Tested::cargo_bin("gpurf").expect("the tool is built");
    command.args(["verilog", "arbiter", "--out"]).arg(folder.path()).args(NAMES).assert().success();
    let work = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(&fusesoc);
    command.current_dir(&work).arg("--cores-root").arg(folder.path()).args(["run", "--target", "lint"]);
    let output = command.arg("gpurf:hw:acme_arbiter").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("%Warning"), "{said}");
}

/// Slang, which reads the standard most strictly, has nothing to say of an export, and of a broken one it
/// has.
#[test]
fn slang_reads_exports_without_a_word() {
    let Some(python) = installed("python3") else { return };
    let slang = Command::new(&python).args(["-c", "import pyslang"]).output().expect("it starts");
    if !slang.status.success() {
        return missing("pyslang", "tools/cores");
    }
    let said = |folder: &Path, top: &str| {
        let run = root().join("tests/slang/run.py");
        let output = Command::new(&python).arg(run).arg(top).arg(folder).output().expect("it starts");
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
    };
    for language in [&[][..], &["--system-verilog"]] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Tested::cargo_bin("gpurf").expect("the tool is built");
        command.args(["verilog", "ccu_sub_core", "rmu", "iwmu", "--out"]).arg(folder.path());
        command.args(NAMES).args(language).assert().success();
        for top in ["ccu_sub_core", "rmu", "iwmu"] {
            assert_eq!(said(folder.path(), &format!("acme_{top}")), "", "{top} {language:?}");
        }
        let files = fs::read_dir(folder.path()).expect("written").map(|entry| entry.expect("a file").path());
        for file in files.filter(|file| file.file_stem().is_some_and(|name| name == "acme_rmu")) {
            let text = fs::read_to_string(&file).expect("text");
            fs::write(&file, text.replacen("state_d = ", "state_dd = ", 1)).expect("it can be written");
        }
        assert!(said(folder.path(), "acme_rmu").contains("state_dd"), "{language:?}");
    }
}

/// Tells whether the cocotb test passes on a collector with these settings, with its output.
fn passes(python: &Path, settings: &[&str]) -> (bool, String) {
    let (folder, tops) = exported(&["ccu"], settings);
    let run = root().join("tests/cocotb/run.py");
    let output = Command::new(python).arg(run).args(["test_ccu", &tops[0]]).arg(folder.path()).output();
    let output = output.expect("it starts");
    let said =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), said)
}

#[test]
fn a_cocotb_test_passes_on_the_collector_and_fails_on_one_with_stale_values() {
    let Some(python) = installed("python3") else { return };
    let cocotb =
        Command::new(&python).args(["-c", "import cocotb_tools.runner"]).output().expect("it starts");
    if !cocotb.status.success() {
        return missing("cocotb in .venv", "tools/cores");
    }
    let (passed, said) = passes(&python, &[]);
    assert!(passed && said.contains("1 tests, 0 failed"), "{said}");
    let (passed, said) = passes(&python, &["invalidate=false"]);
    assert!(!passed && said.contains("has a stale"), "{said}");
}
