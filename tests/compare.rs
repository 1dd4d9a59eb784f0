// SPDX-License-Identifier: Apache-2.0
//! `gpurf compare`: results that are kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

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

fn study(arguments: &[&str]) -> assert_cmd::assert::Assert {
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
    study(&arguments).success();
    let mut kept: Vec<_> = fs::read_dir(out.join("results"))
        .expect("kept")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    kept.sort();
    assert_eq!(kept, ["nn_baseline.json", "nn_bow.json", "stencil_baseline.json", "stencil_bow.json"]);
    study(&["register-cache", "--inputs", &inputs_text]).success();

    let refused = |arguments: &[&str], parts: &[&str]| {
        let assert = study(arguments).code(2);
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

fn compare(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.current_dir(folder).args([
        "compare",
        "malekeh",
        "nn",
        "bfs",
        "--designs",
        "bow",
        "--out",
        "study",
    ]);
    command.args(arguments);
    command
}

/// Name and state of each run.
fn listed(folder: &Path) -> BTreeMap<String, String> {
    let output = compare(folder, &["--list", "--json", "-"]).output().expect("it starts");
    let runs: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = |run: &Value, name: &str| run[name].as_str().expect("a text").to_string();
    runs.iter().map(|run| (text(run, "run"), text(run, "state"))).collect()
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let folders = [folder.join("study"), folder.join("study/results")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("written"));
    let paths = entries.map(|entry| entry.expect("a file").path()).filter(|path| path.is_file());
    paths
        .map(|path| (path.strip_prefix(folder).expect("below").into(), fs::read(&path).expect("a file")))
        .collect()
}

#[test]
fn runs_made_one_by_one_are_joined_to_what_one_call_gives() {
    let (whole, parts) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    compare(whole.path(), &[]).assert().success();
    let runs = listed(parts.path());
    assert_eq!(runs.len(), 4);
    assert!(runs.contains_key("nn_bow") && runs.values().all(|state| state == "missing"), "{runs:?}");
    let one = |run: &str| {
        compare(parts.path(), &["--run", run]).assert().success().stdout("");
    };
    for (made, run) in runs.keys().rev().enumerate() {
        one(run);
        assert_eq!(files(parts.path()).len(), made + 1, "{run}: nothing but its result");
    }
    assert!(listed(parts.path()).values().all(|state| state == "kept"));
    compare(parts.path(), &[]).assert().success();
    assert!(files(whole.path()) == files(parts.path()));

    // A result with another digit in it is still JSON; one of another seed is whole.
    let file = parts.path().join("study/results/nn_bow.json");
    let text = fs::read_to_string(&file).expect("a result");
    let (before, after) = text.split_once("\"cycles\": ").expect("a count");
    let digit = if after.starts_with('1') { '2' } else { '1' };
    fs::write(&file, format!("{before}\"cycles\": {digit}{}", &after[1..])).expect("damaged");
    compare(parts.path(), &["--seed", "2", "--run", "bfs_baseline"]).assert().success();
    let runs = listed(parts.path());
    assert_eq!([&runs["nn_bow"], &runs["bfs_baseline"], &runs["nn_baseline"]], ["damaged", "other", "kept"]);
    compare(parts.path(), &[]).assert().success();
    assert!(files(whole.path()) == files(parts.path()));
}

/// A launch file, its listing and its data are inputs, and the program makes the result of them: a result of
/// others is made again.
#[test]
fn a_result_of_another_input_or_another_program_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let program = folder.join("gpurf");
    fs::copy(env!("CARGO_BIN_EXE_gpurf"), &program).expect("copied");
    let text = fs::read_to_string(examples.join("stencil.toml")).expect("the example");
    // The field from a file: 0.0, 1.0, 2.0 as the example has it.
    let data =
        |step: f32| (0..16_896).flat_map(|place| (place as f32 * step).to_le_bytes()).collect::<Vec<u8>>();
    let text = text.replacen("init = \"iota\"", "init = { file = \"field.bin\" }", 1);
    let text = text.split("[[print]]").next().expect("what is before it").to_string();
    fs::write(folder.join("own.toml"), &text).expect("written");
    fs::write(folder.join("field.bin"), data(1.0)).expect("written");
    fs::copy(examples.join("stencil.sass"), folder.join("stencil.sass")).expect("copied");
    let run = |more: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(folder).args([
            "compare",
            "malekeh",
            "own.toml",
            "--designs",
            "bow",
            "--out",
            "study",
        ]);
        let output = command.args(more).output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let states = || -> Vec<String> {
        let runs: Vec<Value> = serde_json::from_slice(&run(&["--list", "--json", "-"])).expect("JSON");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        runs.iter().map(|run| format!("{} {}", text(&run["state"]), text(&run["difference"]))).collect()
    };
    let reads = || -> u64 {
        let outcomes: Vec<Value> = serde_json::from_slice(&run(&["--json", "-"])).expect("JSON");
        outcomes[0]["counters"]["operand_reads"].as_u64().expect("a count")
    };
    let whole = reads();
    assert_eq!(states(), ["kept ", "kept "]);

    fs::write(folder.join("own.toml"), text.replacen("grid = [2, 4]", "grid = [1, 1]", 1)).expect("written");
    assert_eq!(states(), ["other content of the input", "other content of the input"]);
    let part = reads();
    assert!(0 < part && part < whole, "{part} of {whole}: the grid is an eighth");
    assert_eq!(states(), ["kept ", "kept "]);

    for (file, bytes) in [
        ("field.bin", data(2.0)),
        ("stencil.sass", {
            let mut listing = fs::read(folder.join("stencil.sass")).expect("the listing");
            listing.push(b'\n');
            listing
        }),
    ] {
        fs::write(folder.join(file), bytes).expect("written");
        assert_eq!(states(), ["other content of the input", "other content of the input"], "{file}");
        run(&[]);
        assert_eq!(states(), ["kept ", "kept "], "{file}");
    }

    // The same program with another byte at its end is another build.
    let mut bytes = fs::read(&program).expect("the program");
    bytes.push(0);
    fs::write(folder.join("other"), bytes).expect("written");
    fs::set_permissions(folder.join("other"), fs::metadata(&program).expect("there").permissions())
        .expect("set");
    fs::rename(folder.join("other"), &program).expect("renamed");
    assert_eq!(states(), ["other build of gpurf", "other build of gpurf"]);
}

#[test]
fn a_result_of_another_trace_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let gpurf = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
        command.current_dir(folder).args(arguments).assert().success().get_output().stdout.clone()
    };
    gpurf(&["trace", "vectoradd", "--out", "."]);
    let study = ["compare", "malekeh", "vectoradd", "--designs", "bow", "--out", "study"];
    // The name is a built-in workload's: the folder is meant with a path.
    let study = [&study[..2], &["./vectoradd"], &study[3..]].concat();
    let states = || {
        let runs: Vec<Value> =
            serde_json::from_slice(&gpurf(&[&study[..], &["--list", "--json", "-"]].concat())).expect("JSON");
        runs.iter().map(|run| run["state"].as_str().expect("a state").to_string()).collect::<Vec<_>>()
    };
    gpurf(&study);
    assert_eq!(states(), ["kept", "kept"]);
    let kernel = folder.join("vectoradd/kernel-1.traceg");
    let text = fs::read_to_string(&kernel).expect("a kernel");
    fs::write(&kernel, text.replacen("FADD", "FMUL", 1)).expect("written");
    assert_eq!(states(), ["other", "other"]);
    gpurf(&study);
    let list = folder.join("vectoradd/kernelslist.g");
    fs::write(&list, fs::read_to_string(&list).expect("a list") + "kernel-1.traceg\n").expect("written");
    assert_eq!(states(), ["other", "other"]);
}

