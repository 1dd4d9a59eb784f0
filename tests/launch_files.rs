// SPDX-License-Identifier: Apache-2.0
//! Launch files: the example of docs/your_kernel.md from code to statistics, and every way to get one wrong.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;
use tempfile::TempDir;

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples").join(name)
}

/// Runs the tool in `folder`.
fn gpurf(folder: &Path, arguments: &[&str]) -> Assert {
    Command::cargo_bin("gpurf").expect("the tool is built").current_dir(folder).args(arguments).assert()
}

/// A folder with the example's listing and its launch file as `change` leaves it.
fn changed(change: impl Fn(String) -> String) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(example("stencil.sass"), folder.path().join("stencil.sass")).expect("copied");
    let text = fs::read_to_string(example("stencil.toml")).expect("read");
    let text_changed = change(text.clone());
    assert_ne!(text, text_changed, "the change finds its place");
    fs::write(folder.path().join("stencil.toml"), text_changed).expect("written");
    folder
}

/// Number of the first line of the example that has this text.
fn line_of(text: &str) -> usize {
    let example = fs::read_to_string(example("stencil.toml")).expect("read");
    1 + example.lines().position(|line| line.contains(text)).expect("the example has the text")
}

/// With `from` replaced by `to`, the tool stops with exit code 2 at the line of `place` and a message
/// that has all of the parts.
fn refuses(from: &str, to: &str, place: &str, parts: &[&str]) {
    let folder = changed(|text| text.replacen(from, to, 1));
    let assert = gpurf(folder.path(), &["sim", "stencil.toml"]).code(2);
    let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let error = message.lines().find(|line| line.starts_with("error: ")).expect("an error").to_string();
    let line = format!("stencil.toml:{}: ", line_of(place));
    for part in parts.iter().chain([&line.as_str()]) {
        assert!(error.contains(part), "`{from}` to `{to}`: `{part}` is not in: {error}");
    }
}

#[test]
fn the_example_runs() {
    let elsewhere = tempfile::tempdir().expect("a folder");
    let path = example("stencil.toml").display().to_string();
    let assert = gpurf(elsewhere.path(), &["sim", &path, "--json", "-"]).success();
    let assert = assert.stderr(contains("mean[256..260] = 0 257 258 259\n"));
    let statistics: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON only");
    assert_eq!(statistics["token_errors"], 0);
    assert_eq!(statistics["kernels"][0]["name"], "stencil");
    assert_eq!(statistics["kernels"][0]["blocks"], 8);

    // The same instructions come out of the trace that is written of it.
    gpurf(elsewhere.path(), &["trace", &path, "--out", "traces"]).success();
    let assert = gpurf(elsewhere.path(), &["sim", "traces/stencil", "--json", "-"]).success();
    let of_trace: Value = serde_json::from_slice(&assert.get_output().stdout).expect("JSON");
    assert_eq!(of_trace["warp_instructions"], statistics["warp_instructions"]);

    gpurf(elsewhere.path(), &["workloads", &path, "--check"]).success().stdout(contains("right"));
}

#[test]
fn a_wrong_answer_fails() {
    let folder = changed(|text| text.replacen("start = 257", "start = 258", 1));
    let line = format!("stencil.toml:{}", line_of("[[expect]]"));
    let wrong = || contains("wrong answer: mean[257] is 257, expected 258");
    gpurf(folder.path(), &["sim", "stencil.toml"]).code(1).stderr(wrong()).stderr(contains(line));
    gpurf(folder.path(), &["workloads", "stencil.toml", "--check"]).code(1).stdout(wrong());
    // Within a tolerance it is right.
    let tolerant = "values = { range = { start = 258, step = 1 } }\ntolerance = { absolute = 1.0 }";
    let folder = changed(|text| text.replacen("values = { range = { start = 257, step = 1 } }", tolerant, 1));
    gpurf(folder.path(), &["workloads", "stencil.toml", "--check"]).success();
}

#[test]
fn values_come_from_files_and_chance() {
    let folder = changed(|text| text.replacen("\"iota\"", "{ file = \"field.bin\" }", 1));
    let field: Vec<u8> = (0..16_896).flat_map(|i| (i as f32).to_le_bytes()).collect();
    fs::write(folder.path().join("field.bin"), &field).expect("written");
    gpurf(folder.path(), &["workloads", "stencil.toml", "--check"]).success();
    fs::write(folder.path().join("field.bin"), &field[4..]).expect("written");
    let refused = gpurf(folder.path(), &["sim", "stencil.toml"]).code(2);
    refused.stderr(contains("field.bin has 67580 bytes; 16896 elements of type f32 take 67584"));

    let random = "{ random = { seed = 1, min = -1.0, max = 1.0 } }";
    let folder = changed(|text| text.replacen("\"iota\"", random, 1));
    gpurf(folder.path(), &["sim", "stencil.toml"]).code(1).stderr(contains("wrong answer: mean[257]"));
}

