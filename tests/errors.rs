// SPDX-License-Identifier: Apache-2.0
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
    refuses(&["verilog", "ccu", "--set", "colour=red"], &["colour", "`gpurf names parameters` lists them"]);
    refuses(&["verilog", "ccu", "--set", "entry=16"], &["`entry`; did you mean entries?"]);
    gpurf(&["verilog", "ccu", "--set", "rc_ways=2"])
        .assert()
        .success()
        .stderr(contains("changes nothing: ccu has no parameter rc_ways"));
    refuses(&["verilog", "ccu", "--set", "entries"], &["KEY=VALUE"]);
    refuses(&["sim", "sgemm", "--engine", "rtl", "--around", "hit"], &["--around", "--waveform FILE"]);
    // Values of parameters that a module does not have need not fit.
    Command::cargo_bin("gpurf").unwrap().args(["verilog", "boc", "--set", "slots=8"]).assert().success();
    refuses(&["verilog", "rmu", "--set", "pcrf_entries=100"], &["pcrf_entries=100", "64 to 2048"]);
    refuses(&["verilog", "rmu", "--set", "next_latency=5"], &["next_latency=5", "pcrf_latency=4"]);
    refuses(&["verilog", "ccu", "--set", "d_ports=3"], &["d_ports=3", "1 or 2"]);
    refuses(&["verilog", "alu"], &["no module is called `alu`", "`gpurf names modules` lists them"]);
    refuses(&["verilog", "lrt"], &["no module is called `lrt`; did you mean lrt_cam or lrt_scan?"]);
    refuses(&["testbench", "CCU"], &["`CCU`; did you mean ccu"]);
    refuses(&["overheads", "X"], &["`X`", "W, F, I, R"]);
    refuses(&["sim", "vectoradd", "--set", "entries=5"], &["entries", "4", "8", "16"]);
    refuses(&["sim", "vectoradd", "--set", "l1.colour=5"], &["colour"]);
    refuses(&["sim", "vectoradd", "--design", "best"], &["best", "baseline", "traditional"]);
}

#[test]
fn missing_files() {
    refuses(
        &["sim", "nowhere"],
        &["nowhere: neither a built-in workload", "`gpurf names workloads` lists them"],
    );
    refuses(
        &["sim", "sgem"],
        &["sgem: neither a built-in workload nor a file or folder; did you mean sgemm"],
    );
    refuses(&["compare", "malekah"], &["malekah: there is no such study; did you mean malekeh?"]);
    // Before the first of several is executed.
    for command in ["sim", "register-cache", "workloads"] {
        gpurf(&[command, "vectoradd", "nowhere"]).assert().code(2).stdout("").stderr(contains("nowhere: "));
    }
    for path in ["missing.toml", "/nonexistent/trace"] {
        refuses(&["sim", path], &["there is no such file or folder; check the path"]);
        let message = gpurf(&["sim", path]).output().expect("it starts").stderr;
        assert!(message.len() < 120, "{}", String::from_utf8_lossy(&message));
    }
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

/// Runs that would take hours are refused at once.
#[test]
fn files_that_cannot_be_written_are_refused_before_anything_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing/file").display().to_string();
    let there = folder.path().display().to_string();
    let long = ["sim", "sgemm", "--size", "large"];
    for option in ["--json", "--record", "--waveform", "--pipeline", "--checkpoint"] {
        refuses(&[&long[..], &[option, &missing]].concat(), &[option, "missing does not exist; make it"]);
        refuses(&[&long[..], &[option, &there]].concat(), &[option, "it is a folder; name a file"]);
    }
    refuses(&["compare", "malekeh", "--size", "large", "--csv", &missing], &["--csv", "does not exist"]);
    refuses(&["register-cache", "sgemm", "--size", "large", "--csv", &missing], &["--csv", "does not exist"]);
    refuses(&["workloads", "--histogram", &missing], &["--histogram", "does not exist"]);
    refuses(&["power", "--plot", &missing], &["--plot", "does not exist"]);
    refuses(&["report", "--results", &missing], &["--results", "there is no such folder"]);
    assert_eq!(fs::read_dir(folder.path()).expect("read").count(), 0, "nothing is left");
    refuses(
        &["power", "arbiter", "--scenario", "oldest"],
        &["no scenario oldest; did you mean oldest_first"],
    );
}

