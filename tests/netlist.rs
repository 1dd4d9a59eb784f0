// SPDX-License-Identifier: Apache-2.0
//! Netlists: what hardware becomes in cells of a library behaves as its RTL, what is broken in one is found,
//! and what it costs is reported.
//!
//! Skipped, with a note, where Yosys or Verilator is missing or the cell library cannot be fetched.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use gpurf_blocks::{corners, Parameters};
use gpurf_hw::catalogue::catalogue;
use gpurf_synth::{nangate, Gates, Job, Library, Netlist, Options};
use gpurf_testbenches::EngineKind::{self, Rtl};
use gpurf_testbenches::{workbench, Failure, Random};
use gpurf_verilog::tools::Tool;
use serde_json::Value;

fn gpurf() -> Command {
    Command::cargo_bin("gpurf").expect("the binary is built")
}

fn options(tools: &[Tool]) -> Option<Options> {
    let missing = tools.iter().find_map(|tool| tool.find().err()).map(anyhow::Error::from);
    let library = missing.map_or_else(nangate::liberty, Err).and_then(|path| Library::read(&path));
    library.inspect_err(|error| gpurf_fixtures::skipped(format!("{error:#}"))).ok().map(Options::new)
}

fn map(name: &str, parameters: &Parameters, options: &Options) -> Netlist {
    let design = workbench(name, parameters).verilog().expect("emits");
    let source = design.source();
    let job = Job { sat_sweeping: false, ..Job::new(&source, &design.top) };
    Netlist::map(&job, options).unwrap_or_else(|error| panic!("{name}: {error:#}"))
}

/// RTL and netlist under Verilator, random stimulus and scenarios.
fn in_lockstep(name: &str, parameters: &Parameters, options: &Options, cycles: u64) {
    let engines = [Rtl, EngineKind::Netlist];
    let mut bench = workbench(name, parameters);
    bench.read_netlist(map(name, parameters, options).verilog());
    let outcome = bench.run(&engines, &mut Random::seeded(11), cycles).expect("the engines are built");
    let mut failures = bench.play(&engines).expect("the engines are built");
    failures.extend(Failure::of(&outcome));
    assert!(failures.is_empty(), "{}", bench.report(&engines, 11, &failures));
}

/// The netlist evaluated cell by cell on what the RTL was given.
fn cell_by_cell(name: &str, parameters: &Parameters, options: &Options, cycles: u64) {
    let bench = workbench(name, parameters);
    let netlist = map(name, parameters, options);
    let circuit = netlist.circuit(&options.library).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let ports = bench.verilog().expect("emits").top_module().ports.clone();
    let mut gates =
        Gates::new(&circuit, &ports, bench.layout()).unwrap_or_else(|error| panic!("{name}: {error:#}"));
    let samples = bench.sample(Rtl, &mut Random::seeded(11), cycles).expect("the engine is built");
    assert_eq!(samples.len() as u64, cycles);
    for (cycle, sample) in samples.iter().enumerate() {
        assert_eq!(gates.cycle(&sample.inputs), sample.outputs, "{name}, cycle {cycle}");
    }
}

/// Small ones of every kind: pure logic, registers, a memory.
const SMALL: [&str; 6] =
    ["age_matrix", "bank", "lfsr", "operand_collector_table", "replacement", "round_robin"];

#[test]
fn small_netlists_run_as_their_rtl_does() {
    let Some(options) = options(&[Tool::Yosys, Tool::Verilator]) else { return };
    in_lockstep("round_robin", &corners::smallest(), &options, 2000);
    in_lockstep("bank", &corners::smallest(), &options, 2000);
    for name in SMALL {
        cell_by_cell(name, &corners::smallest(), &options, 1000);
    }
}

#[test]
fn clock_gated_netlists_run_as_their_rtl_does() {
    let Some(mut options) = options(&[Tool::Yosys]) else { return };
    options.clock_gating = true;
    cell_by_cell("ocu", &Parameters { width: 32, ..Parameters::default() }, &options, 1000);
}

#[test]
#[ignore = "soak: synthesizes and compiles every module"]
fn all_netlists_run_as_their_rtl_does() {
    let Some(options) = options(&[Tool::Yosys, Tool::Verilator]) else { return };
    for entry in catalogue() {
        println!("{}", entry.name);
        // Without it, stale values are found, as they should be.
        let smallest = Parameters { invalidate: true, ..corners::smallest() };
        cell_by_cell(entry.name, &smallest, &options, 10_000);
        in_lockstep(entry.name, &smallest, &options, 10_000);
    }
    for name in ["ocu", "ccu", "boc", "ocu_stage", "ccu_stage", "boc_stage"] {
        println!("{name} at 1024 bits");
        cell_by_cell(name, &Parameters::default(), &options, 1000);
    }
}

