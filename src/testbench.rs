//! `gpurf testbench`: directed and random stimulus on every engine of a module.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Result};
use clap::{Args, ValueEnum};
use gpurf_hw::catalogue::{self, Entry, Parameters};
use gpurf_hw::dialect::{PortWaveform, Rtl};
use gpurf_hw::with_module;
use gpurf_testbenches::{run as run_random, Drive, Engine, Random, Testbench};
use gpurf_verilog::{emit, Icarus, Verilated};
use serde::Serialize;

use crate::output::{grouped, progress, table, write_json};
use crate::verilog::{modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf testbench
  gpurf testbench ccu --engines model,rtl,verilator --cycles 100000 --seed 7
  gpurf testbench ccu --set width=1024 --vcd ccu.vcd --cycles 200")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Engines to compare; the first is what the others are held against
    #[arg(long, value_enum, value_delimiter = ',', default_value = "model,rtl,verilator")]
    engines: Vec<Kind>,
    /// Cycles of random stimulus
    #[arg(long, default_value_t = 10_000)]
    cycles: u64,
    /// Decides the random stimulus
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Waveform of the ports under random stimulus; takes one module
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    /// Results as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// An engine of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// The reference model
    Model,
    /// The rust-hdl hardware
    Rtl,
    /// The emitted Verilog under Verilator
    Verilator,
    /// The emitted Verilog under Icarus
    Icarus,
}

/// What a module's testbench found.
#[derive(Serialize)]
struct Report {
    module: &'static str,
    /// Name of the exported module, which carries its parameters.
    verilog: String,
    width: usize,
    engines: Vec<Kind>,
    /// Directed scenarios run and failed.
    scenarios: usize,
    scenario_failures: Vec<String>,
    /// Cycles of random stimulus run.
    cycles: u64,
    seed: u64,
    failure: Option<String>,
}

impl Report {
    fn passed(&self) -> bool {
        self.scenario_failures.is_empty() && self.failure.is_none()
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    ensure!(arguments.vcd.is_none() || entries.len() == 1, "--vcd takes one module; name it");
    // Hardware is tested with data as wide as it is built; modules without data have one width.
    let widths: &[usize] = match arguments.modules.sets("width") {
        true => &[],
        false => &[32, 1024],
    };
    let mut runs = vec![];
    for entry in entries {
        if widths.is_empty() || !entry.parameters.contains(&"width") {
            runs.push((entry, parameters));
            continue;
        }
        // A stage at full width is the same kernel around the same parts, and slow: tokens do.
        let widths = if entry.name.ends_with("_stage") || entry.name.ends_with("_sub_core") {
            &widths[..1]
        } else {
            widths
        };
        let widths = if arguments.vcd.is_some() { &widths[..1] } else { widths };
        runs.extend(widths.iter().map(|width| (entry, Parameters { width: *width, ..parameters })));
    }

    let bar = progress(runs.len() as u64, "testbenches");
    let mut reports = vec![];
    for (entry, parameters) in runs {
        bar.set_message(entry.name);
        let report =
            with_module!(entry.name, &parameters, make => bench(make, entry, &parameters, &arguments))?;
        reports.push(report);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some(path) = &arguments.json {
        write_json(path, &reports)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        print(&reports, &arguments);
    }
    Ok(if reports.iter().all(Report::passed) { Verdict::Holds } else { Verdict::Fails })
}

fn bench<M: Testbench>(
    make: impl Fn() -> M,
    entry: &'static Entry,
    parameters: &Parameters,
    arguments: &Arguments,
) -> Result<Report> {
    let engines = || -> Result<Vec<Engine<M>>> {
        arguments.engines.iter().map(|kind| engine(*kind, &make, parameters)).collect()
    };
    let mut scenario_failures = vec![];
    let scenarios = M::scenarios();
    for scenario in &scenarios {
        let mut engines = engines()?;
        if let Err(failure) = (scenario.play)(&mut Drive::new(parameters, &mut engines)) {
            scenario_failures.push(format!("{} ({}): {failure}", scenario.name, scenario.rule));
        }
    }

    let mut waveform = match &arguments.vcd {
        Some(path) => Some(PortWaveform::create(path, entry.name, &make())?),
        None => None,
    };
    let mut engines = engines()?;
    let mut stimulus = M::stimulus(parameters);
    let mut random = Random::seeded(arguments.seed);
    let mut recorded = Ok(());
    let outcome =
        run_random::<M>(&mut engines, &mut *stimulus, &mut random, arguments.cycles, |cycle, i, o| {
            if let (Some(waveform), Ok(())) = (&mut waveform, &recorded) {
                recorded = waveform.sample(cycle, i, o);
            }
        });
    recorded?;
    waveform.map_or(Ok(()), PortWaveform::finish)?;

    let names: Vec<_> = arguments.engines.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect();
    let divergence = outcome.divergence.as_ref().map(|(place, found)| {
        let gpurf_hw::dialect::Divergence { cycle, port, first, second } = found;
        format!("cycle {cycle}: {port} is {first} in {} and {second} in {}", names[0], names[*place])
    });
    let violation = outcome.violation.as_ref().map(|(cycle, reason)| format!("cycle {cycle}: {reason}"));
    Ok(Report {
        module: entry.name,
        verilog: emit(&make())?.top,
        width: parameters.width,
        engines: arguments.engines.clone(),
        scenarios: scenarios.len(),
        scenario_failures,
        cycles: outcome.cycles,
        seed: arguments.seed,
        failure: divergence.or(violation),
    })
}

fn engine<M: Testbench>(kind: Kind, make: &impl Fn() -> M, parameters: &Parameters) -> Result<Engine<M>> {
    Ok(match kind {
        Kind::Model => M::model(parameters),
        Kind::Rtl => Box::new(Rtl::new(make())),
        Kind::Verilator => Box::new(Verilated::new(&make())?),
        Kind::Icarus => Box::new(Icarus::new(&make())?),
    })
}

fn print(reports: &[Report], arguments: &Arguments) {
    let mut rows = table(&["module", "data bits", "scenarios", "random cycles", "result"]);
    for report in reports {
        let has_data = catalogue::find(report.module).is_ok_and(|entry| entry.parameters.contains(&"width"));
        rows.add_row([
            report.module.to_string(),
            if has_data { report.width.to_string() } else { "-".into() },
            report.scenarios.to_string(),
            grouped(report.cycles),
            if report.passed() { "passed".into() } else { "FAILED".to_string() },
        ]);
    }
    println!("{rows}");
    let names: Vec<_> = arguments.engines.iter().map(|kind| format!("{kind:?}").to_lowercase()).collect();
    println!("engines {}, seed {}", names.join(", "), arguments.seed);
    for report in reports {
        for failure in report.scenario_failures.iter().chain(&report.failure) {
            println!("{}: {failure}", report.verilog);
        }
    }
}
