// SPDX-License-Identifier: Apache-2.0
//! The gate of every module: reference model, compiled RTL, rust-hdl's evaluation and emitted Verilog side by
//! side, and the Verilog clean under every checker. One test for each module and concern.
//!
//! Each pair of engines holds something: rust-hdl against compiled the emitter, Verilog against compiled the
//! generator of machine code, the model against compiled the hardware.

use std::collections::BTreeSet;
use std::fs;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use gpurf_blocks::{corners, Allocation, IssueLatch, LruStorage, Parameter, Parameters, LANES, PARAMETERS};
use gpurf_hw::catalogue::{catalogue, CatalogueEntry};
use gpurf_testbenches::EngineKind::{Icarus, Model, Rtl, RustHdl, Verilator};
use gpurf_testbenches::{workbench, EngineKind, Failure, Random, Workbench};
use gpurf_verilog::check;

mod per_module;

use per_module::{all, run};

fn main() -> ExitCode {
    run(&[
        ("all_engines_agree", all, all_engines_agree),
        ("rtl_and_verilator_agree_on_whole_registers", whole_registers, agree_on_whole_registers),
        ("rtl_and_verilator_agree_with_two_results_at_once", has_d_ports, agree_with_two_results_at_once),
        ("rtl_and_verilator_agree_on_entries_taken_on_arrival", allocates, agree_on_entries_taken_on_arrival),
        ("rtl_and_verilator_agree_on_tags_of_each_thread", has_tag_lanes, agree_on_tags_of_each_thread),
        ("all_engines_agree_with_latches_before_collectors", has_latches, agree_with_latches),
        ("rtl_and_icarus_agree", all, rtl_and_icarus_agree),
        ("a_reset_forgets_everything", forgets, a_reset_forgets_everything),
        ("checkers_find_nothing", all, checkers_find_nothing),
        ("verilog_is_the_same_every_time", all, verilog_is_the_same_every_time),
        ("its_parameters_are_those_it_names", all, its_parameters_are_those_it_names),
    ])
}

const SEED: u64 = 11;
const CYCLES: u64 = 10_000;
/// The cycles of rust-hdl, which is the slowest by far; `make soak` takes as many as of the others.
const RUST_HDL_CYCLES: u64 = 3_000;
/// Icarus interprets: what Verilator sees in many cycles, it sees in the first of them.
const ICARUS_CYCLES: u64 = 250;

/// Data of 32 bits, intervals so short that a run has many, and a PCRF so small that it fills. With the SM's
/// seed: its sub-cores are among these, and built once.
fn tokens() -> Parameters {
    Parameters { width: 32, interval: 50, pcrf_entries: 256, seed: 1, ..Default::default() }
}

/// Returns true if somebody asks for many cases.
fn is_soak() -> bool {
    std::env::var("PROPTEST_CASES").is_ok()
}

fn agree(entry: &CatalogueEntry, engines: &[EngineKind], parameters: &Parameters, cycles: u64) {
    let bench = workbench(entry.name, parameters);
    let outcome = bench.run(engines, &mut Random::seeded(SEED), cycles).expect("the engines are built");
    told(&*bench, engines, Vec::from_iter(Failure::of(&outcome)));
}

fn all_engines_agree(entry: &CatalogueEntry) {
    agree(entry, &[Rtl, RustHdl], &tokens(), if is_soak() { CYCLES } else { RUST_HDL_CYCLES });
    agree(entry, &[Model, Rtl, Verilator], &tokens(), CYCLES);
    // That rust-hdl answers scenarios as the model does is shown beside this, and takes the longer.
    let engines = [Model, Rtl, Verilator];
    let bench = workbench(entry.name, &tokens());
    told(&*bench, &engines, bench.play(&engines).expect("the engines are built"));
}

/// Fails if something failed, and says what, once.
fn told(bench: &dyn Workbench, engines: &[EngineKind], failures: Vec<Failure>) {
    assert!(failures.is_empty(), "\n{}", bench.report(engines, SEED, &failures));
}

fn whole_registers(entry: &CatalogueEntry) -> bool {
    ["ocu", "ccu", "bank"].contains(&entry.name)
}

fn agree_on_whole_registers(entry: &CatalogueEntry) {
    agree(entry, &[Rtl, RustHdl, Verilator], &Parameters::default(), 1000);
}

fn has_d_ports(entry: &CatalogueEntry) -> bool {
    entry.parameters().contains(&"d_ports")
}

fn agree_with_two_results_at_once(entry: &CatalogueEntry) {
    agree(entry, &[Rtl, RustHdl, Verilator], &Parameters { d_ports: 2, ..tokens() }, RUST_HDL_CYCLES);
}

fn allocates(entry: &CatalogueEntry) -> bool {
    ["allocate_on_arrival", "lru_order"].iter().any(|name| entry.parameters().contains(name))
}

fn on_arrival() -> Parameters {
    Parameters { allocate_on_arrival: true, lru_order: LruStorage::Pairs, ..tokens() }
}