/// Writes the netlist of a module with its cells and gives back its file.
fn written(folder: &Path, module: &str, more: &[&str]) -> PathBuf {
    gpurf().args(["synth", module, "--netlist"]).arg(folder).args(more).assert().success();
    let mut files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.next().expect("the netlist is written")
}

/// The exit code of the testbench with the RTL and this Verilog, and what it prints.
fn testbench(module: &str, file: &Path, more: &[&str]) -> (i32, String) {
    let mut command = gpurf();
    command.args(["testbench", module, "--engines", "rtl,verilator", "--cycles", "2000"]).args(more);
    let output = command.arg("--verilog").arg(file).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn two_swapped_pins_are_found() {
    if options(&[Tool::Yosys, Tool::Verilator]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "round_robin", &[]);
    assert_eq!(testbench("round_robin", &file, &[]).0, 0);
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    // A cell whose inputs play different parts.
    let names = ["AOI21_X1", "OAI21_X1", "MUX2_X1"];
    let is_one = |line: &&str| names.iter().any(|name| line.trim_start().starts_with(&format!("{name} ")));
    let cell = lines.iter().position(is_one).expect("such a cell stands in it");
    let end = cell + lines[cell..].iter().position(|line| line.contains(");")).unwrap();
    let (one, other) = if lines[cell].contains("MUX2") { (".S(", ".A(") } else { (".A(", ".B1(") };
    let net = |pin: &str| {
        let line = lines[cell..end].iter().find(|line| line.contains(pin)).expect("the pin is connected");
        line.split_once(pin).unwrap().1.trim_end_matches([',', ')']).to_string()
    };
    let swapped = lines.iter().enumerate().map(|(place, line)| match place {
        _ if (cell..end).contains(&place) && line.contains(one) => format!("    {one}{}),", net(other)),
        _ if (cell..end).contains(&place) && line.contains(other) => format!("    {other}{}),", net(one)),
        _ => line.to_string(),
    });
    let swapped = swapped.collect::<Vec<_>>().join("\n");
    fs::write(&file, swapped).unwrap();
    let (code, printed) = testbench("round_robin", &file, &[]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("in verilator"), "{printed}");
}

#[test]
fn a_clock_gate_that_never_shuts_is_found() {
    if options(&[Tool::Yosys, Tool::Verilator]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = ["--set", "width=32"];
    let file = written(folder.path(), "ocu", &[&settings[..], &["--clock-gating"]].concat());
    assert_eq!(testbench("ocu", &file, &settings).0, 0);
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("= CK & open;").count(), 1, "there is a model of the clock gate");
    fs::write(&file, text.replace("= CK & open;", "= CK;")).unwrap();
    let (code, printed) = testbench("ocu", &file, &settings);
    assert_eq!(code, 1, "{printed}");
}

#[test]
fn energies_add_up() {
    if options(&[Tool::Yosys]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let mut command = gpurf();
    command.args(["power", "operand_collector_table", "--cycles", "500", "--json"]);
    command
        .arg(path("power.json"))
        .arg("--plot")
        .arg(path("power.svg"))
        .arg("--saif")
        .arg(path("power.saif"));
    command.assert().success();
    let report: Value = serde_json::from_str(&fs::read_to_string(path("power.json")).unwrap()).unwrap();
    let report = &report[0];
    let all = report["energy_fj"].as_f64().unwrap();
    let sum = |of: &str| {
        report[of].as_array().unwrap().iter().map(|one| one["energy_fj"].as_f64().unwrap()).sum::<f64>()
    };
    assert!(all > 1.0 && (sum("instances") - all).abs() < 1e-6 * all, "{report}");
    assert!(fs::read_to_string(path("power.svg")).unwrap().contains("multiplexers"));
    assert!(fs::read_to_string(path("power.saif")).unwrap().starts_with("(SAIFILE"));
}

/// An operand collector without data does what it does with them, and spends less where they are.
#[test]
fn data_cost_what_is_left_out_without_them() {
    if options(&[Tool::Yosys]).is_none() {
        return;
    }
    let report = |more: &[&str]| -> Value {
        let arguments = ["power", "ocu", "--set", "width=32", "--no-sat-sweeping", "--json"];
        let output = gpurf().args(arguments).arg("-").args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()[0].clone()
    };
    let (with, without) = (report(&[]), report(&["--no-data"]));
    let counts = |report: &Value| -> Vec<Value> {
        report["operations"].as_array().unwrap().iter().map(|operation| operation["count"].clone()).collect()
    };
    assert_eq!(counts(&with), counts(&without));
    assert!(without["energy_fj"].as_f64() < with["energy_fj"].as_f64(), "{with} {without}");
    assert_eq!(without["stimulus"], "random stimulus without data, seed 1");
}

#[test]
fn memories_have_their_part() {
    if options(&[Tool::Yosys]).is_none() {
        return;
    }
    let report = |more: &[&str]| -> Value {
        let mut command = gpurf();
        command.args(["power", "bank", "--set", "width=32", "--cycles", "200", "--json", "-"]).args(more);
        serde_json::from_slice::<Value>(&command.assert().success().get_output().stdout).unwrap()[0].take()
    };
    let (with, without, at_32) = (report(&[]), report(&["--no-memories"]), report(&["--node", "32"]));
    let energy = |report: &Value| report["energy_fj"].as_f64().unwrap();
    let memory = &with["memories"][0];
    let number = |value: &Value| value.as_f64().unwrap();
    // One port: in a cycle it reads or it writes.
    assert_eq!(
        (&memory["rows"], &memory["width"], &memory["ports"]),
        (&256.into(), &32.into(), &"1RW".into())
    );
    let each = &memory["energy"];
    let accesses = number(&memory["reads"]) * number(&each["read_fj"])
        + number(&memory["writes"]) * number(&each["write_fj"]);
    let expected = accesses / 200.0 + 1e-3 * number(&each["leakage_nw"]) * 2.0;
    assert!((energy(&with) - energy(&without) - expected).abs() < 1e-6 * expected, "{with}");
    assert!(energy(&at_32) < energy(&with), "{at_32}");
    let part = with["roles"].as_array().unwrap().iter().find(|part| part["role"] == "memories").unwrap();
    assert!((number(&part["energy"]["internal_fj"]) - accesses / 200.0).abs() < 1e-6 * accesses);
    let instances = with["instances"].as_array().unwrap().iter();
    let sum: f64 = instances.map(|one| number(&one["energy_fj"])).sum();
    assert!((sum - energy(&with)).abs() < 1e-6 * sum, "{with}");
    gpurf().args(["power", "bank", "--set", "width=32", "--node", "28"]).assert().code(2);
}

#[test]
fn what_is_known_of_netlists_is_recorded() {
    if options(&[Tool::Yosys, Tool::Verilator]).is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("netlists.jsonl");
    let examine = |cycles: &str| {
        let mut command = gpurf();
        command.args(["equivalence", "round_robin", "--smallest", "--cycles", cycles, "--record"]);
        command.arg(&path).assert().success();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1, "a module has one line: {text}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    for cycles in ["300", "500"] {
        let line = examine(cycles);
        assert_eq!(line["by"], "registers by name", "{line}");
        assert_eq!(line["run"]["cycles"].to_string(), cycles);
        assert_eq!(line["run"]["failures"].as_array().unwrap().len(), 0, "{line}");
    }
    fs::write(&path, "{}\n").unwrap();
    let output = gpurf().args(["equivalence", "round_robin", "--smallest", "--record"]).arg(&path).output();
    assert!(String::from_utf8_lossy(&output.unwrap().stderr).contains("netlists.jsonl:1: no report"));
    gpurf().args(["equivalence", "round_robin", "--proof", "0"]).assert().code(2);
}

#[test]
fn a_missing_tool_or_library_is_named() {
    let Ok(library) = nangate::liberty() else { return gpurf_fixtures::skipped("there is no cell library") };
    let folder = tempfile::tempdir().unwrap();
    for command in [&["testbench", "round_robin", "--engines", "rtl,netlist"][..], &["power", "round_robin"]]
    {
        let refused = |path: &str, library: &Path, message: &str| {
            let mut tool = gpurf();
            tool.args(command).env("PATH", path).current_dir(&folder).arg("--liberty").arg(library);
            let output = tool.output().unwrap();
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{text}");
            assert!(text.contains(message), "{text}");
        };
        refused("", &library, "`yosys` is not installed");
        refused(&std::env::var("PATH").unwrap(), &folder.path().join("none.lib"), "none.lib");
    }
}

#[test]
fn bad_options_are_named() {
    let refused = |arguments: &[&str], message: &str| {
        let output = gpurf().arg("power").args(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message), "{text}");
    };
    refused(&["ocu", "--period", "0"], "--period 0");
    refused(&["ocu", "--cycles", "1"], "changes need two cycles");
    refused(&["ocu", "ccu", "--saif", "x.saif"], "--saif takes one module");
    refused(&["ocu", "ccu", "--vcd", "x.vcd"], "--vcd takes one module");
    refused(&["round_robin", "--vcd", "none/x.vcd"], "none/x.vcd");
    refused(&["ocu", "--period", "0.001", "--vcd", "x.vcd"], "--period 0.001");
    refused(&["ocu", "--set", "width=32", "--scenario", "none"], "has no scenario none");
}
