// SPDX-License-Identifier: Apache-2.0
//! `gpurf testbench`: directed and random stimulus on every engine of a module.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_blocks::{suggestion, Parameters};
use gpurf_hw::catalogue::{find, CatalogueEntry};
use gpurf_synth::Structure;
use gpurf_testbenches::tap::{Drawn, RecordingOptions};
use gpurf_testbenches::{workbench, Course, EngineKind, Failure, Failures, Random, TrialOutcome, Workbench};
use serde::Serialize;

use crate::output::{each, grouped, say, table, JsonArgument};
use crate::sim::recording::{query, Margins};
use crate::sim::views::{self, Views};
use crate::synth::SynthesisArguments;
use crate::verdict::Verdict;
use crate::verilog::{modules, ModuleArguments, NameArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf testbench                                                             # minutes
  gpurf testbench ccu --engines model,rtl,verilator --cycles 100000 --seed 7  # minutes
  gpurf testbench ccu --scenario far_before_near --waveform ccu.fst           # a second
  gpurf testbench ccu --cycles 2000 --waveform ccu.fst --around flush#2       # a second
  gpurf testbench ocu --engines rtl,netlist --set width=32 --clock-gating     # minutes
  gpurf verilog ccu --set width=32 --out edited                               # a second
  gpurf testbench ccu --verilog edited/*.v --set width=32                     # seconds")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Compare these engines, separated by commas: of model, rtl, rust-hdl, verilator, icarus and netlist.
    /// The others are held against the first
    #[arg(long, value_delimiter = ',', default_value = "model,rtl")]
    engines: Vec<EngineKind>,
    /// Run this Verilog instead of the module's own, such as Verilog that was exported and edited, or
    /// synthesized. The option takes one module, with the parameters that the files were exported with
    #[arg(long, value_name = "FILE", num_args = 1..)]
    verilog: Vec<PathBuf>,
    #[command(flatten)]
    names: NameArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    #[command(flatten)]
    stimulus: StimulusArguments,
    /// Play this scenario alone, and no random stimulus. The option takes one module, and without --engines
    /// compares model and rtl
    #[arg(long, value_name = "NAME")]
    scenario: Option<String>,
    /// Write a waveform of the scenario, or of the random stimulus, to this file: all that is inside the RTL,
    /// or the ports of the first engine if rtl is none of them. The file is FST if its name ends in .fst, and
    /// VCD otherwise. The option takes one module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    waveform: Option<PathBuf>,
    /// Record these scopes of the waveform, separated by commas, each with all that lies in it; `top` is the
    /// module's own signals alone; without the option, all scopes
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "waveform")]
    scopes: Vec<String>,
    /// Record also what each register is loaded with, and when: NAME_d and NAME_enable. The waveform is one
    /// of the RTL
    #[arg(long, requires = "waveform")]
    loads: bool,
    /// Show the cycles around an event inside the RTL, such as hit, replacement or flush: hit#3 is the third
    /// hit, and hit,warp=3 a hit of this warp. The message for an unknown name lists the module's events
    #[arg(long, value_name = "EVENT", requires = "waveform")]
    around: Option<String>,
    #[command(flatten)]
    margins: Margins,
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

/// Findings of a module's testbench.
#[derive(Serialize)]
struct TestbenchReport {
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
    /// Counts of the stimulus, where it counts what it meets.
    coverage: BTreeMap<&'static str, u64>,
    failure: Option<String>,
    #[serde(skip)]
    parameters: Parameters,
    /// All of them, as they were found.
    #[serde(skip)]
    failures: Vec<Failure>,
}

impl TestbenchReport {
    fn passed(&self) -> bool {
        self.failures.is_empty()
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(arguments.waveform.is_none() || entries.len() == 1, "--waveform takes one module; name it");
    ensure!(arguments.verilog.is_empty() || entries.len() == 1, "--verilog takes one module; name it");
    ensure!(arguments.scenario.is_none() || entries.len() == 1, "--scenario takes one module; name it");
    if let Some(name) = &arguments.scenario {
        let known = workbench(entries[0].name, &parameters).scenarios();
        let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let list = format!("`gpurf names scenarios {}` lists them", entries[0].name);
        ensure!(
            known.contains(&name.as_str()),
            "--scenario: there is no scenario {name}{}",
            suggestion(name, known.iter().copied(), &list)
        );
    }
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
        let is_one = arguments.waveform.is_some() || arguments.scenario.is_some();
        let widths = if is_one { &widths[..1] } else { widths };
        runs.extend(widths.iter().map(|width| (entry, Parameters { width: *width, ..parameters })));
    }

    let name = |(entry, _): &(&'static CatalogueEntry, Parameters)| entry.name;
    let reports =
        each(runs, "testbenches", name, |(entry, parameters)| bench(entry, &parameters, &arguments))?;
    let written = arguments.json.write_list(&reports);
    if arguments.json.leaves_tables() {
        print(&reports, &arguments);
    }
    written?;
    Ok(if reports.iter().all(TestbenchReport::passed) { Verdict::Holds } else { Verdict::Fails })
}

fn bench(
    entry: &'static CatalogueEntry,
    parameters: &Parameters,
    arguments: &Arguments,
) -> Result<TestbenchReport> {
    let mut bench = workbench(entry.name, parameters);
    if !arguments.verilog.is_empty() {
        bench.write_in(arguments.names.style(1)?);
        let top = bench.verilog()?.top;
        bench.read_verilog(other_verilog(&arguments.verilog, &top)?);
    }
    if arguments.engines.contains(&EngineKind::Netlist) {
        let options = arguments.synthesis.options()?;
        let netlist = arguments.synthesis.map(&bench.verilog()?, &options, Structure::Flattened)?;
        bench.read_netlist(netlist.verilog());
    }
    if let Some(path) = &arguments.waveform {
        draw(&*bench, path, arguments)?;
    }
    let StimulusArguments { cycles, seed } = arguments.stimulus;
    let (scenarios, mut failures, outcome) = match &arguments.scenario {
        Some(name) => {
            let failure = bench.play_one(&arguments.engines, name)?;
            (1, Vec::from_iter(failure), TrialOutcome::default())
        }
        None => {
            let failures = bench.play(&arguments.engines)?;
            let outcome = bench.run(&arguments.engines, &mut Random::seeded(seed), cycles)?;
            (bench.scenarios().len(), failures, outcome)
        }
    };

    let line = |failure: &Failure| failure.line(&arguments.engines);
    let scenario_failures = failures.iter().map(line).collect();
    let random = Failure::of(&outcome);
    let failure = random.as_ref().map(line);
    failures.extend(random);
    Ok(TestbenchReport {
        module: entry.name,
        verilog: bench.verilog()?.top,
        width: parameters.width,
        engines: arguments.engines.iter().map(EngineKind::to_string).collect(),
        scenarios,
        scenario_failures,
        cycles: outcome.cycles,
        seed,
        coverage: outcome.coverage,
        failure,
        parameters: *bench.parameters(),
        failures,
    })
}

/// Writes the waveform that is asked for, and views of it.
fn draw(bench: &dyn Workbench, path: &Path, arguments: &Arguments) -> Result<()> {
    let engine = match arguments.engines.contains(&EngineKind::Rtl) {
        true => EngineKind::Rtl,
        false => arguments.engines[0],
    };
    let StimulusArguments { cycles, seed } = arguments.stimulus;
    let course = match &arguments.scenario {
        Some(name) => Course::Scenario(name.clone()),
        None => Course::Random { seed, cycles },
    };
    let (event, shown) = match &arguments.around {
        None => (None, 0..u64::MAX),
        Some(text) => {
            let events = bench.events()?;
            let kinds = events.kinds().into_iter().map(String::from);
            let query = query(text, kinds).map_err(|error| error.context("--around"))?;
            let found = bench.search(&course, &query)?;
            let place = found.place().cloned();
            let event = place
                .with_context(|| format!("--around {text}: {}; nothing is recorded", found.missing()))?;
            say!("the event is in cycle {}: {}", event.cycle, event.text);
            let shown = arguments.margins.around(event.cycle);
            (Some(event), shown)
        }
    };
    let options = RecordingOptions { path, cycles: shown, scopes: &arguments.scopes, loads: arguments.loads };
    let Drawn { variables, cycles } = bench.draw(engine, &course, &options)?;
    Views { waveform: path, variables: &variables, cycles, event: event.as_ref(), groups: &[] }.write()?;
    let [gtkwave, surfer] = views::files(path).map(|path| path.display().to_string());
    let waveform = path.display();
    say!("gtkwave {waveform} {gtkwave}, or surfer --command-file {surfer} {waveform}");
    Ok(())
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

fn print(reports: &[TestbenchReport], arguments: &Arguments) {
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
    let files = arguments.verilog.iter().map(|path| format!(" {}", path.display())).collect::<String>();
    let options = if files.is_empty() { files } else { format!(" --verilog{files}") };
    for report in reports.iter().filter(|report| !report.passed()) {
        let failures = Failures {
            module: report.module,
            parameters: &report.parameters,
            engines: &arguments.engines,
            options: &options,
            scenarios: report.scenarios,
            seed: report.seed,
            failures: &report.failures,
        };
        print!("\n{failures}");
    }
}
