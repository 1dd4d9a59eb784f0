// SPDX-License-Identifier: Apache-2.0
//! `gpurf register-cache` and its study.

use assert_cmd::Command;
use gpurf_blocks::{CacheAllocation, LANES};
use gpurf_fixtures::measured;
use gpurf_sim::register_traffic::{Configuration, Reach};
use indicatif::HumanCount;
use predicates::prelude::*;
use rayon::prelude::*;
use serde_json::Value;

fn gpurf(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let output =
        gpurf(&[&["register-cache"], arguments, &["--json", "-"]].concat()).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn the_eight_caches_are_counted_alike_by_any_number_of_threads() {
    let one = json(&["bfs", "--threads", "1"]);
    assert_eq!(one, json(&["bfs", "--threads", "3"]));
    let rows = one[0]["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), 8);
    for row in rows {
        let count = |name: &str| row["traffic"][name].as_u64().expect("a count");
        assert_eq!(count("reads"), count("read_hits") + count("register_file_reads"));
        assert!(count("read_hits") > 0 && row["energy"]["total"].as_f64() > Some(0.0));
    }
}

#[test]
fn values_of_settings_are_combined() {
    let rows = json(&["nn", "--set", "rc_ways=2,4", "--set", "rc_replacement=fifo,lru", "--reach", "cache"]);
    let labels: Vec<_> =
        rows[0]["rows"].as_array().expect("rows").iter().map(|row| row["label"].clone()).collect();
    assert_eq!(
        labels,
        [
            "2w write interleaving reach cache",
            "2w write interleaving lru reach cache",
            "4w write interleaving reach cache",
            "4w write interleaving lru reach cache"
        ]
    );
}

#[test]
fn tables_name_what_they_count_and_csv_has_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("results.csv");
    let output = gpurf(&["register-cache", "nn", "--csv", file.to_str().expect("a path")]);
    let printed =
        predicate::str::contains("RF writes").and(predicate::str::contains("2w compiler_aided linear"));
    { output }.assert().success().stdout(printed);
    let text = std::fs::read_to_string(file).expect("it was written");
    assert_eq!(text.lines().count(), 9);
    assert!(text.starts_with("input,cache,rules,warp_instructions,"));
}

#[test]
fn every_difference_is_switched_alone() {
    let all = json(&["bfs", "--differences"]);
    let changes = all.as_array().expect("changes");
    assert_eq!(
        (changes[0]["change"].as_str(), changes[1]["change"].as_str()),
        (Some("RFC-sim"), Some("not: a read hit clears the dirty bit"))
    );
    let avoided = |number: usize| {
        changes[number]["rows"][0]["register_file_writes_avoided_percent"].as_f64().expect("a number")
    };
    assert!(avoided(1) < avoided(0), "clearing dirty bits avoids writes that must be made");
}

/// Counts grow by the same for each step of a thread block along K. So the counts of a row of blocks of a
/// product of 2,048 follow from products of 256 and 512, which run whole.
#[test]
fn a_sample_of_a_product_counts_as_its_blocks_do_in_whole_products() {
    for format in ["hgemm", "igemm"] {
        let of_block = |size: u64, blocks: u64, note: bool| {
            let counted = json(&[&format!("{format}-{size}"), "--set", "rc_allocation=compiler_aided"]);
            assert_eq!(counted[0]["notes"].as_array().map(Vec::len), Some(usize::from(note)));
            ["instructions", "reads", "writes", "read_hits", "register_file_writes"].map(|name| {
                let count = counted[0]["rows"][0]["traffic"][name].as_u64().expect("a count");
                assert_eq!(count % blocks, 0, "{format}-{size}: {name}");
                count / blocks
            })
        };
        let (small, middle, sample) =
            (of_block(256, 4, false), of_block(512, 16, false), of_block(2048, 16, true));
        for ((small, middle), sample) in small.into_iter().zip(middle).zip(sample) {
            assert_eq!(sample - middle, 6 * (middle - small), "{format}");
        }
    }
}

#[test]
fn unusable_input_ends_with_2_and_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = folder.path().join("flags");
    std::fs::write(&flags, "other 0000 0\n").expect("it is written");
    let flags = flags.to_str().expect("a path");
    for (arguments, message) in [
        (vec!["nosuch"], "neither a built-in workload"),
        (vec!["nn", "--set", "rc_ways=3"], "rc_ways=3 is not possible"),
        (vec!["nn", "--set", "slots=3"], "no parameter of a register cache"),
        (vec!["nn", "--as", "rfc-sim", "--reach", "cache"], "leave it out"),
        (vec!["nn", "--as", "rfc-sim", "--set", "rc_tag_lanes=32"], "set rc_tag_lanes=1"),
        (vec!["nn", "--as", "rfc-sim", "--set", "rc_allocation=read"], "set rc_allocation to write"),
        (vec!["nn", "--reuse", "nosuch"], "the file of flags cannot be read"),
        (vec!["nn", "--reuse", flags], "names no kernel of nn"),
    ] {
        let failed = gpurf(&[&["register-cache"], &arguments[..]].concat()).assert().code(2);
        failed.stderr(predicate::str::contains(message));
    }
    gpurf(&["compare", "register-cache", "--also", "sthld"]).assert().code(2);
}

