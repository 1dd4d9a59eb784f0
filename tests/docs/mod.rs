// SPDX-License-Identifier: Apache-2.0
//! The tables of the documents are what they describe, and `gpurf docs` finds those that are not.

mod commands;
mod links;
mod style;

use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;
use assert_cmd::Command;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use tempfile::TempDir;

fn docs(root: &Path, arguments: &[&str]) -> Assert {
    let mut command = Command::cargo_bin("gpurf").expect("the tool is built");
    command.arg("docs").arg("--root").arg(root).args(arguments).assert()
}

fn source() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Takes a file of the project into a folder, where it has the same place.
fn copy(folder: &TempDir, file: &str) {
    let place = folder.path().join(file);
    fs::create_dir_all(place.parent().expect("a folder")).expect("created");
    fs::copy(source().join(file), place).expect("copied");
}

/// A folder with the example and one document, whose table is that of the project.
fn copied() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["docs/your_kernel.md", "docs/examples/stencil.toml", "docs/examples/stencil.sass"] {
        copy(&folder, name);
    }
    fs::write(folder.path().join("README.md"), "# No tables\n").expect("written");
    folder
}

fn document(folder: &TempDir) -> String {
    fs::read_to_string(folder.path().join("docs/your_kernel.md")).expect("read")
}

#[test]
fn the_tables_are_what_they_describe() {
    docs(source(), &["--check"]).success();
}

#[test]
fn a_changed_table_is_found_and_mended() {
    let folder = copied();
    docs(folder.path(), &["--check"]).success().stdout("");
    let right = document(&folder);
    let wrong = right.replacen("| `baseline` |", "| `baseline` | 9", 1);
    assert_ne!(right, wrong);
    fs::write(folder.path().join("docs/your_kernel.md"), &wrong).expect("written");
    let start = "<!-- generated: stencil -->";
    let line = 1 + right.lines().position(|line| line == start).expect("the table is there");
    let place = format!("docs/your_kernel.md:{line}: stencil");
    docs(folder.path(), &["--check"]).code(1).stdout(contains(&place).and(contains("stale")));
    assert_eq!(document(&folder), wrong, "--check writes nothing");
    docs(folder.path(), &[]).success().stdout(contains(&place));
    assert_eq!(document(&folder), right);
}

/// Every cell that a table has of a record is that of the record: one changed by hand is found, in any of
/// these tables.
#[test]
fn a_changed_cell_of_a_record_is_found() {
    let folder = copied();
    copy(&folder, "papers/results/malekeh/built-in_small.json");
    copy(&folder, "papers/results/multicast/here.json");
    copy(&folder, "sim/tests/microbenchmarks.csv");
    copy(&folder, "papers/results/speed/make.csv");
    let readme = folder.path().join("README.md");
    for table in [
        "tables malekeh built-in small; Averages",
        "tables malekeh built-in small; Averages; hit ratio; malekeh = Malekeh; bow",
        "tables malekeh built-in small; Averages; cache writes, of results = writes, hit ratio; malekeh",
        "tables malekeh built-in small; Fixed STHLD; IPC %, hit ratio %",
        "tables multicast here; IPC, change over the baseline; resnet = ResNet, bert",
        "results malekeh; built-in small",
        "points malekeh built-in small; energy_ratio",
        "measured sim/tests/microbenchmarks.csv",
        "measured papers/results/speed/make.csv",
        "claims W; extra-control-storage, area-bound",
        "runs sgemm",
    ] {
        fs::write(&readme, format!("<!-- generated: {table} -->\n<!-- end -->\n")).expect("written");
        docs(folder.path(), &[]).success();
        let right = fs::read_to_string(&readme).expect("read");
        let cells: Vec<usize> =
            right.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let in_table = |at: &&usize| right[..**at].lines().last().is_some_and(|line| line.starts_with('|'));
        // The first, the last, and one between.
        let cells: Vec<&usize> = cells.iter().filter(in_table).collect();
        for at in [cells[0], cells[cells.len() / 2], cells[cells.len() - 1]] {
            let digit = if &right[*at..at + 1] == "7" { "8" } else { "7" };
            let mut wrong = right.clone();
            wrong.replace_range(*at..at + 1, digit);
            fs::write(&readme, wrong).expect("written");
            docs(folder.path(), &["--check"])
                .code(1)
                .stdout(contains("README.md:1: ").and(contains("stale")));
        }
    }
}

