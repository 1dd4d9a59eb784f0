// SPDX-License-Identifier: Apache-2.0
//! `gpurf equivalence`: whether netlists do what their Verilog says: proofs, and runs beside the RTL.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Result};
use clap::Args;
use gpurf_blocks::{corners, Parameters};
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_synth::{digest, prove, read_lines, write_lines, Options, Origin};
use gpurf_testbenches::{workbench, EngineKind, Failure, Random};
use gpurf_verilog::tools::Tool;
use serde::{Deserialize, Serialize};

use crate::output::{each, grouped, table, JsonArgument};
use crate::records::origin;
use crate::synth::{StructureArguments, SynthesisArguments};
use crate::verdict::Verdict;
use crate::verilog::{hierarchy, modules, ModuleArguments};

/// Engines that run side by side; the others are held against the first.
const ENGINES: [EngineKind; 3] = [EngineKind::Rtl, EngineKind::Verilator, EngineKind::Netlist];

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf equivalence round_robin ocu --set width=32                           # minutes
  gpurf equivalence ocu --set width=32 --clock-gating                        # minutes
  gpurf equivalence --set width=32 --proof 300 --json proofs.json            # hours
  gpurf equivalence --smallest --cycles 10000 --record synth/netlists.jsonl  # hours

A module that is not proved in time is listed as open: it may be equivalent all the same. With --cycles, the netlist also runs
beside RTL and Verilog, under the module's scenarios and random stimulus.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Set each parameter to the least of its numbers or the first of its policies. One is an exception:
    /// results that are kept out of a collector invalidate their registers there, for without that stale
    /// values are found, as they should be
    #[arg(long, conflicts_with = "settings")]
    smallest: bool,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    #[command(flatten)]
    structure: StructureArguments,
    /// The time in seconds for each way of proving; with 0, nothing is proved
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    proof: u64,
    /// The number of cycles of random stimulus in which the netlist runs beside RTL and Verilog, after all
    /// scenarios; with 0, it runs under neither
    #[arg(long, default_value_t = 0)]
    cycles: u64,
    /// The seed of the random stimulus
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Keep what was found in this file: a line of JSON for each module, instead of the line that it has of
    /// the module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// Facts that are known of a module's netlist.
#[derive(Clone, Serialize, Deserialize)]
pub struct EquivalenceReport {
    pub module: String,
    /// Name of the exported module, which carries its parameters.
    pub verilog: String,
    /// Digest of its Verilog.
    pub source: String,
    pub clock_gating: bool,
    pub yosys: String,
    /// Seconds that each way of proving had.
    pub proof: u64,
    /// How it was proved; none if it was not.
    pub by: Option<String>,
    /// Seconds that all attempts took.
    pub seconds: f64,
    pub run: Option<NetlistRun>,
    pub measured: Origin,
}

/// A run of the netlist beside RTL and Verilog.
#[derive(Clone, Serialize, Deserialize)]
pub struct NetlistRun {
    pub verilator: String,
    pub scenarios: usize,
    pub cycles: u64,
    pub seed: u64,
    /// Differences, scenarios first; none if nothing differed.
    pub failures: Vec<String>,
}

impl Arguments {
    /// The modules, and their parameters.
    pub fn chosen(&self) -> Result<(Vec<&'static CatalogueEntry>, Parameters)> {
        let (entries, parameters) = modules(&self.modules)?;
        let smallest = || Parameters { invalidate: true, ..corners::smallest() };
        Ok((entries, if self.smallest { smallest() } else { parameters }))
    }

    pub fn clock_gating(&self) -> bool {
        self.synthesis.clock_gating
    }
}

