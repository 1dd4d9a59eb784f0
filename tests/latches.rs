// SPDX-License-Identifier: Apache-2.0
//! Collectors whose values lie in latches: they do what flip-flops do, in cells too, and what is wrong in
//! them is found.
//!
//! Skipped, with a note, where Yosys or Verilator is missing or the cell library cannot be fetched.

use std::fs;

use assert_cmd::Command;
use gpurf_blocks::{corners, Isolation, Parameters, Storage};
use gpurf_synth::power::{behind_gates, BehindGate};
use gpurf_synth::{nangate, prove, Gates, Job, Library, Netlist, Options};
use gpurf_testbenches::{workbench, EngineKind, Random};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::Hierarchy;

fn options(tools: &[Tool]) -> Option<Options> {
    let missing = tools.iter().find_map(|tool| tool.find().err()).map(anyhow::Error::from);
    let library = missing.map_or_else(nangate::liberty, Err).and_then(|path| Library::read(&path));
    let library = library.inspect_err(|error| gpurf_fixtures::skipped(format!("{error:#}"))).ok()?;
    Some(Options { clock_gating: true, ..Options::new(library) })
}

/// Small ones that do what the paper says.
fn small(storage: Storage, isolation: Isolation) -> Parameters {
    Parameters { invalidate: true, storage, isolation, ..corners::smallest() }
}

fn design(name: &str, parameters: &Parameters) -> Hierarchy {
    workbench(name, parameters).verilog().expect("emits")
}

fn map(design: &Hierarchy, options: &Options) -> Netlist {
    let source = design.source();
    Netlist::map(&Job { sat_sweeping: false, ..Job::new(&source, &design.top) }, options)
        .expect("it is mapped")
}

/// The netlist evaluated cell by cell on what the RTL was given; what its registers behind clock gates did.
fn cell_by_cell(name: &str, parameters: &Parameters, options: &Options, cycles: u64) -> Vec<BehindGate> {
    let bench = workbench(name, parameters);
    let netlist = map(&design(name, parameters), options);
    let circuit = netlist.circuit(&options.library).expect("it can be evaluated");
    let ports = bench.verilog().expect("emits").top_module().ports.clone();
    let mut gates = Gates::new(&circuit, &ports, bench.layout()).expect("it can be evaluated");
    let samples =
        bench.sample(EngineKind::Rtl, &mut Random::seeded(11), cycles).expect("the engine is built");
    for (cycle, sample) in samples.iter().enumerate() {
        assert_eq!(gates.cycle(&sample.inputs), sample.outputs, "{name}, cycle {cycle}");
    }
    let activity = gates.activity().clone();
    behind_gates(&circuit, &activity)
}

#[test]
fn latches_do_in_cells_what_the_rtl_does() {
    let Some(options) = options(&[Tool::Yosys]) else { return };
    for isolation in [Isolation::None, Isolation::Operands] {
        for name in ["latch", "cache_table", "ccu", "ocu"] {
            let found = cell_by_cell(name, &small(Storage::Latches, isolation), &options, 2000);
            let wide = found.iter().filter(|one| one.bits == 32);
            assert!(
                wide.clone().count() > 0 && wide.clone().all(|one| one.writes > 0.0),
                "{name}: {found:?}"
            );
        }
    }
}

#[test]
fn a_cache_table_of_latches_is_proved_to_be_one_of_flip_flops() {
    let Some(options) = options(&[Tool::Yosys]) else { return };
    let of_flip_flops = design("cache_table", &small(Storage::FlipFlops, Isolation::None));
    let of_latches = design("cache_table", &small(Storage::Latches, Isolation::Writes));
    let renamed = |module: &str| {
        let mut netlist = map(&of_latches, &options);
        netlist.module = module.replace(&netlist.top, &of_flip_flops.top);
        netlist
    };
    let module = map(&of_latches, &options).module;
    let proof = prove(&of_flip_flops, &renamed(&module), &options.library, 120).expect("Yosys runs");
    assert!(proof.by.is_some(), "{proof:?}");
    // A latch that is open all the time: its clock is no gated one.
    let latch = module.find("DLH_X1").expect("there are latches");
    let clock = latch + module[latch..].find(".G(").expect("a latch has a clock");
    let end = clock + module[clock..].find(')').expect("the pin is connected");
    let open = format!("{}.G(clock{}", &module[..clock], &module[end..]);
    let proof = prove(&of_flip_flops, &renamed(&open), &options.library, 20).expect("Yosys runs");
    assert!(proof.by.is_none(), "{proof:?}");
}

/// Changes that reach the inputs of entries that nothing is written to.
#[test]
fn isolated_entries_see_what_is_written_to_them_alone() {
    let Some(options) = options(&[Tool::Yosys]) else { return };
    let entries = |storage, isolation| -> Vec<BehindGate> {
        let found = cell_by_cell("cache_table", &small(storage, isolation), &options, 2000);
        found.into_iter().filter(|one| one.bits == 32 && !one.register.contains("_held")).collect()
    };
    // A value comes, and goes again: two changes of a bit at most for each write.
    let rests = |one: &BehindGate| one.input_changes <= 2.0 * one.writes;
    for (storage, isolation) in [(Storage::FlipFlops, Isolation::Writes), (Storage::Latches, Isolation::None)]
    {
        let found = entries(storage, isolation);
        assert!(found.len() == 4 && found.iter().all(rests), "{storage:?}: {found:?}");
    }
    let found = entries(Storage::FlipFlops, Isolation::None);
    assert!(found.len() == 4 && !found.iter().any(rests), "they follow the bus: {found:?}");
}

#[test]
fn a_closed_latch_that_is_left_open_is_found() {
    if options(&[Tool::Yosys, Tool::Verilator]).is_none() {
        return;
    }
    let gpurf = || Command::cargo_bin("gpurf").expect("the binary is built");
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--set", "width=32", "--set", "storage=latches"];
    gpurf().args(["synth", "ocu", "--netlist"]).arg(folder.path()).args(settings).assert().success();
    let file = folder.path().read_dir().unwrap().next().expect("it is written").unwrap().path();
    let text = fs::read_to_string(&file).unwrap();
    let testbench = |text: &str| {
        fs::write(&file, text).unwrap();
        let mut command = gpurf();
        command.args(["testbench", "ocu", "--engines", "rtl,verilator", "--cycles", "2000", "--verilog"]);
        command.arg(&file).args(settings).output().unwrap().status.code()
    };
    assert_eq!(testbench(&text), Some(0));
    assert!(text.contains("DLH_X1") && text.matches("= CK & open;").count() == 1);
    assert_eq!(testbench(&text.replace("= CK & open;", "= CK;")), Some(1));
}
