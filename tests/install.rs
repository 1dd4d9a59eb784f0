// SPDX-License-Identifier: Apache-2.0
//! First steps of a newcomer: the doctor, completions, manual pages, the release archive.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::cargo::cargo_bin;
use assert_cmd::Command;
use gpurf_synth::ExternalProgram;
use gpurf_verilog::tools::Tool;
use serde_json::Value;

fn gpurf(arguments: &[&str]) -> Output {
    Command::cargo_bin("gpurf").expect("the tool is built").args(arguments).output().expect("it starts")
}

fn printed(arguments: &[&str]) -> String {
    let output = gpurf(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Commands as the tool's own help names them.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_string).collect()
}

#[test]
fn the_doctor_names_every_tool_and_fails_without_those_that_are_needed() {
    let findings: Value = serde_json::from_str(&printed(&["doctor", "--json", "-"])).expect("JSON");
    let named =
        |name: &str| findings.as_array().expect("a list").iter().find(|finding| finding["name"] == name);
    for tool in Tool::ALL {
        let finding = named(tool.program()).unwrap_or_else(|| panic!("{tool}"));
        assert_eq!(finding["path"].is_null(), tool.find().is_err(), "{tool}");
        assert!(!finding["needed_for"].as_str().expect("a text").is_empty());
    }
    assert!(named("yosys").expect("there")["version"].as_str().expect("a version").contains("Yosys"));

    for program in ExternalProgram::ALL {
        let finding = named(program.names[0]).unwrap_or_else(|| panic!("{program:?}"));
        assert_eq!(finding["path"].is_null(), program.find().is_none(), "{program:?}");
        assert_eq!(finding["optional"], true, "{program:?}");
        // The remedy is a script, or a part that the script knows.
        let remedy = finding["remedy"].as_str().expect("a text");
        let command = remedy.strip_prefix("run `").and_then(|rest| rest.strip_suffix('`')).expect(remedy);
        let (script, part) =
            command.split_once(' ').map_or((command, None), |(script, part)| (script, Some(part)));
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(script)).expect("a script");
        assert!(part.is_none_or(|part| text.contains(&format!("\n  {part})\n"))), "{remedy}");
    }

    let empty = tempfile::tempdir().expect("a folder");
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    let assert = command.current_dir(&empty).env("PATH", empty.path()).arg("doctor").assert().code(1);
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert!(text.contains("yosys is missing (needed): run `make tools`"), "{text}");
    assert!(text.contains("chromium is missing (optional)"), "{text}");
    assert!(text.contains("qflow is missing (optional): run `tools/setup layout`"), "{text}");
    assert!(text.contains("nextpnr-ecp5 is missing (optional): run `tools/setup fpga`"), "{text}");
}

/// `tools/setup` installs what the tool looks for, from the same packages.
#[test]
fn setup_and_doctor_agree() {
    let setup = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/setup");
    let text = fs::read_to_string(setup).expect("the script");
    let lines = text.lines().skip_while(|line| !line.starts_with("declare -A package=")).skip(1);
    let pairs: String = lines.take_while(|line| *line != ")").collect();
    let packages: BTreeSet<(&str, &str)> =
        pairs.split_whitespace().filter_map(|pair| pair.strip_prefix('[')?.split_once("]=")).collect();
    assert!(packages.len() > 5, "{packages:?}");
    // pip is a part of Python here.
    for (program, package) in packages.into_iter().filter(|(program, _)| *program != "pip") {
        let tool = Tool::ALL.into_iter().find(|tool| tool.program() == program);
        let tool = tool.unwrap_or_else(|| panic!("{program} is unknown to the tool"));
        assert_eq!(tool.debian_package(), package);
    }
}

#[test]
fn completions_and_manual_have_all_commands() {
    let commands = commands();
    assert!(commands.contains(&"register-cache".to_string()) && commands.len() > 12, "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let text = printed(&["completions", shell]);
        for command in &commands {
            assert!(text.contains(command.as_str()), "{shell}: {command}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    printed(&["manual", "--out", &folder.path().display().to_string()]);
    for command in &commands {
        let page = fs::read_to_string(folder.path().join(format!("gpurf-{command}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{command}");
    }
}

#[test]
fn a_release_is_one_archive_and_the_same_every_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let release = || {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/release");
        let mut command = Command::new(script);
        command.arg(cargo_bin("gpurf")).arg(folder.path()).assert().success();
        let mut files =
            fs::read_dir(folder.path()).expect("written").map(|entry| entry.expect("a file").path());
        let (archive, more) = (files.next().expect("an archive"), files.next());
        assert!(more.is_none(), "nothing half-written: {more:?}");
        archive
    };
    let archive = release();
    let bytes = fs::read(&archive).expect("an archive");
    assert!(bytes == fs::read(release()).expect("an archive"), "other bytes");

    let unpacked = tempfile::tempdir().expect("a folder");
    Command::new("tar").arg("-xf").arg(&archive).current_dir(&unpacked).assert().success();
    let root =
        fs::read_dir(unpacked.path()).expect("unpacked").next().expect("a folder").expect("read").path();
    let version = Command::new(root.join("bin/gpurf")).arg("--version").output().expect("it runs");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with(concat!(
        "gpurf ",
        env!("CARGO_PKG_VERSION"),
        ", commit "
    )));
    for file in ["README.md", "LICENSE", "share/man/man1/gpurf-sim.1", "share/completions/gpurf.zsh"] {
        assert!(root.join(file).is_file(), "{file}");
    }
}

/// Cargo has built the program of the commit that is checked out, or there is no git and the program says so.
#[test]
fn the_version_names_the_commit() {
    let version = printed(&["--version"]);
    let release = concat!("gpurf ", env!("CARGO_PKG_VERSION"), ", commit ");
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let tracked = git(&["ls-files", "--error-unmatch", "Cargo.toml"]);
    let commit = tracked.and_then(|_| git(&["log", "-1", "--abbrev=12", "--format=%h of %cs"]));
    let expected = commit.unwrap_or_else(|| "unknown: built without git".into());
    let rest = version.trim().strip_prefix(release).and_then(|rest| rest.strip_prefix(&expected));
    assert!(matches!(rest, Some("" | ", with changes")), "{version}: {expected}");
}

/// Every result names the program that it is of.
#[test]
fn results_name_the_commit() {
    let version = printed(&["--version"]);
    let version = version.trim().strip_prefix("gpurf ").expect("a version");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    printed(&["sim", "vectoradd", "--json", &path("sim"), "--record", &path("record")]);
    printed(&["workloads", "vectoradd", "--json", &path("workloads")]);
    let study = ["compare", "malekeh", "vectoradd", "--designs", "bow"];
    printed(&[&study[..], &["--json", &path("compare"), "--out", &path("study")]].concat());
    let read = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(path(name)).expect("written")).expect("JSON")
    };
    for file in ["sim", "record", "study/study.json", "study/results/vectoradd_bow.json"] {
        assert_eq!(read(file)["version"], version, "{file}");
    }
    for file in ["workloads", "compare"] {
        let rows = read(file);
        assert!(rows.as_array().expect("a list").iter().all(|row| row["version"] == version), "{file}");
    }
}
