// SPDX-License-Identifier: Apache-2.0
//! `gpurf workloads` and `gpurf trace` on built-in workloads.

use std::fs;

use assert_cmd::Command;
use gpurf_workloads::suite::SUITE;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

fn gpurf(arguments: &[&str]) -> assert_cmd::assert::Assert {
    Command::cargo_bin("gpurf").expect("the tool is built").args(arguments).assert()
}

fn json(arguments: &[&str]) -> Value {
    let assert = gpurf(arguments).success();
    serde_json::from_slice(&assert.get_output().stdout).expect("JSON")
}

fn sum(counts: &Value) -> u64 {
    let counts = counts.as_object().expect("named counts");
    counts.values().map(|count| count.as_u64().expect("a count")).sum()
}

#[test]
fn counts_add_up() {
    let profiles = json(&["workloads", "vectoradd", "hgemm", "--json", "-"]);
    let [vectoradd, hgemm] = &profiles.as_array().expect("a list")[..] else { panic!("two workloads") };
    for profile in [vectoradd, hgemm] {
        let instructions = profile["warp_instructions"].as_u64().expect("a count");
        assert!(instructions > 10_000, "{profile}");
        assert_eq!(sum(&profile["units"]), instructions);
        assert_eq!(sum(&profile["opcodes"]), instructions);
        assert!(profile["active_lanes"].as_u64() <= Some(32 * instructions));
        assert!(sum(&profile["reuses"]) > 0);
    }
    // 65,536 elements of 32 threads a warp: a warp of `vectoradd` adds once.
    assert_eq!(vectoradd["opcodes"]["FADD"], 65_536 / 32);
    assert_eq!(vectoradd["thread_blocks"], 256);
    assert_eq!(vectoradd["reuse_flags"], 0);
    assert_eq!(hgemm["opcodes"]["HMMA"], hgemm["units"]["tensor"]);
    assert!(hgemm["reuse_flags"].as_u64() > Some(0));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let bytes = |threads: &str| {
        let arguments = ["workloads", "backprop", "bfs", "--json", "-", "--threads", threads];
        gpurf(&arguments).success().get_output().stdout.clone()
    };
    assert_eq!(bytes("1"), bytes("3"));
    let bytes = |threads: &str| {
        let arguments = ["sim", "backprop", "--json", "-", "--threads", threads];
        gpurf(&arguments).success().get_output().stdout.clone()
    };
    assert_eq!(bytes("1"), bytes("3"));
}

#[test]
fn a_workload_and_the_trace_written_of_it_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    gpurf(&["trace", "vectoradd", "pathfinder", "--out", &out]).success().stdout(contains("pathfinder"));
    for name in ["vectoradd", "pathfinder"] {
        let written = folder.path().join(name).display().to_string();
        let profiles = json(&["workloads", name, &written, "--json", "-"]);
        // A trace does not tell the flags, and its operands are widened by rule.
        for same in
            ["name", "kernels", "launches", "thread_blocks", "warp_instructions", "active_lanes", "opcodes"]
        {
            assert_eq!(profiles[0][same], profiles[1][same], "{name}: {same}");
        }
    }
}

/// Every operand is checked against program order, and an unsound run does not exit with 0.
#[test]
fn every_workload_begins_under_every_design() {
    let names: Vec<_> = SUITE.iter().map(|benchmark| benchmark.name).collect();
    for design in ["baseline", "traditional", "malekeh-gto", "register-cache", "rfc", "software-rfc", "ltrf"]
    {
        let options = ["--design", design, "--cycles", "8000"];
        gpurf(&[&["sim"], &names[..], &options].concat()).success();
    }
}

#[test]
fn tables_and_picture() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("reuse.svg").display().to_string();
    let assert = gpurf(&["workloads", "vectoradd", "nn", "--opcodes", "--histogram", &picture]).success();
    let has = contains("load/store").and(contains("FADD")).and(contains("average")).and(contains("nn: "));
    assert.stdout(has);
    let picture = fs::read_to_string(&picture).expect("a picture");
    for text in ["<svg", "vectoradd", "nn", "average", "above 10", "</svg>"] {
        assert!(picture.contains(text), "{text} is not in the picture");
    }
}

