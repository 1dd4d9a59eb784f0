//! `gpurf compare`: results that are kept.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Results of the study as JSON, with earlier ones in `folder`.
fn results(folder: &Path, threads: &str) -> Vec<u8> {
    let out = folder.display().to_string();
    let json = folder.join("results.json");
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args([
        "compare",
        "malekeh",
        "bfs",
        "nn",
        "lud",
        "--designs",
        "malekeh,bow",
        "--threads",
        threads,
    ]);
    command.args(["--out", &out, "--json", &json.display().to_string()]).assert().success();
    fs::read(&json).expect("results")
}

#[test]
fn results_that_are_read_back_are_those_that_were_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let fresh = results(folder.path(), "2");
    let kept = folder.path().join("results");
    let files: Vec<_> =
        fs::read_dir(&kept).expect("kept").map(|entry| entry.expect("a file").path()).collect();
    assert_eq!(files.len(), 9);
    let texts: Vec<_> = files.iter().map(|file| fs::read(file).expect("a result")).collect();
    assert_eq!(fresh, results(folder.path(), "2"), "all read back");

    // One is lost and one is damaged: both are made again, the same.
    fs::remove_file(&files[0]).expect("there");
    fs::write(&files[1], &texts[1][..texts[1].len() / 2]).expect("damaged");
    assert_eq!(fresh, results(folder.path(), "1"), "some read back");
    for (file, text) in files.iter().zip(&texts) {
        assert!(*text == fs::read(file).expect("a result"), "{}", file.display());
    }
}
