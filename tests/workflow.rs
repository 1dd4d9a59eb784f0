//! Studies under Snakemake: killed at random, they end with what one left alone has.
//!
//! `tools/workflow` installs Snakemake into `.venv`; where it is missing, these tests are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;
use gpurf_fixtures::skipped;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Snakemake, or the test is skipped.
#[track_caller]
fn snakemake() -> Option<PathBuf> {
    let path = root().join(".venv/bin/snakemake");
    if !path.exists() {
        skipped(format!("there is no {}; tools/workflow installs it", path.display()));
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
