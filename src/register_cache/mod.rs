// SPDX-License-Identifier: Apache-2.0
//! `gpurf register-cache`: traffic and energy of register caches over an instruction stream, without an SM.

mod differences;
pub mod tables;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use clap::{Args, ValueEnum};
use gpurf_blocks::{CacheAllocation, Parameter, PARAMETERS};
use gpurf_sim::register_traffic::{
    Configuration, EnergyTable, Reach, ReuseFlags, Rules, Study, Traffic, TrafficEnergy, TrafficReport,
};
use gpurf_trace::Workload;
use gpurf_workloads::Options;
use serde::Serialize;

use crate::compare::study::{Study as Recorded, StudyRecordArgument};
use crate::control::with_control_bits;
use crate::input::{EmulationArguments, Input};
use crate::output::{all, write_text, JsonArgument};
use crate::products::Product;
use crate::program;
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf register-cache bfs pathfinder                                          # seconds
  gpurf register-cache hgemm-512 igemm-2048 --reach cache --csv results.csv    # seconds
  gpurf register-cache fixtures/traces/stencil --as rfc-sim                    # seconds
  gpurf register-cache fixtures/traces/stencil --differences                   # seconds
  gpurf register-cache kmeans --set rc_ways=2,4 --set rc_replacement=fifo,lru  # seconds
  gpurf register-cache bfs --set rc_tag_lanes=1,32 --look-ahead 8 --json -     # seconds")]
pub struct Arguments {
    /// Built-in workloads, C's matrix products (hgemm-256 to igemm-2048), launch files or traces
    #[arg(required = true)]
    input: Vec<String>,
    /// The rules by which to count
    #[arg(long = "as", value_enum, default_value = "paper")]
    rules: RulesArgument,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Set one parameter of the cache. Each of several values, separated by commas, is tried with each value
    /// of the other parameters. Without the option, the caches are the eight of C Table VI
    #[arg(long = "set", value_name = "KEY=VALUE,...", long_help = settings_help())]
    settings: Vec<String>,
    /// The part of the cache that a look-up searches
    #[arg(long, value_enum, default_value = "set")]
    reach: ReachArgument,
    /// Take in a result only if one of the next N instructions of its warp names its register, and a source
    /// only if it carries a reuse flag
    #[arg(long, value_name = "N")]
    look_ahead: Option<usize>,
    /// Take reuse flags from this file, in lines `KERNEL PC POSITION...`, instead of those of the listings,
    /// which traces do not have
    #[arg(long, value_name = "FILE")]
    reuse: Option<PathBuf>,
    /// Take reuse flags of a trace from a listing of its cubin, as `nvdisasm -hex` prints it
    #[arg(long, value_name = "LISTING", conflicts_with = "reuse")]
    control: Option<PathBuf>,
    /// Show what each difference between RFC-sim and C's description does, by switching one at a time
    #[arg(long, conflicts_with = "rules")]
    differences: bool,
    #[command(flatten)]
    record: StudyRecordArgument,
    #[command(flatten)]
    json: JsonArgument,
    /// Write all results to this file as CSV
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    csv: Option<PathBuf>,
}

/// Rules by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RulesArgument {
    /// The ones of C's description, with full operand lists
    Paper,
    /// Exactly those of C's simulator, RFC-sim
    RfcSim,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReachArgument {
    /// The set that the source's position or the result's number names, as RFC-sim does
    Set,
    /// The whole cache
    Cache,
}

fn settings_help() -> String {
    let parameters = PARAMETERS.iter().filter(|parameter| parameter.name.starts_with("rc_"));
    let parameters: Vec<String> = parameters.map(Parameter::to_string).collect();
    format!(
        "Set one parameter of the cache. Each of several values, separated by commas, is tried with each value of the \
         other parameters. Without the option, the caches are the eight of C Table VI. The parameters, with their \
         defaults in brackets, but for rc_tag_lanes, which is 1 here: {}",
        parameters.join("; ")
    )
}

/// Counts of a configuration on an input.
#[derive(Serialize)]
pub struct ConfigurationCounts {
    pub input: String,
    pub label: String,
    pub configuration: Configuration,
    pub read_hit_percent: f64,
    pub write_hit_percent: f64,
    pub total_hit_percent: f64,
    pub register_file_reads_avoided_percent: f64,
    pub register_file_writes_avoided_percent: f64,
    pub traffic: Traffic,
    /// In pJ; none where C's table has no such cache.
    pub energy: Option<TrafficEnergy>,
}

impl ConfigurationCounts {
    fn new(
        input: &str,
        configuration: Configuration,
        traffic: Traffic,
        energy: Option<TrafficEnergy>,
    ) -> ConfigurationCounts {
        ConfigurationCounts {
            input: input.into(),
            label: configuration.label(),
            configuration,
            read_hit_percent: traffic.read_hit_percent(),
            write_hit_percent: traffic.write_hit_percent(),
            total_hit_percent: traffic.total_hit_percent(),
            register_file_reads_avoided_percent: traffic.reads_avoided_percent(),
            register_file_writes_avoided_percent: traffic.writes_avoided_percent(),
            traffic,
            energy,
        }
    }
}

