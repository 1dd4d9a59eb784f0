// SPDX-License-Identifier: Apache-2.0
//! `gpurf repeat`: recorded results are those that their commands still give, or it says which are not.

use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;
use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use serde_json::Value;

fn gpurf(arguments: &[&str]) -> Assert {
    Command::cargo_bin("gpurf").expect("the tool is built").args(arguments).assert()
}

fn edit(record: &Path, change: impl Fn(&mut Value)) {
    let mut json = serde_json::from_slice(&fs::read(record).expect("recorded")).expect("JSON");
    change(&mut json);
    fs::write(record, json.to_string()).expect("written");
}

#[test]
fn a_record_is_what_its_command_gives_or_has_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("deep/vectoradd.json");
    fs::create_dir(folder.path().join("deep")).expect("made");
    fs::write(folder.path().join("notes.txt"), "no record").expect("written");
    let [file, all] = [&record, folder.path()].map(|path| path.to_str().expect("a name"));
    gpurf(&["workloads", "vectoradd", "--record", file]).success();
    let original = fs::read(&record).expect("recorded");
    gpurf(&["repeat", all]).success().stdout(contains("same").and(contains("gpurf workloads vectoradd")));

    let title = |json: &Value| json["tables"][0]["title"].as_str().expect("a title").to_string();
    let first = title(&serde_json::from_slice(&original).expect("JSON"));
    edit(&record, |json| json["tables"][0]["rows"][1][1] = "another number".into());
    gpurf(&["repeat", all]).code(1).stdout(contains("moved").and(contains(first)));
    assert_ne!(fs::read(&record).expect("there"), original, "nothing is written");
    gpurf(&["repeat", "--update", file]).success().stdout(contains("moved"));
    assert_eq!(fs::read(&record).expect("there"), original, "what the command gives now");
}

#[test]
fn a_command_that_does_not_run_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = folder.path().join("record.json");
    let file = record.to_str().expect("a name");
    gpurf(&["workloads", "vectoradd", "--record", file]).success();
    edit(&record, |json| json["command"] = "gpurf sim no-such-trace".into());
    let before = fs::read(&record).expect("there");
    gpurf(&["repeat", "--update", file]).success().stdout(contains("not run").and(contains("no-such-trace")));
    assert_eq!(fs::read(&record).expect("there"), before);

    let missing = folder.path().join("missing");
    gpurf(&["repeat", missing.to_str().expect("a name")]).code(2).stderr(contains("cannot be read"));
    gpurf(&["repeat", file, "--in", missing.to_str().expect("a name")]).code(2).stderr(contains("--in"));
    fs::write(&record, "{}").expect("written");
    gpurf(&["repeat", file]).code(2).stderr(contains("is no record").and(contains("--record")));
}
