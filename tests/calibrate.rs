// SPDX-License-Identifier: Apache-2.0
//! `gpurf calibrate`: against Accel-Sim's cycles where they are at hand, and against cycles of our own.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::{json, Value};
use tempfile::TempDir;

fn gpurf(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(arguments);
    command
}

fn json_of(arguments: &[&str]) -> Value {
    let assert = gpurf(arguments).args(["--json", "-"]).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).expect("results are JSON")
}

#[test]
fn kernels_take_about_as_long_as_in_accel_sim() {
    let Some(reference) = gpurf_fixtures::found("../accel-sim/cycles.json") else { return };
    let reference = reference.display().to_string();
    let results = json_of(&["calibrate", &reference]);
    let summary = &results["summary"];
    assert_eq!(summary["kernels"], 23);
    assert!(summary["mean_error"].as_f64() <= Some(0.05), "{summary}");
    assert!(summary["within_tenth"].as_u64() >= Some(20), "{summary}");
    assert!(summary["correlation"].as_f64() >= Some(0.995), "{summary}");
    for kernel in results["kernels"].as_array().expect("kernels") {
        let number = |key: &str| kernel[key].as_f64().expect("a number");
        assert!((number("ratio") - number("cycles") / number("reference")).abs() < 1e-9, "{kernel}");
    }
    for mechanism in ["latencies", "l1-banks", "local-layout"] {
        let without = json_of(&["calibrate", &reference, "--without", mechanism]);
        let error = &without["summary"]["mean_error"];
        assert!(error.as_f64() > summary["mean_error"].as_f64(), "{mechanism}: {error}");
    }
}

/// A part of the reference of the built-in workloads, and its traces.
fn built_in(names: &[&str]) -> (TempDir, String) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("papers/accel-sim-built-in.json");
    let text = fs::read_to_string(file).expect("the reference is there");
    let mut reference: Value = serde_json::from_str(&text).expect("it is JSON");
    let traces = reference["traces"].as_object_mut().expect("traces by name");
    traces.retain(|name, _| names.contains(&name.as_str()));
    assert_eq!(traces.len(), names.len(), "all are there");
    let folder = tempfile::tempdir().expect("a folder");
    gpurf(&["trace"]).args(names).arg("--out").arg(folder.path().join("traces")).assert().success();
    let written = folder.path().join("reference/cycles.json");
    fs::create_dir(folder.path().join("reference")).expect("created");
    fs::write(&written, reference.to_string()).expect("written");
    (folder, written.display().to_string())
}

/// Each workload with what it cannot do without.
#[test]
fn built_in_workloads_take_about_as_long_as_in_accel_sim() {
    let names = ["atax", "b+tree", "convolutionSeparable", "hgemm", "hotspot", "lud", "srad_v1"];
    let (_folder, reference) = built_in(&names);
    let error = |without: &[&str]| {
        let summary = json_of(&[&["calibrate", &reference], without].concat())["summary"].clone();
        summary["mean_error"].as_f64().expect("a number")
    };
    let with_all = error(&[]);
    assert!(with_all <= 0.06, "{with_all}");
    for mechanism in ["reservations", "first-words", "idle-accesses"] {
        let without = error(&["--without", mechanism]);
        assert!(without > with_all + 0.005, "{mechanism}: {without}, {with_all} with all");
    }
}

/// Traces of two workloads, and a reference of what they take here.
fn own() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let traces = folder.path().join("traces");
    let out = traces.display().to_string();
    let mut sets = serde_json::Map::new();
    for workload in ["vectoradd", "nn"] {
        gpurf(&["trace", workload, "--out", &out]).assert().success();
        let trace = traces.join(workload).display().to_string();
        let statistics = json_of(&["sim", &trace, "--config", "accel-sim-rtx2060"]);
        let kernels = statistics["kernels"].as_array().expect("kernels").iter().zip(1..);
        let kernels = kernels.map(|(kernel, number)| {
            let file = format!("kernel-{number}.traceg");
            json!({"file": file, "group": workload, "cycles": {"gto": kernel["cycles"]}})
        });
        sets.insert(workload.into(), kernels.collect());
    }
    let folder_of_reference = folder.path().join("reference");
    fs::create_dir(&folder_of_reference).expect("created");
    let path = folder_of_reference.join("cycles.json");
    write(&path, &json!({ "traces": sets }));
    (folder, path.display().to_string())
}

