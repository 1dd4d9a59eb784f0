// SPDX-License-Identifier: Apache-2.0
//! `gpurf mutants`: how many small faults in its Verilog a module's testbench finds.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Error, Result};
use clap::Args;
use comfy_table::Table;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::catalogue;
use gpurf_synth::{
    digest_with_contract, read_lines, write_lines, Equivalence, Mutants, Mutation, Origin, Protocols,
};
use gpurf_testbenches::EngineKind::{Model, Verilator};
use gpurf_testbenches::{workbench, Random, Workbench};
use gpurf_verilog::tools::Tool;
use gpurf_verilog::Hierarchy;
use serde::{Deserialize, Serialize};

use crate::output::{progress, table, JsonArgument};
use crate::records::origin;
use crate::testbench::StimulusArguments;
use crate::verdict::Verdict;
use crate::verilog::{modules, ModuleArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf mutants ccu                                                        # minutes
  gpurf mutants arbiter iwmu --count 200 --draw 7 --cycles 20000 --json -  # minutes

Each mutant is the module with one fault that Yosys draws: a port of a cell inverted, constant or exchanged. A mutant
is killed if its testbench tells it from the reference model: under random stimulus, in a scenario, or in either after a
reset in mid-stimulus. A survivor is proved equivalent if Yosys or its ABC finds that no inputs tell it from the
module; the other survivors are listed with their places.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// The number of faults of each module
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// The seed by which the faults are drawn
    #[arg(long, default_value_t = 1)]
    draw: u64,
    #[command(flatten)]
    stimulus: StimulusArguments,
    /// The processor time in seconds for each attempt to prove that a survivor is equivalent; with 0, nothing
    /// is proved
    #[arg(long, default_value_t = 30)]
    proof: u64,
    /// Put the counts into this file, a line of JSON for each module, instead of the line of the same module
    /// and draw
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// The fates of a module's mutants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantsReport {
    pub module: String,
    pub verilog: String,
    /// Digest of the Verilog.
    pub source: String,
    pub measured: Origin,
    /// Tools that drew, proved and simulated.
    pub tools: Vec<String>,
    pub draw: u64,
    pub seed: u64,
    pub cycles: u64,
    pub mutants: usize,
    pub killed: usize,
    pub equivalent: usize,
    pub survivors: Vec<Survivor>,
}

/// A mutant that nothing told from the module, and where its fault is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Survivor {
    pub mode: String,
    pub wire: Option<String>,
    pub port: String,
    /// Lines of the module's Verilog.
    pub text: Vec<String>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(arguments.count > 0, "--count 0: there is nothing to draw");
    arguments.record.as_deref().map_or(Ok(vec![]), recorded)?;
    let mut reports = vec![];
    for entry in entries {
        let report = report(entry.name, &parameters, &arguments)?;
        // One after the other: all of them take hours.
        if let Some(path) = &arguments.record {
            record(path, &report)?;
        }
        reports.push(report);
    }
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports);
    }
    written.map(|()| Verdict::Holds)
}

/// Reports that [`record`] has written into a file; one that does not exist has nothing.
pub fn recorded(path: &Path) -> Result<Vec<MutantsReport>> {
    read_lines(path, "counts of mutants")
}

/// Puts a report instead of that of the same module and draw in a file, which is in their order.
fn record(path: &Path, report: &MutantsReport) -> Result<()> {
    let mut all = recorded(path)?;
    all.retain(|one| (&one.verilog, one.draw) != (&report.verilog, report.draw));
    all.push(report.clone());
    all.sort_by(|one, other| (&one.verilog, one.draw).cmp(&(&other.verilog, other.draw)));
    write_lines(path, &all)
}