#[test]
fn a_part_of_the_inputs_gets_no_verdict() {
    let verdicts = |arguments: &[&str]| {
        let printed = study(arguments).success().get_output().stdout.clone();
        let printed = String::from_utf8_lossy(&printed).into_owned();
        let lines = printed.lines().filter(|line| line.contains("F §VI-B2, Fig. 13: malekeh, hit ratio"));
        lines.map(String::from).collect::<Vec<_>>()
    };
    let of = |arguments: &[&str], expected: &str| {
        let lines = verdicts(arguments);
        assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    };
    of(&["malekeh", "nn", "lud", "bfs", "--designs", "malekeh"], "no verdict: 3 of 27 inputs");
    of(&["malekeh", "--designs", "malekeh"], "within a third: −19%");
    // A trace with the name of a built-in workload is another input.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    let mut trace = Command::cargo_bin("gpurf").expect("the tool is built");
    trace.args(["trace", "nn", "--out", &path]).assert().success();
    of(&["malekeh", "--inputs", &path, "--designs", "malekeh"], "no verdict: 1 other input");
}

/// Two workloads have no averages to speak of: the main tables come first, and the rest is named.
#[test]
fn a_part_of_the_inputs_prints_the_main_tables() {
    let printed = |more: &[&str]| {
        let arguments = [&["malekeh", "nn", "bfs", "--designs", "malekeh,bow"], more].concat();
        let output = study(&arguments).success().get_output().stdout.clone();
        String::from_utf8_lossy(&output).into_owned()
    };
    let [main, all] = [printed(&[]), printed(&["--all-tables"])];
    let tables = |text: &str| text.lines().filter(|line| line.starts_with('┌')).count();
    // Each with the claims beside it.
    assert_eq!(tables(&main), 4, "{main}");
    assert!(tables(&all) > 10, "{all}");
    let rest = main.split(" more with --all-tables").nth(1).expect("it names the rest");
    for title in
        ["Dynamic energy of the register file by", "Results written into collectors", "Averages over"]
    {
        assert!(rest.contains(&format!("\n  {title}")) && all.contains(&format!("\n{title}")), "{title}");
    }
    assert!(!all.contains("more with --all-tables") && !all.contains("│ average of"), "{all}");
    for text in [main, all] {
        assert!(text.contains("Source operands read from collectors, % (F Fig. 13, Fig. 17)"), "{text}");
    }
}

