// SPDX-License-Identifier: Apache-2.0
//! The command line of `gpurf compare`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, Error};
use gpurf_blocks::suggestion;
use gpurf_sim::sm::Design;

use super::definition::{Definition, STUDIES};
use super::study::StudyRecordArgument;
use crate::designs::DesignParser;
use crate::input::EmulationArguments;
use crate::output::JsonArgument;
use crate::settings::MachineArguments;
use crate::synth::{DelayArgument, StructureArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf compare malekeh --size medium --out out/malekeh                             # minutes
  gpurf compare malekeh bfs hgemm --designs malekeh,malekeh+iwma --csv results.csv  # a second
  gpurf compare malekeh --also sthld,ablations --out out/malekeh                    # minutes
  gpurf compare finereg --size medium                                               # minutes
  gpurf compare modern --out out/modern                                             # minutes
  gpurf compare designs --out out/designs                                           # minutes
  gpurf trace bfs nn --out traces_of_two                                            # a second
  gpurf compare malekeh --inputs traces_of_two --out out/two                        # a second
  gpurf compare multicast --out out/multicast                                       # minutes
  gpurf compare malekeh --out out/malekeh --list                                    # a second
  gpurf compare malekeh --out out/malekeh --run bfs_malekeh --run bfs_bow           # seconds
  gpurf compare register-cache --size medium                                        # minutes
  gpurf compare register-cache --area 32 --out out/register_cache                   # hours
  gpurf compare register-cache --area 1024 --by-module --energy                     # hours
  gpurf compare operand-stage --area 32 --out out/operand_stage                     # hours
  gpurf compare collector-clock --area 32 --delay 700 --out out/collector_clock     # hours")]
pub struct Arguments {
    /// The study: whose evaluation is repeated
    #[arg(value_parser = StudyParser)]
    pub(super) study: &'static Definition,
    /// Built-in workloads, launch files or traces; without any, the study's own
    pub(super) input: Vec<String>,
    /// Run all launch files and traces of this folder, instead of the study's own inputs
    #[arg(long, value_name = "DIR", conflicts_with = "input")]
    pub(super) inputs: Option<PathBuf>,
    /// Run these designs, separated by commas, beside the one that they are compared with; without the
    /// option, the study's own
    #[arg(long, value_name = "DESIGN", value_delimiter = ',', value_parser = DesignParser)]
    pub(super) designs: Vec<Design>,
    #[arg(long, value_name = "RUNS", value_delimiter = ',', help = also_help())]
    pub(super) also: Vec<String>,
    /// Also synthesize the hardware, with registers of this number of bits. The option is for the studies
    /// operand-stage, collector-clock and register-cache; the last one then also runs its caches in the SM,
    /// beside those of other papers
    #[arg(long, value_name = "WIDTH")]
    pub(super) area: Option<usize>,
    /// Also measure what register caches of 1,024 bits take, in their netlists under random stimulus. The
    /// option is for the study register-cache
    #[arg(long, requires = "area")]
    pub(super) energy: bool,
    #[command(flatten)]
    pub(super) structure: StructureArguments,
    #[command(flatten)]
    pub(super) delay: DelayArgument,
    #[command(flatten)]
    pub(super) emulation: EmulationArguments,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
    /// The seed of the hardware's random choices
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Keep results and plots in this folder. Runs whose results are already there are not repeated
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Only list the runs, and say of each whether its result in --out is kept, missing, damaged or other: of
    /// another program, another input or other constants
    #[arg(long, conflicts_with_all = ["run", "csv", "area", "record"])]
    pub(super) list: bool,
    /// Make only this run of the list, and leave its result in --out; the study without --run joins the
    /// results. The option may be given several times
    #[arg(long, value_name = "NAME", requires = "out", conflicts_with_all = ["json", "csv", "area", "record"])]
    pub(super) run: Vec<String>,
    #[command(flatten)]
    pub(super) record: StudyRecordArgument,
    #[command(flatten)]
    pub(super) json: JsonArgument,
    /// Print all tables. Without the option, a study on a part of its inputs, or on others, prints the main
    /// ones and names the rest
    #[arg(long)]
    pub(super) all_tables: bool,
    /// Write all results to this file as CSV
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    pub(super) csv: Option<PathBuf>,
}

/// Which further runs each study has.
fn also_help() -> String {
    let of = |study: &Definition| {
        let names = study.requests();
        (!names.is_empty()).then(|| format!("{} in {}", names.join(", "), study.name))
    };
    let all: Vec<String> = STUDIES.iter().filter_map(of).collect();
    format!(
        "Also make further runs, which are named here and separated by commas. There are {}",
        all.join("; ")
    )
}

/// Reads the name of a study.
#[derive(Clone)]
struct StudyParser;

impl TypedValueParser for StudyParser {
    type Value = &'static Definition;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, Error> {
        let name = value.to_string_lossy();
        Definition::named(&name).ok_or_else(|| {
            let known = suggestion(
                &name,
                STUDIES.iter().map(|study| study.name.as_str()),
                "`gpurf names studies` lists them",
            );
            let message = format!("{name}: there is no such study{known}");
            command.clone().error(ErrorKind::ValueValidation, message)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(
            STUDIES.iter().map(|study| PossibleValue::new(study.name.as_str()).help(study.about.as_str())),
        ))
    }
}