fn write(path: &Path, reference: &Value) {
    fs::write(path, reference.to_string()).expect("written");
}

#[test]
fn our_own_cycles_are_found_again() {
    let (folder, reference) = own();
    let plot = folder.path().join("plot.svg");
    let results = json_of(&[
        "calibrate",
        &reference,
        "--ablate",
        "--minimum",
        "1",
        "--plot",
        &plot.display().to_string(),
    ]);
    assert_eq!(results["summary"]["mean_error"], 0.0);
    assert_eq!(results["summary"]["within_tenth"], results["summary"]["kernels"]);
    assert_eq!(results["groups"].as_array().map(Vec::len), Some(2));
    let ablation = results["ablation"].as_array().expect("mechanisms");
    let error = |name: &str| {
        let found = ablation.iter().find(|ablation| ablation["without"] == name).expect("it is there");
        found["summary"]["mean_error"].as_f64().expect("a number")
    };
    assert!(error("latencies") > 0.05 && error("accesses") > 0.0);
    assert_eq!(error("half-precision"), 0.0, "neither has such instructions");
    let svg = fs::read_to_string(&plot).expect("the picture");
    assert!(svg.starts_with("<svg") && svg.contains("vectoradd"));
    let table = gpurf(&["calibrate", &reference]).assert().success();
    assert!(String::from_utf8_lossy(&table.get_output().stdout).contains("1.000"));
}

#[test]
fn what_cannot_be_compared_is_refused_by_name() {
    let (folder, reference) = own();
    let refuses = |reference: &str, options: &[&str], parts: &[&str]| {
        let assert = gpurf(&["calibrate", reference]).args(options).assert().code(2);
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        for part in parts {
            assert!(message.contains(part), "{options:?}: `{part}` is not in: {message}");
        }
    };
    refuses("nowhere.json", &[], &["nowhere.json"]);
    refuses(&reference, &["--variant", "lrr"], &["cycles.json", "kernel-1.traceg", "cycles.lrr", "gto"]);
    refuses(&reference, &["--traces", "nowhere"], &["traces.nn", "--traces"]);
    refuses(&reference, &["--without", "luck"], &["luck", "l1-banks"]);
    refuses(&reference, &["--minimum", "100000000"], &["cycles.json", "--minimum"]);
    let changed = |change: fn(&mut Value)| {
        let text = fs::read_to_string(&reference).expect("read");
        let mut changed = serde_json::from_str(&text).expect("JSON");
        change(&mut changed);
        let path = folder.path().join("reference/changed.json");
        write(&path, &changed);
        path.display().to_string()
    };
    let missing = changed(|reference| reference["traces"]["nn"][0]["file"] = "kernel-77.traceg".into());
    refuses(&missing, &[], &["changed.json", "traces.nn", "kernel-77.traceg"]);
    let nameless = changed(|reference| reference["traces"]["nn"][0] = json!({"cycles": {"gto": 5}}));
    refuses(&nameless, &[], &["changed.json", "`file`", "--help"]);
    let zero = changed(|reference| reference["traces"]["nn"][0]["cycles"]["gto"] = 0.into());
    refuses(&zero, &[], &["changed.json", "traces.nn", "cycles.gto"]);
    let twice = changed(|reference| {
        let first = reference["traces"]["nn"][0].clone();
        reference["traces"]["nn"].as_array_mut().expect("kernels").push(first);
    });
    refuses(&twice, &[], &["changed.json", "traces.nn", "kernel-1.traceg"]);
}

