// SPDX-License-Identifier: Apache-2.0
//! Studies under Snakemake: killed at random, they end with what one left alone has.
//!
//! `tools/workflow` installs Snakemake into `.venv`; where it is missing, these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use gpurf_fixtures::missing;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Snakemake, or the test is skipped.
#[track_caller]
fn snakemake() -> Option<PathBuf> {
    let path = root().join(".venv/bin/snakemake");
    if !path.exists() {
        missing(path.display(), "tools/workflow");
        return None;
    }
    Some(path)
}

fn workflow(script: &str, folder: &Path, arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(root().join("workflow").join(script));
    command.env("SNAKEMAKE", snakemake()?).env("GPURF", cargo_bin("gpurf")).current_dir(folder);
    Some(command.args(arguments).output().expect("it starts"))
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned()).concat()
}

#[test]
fn a_study_that_is_killed_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["--kills", "3", "here", "malekeh", "nn", "bfs", "lud", "--designs", "malekeh,bow"];
    let Some(output) = workflow("interrupt", folder.path(), &arguments) else { return };
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("3 kills: ") && said(&output).contains(" 0 differ"), "{}", said(&output));
    assert_eq!(fs::read_dir(folder.path().join("here/killed/study/results")).expect("results").count(), 9);
}

#[test]
fn only_what_is_missing_or_damaged_is_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = || workflow("run", folder.path(), &["study", "malekeh", "nn", "--designs", "bow"]);
    let Some(output) = run() else { return };
    assert!(output.status.success(), "{}", said(&output));
    let results = folder.path().join("study/results");
    let [kept, damaged] = ["nn_baseline.json", "nn_bow.json"].map(|name| results.join(name));
    let time = |path: &Path| path.metadata().expect("there").modified().expect("a time");
    let (before, text) = (time(&kept), fs::read(&damaged).expect("a result"));
    fs::write(&damaged, &text[..100]).expect("damaged");
    let output = run().expect("as before");
    assert!(output.status.success(), "{}", said(&output));
    assert!(text == fs::read(&damaged).expect("a result"), "made again, the same");
    assert_eq!(before, time(&kept), "the other one is left alone");
}

#[test]
fn a_study_of_other_arguments_or_damaged_is_joined_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |inputs: &[&str]| {
        let arguments = [&["study", "malekeh"], inputs, &["--designs", "bow"]].concat();
        let output = workflow("run", folder.path(), &arguments)?;
        assert!(output.status.success(), "{}", said(&output));
        Some(fs::read(folder.path().join("study/study.json")).expect("a study"))
    };
    let Some(both) = run(&["nn", "lud"]) else { return };
    let one = run(&["nn"]).expect("as before");
    assert!(one != both && run(&["nn", "lud"]).expect("as before") == both);
    fs::write(folder.path().join("study/study.json"), &both[..both.len() / 2]).expect("damaged");
    assert!(run(&["nn", "lud"]).expect("as before") == both);
}

#[test]
fn what_cannot_run_is_said_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, part) in [
        (&["study"][..], "STUDY"),
        (&["--profile", "nowhere", "study", "malekeh"], "profile"),
        (&["study", "malecke"], "malecke"),
    ] {
        let Some(output) = workflow("run", folder.path(), arguments) else { return };
        assert!(!output.status.success() && said(&output).contains(part), "{}", said(&output));
    }
}

/// A program that is a script, in a folder of programs.
fn script(folder: &Path, name: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
}

/// Slurm is a script here, and so is Snakemake, which says what it is asked.
#[test]
fn a_job_that_slurm_does_not_take_is_said_before_anything_is_submitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).expect("a folder");
    script(&programs, "snakemake", "echo snakemake \"$@\"");
    script(&programs, "sbatch", "for word; do case $word in --time=*) [ ${word#--time=} -le 60 ] && exit; esac; done\necho over the limit >&2; exit 1");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").expect("a path"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(root().join("workflow/run"));
        command.env("PATH", &path).env("GPURF", cargo_bin("gpurf")).current_dir(folder.path());
        command.args(["--profile", "slurm", "study", "malekeh"]).args(arguments).output().expect("it starts")
    };
    let small = run(&[]);
    assert!(small.status.success() && said(&small).contains("runtime=2 "), "{}", said(&small));
    let medium = run(&["--size", "medium"]);
    assert_eq!(medium.status.code(), Some(2));
    for part in ["300 minutes", "over the limit", "--group-components runs=5"] {
        assert!(said(&medium).contains(part), "{}", said(&medium));
    }
    let fewer = run(&["--size", "medium", "--", "--group-components", "runs=4"]);
    assert!(fewer.status.success() && said(&fewer).contains("runs=4"), "{}", said(&fewer));
}
