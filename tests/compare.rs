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

fn compare(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("gpurf").expect("the tool is built").arg("compare").args(arguments).assert()
}

#[test]
fn a_folder_of_launch_files_and_traces_is_what_a_study_runs_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = folder.path().join("inputs");
    fs::create_dir(&inputs).expect("made");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    for file in ["stencil.toml", "stencil.sass"] {
        fs::copy(examples.join(file), inputs.join(file)).expect("copied");
    }
    let path = |name: &str| inputs.join(name).display().to_string();
    let mut trace = Command::cargo_bin("gpurf").expect("the tool is built");
    trace.args(["trace", "nn", "--out", &inputs.display().to_string()]).assert().success();
    let out = folder.path().join("out");
    let (inputs_text, out_text) = (inputs.display().to_string(), out.display().to_string());
    let arguments = ["malekeh", "--inputs", &inputs_text, "--designs", "bow", "--out", &out_text];
    compare(&arguments).success();
    let mut kept: Vec<_> = fs::read_dir(out.join("results"))
        .expect("kept")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, ["nn_baseline.json", "nn_bow.json", "stencil_baseline.json", "stencil_bow.json"]);
    compare(&["register-cache", "--inputs", &inputs_text]).success();

    let refused = |arguments: &[&str], parts: &[&str]| {
        let assert = compare(arguments).code(2);
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    };
    refused(&["malekeh", "bfs", "--inputs", &inputs_text], &["--inputs", "cannot be used with"]);
    refused(&["malekeh", "--inputs", &path("nowhere")], &["nowhere", "cannot be read"]);
    fs::create_dir(inputs.join("empty")).expect("made");
    refused(&["finereg", "--inputs", &path("empty")], &["empty", "neither a launch file", "nor a trace"]);
    fs::rename(inputs.join("nn"), inputs.join("stencil")).expect("renamed");
    refused(&["malekeh", "--inputs", &inputs_text], &["the same name", "rename one"]);
}
