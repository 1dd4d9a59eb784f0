// SPDX-License-Identifier: Apache-2.0
//! Rules of the architecture: which crate may rest on which, that a type's name means one thing in its crate,
//! and that every source names its licence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Every crate with the crates of the project that it may depend on, those of its tests left out.
/// `docs/layout.md` tells why.
const MAY_IMPORT: [(&str, &[&str]); 21] = [
    ("commit", &[]),
    ("files", &[]),
    ("fixtures", &[]),
    ("benchmarks/clock", &[]),
    ("benchmarks/card", &["sim", "trace"]),
    ("hw/declaration", &[]),
    ("hw/rtl", &["declaration"]),
    ("blocks", &["declaration"]),
    ("trace", &["files"]),
    ("workloads", &["files", "trace"]),
    ("workloads/tests", &[]),
    ("sim/tests", &[]),
    ("hw", &["blocks", "rtl"]),
    // A model that rests on the RTL is no oracle.
    ("sim", &["blocks", "rtl", "trace"]),
    ("gen-verilog", &["blocks", "files", "hw"]),
    ("testbenches", &["blocks", "hw", "sim", "verilog"]),
    ("synth", &["blocks", "files", "hw", "verilog"]),
    ("power", &["blocks", "hw", "sim", "synth", "testbenches", "trace", "verilog"]),
    ("benchmarks/cudart", &["trace", "workloads"]),
    (
        ".",
        &[
            "blocks",
            "card",
            "commit",
            "files",
            "hw",
            "power",
            "sim",
            "synth",
            "testbenches",
            "trace",
            "verilog",
            "workloads",
        ],
    ),
    ("python", &["", "blocks", "commit", "hw", "testbenches", "verilog"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The crates of the project that a manifest names in one of these tables; the tool is the empty name.
fn imports(folder: &str, tables: &[&str]) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(folder).join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = text.parse().expect("it is TOML");
    let names =
        tables.iter().filter_map(|table| manifest.get(*table)?.as_table()).flat_map(|table| table.keys());
    let own = names.filter_map(|name| name.strip_prefix("gpurf"));
    own.map(|name| name.trim_start_matches('-').to_string()).collect()
}

#[test]
fn crates_import_only_what_they_may() {
    let mut wrong = vec![];
    for (folder, may) in MAY_IMPORT {
        for import in imports(folder, &["dependencies", "build-dependencies"]) {
            if !may.contains(&import.as_str()) {
                wrong.push(format!("{folder}/Cargo.toml: gpurf-{import}"));
            }
        }
    }
    assert!(wrong.is_empty(), "imports against the architecture:\n{}", wrong.join("\n"));
}

#[test]
fn every_crate_has_a_rule() {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let manifest: toml::Table = text.parse().expect("it is TOML");
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    for member in members.iter().map(|member| member.as_str().expect("a path")) {
        assert!(MAY_IMPORT.iter().any(|(folder, _)| *folder == member), "{member} has no rule");
    }
}

/// A dependency that the manifest does not have cannot be used: but tests of models compare them with
/// hardware, and nothing of that may reach the models themselves.
#[test]
fn models_never_name_the_hardware() {
    let mut wrong = vec![];
    for path in sources(&root().join("sim/src")) {
        let text = fs::read_to_string(&path).expect("a source");
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains("gpurf_hw"));
        wrong.extend(lines.map(|(number, line)| format!("{}:{}: {line}", path.display(), number + 1)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The Rust files below a folder, except inputs of tests that do not compile.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let is_skipped = |name: &str| ["target", "out", "broken"].contains(&name) || name.starts_with('.');
    let entries = WalkDir::new(folder)
        .into_iter()
        .filter_entry(move |entry| entry.depth() == 0 || !is_skipped(&entry.file_name().to_string_lossy()));
    let paths = entries.map(|entry| entry.expect("a file").into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// `tools/format` writes the line where it is missing.
#[test]
fn every_source_names_its_licence() {
    let named = "// SPDX-License-Identifier: Apache-2.0\n";
    let sources = sources(root());
    assert!(sources.len() > 500, "{}", sources.len());
    let is_without = |path: &&PathBuf| !fs::read_to_string(path).expect("a source").starts_with(named);
    let without: Vec<_> = sources.iter().filter(is_without).map(|path| path.display().to_string()).collect();
    assert!(without.is_empty(), "run tools/format: it adds the line to\n{}", without.join("\n"));
}

/// The type that a line defines for other files, if it defines one. Associated types are no definitions.
fn public_type(line: &str) -> Option<&str> {
    let visible = line.trim_start().strip_prefix("pub")?;
    let visible = visible.strip_prefix('(').map_or(Some(visible), |path| Some(path.split_once(')')?.1))?;
    let (kind, rest) = visible.strip_prefix(' ')?.split_once(' ')?;
    let defines =
        ["struct", "enum", "trait", "union"].contains(&kind) || line.starts_with("pub") && kind == "type";
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    (defines && !name.is_empty()).then_some(name)
}

/// Places of the public types of a crate, by name. Unit tests stand at the end of a file.
fn public_types(source: &Path) -> BTreeMap<String, Vec<String>> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in sources(source) {
        let text = fs::read_to_string(&path).expect("a source");
        let shown = path.strip_prefix(root()).expect("it is below the root").display();
        let lines = text.lines().enumerate().take_while(|(_, line)| *line != "mod tests {");
        for (number, name) in lines.filter_map(|(number, line)| Some((number, public_type(line)?))) {
            places.entry(name.into()).or_default().push(format!("{shown}:{}", number + 1));
        }
    }
    places
}

/// Subcommands of the tool name theirs alike, as examples of clap do.
#[test]
fn a_public_type_name_means_one_thing_in_its_crate() {
    let (mut count, mut wrong) = (0, vec![]);
    for (folder, _) in MAY_IMPORT.into_iter().filter(|(folder, _)| root().join(folder).join("src").is_dir()) {
        for (name, places) in public_types(&root().join(folder).join("src")) {
            count += 1;
            let is_of_clap = folder == "." && name == "Arguments";
            if places.len() > 1 && !is_of_clap {
                wrong.push(format!("{name}: {}", places.join(", ")));
            }
        }
    }
    assert!(count > 1000, "{count}");
    assert!(wrong.is_empty(), "rename, so that each says what it is:\n{}", wrong.join("\n"));
}

/// The rows of a type: constants in the file that declares them.
fn rows(file: &str, kind: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).expect("a source");
    let name = |before: &str| {
        let name = before.trim_end().strip_suffix('=')?.split_whitespace().last()?;
        Some(name.to_string())
    };
    text.split(&format!("{kind} {{")).filter_map(name).collect()
}

/// All else asks a design: a kind of collectors is one row, and so are a residency and a warp scheduler.
#[test]
fn kinds_of_designs_are_named_in_their_rows_and_presets_alone() {
    let parameters = "blocks/src/parameters";
    let kinds = [
        ("CollectorKind", "sim/src/design/collectors.rs", 4, vec![]),
        ("Residency", "sim/src/design/residency.rs", 4, vec![]),
        // One of the others has the default. The other has a bound that holds for one scheduler alone.
        (
            "Scheduling",
            "blocks/src/parameters/scheduling.rs",
            3,
            vec![format!("{parameters}/declared.rs"), "testbenches/tests/starvation.rs".into()],
        ),
    ];
    let mut wrong = vec![];
    for (kind, file, least, others) in kinds {
        let rows = rows(file, kind);
        assert!(rows.len() >= least, "{kind}: {rows:?}");
        let named = |text: &str| rows.iter().any(|row| text.contains(&format!("{kind}::{row}")));
        let design = ["choices.rs", "presets.rs"].map(|file| format!("sim/src/design/{file}"));
        let may: Vec<PathBuf> = [file.to_string()]
            .into_iter()
            .chain(design)
            .chain(others)
            .map(|path| root().join(path))
            .collect();
        for path in sources(root()).into_iter().filter(|path| !may.contains(path)) {
            if named(&fs::read_to_string(&path).expect("a source")) {
                wrong.push(format!("{}: {kind}", path.display()));
            }
        }
        assert!(may[1..].iter().all(|path| named(&fs::read_to_string(path).expect("a source"))));
    }
    assert!(wrong.is_empty(), "ask the design instead:\n{}", wrong.join("\n"));
}