fn report(module: &'static str, parameters: &Parameters, arguments: &Arguments) -> Result<MutantsReport> {
    let mut bench = workbench(module, parameters);
    let design = bench.verilog()?;
    let protocols = protocols(&design, parameters)?;
    let mutants = Mutants::draw(&design, &protocols, arguments.count, arguments.draw)?;
    bench.read_verilog(mutants.source()?);
    ensure!(
        !differs(&*bench, arguments)?,
        "{module}: the module itself fails; see `gpurf testbench {module}`"
    );
    let mut checks: Vec<Check> = vec![differs];
    for check in AFTER_RESET {
        // A module that shows tables without a reset fails there itself.
        if !check(&*bench, arguments)? {
            checks.push(check);
        }
    }
    let source = design.code();
    // The first line, without what it was built from.
    let tool = |tool: Tool| {
        let version = tool.version()?;
        Ok(version.split(" (").next().unwrap_or_default().lines().next().unwrap_or_default().to_string())
    };
    let mut report = MutantsReport {
        module: module.to_string(),
        verilog: design.top.clone(),
        source: digest_with_contract(&source),
        measured: origin(),
        tools: [Tool::Yosys, Tool::Verilator].map(tool).into_iter().collect::<Result<_>>()?,
        draw: arguments.draw,
        seed: arguments.stimulus.seed,
        cycles: arguments.stimulus.cycles,
        mutants: mutants.faults.len(),
        killed: 0,
        equivalent: 0,
        survivors: vec![],
    };
    let lines: Vec<&str> = source.lines().collect();
    let bar = progress(mutants.faults.len() as u64, module);
    for (fault, number) in mutants.faults.iter().zip(1..) {
        mutants.select(number)?;
        if checks
            .iter()
            .try_fold(false, |killed, check| Ok::<_, Error>(killed || check(&*bench, arguments)?))?
        {
            report.killed += 1;
        } else if arguments.proof > 0 && mutants.equivalence(number, arguments.proof)? == Equivalence::Proved
        {
            report.equivalent += 1;
        } else {
            report.survivors.push(survivor(fault, &lines));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}

/// The protocols of a design's modules, each from its own testbench.
fn protocols(design: &Hierarchy, parameters: &Parameters) -> Result<Protocols> {
    let mut protocols = Protocols::new();
    for entry in catalogue() {
        let bench = workbench(entry.name, parameters);
        let protocol = bench.protocol();
        if !protocol.is_empty() {
            let name = bench.verilog()?.top;
            if design.modules.iter().any(|module| module.name == name) {
                protocols.insert(name, protocol);
            }
        }
    }
    Ok(protocols)
}

/// Returns true if something tells the Verilog that is selected now from the reference model.
type Check = fn(&dyn Workbench, &Arguments) -> Result<bool>;

/// Checks that tell those whose reset leaves something over.
const AFTER_RESET: [Check; 2] = [differs_after_reset, fails_a_scenario_after_reset];

/// In mid-stimulus: cycles until the reset, and after it. They are many, since a register may be where a
/// reset would put it; and what is left over is mostly seen at once, or what comes next makes it right.
fn resets() -> impl Iterator<Item = (u64, u64)> {
    let long = [1, 2, 3, 5, 7, 20, 50, 150, 300, 600, 1000, 3000].map(|until| (until, 1000));
    long.into_iter().chain((8..72).map(|until| (until, 40)))
}

fn differs(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    let engines = [Model, Verilator];
    let StimulusArguments { seed, cycles, .. } = arguments.stimulus;
    let outcome = bench.run(&engines, &mut Random::seeded(seed), cycles)?;
    Ok(!outcome.passed() || !bench.play(&engines)?.is_empty())
}

fn differs_after_reset(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    let StimulusArguments { seed, cycles, .. } = arguments.stimulus;
    for (until_reset, after) in resets() {
        // Each with a stimulus of its own: what is drawn once in a run is another then.
        let seed = seed.wrapping_add(until_reset);
        if !bench.run_after_reset(&[Verilator], seed, until_reset, cycles.min(after))?.passed() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn fails_a_scenario_after_reset(bench: &dyn Workbench, arguments: &Arguments) -> Result<bool> {
    Ok(!bench.play_after_reset(&[Verilator], arguments.stimulus.seed, 300)?.is_empty())
}

fn survivor(fault: &Mutation, lines: &[&str]) -> Survivor {
    let text = fault.lines.iter().filter_map(|line| lines.get(line - 1));
    Survivor {
        mode: fault.mode.clone(),
        wire: fault.wire.clone(),
        port: fault.port.clone(),
        text: text.map(|line| line.trim().to_string()).collect(),
    }
}

/// A row for each module, under this name.
pub fn summary<'a>(modules: impl Iterator<Item = (String, &'a MutantsReport)>) -> Table {
    let mut rows =
        table(&["module", "draw", "mutants", "killed", "equivalent", "survivors", "killed of the others %"]);
    for (name, MutantsReport { draw, mutants, killed, equivalent, survivors, .. }) in modules {
        rows.add_row([
            name,
            draw.to_string(),
            mutants.to_string(),
            killed.to_string(),
            equivalent.to_string(),
            survivors.len().to_string(),
            match mutants - equivalent {
                0 => "-".to_string(),
                others => format!("{:.1}", 100.0 * *killed as f64 / others as f64),
            },
        ]);
    }
    rows
}

fn print(reports: &[MutantsReport]) {
    println!("{}", summary(reports.iter().map(|report| (report.verilog.clone(), report))));
    for report in reports {
        println!(
            "{}: faults drawn with {}, stimulus with {}, {} cycles",
            report.module, report.draw, report.seed, report.cycles
        );
        for survivor in &report.survivors {
            let wire = survivor.wire.as_deref().unwrap_or("-");
            println!("  {:7} {wire}, {}", survivor.mode, survivor.port);
            for line in &survivor.text {
                println!("            {line}");
            }
        }
    }
}