#[test]
fn the_study_sets_claims_beside_three_readings() {
    let output = gpurf(&["compare", "register-cache", "nn", "--json", "-"]).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(results["readings"].as_array().map(Vec::len), Some(3));
    // A claim about workloads that were not run has no number.
    assert!(results["claims"][0]["counted"][0][1].is_null());
}

/// For a table of C's eight caches: the cache, for how many cycles it ran on all engines, and how many
/// accesses were made.
type Row = [String; 3];

/// With this number of cycles, and with that where the compiler decides what is taken in, so that accesses
/// are fewer.
fn a_million_random_accesses(tag_lanes: usize, cycles: u64, aided: u64, accesses: &[&str]) -> Vec<Row> {
    let agree = |configuration: Configuration| {
        let is_aided = configuration.allocation == CacheAllocation::CompilerAided;
        let cycles = if is_aided { aided } else { cycles };
        let settings = Configuration { tag_lanes, ..configuration }.settings();
        let length = cycles.to_string();
        let mut arguments = vec!["testbench", "register_cache", "--cycles", &length, "--json", "-"];
        for setting in &settings {
            arguments.extend(["--set", setting]);
        }
        arguments.extend(["--set", "width=32"]);
        let output = gpurf(&arguments).output().expect("it starts");
        assert!(output.status.success(), "{settings:?}: {}", String::from_utf8_lossy(&output.stdout));
        let reports: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let coverage = &reports[0]["coverage"];
        let accesses: u64 = accesses.iter().map(|name| coverage[name].as_u64().expect("a count")).sum();
        assert!(accesses > 1_000_000, "{settings:?}: {coverage}");
        [configuration.label(), HumanCount(cycles).to_string(), HumanCount(accesses).to_string()]
    };
    Configuration::table_vi(Reach::Cache).into_iter().map(agree).collect()
}

/// A look-up or a write of a register is an access.
///
/// Takes minutes: `make soak`.
#[test]
#[ignore = "takes minutes"]
fn a_million_random_accesses_agree_with_tags_for_a_warp() {
    let accesses = ["registers looked up", "registers written"];
    let rows = a_million_random_accesses(LANES, 420_000, 520_000, &accesses);
    let header = ["cache", "cycles", "registers looked up and written"];
    measured::file!["register_cache/warp_tags.csv"].assert_eq(&measured::table(header, rows));
}

/// An access of a lane counts as one. The output goes into `register_cache/thread_tags.csv`, with the day
/// and the commit.
///
/// Takes half an hour: `make soak`.
#[test]
#[ignore = "takes half an hour"]
fn a_million_random_accesses_agree_with_tags_for_each_thread() {
    let accesses = ["lanes hit", "lanes missed", "lanes written"];
    let rows = a_million_random_accesses(1, 25_000, 25_000, &accesses);
    println!("{}", measured::table(["cache", "cycles", "lanes looked up and written"], rows));
}

/// Statistics of the start of a run.
fn sim(arguments: &[&str]) -> Value {
    let output = gpurf(&[&["sim"], arguments, &["--cycles", "1000", "--json", "-"]].concat())
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn caches_in_the_sm_are_the_same_on_every_engine() {
    let caches: [(&[&str], &str); 4] = [
        (&["register-cache", "--set", "rc_ways=2", "--set", "rc_allocation=compiler_aided"], "lockstep"),
        // Verilator's model of 32 arrays of tags takes a minute to build: `make soak` runs that.
        (&["register-cache", "--set", "rc_tag_lanes=1"], "rtl"),
        (&["software-rfc"], "lockstep"),
        (&["ltrf"], "lockstep"),
    ];
    caches.par_iter().for_each(|(cache, engine)| {
        let arguments = [&["bfs", "--design"], *cache].concat();
        let model = sim(&arguments);
        assert!(model["rc_lane_read_hits"].as_u64() > Some(1000), "{cache:?}");
        let mut hardware = sim(&[&arguments[..], &["--engine", engine]].concat());
        assert_eq!(hardware["divergences"], 0, "{cache:?}");
        hardware["engine"] = model["engine"].clone();
        assert_eq!(hardware, model, "{cache:?}");
    });
}
