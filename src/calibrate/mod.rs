// SPDX-License-Identifier: Apache-2.0
//! `gpurf calibrate`: our cycles beside those of a reference, kernel by kernel.
//!
//! The reference is a file of cycles, from another simulator or from counters of hardware; it says which
//! traces they belong to. The streams run under the baseline, whose scheduler is greedy-then-oldest.

mod measure;
mod mechanisms;
mod plot;
mod reference;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{bail, Result};
use clap::Args;
use gpurf_sim::config::Config;
use rayon::prelude::*;
use serde::Serialize;

use crate::compare::study::{Study, StudyRecordArgument, Titled};
use crate::output::{all, progress, say, write_text, JsonArgument};
use crate::settings::constants_help;
use crate::verdict::Verdict;
use measure::{measure, CalibrationSummary, MeasuredKernel};
use mechanisms::{Mechanism, MECHANISMS};
use reference::Reference;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf trace --out out/traces                                                                    # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --plot calibration.svg       # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --without l1-banks --json -  # seconds
  gpurf calibrate papers/accel-sim-built-in.json --traces out/traces --ablate                     # minutes

The file is JSON: {\"traces\": {FOLDER: [KERNEL, ...]}}. A KERNEL has \"file\", its trace in the folder,
\"cycles\" by variant, and perhaps \"name\" and \"group\", what bounds it. Kernels of a folder that the file
does not name are not run.")]
pub struct Arguments {
    /// The file with the cycles of the reference
    #[arg(value_name = "FILE")]
    reference: PathBuf,
    /// The folder with the folders of traces; without it, `traces` beside the folder of FILE, or GPURF_TRACES
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    /// Compare with this variant of the reference's cycles
    #[arg(long, default_value = "gto")]
    variant: String,
    /// Kernels to which the reference gives fewer cycles than this run, but do not count
    #[arg(long, value_name = "CYCLES", default_value_t = 1000)]
    minimum: u64,
    /// Leave this mechanism of the machine out. The option may be given several times
    #[arg(long, value_name = "MECHANISM", long_help = mechanisms::help())]
    without: Vec<String>,
    /// Also run without each of the mechanisms in turn
    #[arg(long)]
    ablate: bool,
    /// Take constants of the machine from this file, in TOML, or from the preset of this name
    #[arg(long, value_name = "FILE", default_value = "accel-sim-rtx2060")]
    config: PathBuf,
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
    let mut config = Config::load(Some(&arguments.config), &arguments.settings)?;
    for name in &arguments.without {
        config = Mechanism::named(name)?.without(&config)?;
    }
    let reference = Reference::read(&arguments.reference, &arguments.variant)?;
    let traces = folder_of_traces(&arguments)?;
    let sets = reference.open(&traces)?;
    let inputs = sets.iter().map(|set| set.trace.clone()).collect();

    let left: &'static [Mechanism] = if arguments.ablate { MECHANISMS } else { &[] };
    let bar = progress((1 + left.len()) as u64 * sets.len() as u64, "traces");
    let run = |config: &Config| -> Result<Vec<MeasuredKernel>> {
        let sets = sets.par_iter().map(|set| measure(set, config).inspect(|_| bar.inc(1)));
        let kernels = sets.collect::<Result<Vec<_>>>()?.into_iter().flatten();
        Ok(kernels.filter(|kernel| kernel.reference >= arguments.minimum).collect())
    };
    let kernels = run(&config)?;
    if kernels.is_empty() {
        bail!(
            "{}: no kernel has {} cycles or more; give a lower --minimum",
            arguments.reference.display(),
            arguments.minimum
        );
    }
    let ablation = left.par_iter().map(|mechanism| {
        let summary = CalibrationSummary::of(&run(&mechanism.without(&config)?)?);
        Ok(Ablation { mechanism, summary })
    });
    let ablation = ablation.collect::<Result<Vec<_>>>()?;
    bar.finish_and_clear();

    let results = Results {
        variant: arguments.variant.clone(),
        minimum: arguments.minimum,
        summary: CalibrationSummary::of(&kernels),
        groups: measure::by_group(&kernels),
        kernels,
        ablation,
        config,
    };
    let tables = tables::of(&results);
    let titled = tables.iter().map(|(title, rows)| Titled::new(*title, rows)).collect();
    let written = all([
        arguments.json.write(&results),
        write_text(arguments.plot.as_deref(), || plot::scatter(&results.kernels, &arguments.variant)),
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
fn folder_of_traces(arguments: &Arguments) -> Result<PathBuf> {
    if let Some(folder) = &arguments.traces {
        return Ok(folder.clone());
    }
    let folder = arguments.reference.parent().unwrap_or(Path::new(""));
    let beside = folder.join("../traces");
    if beside.is_dir() {
        return Ok(beside);
    }
    match std::env::var_os("GPURF_TRACES") {
        Some(folder) => Ok(folder.into()),
        None => bail!("{}: there is no such folder of traces; name it with --traces DIR", beside.display()),
    }
}