/// A card of two SMs, made up: its cycles of `backprop` are those that `gpurf sim` gives for the baseline.
/// The file, the kernels' names, and their cycles under the baseline and the sub-core that
/// ships.
fn card(more: &str) -> (TempDir, String, Vec<(String, [f64; 2])>) {
    let folder = tempfile::tempdir().expect("a folder");
    let machine = folder.path().join("machine.toml");
    fs::write(&machine, "sms = 2\n[l2]\nshared = true\n").expect("written");
    let machine = machine.display().to_string();
    let of =
        |design| json_of(&["sim", "backprop", "--design", design, "--config", &machine])["kernels"].clone();
    let (baseline, modern) = (of("baseline"), of("modern"));
    let kernels = baseline.as_array().expect("kernels").iter().zip(modern.as_array().expect("kernels"));
    let kernels = kernels.map(|(one, other)| {
        let cycles = [one, other].map(|kernel| kernel["cycles"].as_f64().expect("cycles"));
        (one["name"].as_str().expect("a name").to_string(), cycles)
    });
    let kernels: Vec<_> = kernels.collect();
    let mut text = String::from(
        "[card]\nname = \"made up\"\narchitecture = \"sm_75\"\nclock_mhz = 1000\nsource = \"made up\"\n\
         machine = \"machine.toml\"\n",
    );
    text += more;
    for (name, [baseline, _]) in &kernels {
        text += &format!(
            "[[kernel]]\nsuite = \"ours\"\nprogram = \"backprop\"\nkernel = \"{name}\"\nlaunch = 1\n\
             cycles = {baseline}\nworkload = \"backprop\"\n"
        );
    }
    text +=
        "[[kernel]]\nsuite = \"others\"\nprogram = \"far\"\nkernel = \"k\"\ncycles = 5\ntrace = \"far\"\n";
    text += "[[kernel]]\nsuite = \"others\"\nprogram = \"farther\"\nkernel = \"k\"\ncycles = 6\nnot_run = \"no code\"\n";
    text += "[[kernel]]\nsuite = \"ours\"\nprogram = \"backprop\"\nkernel = \"nothing\"\ncycles = 7\nworkload = \"backprop\"\n";
    let path = folder.path().join("card.toml");
    fs::write(&path, text).expect("written");
    fs::create_dir(folder.path().join("traces")).expect("created");
    (folder, path.display().to_string(), kernels)
}