/// A device that is full refuses each byte, and not the file.
#[test]
fn a_table_is_printed_whatever_happens_to_a_file() {
    let full = "/dev/full";
    for arguments in [
        &["sim", "vectoradd", "--cycles", "100", "--json", full][..],
        &["sim", "vectoradd", "--cycles", "100", "--record", full],
        &["register-cache", "vectoradd", "--csv", full],
        &["workloads", "vectoradd", "--histogram", full],
        &["compare", "malekeh", "vectoradd", "--designs", "bow", "--csv", full],
    ] {
        let assert = gpurf(arguments).assert().code(2).stderr(contains("/dev/full: cannot be written"));
        let printed = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
        assert!(printed.contains("vectoradd"), "{arguments:?}: {printed}");
    }
}

#[test]
fn numbers_are_refused_with_what_is_expected() {
    refuses(&["sim", "vectoradd", "--cycles", "-5"], &["-5", "a whole number from 1 on"]);
    refuses(&["sim", "vectoradd", "--cycles", "0"], &["'0'", "a whole number from 1 on"]);
    refuses(&["sim", "vectoradd", "--threads", "0"], &["'0'", "a whole number from 1 on"]);
}

#[test]
fn a_size_that_says_nothing_is_said_to() {
    let stencil = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/examples/stencil.toml");
    let silent = gpurf(&["sim", stencil]).assert().success().get_output().stderr.clone();
    assert!(!String::from_utf8_lossy(&silent).contains("--size"));
    gpurf(&["sim", stencil, "--size", "large"])
        .assert()
        .success()
        .stderr(contains("stencil: --size is for built-in"));
}

#[test]
fn an_event_that_is_not_there_is_not_there_in_the_cycles_that_were_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log").display().to_string();
    let arguments = ["sim", "sgemm", "--around", "pc=0xffff0", "--cycles", "1000", "--pipeline", &log];
    refuses(&arguments, &["no such event", "in its first 1000 cycles"]);
    let wave = folder.path().join("wave.vcd").display().to_string();
    let inside = ["--around", "hit#9999", "--cycles", "200", "--design", "malekeh", "--engine", "rtl"];
    let arguments = [&["sim", "sgemm", "--waveform", &wave], &inside[..]].concat();
    refuses(&arguments, &["there are only ", " such events in sgemm", "in its first 200 cycles"]);
}

#[test]
fn a_listing_that_is_cut_is_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let listing = fs::read_to_string(examples.join("stencil.sass")).expect("the listing");
    let end = listing.rfind("/*00").expect("an address") + 4;
    fs::write(folder.path().join("stencil.sass"), &listing[..end]).expect("written");
    fs::copy(examples.join("stencil.toml"), folder.path().join("cut.toml")).expect("copied");
    let path = folder.path().join("cut.toml").display().to_string();
    refuses(&["sim", &path], &["stencil.sass:", "the listing is cut short", "nvdisasm -hex"]);
}

#[test]
fn a_reason_is_given_once() {
    let message = gpurf(&["sim", "vectoradd", "--config", "nosuch"]).output().expect("it starts").stderr;
    assert_eq!(String::from_utf8_lossy(&message).matches("os error 2").count(), 1);
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

/// Nobody reads messages: an error still ends it with its code, and a run goes on to its end.
#[test]
fn a_closed_standard_error_is_no_panic() {
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpurf"));
        let mut child =
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        drop(child.stderr.take());
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run(&["sim", "nothing"]), (Some(2), String::new()));
    let (code, printed) = run(&["sim", "vectoradd"]);
    assert_eq!(code, Some(0));
    assert!(printed.contains("warp instructions"), "{printed}");
}

/// Files are whole even if nobody reads the table.
#[test]
fn a_closed_pipe_loses_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [json, record] = ["json", "record"].map(|name| folder.path().join(name));
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gpurf"));
    command.args(["workloads", "vectoradd", "--json"]).arg(&json).arg("--record").arg(&record);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the tool starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(141));
    assert!(json.is_file() && record.is_file());
}

#[test]
fn names_are_listed() {
    for (kind, name) in [
        (&["workloads"][..], "sgemm"),
        (&["modules"], "lrt_scan"),
        (&["scenarios", "ccu"], "far_before_near"),
        (&["designs"], "malekeh-pr"),
        (&["studies"], "operand-stage"),
        (&["parameters"], "entries"),
        (&["constants"], "l1.latency"),
    ] {
        gpurf(&[&["names"], kind].concat()).assert().success().stdout(contains(name));
    }
    refuses(&["names", "designs", "ccu"], &["MODULE is for scenarios"]);
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