#[test]
fn what_is_no_launch_file() {
    let folder = changed(|text| text.replacen("listing", "= listing", 1));
    gpurf(folder.path(), &["sim", "stencil.toml"]).code(2).stderr(contains("stencil.toml:4: "));
    gpurf(folder.path(), &["sim", "stencil.sass"]).code(2).stderr(contains("write a launch file"));
    gpurf(folder.path(), &["sim", "nowhere.toml"]).code(2).stderr(contains("nowhere.toml"));
    fs::write(folder.path().join("empty.toml"), "").expect("written");
    gpurf(folder.path(), &["sim", "empty.toml"]).code(2).stderr(contains("missing field `listing`"));
    fs::write(folder.path().join("idle.toml"), "listing = \"stencil.sass\"\nlaunch = []").expect("written");
    gpurf(folder.path(), &["sim", "idle.toml"]).code(2).stderr(contains("add a [[launch]]"));
    fs::write(
        folder.path().join("unchecked.toml"),
        "listing = \"stencil.sass\"\n[[launch]]\nkernel = \"stencil\"\ngrid = 1\nblock = 1",
    )
    .expect("written");
    let unchecked = gpurf(folder.path(), &["workloads", "unchecked.toml", "--check"]).code(2);
    unchecked.stderr(contains("add an [[expect]]"));
}

#[test]
fn keys_and_values() {
    refuses("count = 16_896", "size = 16_896", "count = 16_896", &["unknown field `size`", "`count`"]);
    refuses("\"f32\"", "\"float\"", "\"f32\"", &["unknown variant `float`", "`f32`"]);
    refuses("\"iota\"", "\"one\"", "\"iota\"", &["unknown variant `one`", "`zero`", "`iota`", "`file`"]);
    refuses("\"iota\"", "{ random = { seed = 1 } }", "\"iota\"", &["missing field `min`"]);
    refuses("count = 16_896", "count = 0", "[buffers.field]", &["count = 0", "give 1 to"]);
    refuses("count = 16_896", "count = 1_099_511_627_776", "[buffers.field]", &["give 1 to"]);
    refuses("\"f32\"", "\"u8\"", "[buffers.field]", &["256 does not fit type u8"]);
    refuses("\"iota\"", "{ list = [1, 2] }", "[buffers.field]", &["2 values", "16896"]);
    refuses("\"iota\"", "{ file = \"no.bin\" }", "[buffers.field]", &["no.bin", "check the path"]);
    refuses("stencil.sass", "no.sass", "listing =", &["no.sass", "nvdisasm"]);
    refuses(
        "grid = [2, 4]",
        "grid = []",
        "grid =",
        &["`grid = []`", "a positive number, or a list of two or three"],
    );
    refuses("{ i32 = 256 }", "{ i32 = 5_000_000_000 }", "arguments", &["5000000000", "i32"]);
    refuses("{ i32 = 256 }", "{ int = 256 }", "arguments", &["unknown kind of argument `int`", "`i32`"]);
}

#[test]
fn launches() {
    let launch = "[[launch]]";
    refuses("kernel = \"stencil\"", "kernel = \"blur\"", launch, &["blur", "it has stencil"]);
    refuses("{ buffer = \"field\" }", "{ buffer = \"plain\" }", "arguments", &["plain", "field, mean"]);
    refuses(", { i32 = 16 }", "", launch, &["3 arguments given, the kernel takes 4"]);
    refuses("{ i32 = 16 }", "{ i64 = 16 }", launch, &["argument 4 has 8 bytes, the kernel takes 4"]);
    refuses("block = 128", "block = 2048", launch, &["2048", "1024"]);
    refuses("grid = [2, 4]", "grid = [0, 4]", launch, &["grid"]);
    refuses("block = 128", "block = 128\nshared = 100_000", launch, &["shared memory", "65536"]);
    // Rows past the end of the buffers.
    let parts = ["kernel stencil, PC 0x", "block (", "lane", "past the end of buffer field"];
    refuses("{ i32 = 16 }", "{ i32 = 17 }", launch, &parts);
}

#[test]
fn prints_and_expectations() {
    let print = "[[print]]";
    refuses("first = 256", "first = 20_000", print, &["buffer mean has 16896 elements"]);
    refuses("count = 4", "count = 0", print, &["buffer mean has 16896 elements"]);
    refuses("count = 4", "count = 9_223_372_036_854_775_807", print, &["buffer mean has 16896 elements"]);
    let expect = "[[expect]]";
    refuses("\"mean\"\nfirst = 257", "\"means\"\nfirst = 257", expect, &["there is no buffer means"]);
    let values = "values = { range = { start = 257, step = 1 } }";
    refuses(values, "values = { list = [257] }", expect, &["1 values", "254"]);
    refuses(values, "", expect, &["missing field `values`"]);
    refuses(values, "tolerance = 1", values, &["`tolerance = 1`", "a table of"]);
}

#[test]
fn variables_of_the_listing() {
    let folder = changed(|text| format!("{text}\n[variables.scale]\ntype = \"f32\"\ncount = 1\n"));
    let assert = gpurf(folder.path(), &["sim", "stencil.toml"]).code(2);
    assert.stderr(contains("the listing has no variable scale"));
}

/// The tools of NVIDIA are not needed for listings, except for machine code.
#[test]
fn machine_code_wants_a_disassembler() {
    let folder = changed(|text| text.replacen("stencil.sass", "stencil.cubin", 1));
    let mut cubin = vec![0x7f, b'E', b'L', b'F'];
    cubin.resize(64, 0);
    cubin[18] = 190;
    fs::write(folder.path().join("stencil.cubin"), cubin).expect("written");
    let mut tool = Command::cargo_bin("gpurf").expect("the tool is built");
    let assert = tool.current_dir(folder.path()).env("PATH", "").args(["sim", "stencil.toml"]).assert();
    assert
        .code(2)
        .stderr(contains("nvdisasm cannot be run"))
        .stderr(contains("pip install nvidia-cuda-nvdisasm"));
}
