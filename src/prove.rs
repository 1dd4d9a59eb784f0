// SPDX-License-Identifier: Apache-2.0
//! `gpurf prove`: whether modules keep their contracts and what their monitors say, whatever comes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_hw::dialect::Monitor;
use gpurf_synth::{
    digest_with_contract, digest_with_monitor, prove_contract, prove_monitor, read_lines, write_lines, Holds,
    Origin, RuleProof, Watched,
};
use gpurf_verilog::Hierarchy;
use serde::{Deserialize, Serialize};

use crate::output::{each, table, JsonArgument};
use crate::records::origin;
use crate::verdict::Verdict;
use crate::verilog::{hierarchy, modules, set, ModuleArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf prove                                                                # hours
  gpurf prove warp_scheduler collector_allocator --set collectors=4          # minutes
  gpurf prove ccu --set entries=8 --set slots=4 --seconds 600                # minutes
  gpurf prove lrt_cam --set lrt_entries=16 --seconds 300 --json proofs.json  # minutes

A rule that is not proved in time is listed as open: it may hold all the same. Without --set, a monitor is proved at the sizes that
it names. docs/contracts.md has all rules and monitors.")]
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
    /// Prove this monitor instead of the module's own. The option takes one module
    #[arg(long, value_name = "FILE")]
    monitor: Option<PathBuf>,
    /// Write a run that breaks a rule into this folder, as MODULE.vcd
    #[arg(long, value_name = "FOLDER")]
    counterexample: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// The result of the proof of a rule.
#[derive(Clone, Serialize, Deserialize)]
pub struct ProofReport {
    pub module: String,
    /// Name of the exported module, which carries its parameters.
    pub verilog: String,
    /// Digest of its Verilog, and of what the monitor says.
    pub source: String,
    /// `contract` or `monitor`.
    #[serde(default = "contract")]
    pub of: String,
    /// Settings that are no defaults.
    #[serde(default)]
    pub size: String,
    /// The rule, in words.
    pub rule: String,
    /// `proved`, `broken`, `reached`, `bounded` or `open`.
    pub result: String,
    /// The commands or the solver that found the result.
    #[serde(default)]
    pub method: String,
    /// Cycles of the shortest run that breaks it, or reaches it; or those in which no run breaks it.
    pub cycles: Option<u64>,
    /// Seconds by the clock.
    pub seconds: f64,
    pub measured: Origin,
}

/// The reports of a file; none if there is no such file.
///
/// # Errors
/// If it cannot be read, or a line is none that was written here; the message names the line.
pub fn recorded(path: &Path) -> Result<Vec<ProofReport>> {
    read_lines(path, "report")
}

/// The kind of rules that old records have.
fn contract() -> String {
    "contract".to_string()
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    arguments.record.as_deref().map_or(Ok(vec![]), recorded)?;
    if let Some(folder) = &arguments.counterexample {
        fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    let other = arguments.monitor.as_deref().map(monitor_of_a_file).transpose()?;
    ensure!(
        other.is_none() || entries.len() == 1,
        "--monitor is of one module; name that module, as in gpurf prove ccu --monitor FILE"
    );
    let reports = each(
        entries,
        "modules",
        |entry| entry.name,
        |entry| {
            let mut reports = vec![];
            if other.is_none() {
                let job = Job { arguments: &arguments, entry, size: arguments.modules.settings() };
                reports = job.contract(&hierarchy(entry, &parameters)?)?;
            }
            let own = Monitor::of(entry.name).map(|monitor| monitor.text);
            let Some(text) = other.as_deref().or(own) else { return Ok(reports) };
            let given = arguments.modules.settings().to_vec();
            let sizes = if given.is_empty() { Watched::sizes(text) } else { vec![given] };
            for size in &sizes {
                let job = Job { arguments: &arguments, entry, size };
                reports.extend(job.monitor(&set(size, &[entry])?, text)?);
            }
            Ok(reports)
        },
    )?;
    let reports: Vec<ProofReport> = reports.into_iter().flatten().collect();
    ensure!(
        !reports.is_empty(),
        "none of these modules owes anything at its ports; docs/contracts.md lists those that do"
    );
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports);
    }
    written?;
    let is_broken = |report: &ProofReport| report.result == "broken";
    Ok(if reports.iter().any(is_broken) { Verdict::Fails } else { Verdict::Holds })
}

