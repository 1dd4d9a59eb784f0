//! Unusable input: one clear message, exit code 2.

use std::fs;
use std::process::Stdio;

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;

fn gpurf(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(arguments);
    command
}

/// Fails with exit code 2 and a message that has all of the parts.
fn refuses(arguments: &[&str], parts: &[&str]) {
    let assert = gpurf(arguments).assert().code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for part in parts {
        assert!(message.contains(part), "{arguments:?}: `{part}` is not in: {message}");
    }
}

/// A trace of a built-in workload, damaged by `change`; returns its path.
fn damaged(change: impl Fn(String) -> String) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    gpurf(&["trace", "vectoradd", "--out", &out]).assert().success();
    let written =
        fs::read_dir(folder.path()).expect("written").next().expect("one workload").expect("read").path();
    let kernel = written.join("kernel-1.traceg");
    let text = fs::read_to_string(&kernel).expect("a kernel");
    fs::write(&kernel, change(text)).expect("damaged");
    (folder, kernel.display().to_string())
}

#[test]
fn hardware_parameters() {
    refuses(&["verilog", "ccu", "--set", "entries=5"], &["entries=5", "4, 8 or 16"]);
    refuses(&["verilog", "ccu", "--set", "slots=7", "--set", "entries=4"], &["entries=4", "slots=7"]);
    refuses(&["verilog", "ccu", "--set", "colour=red"], &["colour", "width"]);
    refuses(&["verilog", "ccu", "--set", "entries"], &["KEY=VALUE"]);
    refuses(&["verilog", "rmu", "--set", "pcrf_entries=100"], &["pcrf_entries=100", "64 to 2048"]);
    refuses(&["verilog", "rmu", "--set", "next_latency=5"], &["next_latency=5", "pcrf_latency=4"]);
    refuses(&["verilog", "ccu", "--set", "d_ports=3"], &["d_ports=3", "1 or 2"]);
    refuses(&["verilog", "alu"], &["alu", "ccu"]);
    refuses(&["overheads", "X"], &["`X`", "W, F, I, R"]);
    refuses(&["sim", "vectoradd", "--set", "entries=5"], &["entries", "4", "8", "16"]);
    refuses(&["sim", "vectoradd", "--set", "l1.colour=5"], &["colour"]);
    refuses(&["sim", "vectoradd", "--design", "best"], &["best", "baseline", "traditional"]);
}

#[test]
fn missing_files() {
    refuses(&["sim", "nowhere"], &["nowhere", "vectoradd"]);
    refuses(&["sim", "vectoradd", "--config", "nowhere.toml"], &["nowhere.toml"]);
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("kernelslist.g");
    fs::write(&list, "kernel-1.traceg\n").expect("written");
    refuses(&["sim", &list.display().to_string()], &["kernel-1.traceg"]);
}

#[test]
fn damaged_traces() {
    let (_folder, path) = damaged(|text| text[..text.len() / 2].to_string());
    refuses(&["sim", &path], &["kernel-1.traceg"]);
    let (_folder, path) = damaged(|text| text.replacen("FADD", "FADD!", 1));
    refuses(&["sim", &path], &["kernel-1.traceg", "FADD!"]);
    let (_folder, path) = damaged(|text| text.replacen("insts = ", "insts = x", 1));
    refuses(&["sim", &path], &["kernel-1.traceg"]);
    let (_folder, path) = damaged(|text| text.replace("tracer version = 5", "tracer version = 9"));
    refuses(&["sim", &path], &["kernel-1.traceg", "9"]);
    let (_folder, path) = damaged(|_| String::new());
    refuses(&["sim", &path], &["kernel-1.traceg"]);
}

#[test]
fn a_folder_with_the_name_of_a_built_in_workload() {
    let folder = tempfile::tempdir().expect("a folder");
    let takes = |count| {
        let note = contains("note: vectoradd is the built-in workload; ./vectoradd names").count(count);
        let mut command = gpurf(&["workloads", "vectoradd"]);
        command.current_dir(folder.path()).assert().success().stderr(note);
    };
    takes(0);
    fs::create_dir(folder.path().join("vectoradd")).expect("a folder");
    takes(1);
}

const TINY_LIBRARY: &str = "library (tiny) { cell (NAND2_X1) { area : 0.798;
    pin (A1) { direction : input; } pin (A2) { direction : input; }
    pin (ZN) { direction : output; function : \"!(A1 & A2)\"; } } }\n";

#[test]
fn cell_libraries() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("empty.lib");
    fs::write(&empty, "library (none) {}\n").expect("written");
    refuses(&["synth", "lfsr", "--liberty", &empty.display().to_string()], &["empty.lib", "no cells"]);
    refuses(&["synth", "lfsr", "--liberty", "nowhere.lib"], &["nowhere.lib"]);
}

#[test]
fn a_missing_tool() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("tiny.lib");
    fs::write(&library, TINY_LIBRARY).expect("written");
    let without_tools = |arguments: &[&str], tool: &str| {
        let mut command = gpurf(arguments);
        command.env("PATH", folder.path()).env("GPURF_CACHE", folder.path()).current_dir(folder.path());
        command
            .assert()
            .code(2)
            .stderr(contains(tool).and(contains("not installed")).and(contains("make tools")));
    };
    without_tools(&["synth", "lfsr", "--liberty", &library.display().to_string()], "yosys");
    without_tools(&["testbench", "lfsr", "--engines", "model,verilator"], "verilator");
    without_tools(&["testbench", "lfsr", "--engines", "model,icarus"], "iverilog");
}

#[test]
fn samples_are_of_one_in_two_clusters_or_fewer() {
    for every in ["0", "1", "half"] {
        refuses(&["sim", "vectoradd", "--sample", every], &["--sample", every]);
    }
    refuses(&["sim", "vectoradd", "--sample", "8", "--cycles", "100"], &["--sample", "--cycles"]);
    refuses(&["sim", "vectoradd", "--beside-whole"], &["--sample"]);
}

#[test]
fn nothing_is_half_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("no such folder").join("out.json");
    refuses(&["sim", "vectoradd", "--json", &json.display().to_string()], &["out.json"]);
    assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 0);
}

#[test]
fn what_is_no_plain_file_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let target = folder.path().join("standard-output");
    std::os::unix::fs::symlink("/dev/stdout", &target).expect("linked");
    let path = target.display().to_string();
    gpurf(&["sim", "vectoradd", "--cycles", "100", "--json", &path]).assert().stdout(contains("\"cycles\""));
    assert!(target.symlink_metadata().expect("there").is_symlink(), "the link is still one");
    refuses(
        &["sim", "vectoradd", "--cycles", "100", "--waveform", &path],
        &["standard-output", "plain file"],
    );
}

/// As `head` leaves it.
#[test]
fn a_closed_pipe_ends_it_without_a_word() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpurf"));
    command.args(["compare", "malekeh", "--list"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the tool starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
}
