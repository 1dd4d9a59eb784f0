// SPDX-License-Identifier: Apache-2.0
//! Hardware, models and testbenches of a module stand at the same place: `hw/src`, `sim/src` and
//! `testbenches/src` have the same tree, and what is in one of them alone is listed here with the reason.

use std::collections::BTreeSet;
use std::path::Path;

use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::catalogue;
use gpurf_testbenches::workbench;

const CRATES: [&str; 3] = ["hw", "sim", "testbenches"];

/// Files that stand in some crates and not in the others: the crates that have them, their place, and why.
const EXEMPT: &[(&[&str], &str, &str)] = &[
    (&["hw"], "dialect", "the language of the hardware"),
    (&["hw"], "catalogue", "names of the modules"),
    (&["hw"], "bundles", "wires that travel together"),
    (&["hw"], "generics", "const generics of the modules"),
    (&["sim"], "sm", "the streaming multiprocessor around the models"),
    (&["sim"], "config", "constants of the streaming multiprocessor"),
    (&["sim"], "design", "what a design of the streaming multiprocessor has"),
    (&["sim"], "engines", "the models that the streaming multiprocessor steps"),
    (&["sim"], "words", "the ports of a sub-core as the streaming multiprocessor's loop speaks them"),
    (&["sim"], "register_cache/words", "the ports of a register cache as the loop speaks them"),
    (&["sim"], "statistics", "what the streaming multiprocessor counts"),
    (&["sim"], "energy", "energy of what the streaming multiprocessor counts"),
    (&["sim"], "register_traffic", "a count of traffic over streams, which is no hardware"),
    (&["sim"], "gemm_traffic", "an estimate of traffic, which is no hardware"),
    (&["sim"], "bits", "sets as bit masks"),
    (&["sim"], "checkpoint", "the state of a run of the streaming multiprocessor"),
    (&["sim", "testbenches"], "multicast/lrt", "what lrt_cam and lrt_scan share"),
    (&["testbenches"], "crowd", "stimulus that arbiter, operand_stage and sub_core share"),
    (&["testbenches"], "failure", "what all testbenches share"),
    (&["testbenches"], "heads", "stimulus that issue_stage and sub_core share"),
    (&["testbenches"], "random", "what all testbenches share"),
    (&["testbenches"], "registry", "what all testbenches share"),
    (&["testbenches"], "sampling", "what all testbenches share"),
    (&["testbenches"], "scenario", "what all testbenches share"),
    (&["testbenches"], "stimulus", "what all testbenches share"),
    (&["testbenches"], "testbench", "what all testbenches share"),
    (&["testbenches"], "tap", "what looks inside the compiled RTL"),
    (&["testbenches"], "trial", "what all testbenches share"),
    (&["testbenches"], "workbench", "what all testbenches share"),
    (
        &["sim", "testbenches"],
        "sub_core_engine",
        "a sub-core as a design of the streaming multiprocessor has it",
    ),
    (&["testbenches"], "unit_hardware", "units of the streaming multiprocessor as its parameters have them"),
    (
        &["sim"],
        "modern/memory_tables",
        "H's tables of memory instructions, and the streaming multiprocessor's",
    ),
    (&["sim"], "modern/sub_core_words", "the ports of modern_sub_core as the loop speaks them"),
    (&["sim"], "modern/windows", "sequences whose cycles are known from silicon"),
    (&["sim"], "stage_recording", "the stimulus that an operand stage has in a run"),
    (&["testbenches"], "transfers", "stimulus that operand_stage and sub_core share"),
];

/// Folders of modules; any other folder is a module, or a piece, that has several files.
const GROUPS: [&str; 8] =
    ["cells", "collector", "finereg", "issue", "modern", "multicast", "register_cache", "register_file"];

/// The places of a crate: `collector/ccu` for `collector/ccu.rs` as for `collector/ccu/scenarios.rs`.
fn places(of: &str) -> BTreeSet<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of).join("src");
    let mut places = BTreeSet::new();
    for name in children(&source).filter(|name| name != "lib") {
        match GROUPS.contains(&name.as_str()) && source.join(&name).is_dir() {
            true => {
                let modules = children(&source.join(&name)).filter(|module| module != "mod");
                places.extend(modules.map(|module| format!("{name}/{module}")));
            }
            false => {
                places.insert(name);
            }
        }
    }
    places
}

/// Names of files and folders, files without their ending. Monitors, which are Verilog, stand beside their
/// module.
fn children(folder: &Path) -> impl Iterator<Item = String> {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a folder that can be read").path());
    let paths = paths.filter(|path| path.extension().is_none_or(|ending| ending == "rs"));
    paths.map(|path| path.file_stem().expect("it has a name").to_string_lossy().into_owned())
}

#[test]
fn hardware_models_and_testbenches_have_the_same_tree() {
    let places = CRATES.map(|name| (name, places(name)));
    let all: BTreeSet<&String> = places.iter().flat_map(|(_, places)| places).collect();
    let mut wrong = vec![];
    for place in &all {
        let having: Vec<&str> =
            places.iter().filter(|(_, places)| places.contains(*place)).map(|(name, _)| *name).collect();
        let exempt = EXEMPT.iter().find(|(_, exempt, _)| exempt == place);
        let expected = exempt.map_or(&CRATES[..], |(crates, _, _)| crates);
        if having != expected {
            wrong.push(format!("{place}: in {having:?}, expected in {expected:?}"));
        }
    }
    for (_, place, reason) in EXEMPT.iter().filter(|(_, place, _)| !all.contains(&place.to_string())) {
        wrong.push(format!("{place} ({reason}) is nowhere: take it out of the list"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Opening panics where none is registered.
#[test]
fn every_module_of_the_catalogue_has_a_testbench() {
    for entry in catalogue() {
        let design = workbench(entry.name, &Parameters::default()).verilog().expect("it emits");
        assert!(design.top.starts_with(entry.name), "{} opens {}", entry.name, design.top);
    }
}
