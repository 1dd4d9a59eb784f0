//! `gpurf compare`: the papers' evaluations, each a study of its own, beside what they report.

mod bars;
mod claims;
mod csv;
pub mod finding;
mod finereg;
pub mod jobs;
mod lines;
pub mod malekeh;
mod multicast;
mod operand_stage;
pub mod plot;
mod register_cache;
mod scatter;
pub mod series;
pub mod study;

use std::path::PathBuf;

use anyhow::{ensure, Context, Result};
use clap::{Args, FromArgMatches, ValueEnum};
use gpurf_sim::sm::Design;
use gpurf_workloads::suite::SUITE;

use crate::designs::DesignParser;
use crate::input::{EmulationArguments, Input};
use crate::output::JsonArgument;
use crate::settings::MachineArguments;
use crate::Verdict;
use finding::Finding;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf compare --size medium --out out/compare
  gpurf compare bfs hgemm --designs baseline,malekeh --csv results.csv
  gpurf compare --sthld --out out/compare
  gpurf compare sgemm hgemm --ablations
  gpurf compare --study finereg --size medium
  gpurf compare --study multicast --out out/multicast
  gpurf compare --study register-cache --size medium
  gpurf compare --study register-cache --area 32 --out out/register_cache
  gpurf compare --study operand-stage --area 32 --out out/operand_stage")]
pub struct Arguments {
    /// Built-in workloads, launch files or traces; all built-in workloads if none is named
    input: Vec<String>,
    /// Which paper's evaluation
    #[arg(long, value_enum, default_value = "malekeh")]
    study: Study,
    /// Designs beside the baseline, separated by commas; all if none is named
    #[arg(long, value_name = "DESIGN", value_delimiter = ',', value_parser = DesignParser)]
    designs: Vec<Design>,
    /// Also run malekeh with fixed STHLD, from 0 to 31 (F Fig. 7)
    #[arg(long)]
    sthld: bool,
    /// Also run with one constant or policy changed at a time
    #[arg(long)]
    ablations: bool,
    /// Also synthesize the hardware, with registers of so many bits (studies operand-stage and register-cache,
    /// the latter also in the SM beside other papers' caches)
    #[arg(long, value_name = "WIDTH")]
    area: Option<usize>,
    #[command(flatten)]
    emulation: EmulationArguments,
    #[command(flatten)]
    machine: MachineArguments,
    /// Of the hardware's random choices
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for results and plots. A run that finds finished results there does not repeat them
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
    /// All results as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

impl Arguments {
    /// As a command line has them.
    pub fn of(line: &[String]) -> Result<Arguments> {
        let command = Arguments::augment_args(clap::Command::new("compare").no_binary_name(true));
        Ok(Arguments::from_arg_matches(&command.try_get_matches_from(line)?)?)
    }

    /// What is named, or all built-in workloads.
    fn inputs(&self) -> Result<Vec<Input>> {
        match self.input.is_empty() {
            true => Ok(SUITE.iter().copied().map(Input::BuiltIn).collect()),
            false => self.input.iter().map(|name| Input::find(name)).collect(),
        }
    }
}

/// The evaluation of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Study {
    /// Malekeh and the register-file caches it is compared with
    Malekeh,
    /// FineReg, and other ways to keep more thread blocks resident
    Finereg,
    /// Inter-warp multicasting and DARSIE, on matrix products. INPUT names tiles and layers; --ablations
    /// adds smaller tables
    Multicast,
    /// Register caches: traffic and energy of C's eight caches, counted without a streaming multiprocessor; with --area
    /// also what they save in one, beside other papers' caches, and what they cost
    RegisterCache,
    /// Operand stages that hold a collector for a longer or shorter time: performance, and with --area what they cost
    OperandStage,
}

impl Study {
    /// As `--study` names it.
    pub fn name(self) -> String {
        self.to_possible_value().expect("no study is hidden").get_name().to_string()
    }
}

/// What the evaluations of all papers report, by study: findings without a number of ours.
pub fn claimed() -> [(Study, Vec<Finding>); 5] {
    [
        (Study::Malekeh, malekeh::claimed()),
        (Study::Finereg, finereg::claimed()),
        (Study::Multicast, multicast::claimed()),
        (Study::RegisterCache, register_cache::claimed()),
        (Study::OperandStage, operand_stage::claimed()),
    ]
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    if let Some(folder) = &arguments.out {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made; check the folder above it", folder.display()))?;
    }
    ensure!(
        arguments.area.is_none() || matches!(arguments.study, Study::OperandStage | Study::RegisterCache),
        "--area belongs to --study operand-stage and register-cache; leave it out, or use `gpurf synth`",
    );
    match arguments.study {
        Study::Malekeh => malekeh::run(&arguments),
        Study::Finereg => finereg::run(&arguments),
        Study::Multicast => multicast::run(arguments),
        Study::RegisterCache => register_cache::run(&arguments),
        Study::OperandStage => operand_stage::run(&arguments),
    }
}