fn monitor_of_a_file(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("--monitor {}: the file cannot be read", path.display()))
}

/// The monitor of a module with these parameters.
///
/// # Errors
/// If it is no monitor.
pub fn watched(entry: &CatalogueEntry, parameters: &Parameters, text: &str) -> Result<Watched> {
    let settings: Vec<_> = entry.parameters().iter().map(|name| parameters.setting(name)).collect();
    Watched::read(text, &settings).with_context(|| format!("the monitor of {}", entry.name))
}

/// Proofs of one module at one size.
struct Job<'a> {
    arguments: &'a Arguments,
    entry: &'a CatalogueEntry,
    size: &'a [String],
}

impl Job<'_> {
    fn contract(&self, hierarchy: &Hierarchy) -> Result<Vec<ProofReport>> {
        let proofs = prove_contract(hierarchy, self.arguments.seconds, self.waveform().as_deref())?;
        self.reports("contract", hierarchy, digest_with_contract(&hierarchy.code()), proofs)
    }

    fn monitor(&self, parameters: &Parameters, text: &str) -> Result<Vec<ProofReport>> {
        let hierarchy = hierarchy(self.entry, parameters)?;
        let watched = watched(self.entry, parameters, text)?;
        let (seconds, waveform) = (self.arguments.seconds, self.waveform());
        let proofs = prove_monitor(&hierarchy, &watched, seconds, waveform.as_deref())?;
        self.reports("monitor", &hierarchy, digest_with_monitor(&hierarchy.code(), &watched), proofs)
    }

    fn waveform(&self) -> Option<PathBuf> {
        let folder = self.arguments.counterexample.as_ref()?;
        Some(folder.join(self.entry.name).with_extension("vcd"))
    }

    /// They are recorded at once: the next module may take long.
    fn reports(
        &self,
        of: &str,
        hierarchy: &Hierarchy,
        source: String,
        proofs: Vec<RuleProof>,
    ) -> Result<Vec<ProofReport>> {
        let reports = proofs.into_iter().map(|proof| {
            let (result, cycles) = match proof.holds {
                Holds::Always => ("proved", None),
                Holds::Not { cycles } => ("broken", Some(cycles)),
                Holds::Reached { cycles } => ("reached", Some(cycles)),
                Holds::Bounded { cycles } => ("bounded", Some(cycles)),
                Holds::Open => ("open", None),
            };
            ProofReport {
                module: self.entry.name.to_string(),
                verilog: hierarchy.top.clone(),
                source: source.clone(),
                of: of.to_string(),
                size: self.size.join(" "),
                rule: proof.rule,
                result: result.to_string(),
                method: proof.method,
                cycles,
                seconds: proof.seconds,
                measured: origin(),
            }
        });
        let reports: Vec<_> = reports.collect();
        let Some(path) = &self.arguments.record else { return Ok(reports) };
        let mut all = recorded(path)?;
        all.retain(|report| report.verilog != hierarchy.top || report.of != of);
        all.extend_from_slice(&reports);
        all.sort_by(|one, other| (&one.verilog, &one.of).cmp(&(&other.verilog, &other.of)));
        write_lines(path, &all)?;
        Ok(reports)
    }
}

fn print(reports: &[ProofReport]) {
    for (of, says) in [("contract", "never"), ("monitor", "always")] {
        let reports: Vec<_> = reports.iter().filter(|report| report.of == of).collect();
        if reports.is_empty() {
            continue;
        }
        let mut rows = table(&["module", "size", says, "result", "seconds", "by"]);
        for report in &reports {
            let result = match report.cycles {
                Some(cycles) if report.result == "bounded" => format!("open beyond {cycles} cycles"),
                Some(cycles) => format!("{} after {cycles} cycles", report.result),
                None => report.result.clone(),
            };
            let size = if report.size.is_empty() { "default" } else { &report.size };
            let seconds = format!("{:.1}", report.seconds);
            let (module, rule, by) = (report.module.clone(), report.rule.clone(), report.method.clone());
            rows.add_row([module, size.to_string(), rule, result, seconds, by]);
        }
        println!("{rows}");
        let count = |result: &str| reports.iter().filter(|report| report.result == result).count();
        let (proved, reached) = (count("proved"), count("reached"));
        let seen = if reached > 0 { format!(", {reached} reached") } else { String::new() };
        println!("{proved} proved{seen}, of {}", reports.len());
    }
}
