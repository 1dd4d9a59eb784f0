// SPDX-License-Identifier: Apache-2.0
//! Runs of `gpurf sim` that are stopped and go on from their checkpoint.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use assert_cmd::assert::OutputAssertExt;
use predicates::str::contains;

/// Eighteen kernels; some of them last for many intervals.
const RUN: [&str; 5] = ["sim", "bfs", "--size", "medium", "--sample=3"];
const KILL: i32 = 9;
const SIGNALS: [(&str, i32); 2] = [("-INT", 2), ("-TERM", 15)];

fn sim(folder: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpurf"));
    command.current_dir(folder).args(RUN).args(options);
    command
}

/// A run with a checkpoint.
fn started(folder: &Path, options: &[&str]) -> Child {
    let mut command = sim(folder, &["--checkpoint", "run.checkpoint"]);
    command.args(options).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts")
}

/// A checkpoint of a run that was killed.
fn checkpoint(folder: &Path, options: &[&str]) -> Vec<u8> {
    let file = folder.join("run.checkpoint");
    let mut run = started(folder, &[options, &["--checkpoint-every", "1ms"]].concat());
    while !file.exists() && run.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    run.kill().unwrap();
    assert_eq!(run.wait().unwrap().signal(), Some(KILL), "it was still running");
    fs::read(file).expect("a checkpoint, which is renamed when it is whole")
}

fn ends_with_the_same_bytes(options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    sim(folder, &[options, &["--json", "whole.json"]].concat()).assert().success();
    let mut last = checkpoint(folder, options);
    for (option, signal) in SIGNALS {
        let mut run = started(folder, options);
        let mut lines = BufReader::new(run.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("of its checkpoint") {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0, "it does not go on from the checkpoint");
        }
        // The shell's own: the program is not on every machine.
        Command::new("sh").args(["-c", &format!("kill {option} {}", run.id())]).assert().success();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("stopped before cycle"), "{rest}");
        assert_eq!(run.wait().unwrap().signal(), Some(signal));
        let written = fs::read(folder.join("run.checkpoint")).unwrap();
        assert_ne!(written, last, "it is written when a signal comes");
        last = written;
    }
    sim(folder, &[options, &["--checkpoint", "run.checkpoint", "--json", "part.json"]].concat())
        .assert()
        .success()
        .stderr(contains("of its checkpoint"));
    let [whole, part] = ["whole.json", "part.json"].map(|name| fs::read(folder.join(name)).unwrap());
    assert!(whole == part, "the results differ");
    assert!(!folder.join("run.checkpoint").exists(), "the end of the run removes it");
}

#[test]
fn a_run_that_is_stopped_three_times_ends_with_the_same_bytes() {
    ends_with_the_same_bytes(&["--design", "malekeh"]);
}

#[test]
fn several_sms_that_are_stopped_end_with_the_same_bytes() {
    ends_with_the_same_bytes(&["--design", "bow+iwma", "--set", "sms=2", "--set", "l2.shared=true"]);
}

#[test]
fn what_is_no_checkpoint_of_the_run_is_refused_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole = checkpoint(folder, &[]);
    let file = folder.join("run.checkpoint");
    let refused = |bytes: &[u8], options: &[&str], message: &str| {
        fs::write(&file, bytes).unwrap();
        let mut run = sim(folder, &["--checkpoint", "run.checkpoint", "--json", "results.json"]);
        run.args(options).assert().code(2).stderr(contains(message));
        assert_eq!(fs::read(&file).unwrap(), bytes);
        assert!(!folder.join("results.json").exists());
    };
    refused(&whole, &["--design", "bow"], "a run with another --design: baseline there, bow here");
    refused(&whole, &["--seed", "2"], "a run with another --seed: 1 there, 2 here");
    refused(&whole, &["--set", "l1.latency=31"], "a run with another machine; name another file");
    refused(&whole[..whole.len() - 1], &[], "run.checkpoint: it is damaged, or no checkpoint");
    refused(b"", &[], "run.checkpoint: it is damaged, or no checkpoint");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    refused(&flipped, &[], "run.checkpoint: it is damaged, or no checkpoint");
}

/// The same name and the same launches, other data.
#[test]
fn a_checkpoint_of_another_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    fs::copy(examples.join("stencil.sass"), folder.join("stencil.sass")).unwrap();
    let text = fs::read_to_string(examples.join("stencil.toml")).unwrap();
    let own = text.split("[[print]]").next().unwrap();
    // Long enough to be found running.
    let launch = own.find("[[launch]]").unwrap();
    let repeated = own[launch..].replace("[[launch]]", "[[launch.launch]]");
    let own = format!("{}[[launch]]\nrepeat = 200\n{repeated}", &own[..launch]);
    fs::write(folder.join("own.toml"), &own).unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpurf"));
        command.current_dir(folder).args(["sim", "own.toml", "--checkpoint", "run.checkpoint"]);
        command
    };
    let mut first = run();
    first.args(["--checkpoint-every", "1ms"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut first = first.spawn().unwrap();
    while !folder.join("run.checkpoint").exists() && first.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
    first.kill().unwrap();
    assert_eq!(first.wait().unwrap().signal(), Some(KILL), "it was still running");
    fs::write(folder.join("own.toml"), own.replace("init = \"iota\"", "init = { fill = 1.0 }")).unwrap();
    run().assert().code(2).stderr(contains("a run with another content of the input"));
    fs::write(folder.join("own.toml"), &own).unwrap();
    run().assert().success().stderr(contains("of its checkpoint"));
}

#[test]
fn what_cannot_be_saved_is_said_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |options: &[&str], message: &str| {
        sim(folder.path(), options).assert().code(2).stderr(contains(message));
    };
    refused(&["--checkpoint", "c", "--engine", "rtl"], "only models show their state, and --engine has rtl");
    refused(&["nn", "--checkpoint", "c"], "--checkpoint names one file, which takes one input");
    refused(&["--checkpoint", "nowhere/c"], "the folder nowhere does not exist; make it");
    refused(&["--checkpoint", "c", "--waveform", "w.vcd"], "cannot be used with");
    refused(&["--checkpoint", "c", "--checkpoint-every", "often"], "invalid value 'often'");
    refused(&["--checkpoint-every", "1m"], "--checkpoint <FILE>");
}
