// SPDX-License-Identifier: Apache-2.0
//! Areas and longest paths of small modules are those that were recorded.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use gpurf_blocks::Parameters;
use gpurf_fixtures::skipped;
use gpurf_hw::catalogue::catalogue;
use gpurf_synth::{nangate, Structure, Synthesis};
use gpurf_testbenches::workbench;
use gpurf_verilog::tools::Tool;

/// Gate equivalents up to which a module is synthesized here, in a second or two.
const SMALL: f64 = 700.0;

fn recorded() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("synth/areas.jsonl")
}

fn lines() -> Vec<Synthesis> {
    let text = fs::read_to_string(recorded()).expect("the record");
    text.lines().map(|line| serde_json::from_str(line).expect("a measurement")).collect()
}

/// Small modules of the catalogue at their default parameters, as this version of Yosys and OpenSTA measured
/// them.
fn comparable() -> Vec<Synthesis> {
    let Ok(version) = Tool::Yosys.version() else { return vec![] };
    let timed = Tool::Sta.find().is_ok();
    let mut lines = lines();
    lines.retain(|line| {
        line.gate_equivalents < SMALL
            && line.structure == Structure::Flattened
            && module(&line.top).is_some()
            && version.starts_with(&line.tool)
            && (timed || line.longest_path_ns.is_none())
    });
    lines
}

/// The module of the catalogue that has this Verilog name at its default parameters.
fn module(top: &str) -> Option<&'static str> {
    let named = catalogue().iter().map(|entry| entry.name).filter(|name| top.starts_with(name));
    let has_it = |name: &&str| {
        let design = workbench(name, &Parameters::default()).verilog().expect("Verilog");
        design.top == top
    };
    named.into_iter().find(has_it)
}

fn names(lines: &[Synthesis]) -> Vec<&'static str> {
    let mut names: Vec<_> = lines.iter().filter_map(|line| module(&line.top)).collect();
    names.sort();
    names.dedup();
    names
}

fn compare(modules: &[&str], file: &Path) -> (bool, String) {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let output = command.arg("synth").args(modules).arg("--against").arg(file).output().expect("it starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Recorded areas to compare with; if there are none, says so.
fn ready() -> Option<Vec<Synthesis>> {
    let lines = comparable();
    if lines.is_empty() || nangate::liberty().is_err() {
        skipped("the recorded areas are of another version of Yosys, or there is no cell library");
        return None;
    }
    Some(lines)
}

#[test]
fn nothing_moved() {
    let Some(lines) = ready() else { return };
    let names = names(&lines);
    assert!(names.len() >= 5, "{names:?}");
    let (holds, said) = compare(&names, &recorded());
    assert!(
        holds,
        "record what moved with `gpurf synth {} --record synth/areas.jsonl`\n{said}",
        names.join(" ")
    );
    assert!(said.contains("nothing moved"), "{said}");
}

#[test]
fn what_moved_is_said() {
    let Some(mut lines) = ready() else { return };
    let top = lines[0].top.clone();
    let name = module(&top).expect("comparable");
    lines.retain(|line| line.top == top);
    lines.iter_mut().for_each(|line| line.area_um2 *= 1.03);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("areas.jsonl");
    let text: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).expect("JSON")).collect();
    fs::write(&file, text.join("\n")).expect("written");
    let (holds, said) = compare(&[name], &file);
    assert!(!holds && said.contains(&top) && said.contains("area") && said.contains("-2.9"), "{said}");
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(["synth", name, "--tolerance", "3", "--against"]).arg(&file).assert().success();
}
