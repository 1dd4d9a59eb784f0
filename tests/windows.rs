// SPDX-License-Identifier: Apache-2.0
//! Windows of silicon on the command line, and a GPU that a stand-in for NVIDIA's driver has.

use std::path::Path;
use std::process::Command;

use predicates::str::contains;

fn gpurf() -> assert_cmd::Command {
    let mut command = assert_cmd::Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("windows");
    command
}

/// The stand-in as the driver's library in a folder.
fn stand_in(folder: &Path, with: &[&str]) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/windows.c");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .args(with)
        .arg(source)
        .status();
    assert!(compiled.expect("there is a compiler").success());
}

#[test]
fn rules_are_set_beside_silicon() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("windows.toml");
    let first = gpurf().arg("--out").arg(&path).assert().success();
    let second = gpurf().arg(&path).assert().success();
    assert_eq!(first.get_output().stdout, second.get_output().stdout, "what is written is read back");
    first
        .stdout(contains("GA100: packed explains 14 of 23, held 23."))
        .stdout(contains("A6000: packed explains 3 of 3, held 3."));
}

#[test]
fn memory_is_set_beside_h() {
    let shown = gpurf().arg("--memory").assert().success();
    let text = String::from_utf8_lossy(&shown.get_output().stdout).to_string();
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('│').split("  ").map(|cell| cell.trim().to_string());
        cells.filter(|cell| !cell.is_empty()).collect()
    };
    let rows: Vec<Vec<String>> = text.lines().map(cells).collect();
    let sixth =
        ["6", "13", "13", "13, 15", "13, 15", "13, 15, 17", "13, 15, 17", "13, 15, 17, 19", "13, 15, 17, 19"];
    assert!(rows.iter().any(|row| row == &sixth), "{text}");
    assert!(rows.iter().any(|row| row == &["LDG.128", "regular", "11", "11", "38", "38"]), "{text}");
    gpurf().args(["--memory", "--card"]).assert().code(2).stderr(contains("--card"));
}

#[test]
fn a_card_is_one_more_reference() {
    let folder = tempfile::tempdir().expect("a folder");
    stand_in(folder.path(), &[]);
    let path = folder.path().join("card.toml");
    let mut measure = gpurf();
    measure.env("LD_LIBRARY_PATH", folder.path()).args(["--card", "--runs", "5", "--out"]).arg(&path);
    measure
        .assert()
        .success()
        .stdout(contains("Stand-in (medians of 5 runs, driver interface 13.1, 1500 MHz"));
    let text = std::fs::read_to_string(&path).expect("written");
    let table: toml::Table = text.parse().expect("TOML");
    assert_eq!(table["cards"]["Stand-in"]["compute_capability"].as_str(), Some("8.6"));
    assert_eq!(table["cards"]["Stand-in"]["fp32_initiation"].as_integer(), Some(1));
    let windows = table["window"].as_array().expect("a list");
    assert_eq!(windows.len(), 26);
    for window in windows {
        let code = window["code"].as_str().expect("text");
        assert_eq!(window["silicon"].as_integer(), Some(code.split("; ").count() as i64 + 1), "{code}");
    }
    // A card whose FP32 unit takes an instruction every cycle has other cycles in the model.
    let adds = windows
        .iter()
        .find(|window| window["code"].as_str() == Some("NOP; FADD R8, R9, R10; FADD R12, R9, R10; NOP"));
    assert_eq!(adds.map(|window| window["packed"].as_integer()), Some(Some(5)));
    gpurf().arg(&path).assert().success().stdout(contains("Stand-in"));
}

#[test]
fn what_keeps_a_card_from_running_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let fails = |arguments: &[&str], says: &str| {
        let mut command = gpurf();
        command.env("LD_LIBRARY_PATH", folder.path()).args(arguments);
        command.assert().code(2).stderr(contains(says));
    };
    std::fs::write(folder.path().join("libcuda.so.1"), "no library").expect("written");
    fails(&["--card"], "no driver of NVIDIA");
    stand_in(folder.path(), &["-DMAJOR=12"]);
    fails(&["--card"], "Stand-in has compute capability 12.6, and windows are made for 7.5 and 8.0 to 9.0");
    stand_in(folder.path(), &["-DREFUSE"]);
    fails(
        &["--card"],
        "`NOP; NOP; NOP; NOP`: cuLaunchKernel of the driver: CUDA_ERROR_ILLEGAL_ADDRESS (700)",
    );
    fails(&["--card", "--device", "1"], "there is no GPU 1: the driver has 1");
    let path = folder.path().join("windows.toml");
    std::fs::write(&path, "cards = {}\n[[window]]\ncard = 'X'\ncode = 'NOP'\nsilicon = 2\n")
        .expect("written");
    fails(&[path.to_str().expect("a path")], "windows.toml: `NOP` is of `X`: add a table `[cards.\"X\"]`");
}

#[test]
fn cubins_of_all_windows_are_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("windows");
    gpurf().arg("--cubins").arg(&path).assert().success().stdout(contains("26 windows for 5 architectures"));
    let list = std::fs::read_to_string(path.join("windows.txt")).expect("a list");
    assert_eq!(list.lines().next(), Some("window_00: NOP; NOP; NOP; NOP"));
    for architecture in ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"] {
        for number in 0..26 {
            let cubin = path.join(architecture).join(format!("window_{number:02}.cubin"));
            assert!(std::fs::read(&cubin).expect("a cubin").starts_with(b"\x7fELF"));
        }
    }
}