#[test]
fn answers_are_checked() {
    gpurf(&["workloads", "--check", "lud", "gaussian"]).success().stdout(contains("right").count(2));
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().display().to_string();
    gpurf(&["trace", "vectoradd", "--out", &out]).success();
    let written = folder.path().join("vectoradd").display().to_string();
    gpurf(&["workloads", "--check", &written]).code(2).stderr(contains("no answer to check"));
}

#[test]
fn unusable_arguments() {
    gpurf(&["workloads", "nowhere"])
        .code(2)
        .stderr(contains("nowhere").and(contains("gpurf names workloads")));
    gpurf(&["sim", "sgemm", "--size", "huge"]).code(2).stderr(contains("huge").and(contains("medium")));
    gpurf(&["sim", "sgemm", "--threads", "0"]).code(2).stderr(contains("--threads"));
    gpurf(&["workloads", "--check", "--json", "x.json"]).code(2).stderr(contains("--check"));
}

/// Races themselves are tested where they are found; a trace has none to find.
#[test]
fn races_are_listed_for_what_is_executed() {
    let listed = gpurf(&["workloads", "vectoradd", "hotspot", "--races"]).success();
    listed.stdout(contains("vectoradd").and(contains("none")));
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/traces/ampere");
    gpurf(&["workloads", trace, "--races"]).code(2).stderr(contains("a trace executes nothing"));
}

/// A launch file of a kernel in a folder of its own: each block stores the sum of two halves, 65504, as a
/// single.
fn sum_of_halves(folder: &std::path::Path, blocks: u32) -> String {
    let code = "MOV R2, c[0x0][0x160]\nMOV R3, c[0x0][0x164]\nMOV R5, 0x7bff\n\
                HADD2.F32 R4, R5.H0_H0, R5.H0_H0\nSTG.E.SYS [R2], R4\nEXIT";
    let lines = code.lines().enumerate().map(|(place, line)| format!("/*{:04x}*/ {line} ;\n", 16 * place));
    let start = ".target sm_75\n.section .text.k,\"ax\",@progbits\n.sectioninfo @\"SHI_REGISTERS=16\"\n";
    fs::write(folder.join("k.sass"), format!("{start}{}", lines.collect::<String>())).expect("written");
    let file = format!(
        "listing = \"k.sass\"\n[buffers.sum]\ntype = \"f32\"\ncount = 1\n[[launch]]\nkernel = \"k\"\n\
         grid = {blocks}\nblock = 32\narguments = [{{ buffer = \"sum\" }}]\n\
         [[expect]]\nbuffer = \"sum\"\nvalues = {{ list = [131008.0] }}\n"
    );
    let path = folder.join("k.toml");
    fs::write(&path, file).expect("written");
    path.display().to_string()
}

#[test]
fn halves_that_become_singles_round_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sum_of_halves(folder.path(), 1);
    for exact in
        [&["workloads", &path, "--check"][..], &["workloads", &path, "--check", "--widening", "exact"]]
    {
        gpurf(exact).success().stdout(contains("right"));
    }
    gpurf(&["workloads", &path, "--check", "--widening", "rounded"])
        .code(1)
        .stdout(contains("sum[0] is inf"));
}

#[test]
fn blocks_are_watched_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sum_of_halves(folder.path(), 2);
    for block in ["--races", "--races=block"] {
        gpurf(&["workloads", block, &path]).success().stdout(contains("none"));
    }
    let listed = gpurf(&["workloads", "--races=grid", &path]).code(1);
    listed.stdout(contains("writes global address").and(contains("of buffer sum")));
    gpurf(&["workloads", "--races=warp", &path]).code(2).stderr(contains("grid"));
}

#[test]
fn an_order_of_warps_changes_no_answer() {
    let checked = gpurf(&["workloads", "lud", "tpacf", "--check", "--warp-order", "3"]).success();
    checked.stdout(contains("right").count(2));
    let streams = ["7", "7", "8"].map(|seed| json(&["workloads", "nw", "--warp-order", seed, "--json", "-"]));
    assert_eq!(streams[0], streams[1]);
    assert_eq!(streams[0][0]["opcodes"], streams[2][0]["opcodes"], "it has no race");
}
