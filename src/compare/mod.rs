//! `gpurf compare`: all designs on all workloads, beside what the papers report.

mod claims;
mod jobs;
mod metrics;
mod plots;
mod tables;

use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use clap::Args;
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_workloads::suite::SUITE;

use crate::input::{EmulationArguments, Input};
use crate::output::{write, write_json};
use crate::Verdict;
use jobs::{Outcome, Variant};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf compare --size medium --out out/compare
  gpurf compare bfs hgemm --designs baseline,malekeh --csv results.csv
  gpurf compare --sthld --out out/compare
  gpurf compare sgemm hgemm --ablations")]
pub struct Arguments {
    /// Built-in workloads, launch files or traces; all built-in workloads if none is named
    input: Vec<String>,
    /// Designs beside the baseline, separated by commas; all if none is named
    #[arg(long, value_delimiter = ',')]
    designs: Vec<String>,
    /// Also run malekeh with fixed STHLD, from 0 to 31 (F Fig. 7)
    #[arg(long)]
    sthld: bool,
    /// Also run malekeh with one constant or policy changed at a time
    #[arg(long)]
    ablations: bool,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Constants of the machine, in TOML
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set one constant
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Of the hardware's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for results and plots. A run that finds finished results there does not repeat them
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// All results as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// All results as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    let config = Config::load(arguments.config.as_deref(), &arguments.settings)?;
    let inputs: Vec<_> = match arguments.input.is_empty() {
        true => SUITE.iter().copied().map(Input::BuiltIn).collect(),
        false => arguments.input.iter().map(|name| Input::find(name)).collect::<Result<_>>()?,
    };
    let designs = designs(&arguments.designs)?;
    let mut variants: Vec<Variant> = designs.iter().map(|&design| Variant::plain(design)).collect();
    if arguments.sthld {
        variants.extend(Variant::static_sthld());
    }
    if arguments.ablations {
        variants.extend(Variant::ablations());
    }
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made; check the folder above it", folder.display()))?;
    }
    let outcomes = jobs::run(&inputs, &variants, &config, &arguments)?;

    if let Some(path) = &arguments.json {
        write_json(path, &outcomes)?;
    }
    if let Some(path) = &arguments.csv {
        write(path, &tables::csv(&outcomes)?)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        tables::print(&outcomes, &designs, &variants)?;
    }
    if let Some(folder) = &arguments.out {
        plots::write_all(folder, &outcomes, &designs, &variants)?;
        println!("Plots and results: {}", folder.display());
    }
    let unsound: Vec<_> = outcomes.iter().filter(|outcome| !outcome.sound).collect();
    for Outcome { workload, label, errors, .. } in &unsound {
        println!("{workload}, {label}: a check failed: {}", errors.join("; "));
    }
    Ok(if unsound.is_empty() { Verdict::Holds } else { Verdict::Fails })
}

/// The baseline, which the others are compared with, and those named.
fn designs(names: &[String]) -> Result<Vec<Design>> {
    let mut designs = vec![Design::BASELINE];
    if names.is_empty() {
        designs.extend(Design::ALL.into_iter().filter(|design| *design != Design::BASELINE));
    }
    for name in names {
        let Some(design) = Design::named(name) else {
            let names: Vec<_> = Design::ALL.iter().map(|design| design.name).collect();
            bail!("--designs {name}: there is no such design; there are {}", names.join(", "));
        };
        if !designs.contains(&design) {
            designs.push(design);
        }
    }
    Ok(designs)
}
