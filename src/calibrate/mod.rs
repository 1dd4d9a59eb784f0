// SPDX-License-Identifier: Apache-2.0
//! `gpurf calibrate`: our cycles beside those of a reference, kernel by kernel.
//!
//! The reference is a file of cycles. Those of another simulator name the traces that they belong to; the
//! streams run on one SM under the baseline, whose scheduler is greedy-then-oldest. Those of a real GPU are
//! in [`silicon`].

mod measure;
mod mechanisms;
mod plot;
mod reference;
mod silicon;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Result};
use clap::Args;
use gpurf_sim::config::Config;
use rayon::prelude::*;
use serde::Serialize;

use crate::compare::study::{Study, StudyRecordArgument, Titled};
use crate::output::{all, from_one, progress, say, write_text, JsonArgument};
use crate::settings::constants_help;
use crate::verdict::Verdict;
use measure::{measure, CalibrationSummary, MeasuredKernel};
use mechanisms::{Mechanism, MECHANISMS};
use reference::Reference;
use silicon::Measurements;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf trace --out out/traces                                                                    # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --plot calibration.svg       # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --without l1-banks --json -  # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --ablate                     # minutes

Cycles of a simulator are JSON: {\"traces\": {FOLDER: [KERNEL, ...]}}. A KERNEL has \"file\", its trace in the
folder, \"cycles\" by variant, and perhaps \"name\" and \"group\", what bounds it. Kernels of a folder that the
file does not name are not run.

Cycles of a real GPU are TOML, with a table [card]: name, architecture, clock_mhz, source, machine (a preset or
a file of constants), and perhaps caches_emptied. Each [[kernel]] has suite, program, kernel, cycles, and
perhaps input and launch (its number, or \"mean\"). One of trace = FOLDER, workload = NAME (perhaps with size)
and not_run = REASON says where the program is had. Accel-Sim's hw_perf.csv is read as it is. A file whose name
ends in .toml or .csv is one of a GPU.")]
pub struct Arguments {
    /// The file with the cycles of the reference
    #[arg(value_name = "FILE")]
    reference: PathBuf,
    /// The folder with the folders of traces; without it, `traces` beside the folder of FILE, or GPURF_TRACES
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Compare with this variant of a simulator's cycles; without it, gto
    #[arg(long)]
    variant: Option<String>,
    /// Kernels to which a simulator gives fewer cycles than this run, but do not count; without it, 1000
    #[arg(long, value_name = "CYCLES")]
    minimum: Option<u64>,
    /// Leave this mechanism of the machine out. The option may be given several times
    #[arg(long, value_name = "MECHANISM", long_help = mechanisms::help())]
    without: Vec<String>,
    /// Also run without each of the mechanisms in turn
    #[arg(long)]
    ablate: bool,
    /// Simulate so many SMs of a card, with their share of thread blocks, L2 and DRAM; without it, all
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    sms: Option<u64>,
    /// The first N launches of a kernel stand for a mean of all that a card measured; without it, 1
    #[arg(long, value_name = "N", value_parser = from_one, allow_negative_numbers = true)]
    launches: Option<u64>,
    /// Take constants of the machine from this file, in TOML, or from the preset of this name; without it,
    /// accel-sim-rtx2060, or what the file says of a card
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set one constant of the machine. The option may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = constants_help())]
    settings: Vec<String>,
    /// Draw our cycles over the reference's into this file, as SVG
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    plot: Option<PathBuf>,
    #[command(flatten)]
    record: StudyRecordArgument,
    #[command(flatten)]
    json: JsonArgument,
}

/// The findings of the command.
#[derive(Serialize)]
struct Results {
    variant: String,
    minimum: u64,
    summary: CalibrationSummary,
    groups: Vec<(String, CalibrationSummary)>,
    kernels: Vec<MeasuredKernel>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ablation: Vec<Ablation>,
    config: Config,
}