#[test]
fn runs_that_are_not_there_are_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let unknown = compare(folder.path(), &["--run", "nn_malekeh"]).assert().code(2);
    unknown.stderr(contains("--run nn_malekeh").and(contains("--list")));
    let mut without_folder = Command::cargo_bin("gpurf").expect("the tool is built");
    without_folder.args(["compare", "malekeh", "--run", "nn_bow"]).assert().code(2).stderr(contains("--out"));
    let mut in_one_pass = Command::cargo_bin("gpurf").expect("the tool is built");
    in_one_pass.args(["compare", "register-cache", "--list"]).assert().code(2).stderr(contains("--list"));
}

#[test]
fn a_curve_stands_beside_the_papers_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.json");
    let path = record.display().to_string();
    let arguments =
        ["finereg", "kmeans", "hotspot", "--designs", "finereg", "--also", "window,share", "--all-tables"];
    study(&[&arguments[..], &["--record", &path]].concat()).success().stdout(contains("R §III-B, Fig. 5"));
    let record: Value = serde_json::from_slice(&fs::read(&record).expect("read")).expect("a record");
    let curve = |title: &str| {
        let plots = record["plots"].as_array().expect("curves").iter();
        let mut found = plots.filter(|plot| plot["title"] == title);
        found.next().map(|plot| plot["drawing"]["curve"].clone()).expect("the curve")
    };
    let points = |curve: &Value| -> Vec<f64> {
        let points = curve["lines"][0]["points"].as_array().expect("points").iter();
        points.map(|point| point[1].as_f64().expect("a number")).collect()
    };
    // A longer window has seen at least as many registers.
    let used = curve("Registers in use, %");
    assert_eq!(used["levels"][0][1], 55.3);
    let used = points(&used);
    assert_eq!(used.len(), 5);
    assert!(used.windows(2).all(|pair| pair[0] < pair[1]), "{used:?}");
    assert_eq!(points(&curve("IPC over the baseline, %")).len(), 4);
    study(&["finereg", "kmeans", "--also", "nothing"])
        .code(2)
        .stderr(contains("ablations, decides, demand, limits, curves, transfer, share, "));
}
