//! `gpurf testbench`: directed and random stimulus on every engine of a module.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{find, Entry};
use gpurf_synth::Structure;
use gpurf_testbenches::{workbench, EngineKind, Outcome, Random};
use serde::Serialize;

use crate::output::{each, grouped, table, JsonArgument};
use crate::synth::SynthesisArguments;
use crate::verilog::{modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf testbench
  gpurf testbench ccu --engines model,rtl,verilator --cycles 100000 --seed 7
  gpurf testbench ccu --set width=1024 --waveform ccu.fst --cycles 200
  gpurf testbench ocu --engines rtl,netlist --set width=32 --clock-gating
  gpurf testbench ccu --verilog edited/*.v --set width=32")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Compare these engines, separated by commas: of model, rtl, rust-hdl, verilator, icarus and netlist. The others are held
    /// against the first
    #[arg(long, value_delimiter = ',', default_value = "model,rtl")]
    engines: Vec<EngineKind>,
    /// Run this Verilog in the place of the module's own, such as Verilog that was exported and edited, or
    /// synthesized. The option takes one module, with the parameters that the files were exported with
    #[arg(long, value_name = "FILE", num_args = 1..)]
    verilog: Vec<PathBuf>,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    #[command(flatten)]
    stimulus: StimulusArguments,
    /// Write the waveform of the ports under random stimulus to this file, as FST if its name ends in .fst, and as
    /// VCD otherwise. The option takes one module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    waveform: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// How long random stimulus runs, and which it is.
#[derive(Args)]
pub struct StimulusArguments {
    /// The number of cycles of random stimulus
    #[arg(long, default_value_t = 10_000)]
    pub cycles: u64,
    /// The seed of the random stimulus
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// What a module's testbench found.
#[derive(Serialize)]
struct Report {
    module: &'static str,
    /// Name of the exported module, which carries its parameters.
    verilog: String,
    width: usize,
    engines: Vec<String>,
    /// Directed scenarios run and failed.
    scenarios: usize,
    scenario_failures: Vec<String>,
    /// Cycles of random stimulus run.
    cycles: u64,
    seed: u64,
    /// What the stimulus met, where it counts.
    coverage: BTreeMap<&'static str, u64>,
    failure: Option<String>,
}

impl Report {
    fn passed(&self) -> bool {
        self.scenario_failures.is_empty() && self.failure.is_none()
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(arguments.waveform.is_none() || entries.len() == 1, "--waveform takes one module; name it");
    ensure!(arguments.verilog.is_empty() || entries.len() == 1, "--verilog takes one module; name it");
    // Hardware is tested with data as wide as it is built; modules without data have one width.
    let widths: &[usize] = match arguments.modules.sets("width") || !arguments.verilog.is_empty() {
        true => &[],
        false => &[32, 1024],
    };
    let mut runs = vec![];
    for entry in entries {
        if widths.is_empty() || !entry.parameters().contains(&"width") {
            runs.push((entry, parameters));
            continue;
        }
        // A stage at full width is the same kernel around the same parts, and slow: tokens do.
        let widths = if entry.name.ends_with("_stage") || entry.name.ends_with("_sub_core") {
            &widths[..1]
        } else {
            widths
        };
        let widths = if arguments.waveform.is_some() { &widths[..1] } else { widths };
        runs.extend(widths.iter().map(|width| (entry, Parameters { width: *width, ..parameters })));
    }

    let name = |(entry, _): &(&'static Entry, Parameters)| entry.name;
    let reports =
        each(runs, "testbenches", name, |(entry, parameters)| bench(entry, &parameters, &arguments))?;
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports, &arguments);
    }
    written?;
    Ok(if reports.iter().all(Report::passed) { Verdict::Holds } else { Verdict::Fails })
}

fn bench(entry: &'static Entry, parameters: &Parameters, arguments: &Arguments) -> Result<Report> {
    let mut bench = workbench(entry.name, parameters);
    if !arguments.verilog.is_empty() {
        let top = bench.verilog()?.top;
        bench.read_verilog(other_verilog(&arguments.verilog, &top)?);
    }
    if arguments.engines.contains(&EngineKind::Netlist) {
        let options = arguments.synthesis.options()?;
        let netlist = arguments.synthesis.map(&bench.verilog()?, &options, Structure::Flattened)?;
        bench.read_netlist(netlist.verilog());
    }
    let scenario_failures = bench.play(&arguments.engines)?;
    let mut random = Random::seeded(arguments.stimulus.seed);
    let outcome = bench.run(
        &arguments.engines,
        &mut random,
        arguments.stimulus.cycles,
        arguments.waveform.as_deref(),
    )?;

    let failure = failure(&outcome, &arguments.engines);
    Ok(Report {
        module: entry.name,
        verilog: bench.verilog()?.top,
        width: parameters.width,
        engines: arguments.engines.iter().map(EngineKind::to_string).collect(),
        scenarios: bench.scenarios().len(),
        scenario_failures,
        cycles: outcome.cycles,
        seed: arguments.stimulus.seed,
        coverage: outcome.coverage,
        failure,
    })
}

/// Where engines first differed under random stimulus, or what the module did wrong.
pub fn failure(outcome: &Outcome, engines: &[EngineKind]) -> Option<String> {
    let divergence = outcome.divergence.as_ref().map(|(place, found)| {
        let gpurf_blocks::Divergence { cycle, port, first, second } = found;
        format!("cycle {cycle}: {port} is {first} in {} and {second} in {}", engines[0], engines[*place])
    });
    let violation = outcome.violation.as_ref().map(|(cycle, reason)| format!("cycle {cycle}: {reason}"));
    divergence.or(violation)
}

/// The text of Verilog files, which must have this module.
fn other_verilog(files: &[PathBuf], top: &str) -> Result<String> {
    let mut text = String::new();
    for file in files {
        let part = fs::read_to_string(file)
            .with_context(|| format!("--verilog {}: the file cannot be read", file.display()))?;
        text += &part;
        text.push('\n');
    }
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("module "));
    let mut names = names.map(|rest| rest.trim_start().split(|letter: char| " (;#".contains(letter)).next());
    ensure!(
        names.any(|name| name == Some(top)),
        "--verilog: no file has a module {top}, which is what these parameters make; give the --set of the export"
    );
    Ok(text)
}

fn print(reports: &[Report], arguments: &Arguments) {
    let mut rows = table(&["module", "data bits", "scenarios", "random cycles", "result"]);
    for report in reports {
        let has_data = find(report.module).is_ok_and(|entry| entry.parameters().contains(&"width"));
        rows.add_row([
            report.module.to_string(),
            if has_data { report.width.to_string() } else { "-".into() },
            report.scenarios.to_string(),
            grouped(report.cycles),
            if report.passed() { "passed".into() } else { "FAILED".to_string() },
        ]);
    }
    println!("{rows}");
    let names: Vec<_> = arguments.engines.iter().map(EngineKind::to_string).collect();
    println!("engines {}, seed {}", names.join(", "), arguments.stimulus.seed);
    for report in reports.iter().filter(|report| !report.coverage.is_empty()) {
        let met = report.coverage.iter().map(|(what, count)| format!("{what} {}", grouped(*count)));
        println!("{}: {}", report.module, met.collect::<Vec<_>>().join(", "));
    }
    for report in reports {
        for failure in report.scenario_failures.iter().chain(&report.failure) {
            println!("{}: {failure}", report.verilog);
        }
    }
}
