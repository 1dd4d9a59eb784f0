// SPDX-License-Identifier: Apache-2.0
//! `gpurf names`: what the command line knows by name, for people and for those who build command lines.

use anyhow::{ensure, Result};
use clap::{Args, Command, CommandFactory, ValueEnum};
use comfy_table::CellAlignment;
use gpurf_blocks::{timing, Parameter, Parameters, PARAMETERS, TIMING, TIMINGS};
use gpurf_hw::catalogue::{catalogue, find};
use gpurf_sim::config::constants;
use gpurf_sim::sm::PRESETS;
use gpurf_testbenches::workbench;
use gpurf_workloads::suite::SUITE;

use crate::compare::STUDIES;
use crate::output::table;
use crate::products::Product;
use crate::verdict::Verdict;
use crate::{docs, Cli};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf names workloads      # a second
  gpurf names scenarios ccu  # a second
  gpurf names parameters ccu # a second")]
pub struct Arguments {
    /// The kind of names
    #[arg(value_enum)]
    kind: Kind,
    /// The hardware modules whose scenarios or parameters are listed
    #[arg(value_name = "MODULE")]
    modules: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Built-in workloads
    Workloads,
    /// Hardware modules
    Modules,
    /// Scenarios of hardware modules
    Scenarios,
    /// Designs of a streaming multiprocessor
    Designs,
    /// Studies of gpurf compare
    Studies,
    /// Parameters of hardware modules
    Parameters,
    /// Constants of the simulated machine
    Constants,
}

/// A name and what it stands for.
type Named = (String, String);

pub(crate) fn run(arguments: Arguments) -> Result<Verdict> {
    ensure!(
        matches!(arguments.kind, Kind::Scenarios | Kind::Parameters) || arguments.modules.is_empty(),
        "MODULE is for scenarios and parameters; leave it out"
    );
    let mut rows = table(&["name", "what it is"]);
    for (name, about) in named(&arguments)? {
        rows.add_row([name, about]);
    }
    rows.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Left));
    println!("{rows}");
    Ok(Verdict::Holds)
}

fn named(arguments: &Arguments) -> Result<Vec<Named>> {
    let named = |name: &str, about: &str| (name.to_string(), about.to_string());
    Ok(match arguments.kind {
        Kind::Workloads => {
            let built_in = SUITE.iter().map(|benchmark| named(benchmark.name, benchmark.about));
            let products =
                Product::all().map(|product| named(&product.name, "a square matrix product of C Table V"));
            built_in.chain(products).collect()
        }
        Kind::Modules => catalogue().iter().map(|entry| named(entry.name, &entry.naming.origin())).collect(),
        Kind::Scenarios => {
            let mut all = vec![];
            let names: Vec<&str> = match arguments.modules.is_empty() {
                true => catalogue().iter().map(|entry| entry.name).collect(),
                false => arguments.modules.iter().map(String::as_str).collect(),
            };
            for name in names {
                let bench = workbench(find(name)?.name, &Parameters::default());
                all.extend(
                    bench
                        .scenarios()
                        .into_iter()
                        .map(|(scenario, rule)| named(scenario, &format!("{name}: {rule}"))),
                );
            }
            all
        }
        Kind::Designs => PRESETS
            .iter()
            .map(|preset| named(preset.name, &format!("{} ({})", preset.what, preset.paper)))
            .collect(),
        Kind::Studies => STUDIES.iter().map(|study| named(&study.name, &study.about)).collect(),
        Kind::Parameters => {
            let entries = arguments.modules.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
            let is_asked = |parameter: &&Parameter| {
                entries.is_empty() || entries.iter().any(|entry| entry.parameters().contains(&parameter.name))
            };
            let asked = PARAMETERS.iter().filter(is_asked);
            let timing = TIMINGS[0].settings.map(|(name, _)| name);
            let sets = asked.clone().any(|parameter| timing.contains(&parameter.name));
            let timing = (TIMING.to_string(), format!("{}: sets {}.", timing::names(), timing.join(", ")));
            asked
                .map(Parameter::describe)
                .map(|one| (one.name, one.doc))
                .chain(sets.then_some(timing))
                .collect()
        }
        Kind::Constants => constants().into_iter().map(|one| (one.name, one.doc)).collect(),
    })
}

/// The built-in workloads.
pub fn workloads() -> Vec<&'static str> {
    SUITE.iter().map(|benchmark| benchmark.name).collect()
}

/// The designs that have a name of their own.
pub fn designs() -> Vec<&'static str> {
    PRESETS.iter().map(|preset| preset.name).collect()
}

/// The studies of `gpurf compare`.
pub fn studies() -> Vec<&'static str> {
    STUDIES.iter().map(|study| study.name.as_str()).collect()
}

/// The arguments of a command as they are written, each with its default and what it means. An unknown
/// command has none.
pub fn arguments(command: &str) -> Vec<[String; 3]> {
    let tool = Cli::command();
    let found = tool.find_subcommand(command).into_iter().flat_map(Command::get_arguments);
    found.map(docs::commands::row).collect()
}
