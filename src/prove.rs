// SPDX-License-Identifier: Apache-2.0
//! `gpurf prove`: whether modules keep their contracts, whatever comes.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Result};
use clap::Args;
use gpurf_synth::{digest, prove_contract, read_lines, write_lines, Holds, Origin};
use serde::{Deserialize, Serialize};

use crate::output::{each, table, JsonArgument};
use crate::records::origin;
use crate::verilog::{hierarchy, modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf prove                                                                # hours
  gpurf prove warp_scheduler collector_allocator --set collectors=4          # minutes
  gpurf prove lrt_cam --set lrt_entries=16 --seconds 300 --json proofs.json  # minutes

A rule that is not proved in time is listed as open: it may hold all the same. docs/contracts.md has all rules.")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// The time in seconds of the processor for each rule
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Keep what was found in this file: a line of JSON for each rule, instead of the lines that it has of
    /// the module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// The result of the proof of a rule.
#[derive(Clone, Serialize, Deserialize)]
pub struct Report {
    pub module: String,
    /// Name of the exported module, which carries its parameters.
    pub verilog: String,
    /// Digest of its Verilog.
    pub source: String,
    /// The rule, in words.
    pub rule: String,
    /// `proved`, `broken` or `open`.
    pub result: String,
    /// Cycles of the shortest run that breaks it.
    pub cycles: Option<u64>,
    /// Seconds by the clock.
    pub seconds: f64,
    pub measured: Origin,
}

/// The reports of a file; none if there is no such file.
///
/// # Errors
/// If it cannot be read, or a line is none that was written here; the message names the line.
pub fn recorded(path: &Path) -> Result<Vec<Report>> {
    read_lines(path, "report")
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    arguments.record.as_deref().map_or(Ok(vec![]), recorded)?;
    let reports = each(
        entries,
        "modules",
        |entry| entry.name,
        |entry| {
            let hierarchy = hierarchy(entry, &parameters)?;
            let source = digest(&hierarchy.code());
            let proofs = prove_contract(&hierarchy, arguments.seconds)?;
            let reports = proofs.into_iter().map(|proof| {
                let (result, cycles) = match proof.holds {
                    Holds::Always => ("proved", None),
                    Holds::Not { cycles } => ("broken", Some(cycles)),
                    Holds::Open => ("open", None),
                };
                Report {
                    module: entry.name.to_string(),
                    verilog: hierarchy.top.clone(),
                    source: source.clone(),
                    rule: proof.rule,
                    result: result.to_string(),
                    cycles,
                    seconds: proof.seconds,
                    measured: origin(),
                }
            });
            let reports: Vec<_> = reports.collect();
            // At once: the next module may take long.
            arguments.record.as_deref().map_or(Ok(()), |path| record(path, &hierarchy.top, &reports))?;
            Ok(reports)
        },
    )?;
    let reports: Vec<Report> = reports.into_iter().flatten().collect();
    ensure!(
        !reports.is_empty(),
        "none of these modules owes anything at its ports; docs/contracts.md lists those that do"
    );
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports);
    }
    written?;
    let is_broken = |report: &Report| report.result == "broken";
    Ok(if reports.iter().any(is_broken) { Verdict::Fails } else { Verdict::Holds })
}

/// Puts the reports of a module instead of those that a file has.
fn record(path: &Path, verilog: &str, reports: &[Report]) -> Result<()> {
    let mut all = recorded(path)?;
    all.retain(|report| report.verilog != verilog);
    all.extend_from_slice(reports);
    all.sort_by(|one, other| one.verilog.cmp(&other.verilog));
    write_lines(path, &all)
}

fn print(reports: &[Report]) {
    let mut rows = table(&["module", "never", "result", "seconds"]);
    for report in reports {
        let result = match report.cycles {
            Some(cycles) => format!("{} after {cycles} cycles", report.result),
            None => report.result.clone(),
        };
        rows.add_row([report.module.clone(), report.rule.clone(), result, format!("{:.1}", report.seconds)]);
    }
    println!("{rows}");
    let proved = reports.iter().filter(|report| report.result == "proved").count();
    println!("{proved} of {} proved", reports.len());
}