/// Results of an input.
#[derive(Serialize)]
pub struct TrafficOutcome {
    pub input: String,
    pub rows: Vec<ConfigurationCounts>,
    /// Remarks about them.
    pub notes: Vec<String>,
}

impl TrafficOutcome {
    /// Counts for all configurations in one pass.
    pub fn of(
        workload: &Workload,
        input: &str,
        configurations: &[Configuration],
        rules: Rules,
        flags: Option<ReuseFlags>,
    ) -> Result<TrafficOutcome> {
        let study = Study { configurations: configurations.to_vec(), rules, flags };
        let TrafficReport { traffic, mut notes } = study.run(workload)?;
        notes.extend(Product::named(input).and_then(|product| product.note()));
        let energies = EnergyTable::default();
        let rows = study.configurations.iter().zip(traffic);
        let rows = rows.map(|(configuration, traffic)| {
            let energy = energies.of(configuration, &rules, &traffic);
            ConfigurationCounts::new(input, *configuration, traffic, energy)
        });
        Ok(TrafficOutcome { input: input.into(), rows: rows.collect(), notes })
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    let configurations = configurations(&arguments)?;
    let flags = arguments.reuse.as_deref().map(read_flags).transpose()?;
    let rules = match arguments.rules {
        RulesArgument::Paper => Rules::PAPER,
        RulesArgument::RfcSim => Rules::RFC_SIM,
    };
    let mut outcomes = vec![];
    let mut differences = vec![];
    for (found, input) in Input::find_all(&arguments.input)?.iter().zip(&arguments.input) {
        let workload = arguments.emulation.stream(found, Options::default())?;
        let workload = match &arguments.control {
            Some(listing) => with_control_bits(&workload, listing)?,
            None => workload,
        };
        check_flags(&flags, &workload, input, &arguments)?;
        match arguments.differences {
            true => differences.extend(differences::of(&workload, input, &configurations, &flags)?),
            false => {
                outcomes.push(TrafficOutcome::of(&workload, input, &configurations, rules, flags.clone())?)
            }
        }
    }
    let rows = || outcomes.iter().flat_map(|outcome| &outcome.rows).map(|row| (row, ""));
    let switched = differences.iter().flat_map(|one| one.rows.iter().map(|row| (row, one.change.as_str())));
    let changes = differences::tables(&differences);
    let counted = outcomes.iter().flat_map(tables::of).chain(changes.iter().cloned()).collect();
    let written = all([
        write_text(arguments.csv.as_deref(), || tables::csv(rows().chain(switched))),
        match arguments.differences {
            true => arguments.json.write_list(&differences),
            false => arguments.json.write_list(&outcomes),
        },
        arguments.record.write(&Recorded::of_tables("register-traffic", arguments.input, counted)),
    ]);
    if arguments.json.leaves_tables() {
        outcomes.iter().for_each(tables::print);
        changes.iter().for_each(|one| println!("{one}\n"));
        println!("gpurf {}", program::version());
    }
    written.map(|()| Verdict::Holds)
}

fn configurations(arguments: &Arguments) -> Result<Vec<Configuration>> {
    let reach = match arguments.reach {
        ReachArgument::Set => Reach::Set,
        ReachArgument::Cache => Reach::Cache,
    };
    let look_ahead = arguments.look_ahead;
    let configurations = match arguments.settings.is_empty() && look_ahead.is_none() {
        true if arguments.differences => {
            let table = Configuration::table_vi(reach);
            vec![table[0], table[5], table[7]]
        }
        true => Configuration::table_vi(reach),
        false => Configuration::combinations(&arguments.settings, reach, look_ahead)?,
    };
    if arguments.rules == RulesArgument::RfcSim || arguments.differences {
        ensure!(
            reach == Reach::Set,
            "--reach cache: RFC-sim searches the set that a position or number names; leave it out"
        );
        for one in &configurations {
            ensure!(
                one.tag_lanes == 1,
                "rc_tag_lanes={}: RFC-sim keeps tags for each thread; set rc_tag_lanes=1",
                one.tag_lanes
            );
            if matches!(one.allocation, CacheAllocation::Read | CacheAllocation::ReadWrite)
                && look_ahead.is_none()
            {
                bail!("RFC-sim does not allocate on reads; set rc_allocation to write or compiler_aided");
            }
        }
    }
    Ok(configurations)
}

fn read_flags(path: &Path) -> Result<ReuseFlags> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{}: the file of flags cannot be read; check it", path.display()))?;
    ReuseFlags::parse(&text).with_context(|| path.display().to_string())
}

/// Flags of other kernels would be none at all.
fn check_flags(
    flags: &Option<ReuseFlags>,
    workload: &Workload,
    input: &str,
    arguments: &Arguments,
) -> Result<()> {
    let (Some(flags), Some(path)) = (flags, &arguments.reuse) else { return Ok(()) };
    let named = |kernel: &str| flags.kernels().any(|name| name == kernel);
    if !workload.kernels().any(|kernel| named(&kernel.header().name)) {
        let names: Vec<_> = workload.kernels().map(|kernel| kernel.header().name.as_str()).collect();
        bail!(
            "{}: names no kernel of {input}; it has {}",
            path.display(),
            std::collections::BTreeSet::from_iter(names).into_iter().collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}