/// The results without a mechanism.
#[derive(Serialize)]
struct Ablation {
    #[serde(flatten)]
    mechanism: &'static Mechanism,
    summary: CalibrationSummary,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    if Measurements::is_named_so(&arguments.reference) {
        return silicon::run(&arguments);
    }
    let path = arguments.reference.display();
    for (option, given) in [("--sms", arguments.sms), ("--launches", arguments.launches)] {
        ensure!(given.is_none(), "{path}: {option} is for cycles of a card (.toml, .csv); leave it out");
    }
    let variant = arguments.variant.as_deref().unwrap_or("gto");
    let minimum = arguments.minimum.unwrap_or(1000);
    let machine = arguments.config.as_deref().unwrap_or(Path::new("accel-sim-rtx2060"));
    let mut config = Config::load(Some(machine), &arguments.settings)?;
    for name in &arguments.without {
        config = Mechanism::named(name)?.without(&config)?;
    }
    let reference = Reference::read(&arguments.reference, variant)?;
    let Some(traces) = folder_of_traces(&arguments)? else {
        bail!("{path}: there is no folder of traces beside it; name it with --traces DIR");
    };
    let sets = reference.open(&traces)?;
    let inputs = sets.iter().map(|set| set.trace.clone()).collect();

    let left: &'static [Mechanism] = if arguments.ablate { MECHANISMS } else { &[] };
    let bar = progress((1 + left.len()) as u64 * sets.len() as u64, "traces");
    let run = |config: &Config| -> Result<Vec<MeasuredKernel>> {
        let sets = sets.par_iter().map(|set| measure(set, config).inspect(|_| bar.inc(1)));
        let kernels = sets.collect::<Result<Vec<_>>>()?.into_iter().flatten();
        Ok(kernels.filter(|kernel| kernel.reference >= minimum).collect())
    };
    let kernels = run(&config)?;
    if kernels.is_empty() {
        bail!("{path}: no kernel has {minimum} cycles or more; give a lower --minimum",);
    }
    let ablation = left.par_iter().map(|mechanism| {
        let summary = CalibrationSummary::of_kernels(&run(&mechanism.without(&config)?)?);
        Ok(Ablation { mechanism, summary })
    });
    let ablation = ablation.collect::<Result<Vec<_>>>()?;
    bar.finish_and_clear();

    let results = Results {
        variant: variant.into(),
        minimum,
        summary: CalibrationSummary::of_kernels(&kernels),
        groups: measure::by_group(&kernels),
        kernels,
        ablation,
        config,
    };
    let tables = tables::of(&results);
    let titled = tables.iter().map(|(title, rows)| Titled::new(*title, rows)).collect();
    let written = all([
        arguments.json.write(&results),
        write_text(arguments.plot.as_deref(), || plot::scatter(&results.kernels, variant)),
        arguments.record.write(&Study::of_tables("calibrate", inputs, titled)),
    ]);
    if arguments.json.leaves_tables() {
        tables.iter().for_each(|(_, rows)| println!("{rows}"));
    }
    written?;
    let unsound: Vec<_> = results.kernels.iter().filter(|kernel| !kernel.errors.is_empty()).collect();
    for MeasuredKernel { trace, file, errors, .. } in &unsound {
        say!("{trace}, {file}: a check failed: {}", errors.join("; "));
    }
    Ok(if unsound.is_empty() { Verdict::Holds } else { Verdict::Fails })
}

/// As the option says, or beside the folder of the reference, or as the environment says.
fn folder_of_traces(arguments: &Arguments) -> Result<Option<PathBuf>> {
    if let Some(folder) = &arguments.traces {
        return Ok(Some(folder.clone()));
    }
    let folder = arguments.reference.parent().unwrap_or(Path::new(""));
    let beside = folder.join("../traces");
    match beside.is_dir() {
        true => Ok(Some(beside)),
        false => Ok(std::env::var_os("GPURF_TRACES").map(PathBuf::from)),
    }
}