/// Without and with an instruction that enters as a value arrives.
fn agree_on_entries_taken_on_arrival(entry: &CatalogueEntry) {
    for dispatch_on_arrival in [false, true] {
        let parameters = Parameters { dispatch_on_arrival, ..on_arrival() };
        agree(entry, &[Rtl, RustHdl, Verilator], &parameters, RUST_HDL_CYCLES);
        let bench = workbench(entry.name, &parameters);
        let engines = [Rtl, Verilator];
        told(&*bench, &engines, bench.play(&engines).expect("the engines are built"));
    }
}

fn has_latches(entry: &CatalogueEntry) -> bool {
    ["issue_latch", "allocation"].iter().any(|name| entry.parameters().contains(name))
}

/// Latches stand before an allocator that takes the collector taken the longest time ago, and before others.
fn agree_with_latches(entry: &CatalogueEntry) {
    let choices =
        [(IssueLatch::Blocking, Allocation::OwnElseLru), (IssueLatch::Passing, Allocation::Malekeh)];
    for (issue_latch, allocation) in choices {
        let parameters = Parameters { issue_latch, allocation, collectors: 4, ..tokens() };
        agree(entry, &[Model, Rtl, Verilator], &parameters, CYCLES);
        agree(entry, &[Rtl, RustHdl], &parameters, RUST_HDL_CYCLES);
        let bench = workbench(entry.name, &parameters);
        let engines = [Model, Rtl, Verilator];
        told(&*bench, &engines, bench.play(&engines).expect("the engines are built"));
    }
}

/// The whole cache has such an array for each lane: `make soak` runs it.
fn has_tag_lanes(entry: &CatalogueEntry) -> bool {
    entry.parameters().contains(&"rc_tag_lanes") && entry.name != "register_cache"
}

fn agree_on_tags_of_each_thread(entry: &CatalogueEntry) {
    agree(entry, &[Rtl, RustHdl, Verilator], &Parameters { rc_tag_lanes: 1, ..tokens() }, RUST_HDL_CYCLES);
}

fn rtl_and_icarus_agree(entry: &CatalogueEntry) {
    agree(entry, &[Rtl, Icarus], &tokens(), ICARUS_CYCLES);
}

fn forgets(entry: &CatalogueEntry) -> bool {
    !REMEMBER.contains(&entry.name)
}

/// Modules that show a latch or a table in a memory, which have no reset: what they show before they wrote it
/// has no meaning.
const REMEMBER: [&str; 4] = ["latch", "pcrf", "pcrf_pointer_table", "rmu"];

fn a_reset_forgets_everything(entry: &CatalogueEntry) {
    let bench = workbench(entry.name, &tokens());
    for before in [1, 7, 300] {
        let outcome = bench
            .run_after_reset(&[Rtl, RustHdl, Verilator], SEED, before, 300)
            .expect("the engines are built");
        assert!(outcome.passed(), "{}, reset after {before} cycles: {outcome:?}", entry.name);
    }
}

/// Corners of the parameters, and the papers' hardware at its full width.
fn checked(entry: &CatalogueEntry) -> Vec<Parameters> {
    let corners = [corners::smallest(), corners::largest()].map(|corner| Parameters { width: 32, ..corner });
    let arrival = allocates(entry).then(on_arrival);
    corners.into_iter().chain([Parameters::default()]).chain(arrival).collect()
}

fn checkers_find_nothing(entry: &CatalogueEntry) {
    let emitted = |parameters: &Parameters| workbench(entry.name, parameters).verilog().expect("emits");
    for parameters in checked(entry) {
        let design = emitted(&parameters);
        // What they say of a part of another module, they say when they check that one.
        if parts(&parameters).contains(&design.top) {
            continue;
        }
        let small = match small(&parameters) {
            same if same == parameters => design.clone(),
            small => emitted(&small),
        };
        for result in
            [check::iverilog_wall(&design), check::verilator_lint(&design), check::yosys_check(&small)]
        {
            assert!(result.is_ok(), "{}: {}", design.top, result.unwrap_err());
        }
    }
}

/// The parameters for Yosys. Latches, loops and drivers are the same at any width and for any number of
/// warps, and Yosys takes long to find them in large modules. `make soak` has all warps.
fn small(parameters: &Parameters) -> Parameters {
    let narrow = Parameters { width: 32, ..*parameters };
    if is_soak() {
        return narrow;
    }
    let usual = Parameters::default();
    let warps = narrow.warps.min(usual.warps);
    let renaming_entries = narrow.renaming_entries.min(usual.renaming_entries);
    Parameters { warps, renaming_entries, ..narrow }
}