#[test]
fn a_card_is_compared_kernel_by_kernel_and_nothing_is_left_out_unsaid() {
    let (folder, card, cycles) = card("");
    let traces = folder.path().join("traces").display().to_string();
    let results = json_of(&["calibrate", &card, "--traces", &traces]);
    let kernels = results["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), cycles.len());
    for (kernel, (name, [baseline, modern])) in kernels.iter().zip(&cycles) {
        assert_eq!(kernel["kernel"], name.as_str());
        assert_eq!(kernel["baseline"]["cycles"].as_f64(), Some(*baseline));
        assert_eq!(kernel["baseline_error"], 0.0);
        assert_eq!(kernel["modern"]["cycles"].as_f64(), Some(*modern), "on control bits");
        assert_eq!(kernel["modern_design"], "modern");
        let error = kernel["modern_error"].as_f64().expect("a number");
        assert!((error - (modern / baseline - 1.0)).abs() < 1e-12 && error != 0.0, "{kernel}");
    }
    let suites = results["suites"].as_array().expect("suites");
    let names: Vec<_> = suites.iter().map(|suite| suite["suite"].as_str().expect("a name")).collect();
    assert_eq!(names, ["ours", "others", "all"]);
    let [ours, others, all] = [&suites[0], &suites[1], &suites[2]];
    assert_eq!((&ours["not_run"], &others["not_run"], &all["not_run"]), (&1.into(), &2.into(), &3.into()));
    assert_eq!(ours["baseline"]["mean_error"], 0.0);
    let mean = cycles.iter().map(|(_, [baseline, modern])| (modern / baseline - 1.0).abs()).sum::<f64>()
        / cycles.len() as f64;
    assert!((ours["modern"]["mean_error"].as_f64().expect("a number") - mean).abs() < 1e-12);
    let reasons = results["not_run"].as_array().expect("kernels that did not run");
    let reasons: Vec<_> = reasons.iter().map(|left| left["reason"].as_str().expect("a reason")).collect();
    assert!(reasons.iter().any(|reason| reason.contains("no trace far")), "{reasons:?}");
    assert!(reasons.contains(&"no code"), "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason.contains("launches no kernel of this name")), "{reasons:?}");

    let table = gpurf(&["calibrate", &card, "--traces", &traces, "--sms", "1"]).assert().success();
    let table = String::from_utf8_lossy(&table.get_output().stdout).into_owned();
    for part in ["1 of 2, a sample", "no code", "control bits", "Measured, and not run here"] {
        assert!(table.contains(part), "`{part}` is not in: {table}");
    }
    let sample = json_of(&["calibrate", &card, "--traces", &traces, "--sms", "1"]);
    let instructions =
        |results: &Value| results["kernels"][0]["warp_instructions"].as_f64().expect("a number");
    let share = instructions(&sample) / instructions(&results);
    assert!((share - 0.5).abs() < 0.05, "{share}");
}

#[test]
fn launches_of_a_card_whose_caches_were_emptied_find_nothing_in_l2() {
    let (_folder, kept, _) = card("");
    let (folder, emptied, _) = card("caches_emptied = true\n");
    let traces = folder.path().join("traces").display().to_string();
    let cycles = |card: &str| -> Vec<f64> {
        let results = json_of(&["calibrate", card, "--traces", &traces]);
        let kernels = results["kernels"].as_array().expect("kernels").clone();
        kernels.iter().map(|kernel| kernel["baseline"]["cycles"].as_f64().expect("a number")).collect()
    };
    let (kept, emptied) = (cycles(&kept), cycles(&emptied));
    assert!(kept.iter().zip(&emptied).all(|(kept, emptied)| kept < emptied), "{kept:?}, {emptied:?}");
}

#[test]
fn a_file_of_a_card_that_cannot_be_used_is_refused_by_name() {
    let (folder, card, _) = card("");
    let traces = folder.path().join("traces").display().to_string();
    let refuses = |arguments: &[&str], parts: &[&str]| {
        let assert = gpurf(&["calibrate"]).args(arguments).assert().code(2);
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        for part in parts {
            assert!(message.contains(part), "{arguments:?}: `{part}` is not in: {message}");
        }
    };
    refuses(&["nowhere.csv"], &["nowhere.csv", "accelwattch_hw_profiler/hw_perf.csv"]);
    refuses(&[&card, "--traces", &traces, "--variant", "gto"], &["card.toml", "--variant"]);
    refuses(&[&card, "--traces", &traces, "--ablate"], &["card.toml", "--ablate"]);
    refuses(&[&card, "--traces", &traces, "--sms", "3"], &["--sms 3", "2"]);
    refuses(&[&card, "--traces", "nowhere"], &["nowhere", "--traces"]);
    refuses(&["papers/accel-sim-built-in.json", "--launches", "2"], &["built-in.json", "--launches"]);
    let changed = |change: &dyn Fn(String) -> String| {
        let path = folder.path().join("changed.toml");
        fs::write(&path, change(fs::read_to_string(&card).expect("read"))).expect("written");
        path.display().to_string()
    };
    let zero = changed(&|text| text.replace("cycles = 5\n", "cycles = 0\n"));
    refuses(&[&zero], &["changed.toml", "kernel `k`", "cycles = 0"]);
    let nowhere = changed(&|text| text.replace("machine.toml", "nowhere.toml"));
    refuses(&[&nowhere, "--traces", &traces], &["nowhere.toml"]);
    let empty = changed(&|text| text.split("[[kernel]]").next().expect("a card").to_string());
    refuses(&[&empty], &["changed.toml", "[[kernel]]"]);
}