#[test]
fn markers_that_cannot_be_are_errors() {
    for (text, parts) in [
        ("one\n<!-- generated: colours -->\n<!-- end -->\n", ["README.md:2", "`colours`", "stencil"]),
        ("<!-- generated: stencil -->\ntext\n", ["README.md:1", "no end", "<!-- end -->"]),
        (
            "<!-- generated: stencil -->\n<!-- generated: stencil -->\n<!-- end -->\n",
            ["README.md:1", "no end", ""],
        ),
        ("\n\n<!-- end -->\n", ["README.md:3", "without", "generated"]),
        ("<!-- generated: papers X -->\n<!-- end -->\n", ["README.md:1", "no paper", "W, F, I, R, C"]),
        (
            "<!-- generated: claims F; area -->\n<!-- end -->\n",
            ["README.md:1", "F has no claim `area`", "there are extra-data-storage"],
        ),
        (
            "<!-- generated: runs sgemm --nonsense -->\n<!-- end -->\n",
            ["README.md:1", "is no command", "sgemm"],
        ),
        ("<!-- generated: files cuc -->\n<!-- end -->\n", ["README.md:1", "`cuc`", "ccu"]),
        (
            "<!-- generated: tables malekeh built-in small; Averages; hits -->\n<!-- end -->\n",
            ["README.md:1", "no column `hits`", "hit ratio"],
        ),
        (
            "<!-- generated: results malekeh; rodinia -->\n<!-- end -->\n",
            ["README.md:1", "no record `rodinia`", "papers/results/malekeh"],
        ),
    ] {
        let folder = copied();
        copy(&folder, "papers/results/malekeh/built-in_small.json");
        fs::write(folder.path().join("README.md"), text).expect("written");
        let assert = docs(folder.path(), &[]).code(2);
        let message = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        for part in parts {
            assert!(message.contains(part), "{text}: `{part}` is not in: {message}");
        }
    }
    let empty = tempfile::tempdir().expect("a folder");
    docs(empty.path(), &[]).code(2).stderr(contains("--root"));
}

#[test]
fn scenarios_are_listed_with_the_sections_they_cite() {
    let folder = copied();
    let readme = folder.path().join("README.md");
    fs::write(&readme, "<!-- generated: scenarios ocu_stage ccu_stage -->\n<!-- end -->\n").expect("written");
    docs(folder.path(), &[]).success();
    let text = fs::read_to_string(&readme).expect("read");
    assert!(text.contains("| `no_sources_no_wait` | all | F §II: "), "{text}");
    assert!(text.contains("| `a_hit_needs_no_bank` | `ccu_stage` | F §III-C1: "), "{text}");
}

#[test]
fn places_of_the_papers_lead_to_modules() {
    let pages = fs::read_to_string(source().join("docs/papers.md")).expect("read");
    // By the module's declaration, by the rules of its scenarios, and by a range of sections.
    for row in [
        "| §IV-B3 | [`sthld_controller`](sthld_controller.md) |",
        "| Fig. 11 | [`pcrf`](pcrf.md) |",
        "| §3.2 | [`lrt_cam`](lrt.md) |",
    ] {
        assert!(pages.contains(row), "`{row}` is not in docs/papers.md");
    }
}

#[test]
fn pictures_of_curves_are_those_of_the_records() {
    let folder = copied();
    copy(&folder, "papers/results/malekeh/built-in_small.json");
    let readme = folder.path().join("README.md");
    fs::write(&readme, "<!-- generated: curves malekeh -->\n<!-- end -->\n").expect("written");
    docs(folder.path(), &["--check"]).code(1).stdout(contains("energy_ratio.svg: stale"));
    docs(folder.path(), &[]).success();
    docs(folder.path(), &["--check"]).success().stdout("");
    assert!(fs::read_to_string(&readme).expect("read").contains("F §VI-B3, Fig. 15: malekeh"));
    let pictures = folder.path().join("docs/curves");
    let picture = pictures.join("malekeh_built-in_small_energy_ratio.svg");
    let drawn = fs::read_to_string(&picture).expect("read");
    fs::write(&picture, drawn.replacen("polyline", "polygon", 1)).expect("written");
    fs::write(pictures.join("of_nothing.svg"), "").expect("written");
    let stale = contains("energy_ratio.svg: stale").and(contains("of_nothing.svg: stale"));
    docs(folder.path(), &["--check"]).code(1).stdout(stale);
    docs(folder.path(), &[]).success();
    assert_eq!(fs::read_to_string(&picture).expect("read"), drawn);
    assert!(!pictures.join("of_nothing.svg").exists());
}