/// The modules that lie within others that are checked with these parameters.
fn parts(parameters: &Parameters) -> Arc<BTreeSet<String>> {
    static KNOWN: Mutex<Vec<(Parameters, Arc<BTreeSet<String>>)>> = Mutex::new(vec![]);

    let mut known = KNOWN.lock().expect("nobody panics with it in hand");
    if let Some((_, parts)) = known.iter().find(|(others, _)| others == parameters) {
        return parts.clone();
    }
    let others = catalogue().iter().filter(|other| checked(other).contains(parameters));
    let parts = others.flat_map(|other| {
        // One that is not emitted fails its own tests.
        let design = workbench(other.name, parameters).verilog();
        let mut modules = design.map(|design| design.modules).unwrap_or_default();
        modules.pop();
        modules.into_iter().map(|module| module.name)
    });
    let parts = Arc::new(parts.collect());
    known.push((*parameters, Arc::clone(&parts)));
    parts
}

fn verilog_is_the_same_every_time(entry: &CatalogueEntry) {
    let text = || workbench(entry.name, &Parameters::default()).verilog().expect("emits").source();
    assert_eq!(text(), text());
}

/// Two modules of one name are one module in Verilog: whatever changes the text has to stand in the name. And
/// what stands there changes the hardware.
fn its_parameters_are_those_it_names(entry: &CatalogueEntry) {
    // Tags of each thread are the same text 32 times over: they are tried as a value, not with every other
    // one.
    let narrow = |corner| Parameters { width: 32, rc_tag_lanes: LANES, ..corner };
    let corners = [corners::smallest(), Parameters::default()].into_iter();
    let corners: Vec<_> = corners.chain(allocates(entry).then(on_arrival)).map(narrow).collect();
    let texts: Vec<_> = corners.iter().map(|parameters| nameless(entry, parameters)).collect();
    let with = |corner: &Parameters, parameter: &Parameter, value: &str| {
        let mut other = *corner;
        other.set(parameter.name, value).expect("one of its values");
        other
    };
    let changes = |parameter: &Parameter| {
        let others = corners.iter().zip(&texts).flat_map(|(corner, text)| {
            some_values(parameter).into_iter().map(move |value| (with(corner, parameter, &value), text))
        });
        others
            .filter(|(other, _)| other.check().is_ok() && !corners.contains(other))
            .any(|(other, text)| nameless(entry, &other) != *text)
    };
    let name = entry.name;
    let (named, others): (Vec<&Parameter>, Vec<&Parameter>) =
        PARAMETERS.iter().partition(|parameter| entry.parameters().contains(&parameter.name));
    let others: Vec<_> = others.into_iter().map(|parameter| (parameter, some_values(parameter))).collect();
    for parameter in named {
        assert!(changes(parameter), "{name}: {} stands in its name and changes nothing", parameter.name);
    }
    // Of the others as many at a time as can go together; one that never could, by itself.
    let mut alone: BTreeSet<_> = others.iter().map(|(parameter, _)| parameter.name).collect();
    for (corner, text) in corners.iter().zip(&texts) {
        for place in 0..SOME {
            let mut other = *corner;
            for (parameter, values) in &others {
                let next = with(&other, parameter, &values[place % values.len()]);
                if next != other && next.check().is_ok() {
                    alone.remove(parameter.name);
                    other = next;
                }
            }
            if nameless(entry, &other) != *text {
                let by_itself = others.iter().filter(|(parameter, _)| changes(parameter));
                let by_itself: Vec<_> = by_itself.map(|(parameter, _)| parameter.name).collect();
                panic!("{name}: {by_itself:?} or several at once change it and do not stand in its name");
            }
        }
    }
    for (parameter, _) in others.iter().filter(|(parameter, _)| alone.contains(parameter.name)) {
        assert!(!changes(parameter), "{name}: {} changes it and does not stand in its name", parameter.name);
    }
}

/// How many values of a parameter are tried.
const SOME: usize = 4;

/// The first and the last values of a parameter, or a file with another table than the default.
fn some_values(parameter: &Parameter) -> Vec<String> {
    if parameter.values.texts().next().is_none() {
        assert_eq!(parameter.name, "sthld_table", "another value of {} is needed here", parameter.name);
        let table = include_str!("../../blocks/config/sthld.toml");
        let other = table.replacen("inverse_threshold = 50", "inverse_threshold = 49", 1);
        assert_ne!(other, table);
        let file = format!("{}/sthld-{:?}.toml", env!("CARGO_TARGET_TMPDIR"), std::thread::current().id());
        fs::write(&file, other).expect("a folder that can be written");
        return vec![file];
    }
    parameter.values.texts().take(SOME - 1).chain(parameter.values.texts().next_back()).collect()
}

/// The module's Verilog without the names of modules and without comments.
fn nameless(entry: &CatalogueEntry, parameters: &Parameters) -> String {
    let design = workbench(entry.name, parameters).verilog().expect("emits");
    let mut text = design.source();
    let mut names: Vec<_> = design.modules.iter().map(|module| &module.name).enumerate().collect();
    // A name can be the beginning of a longer one.
    names.sort_by_key(|(_, name)| std::cmp::Reverse(name.len()));
    for (number, name) in names {
        text = text.replace(name, &format!("module_{number}"));
    }
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).collect::<Vec<_>>().join("\n")
}