/// The reports of a file; none if there is no such file.
///
/// # Errors
/// If it cannot be read, or a line is none that was written here; the message names the line.
pub fn recorded(path: &Path) -> Result<Vec<EquivalenceReport>> {
    read_lines(path, "report")
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = arguments.chosen()?;
    ensure!(arguments.proof + arguments.cycles > 0, "--proof 0 and --cycles 0: nothing would be done");
    arguments.record.as_deref().map_or(Ok(vec![]), recorded)?;
    let options = arguments.synthesis.options()?;
    let reports = each(
        entries,
        "modules",
        |entry| entry.name,
        |entry| {
            let report = examine(entry, &parameters, &options, &arguments)?;
            // At once: the next module may take long.
            arguments.record.as_deref().map_or(Ok(()), |path| record(path, &report))?;
            Ok(report)
        },
    )?;
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports);
    }
    written?;
    let differs =
        |report: &EquivalenceReport| report.run.as_ref().is_some_and(|run| !run.failures.is_empty());
    Ok(if reports.iter().any(differs) { Verdict::Fails } else { Verdict::Holds })
}

fn examine(
    entry: &'static CatalogueEntry,
    parameters: &Parameters,
    options: &Options,
    arguments: &Arguments,
) -> Result<EquivalenceReport> {
    let hierarchy = hierarchy(entry, parameters)?;
    let netlist = arguments.synthesis.map(&hierarchy, options, arguments.structure.structure())?;
    let mut run = None;
    if arguments.cycles > 0 {
        let mut bench = workbench(entry.name, parameters);
        bench.read_netlist(netlist.verilog());
        let failures = bench.play(&ENGINES)?;
        let mut failures: Vec<_> = failures.iter().map(|failure| failure.line(&ENGINES)).collect();
        let outcome = bench.run(&ENGINES, &mut Random::seeded(arguments.seed), arguments.cycles)?;
        failures.extend(Failure::of(&outcome).map(|failure| failure.line(&ENGINES)));
        run = Some(NetlistRun {
            verilator: Tool::Verilator.version()?.trim().to_string(),
            scenarios: bench.scenarios().len(),
            cycles: outcome.cycles,
            seed: arguments.seed,
            failures,
        });
    }
    let proof = match arguments.proof {
        0 => None,
        seconds => Some(prove(&hierarchy, &netlist, &options.library, seconds)?),
    };
    Ok(EquivalenceReport {
        module: entry.name.to_string(),
        source: digest(&hierarchy.code()),
        verilog: hierarchy.top,
        clock_gating: options.clock_gating,
        yosys: Tool::Yosys.version()?.trim().to_string(),
        proof: arguments.proof,
        by: proof.as_ref().and_then(|proof| proof.by).map(str::to_string),
        seconds: proof.map_or(0.0, |proof| proof.seconds),
        run,
        measured: origin(),
    })
}

/// Puts a report instead of the one of the same module in a file, or at the end.
fn record(path: &Path, report: &EquivalenceReport) -> Result<()> {
    let mut reports = recorded(path)?;
    let is_same = |old: &&mut EquivalenceReport| {
        (&old.verilog, old.clock_gating) == (&report.verilog, report.clock_gating)
    };
    match reports.iter_mut().find(is_same) {
        Some(old) => *old = report.clone(),
        None => reports.push(report.clone()),
    }
    write_lines(path, &reports)
}

fn print(reports: &[EquivalenceReport]) {
    let mut rows = table(&["module", "proved by", "seconds", "random cycles", "differences"]);
    for report in reports {
        let (cycles, differences) = match &report.run {
            Some(run) => (grouped(run.cycles), run.failures.len().to_string()),
            None => ("-".into(), "-".into()),
        };
        let by = report.by.clone().unwrap_or("open".into());
        rows.add_row([report.verilog.clone(), by, format!("{:.1}", report.seconds), cycles, differences]);
    }
    println!("{rows}");
    let proved = reports.iter().filter(|report| report.by.is_some()).count();
    println!("{proved} of {} proved", reports.len());
    for report in reports {
        for failure in report.run.iter().flat_map(|run| &run.failures) {
            println!("{}: {failure}", report.verilog);
        }
    }
}
