// SPDX-License-Identifier: Apache-2.0
//! `gpurf workloads`: what the built-in workloads, launch files or traces consist of, and whether
//! their answers are right.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use comfy_table::Table;
use gpurf_trace::reuse::DEFAULT_THRESHOLD;
use gpurf_trace::Unit;
use gpurf_workloads::{Options, Scope};
use indicatif::ParallelProgressIterator;
use rayon::prelude::*;

use crate::compare::study::{Study, StudyRecordArgument, Titled};
use crate::input::{self, EmulationArguments, Input};
use crate::output::{all, grouped, progress, table, write_text, JsonArgument};
use crate::plot;
use crate::profile::{unit_name, Profile};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf workloads                                             # seconds
  gpurf workloads --check --size medium                       # minutes
  gpurf workloads sgemm hgemm --histogram reuse.svg --json -  # a second
  gpurf workloads bfs fixtures/traces/stencil --opcodes       # a second
  gpurf workloads sgemm --control                             # a second
  gpurf workloads docs/examples/stencil.toml --races          # a second")]
pub struct Arguments {
    /// Built-in workloads, launch files or traces; without any, all built-in workloads
    input: Vec<String>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Only execute the workloads, and compare their answers with references
    #[arg(long, conflicts_with_all = ["opcodes", "control", "histogram", "record", "json"])]
    check: bool,
    /// Only execute the workloads, and list races: of a block's threads, or also those of a grid's blocks
    #[arg(
        long,
        value_name = "SCOPE",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "block",
        conflicts_with_all = ["check", "opcodes", "control", "histogram", "record", "json"]
    )]
    races: Option<Races>,
    /// Also list the share of each opcode
    #[arg(long)]
    opcodes: bool,
    /// Also list, by kernel, what the compiler's control bits say: stall counts, yield bits, dependence
    /// counters, reuse flags
    #[arg(long)]
    control: bool,
    /// Draw the distribution of the reuse distances into this file, as SVG
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    histogram: Option<PathBuf>,
    #[command(flatten)]
    record: StudyRecordArgument,
    #[command(flatten)]
    json: JsonArgument,
}

/// Whose races are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Races {
    /// Two warps access the same bytes of shared memory with no barrier between, and one writes; a shuffle
    /// reads a lane that does not execute
    Block,
    /// Also: two blocks access the same bytes of global memory with no atomic operation between, and one
    /// writes
    Grid,
}

impl From<Races> for Scope {
    fn from(races: Races) -> Scope {
        match races {
            Races::Block => Scope::Block,
            Races::Grid => Scope::Grid,
        }
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    let inputs = Input::find_all_or_built_in(&arguments.input)?;
    if arguments.check {
        return check(&inputs, &arguments);
    }
    if let Some(scope) = arguments.races {
        return races(&inputs, &arguments, scope.into());
    }
    let bar = progress(inputs.len() as u64, "workloads");
    let profile = |input: &Input| Profile::of(&input.workload(&arguments.emulation, Options::default())?);
    let profiles: Vec<_> = inputs.par_iter().progress_with(bar.clone()).map(profile).collect();
    bar.finish_and_clear();
    let profiles: Vec<_> = profiles.into_iter().collect::<Result<_>>()?;
    let (counts, units) = (counts(&profiles), units(&profiles));
    let opcodes = arguments.opcodes.then(|| opcodes(&profiles));
    let control = arguments.control.then(|| control(&profiles));
    let mut tables = vec![Titled::new("Counts", &counts), Titled::new("Units", &units)];
    tables.extend(opcodes.iter().map(|rows| Titled::new("Opcodes", rows)));
    tables.extend(control.iter().map(|rows| Titled::new("Control bits", rows)));
    let names = profiles.iter().map(|profile| profile.name.clone()).collect();
    let written = all([
        arguments.json.write_list(&profiles),
        write_text(arguments.histogram.as_deref(), || plot::reuse_distances(&profiles)),
        arguments.record.write(&Study::of_tables("workloads", names, tables)),
    ]);
    if arguments.json.leaves_tables() {
        println!("{counts}\n{LEGEND}\n{units}");
        if let Some(opcodes) = opcodes {
            println!("{opcodes}");
        }
        if let Some(control) = control {
            println!("{control}\n{CONTROL_LEGEND}");
        }
        for input in &inputs {
            if let Input::BuiltIn(benchmark) = input {
                println!("{}: {}", benchmark.name, benchmark.about);
            }
        }
    }
    written.map(|()| Verdict::Holds)
}

/// Says of every workload whether its answer is right.
fn check(inputs: &[Input], arguments: &Arguments) -> Result<Verdict> {
    let bar = progress(inputs.len() as u64, "workloads");
    let check = |input: &Input| input.check(&arguments.emulation);
    let answers: Vec<_> = inputs.par_iter().progress_with(bar.clone()).map(check).collect();
    bar.finish_and_clear();
    let mut verdict = Verdict::Holds;
    let mut rows = table(&["workload", "answer"]);
    for (input, answer) in inputs.iter().zip(answers) {
        let text = match answer {
            Ok(()) => "right".into(),
            Err(error) if input::is_wrong_answer(&error) => {
                verdict = Verdict::Fails;
                error.root_cause().to_string()
            }
            Err(error) => return Err(error),
        };
        rows.add_row([input.name(), &text]);
    }
    println!("{rows}");
    Ok(verdict)
}

fn races(inputs: &[Input], arguments: &Arguments, scope: Scope) -> Result<Verdict> {
    let bar = progress(inputs.len() as u64, "workloads");
    let found = |input: &Input| input.races(&arguments.emulation, scope);
    let found: Vec<_> = inputs.par_iter().progress_with(bar.clone()).map(found).collect();
    bar.finish_and_clear();
    let mut verdict = Verdict::Holds;
    let mut rows = table(&["workload", "races"]);
    for (input, races) in inputs.iter().zip(found) {
        let races = races?;
        let text = if races.is_empty() { "none".to_string() } else { races.join("\n") };
        rows.add_row([input.name(), &text]);
        if !races.is_empty() {
            verdict = Verdict::Fails;
        }
    }
    println!("{rows}");
    Ok(verdict)
}

const CONTROL_LEGEND: &str =
    "Of the instructions executed; stall: cycles until the warp's next one may issue, on average.
Traces have no control bits.";

/// A table of control bits, by kernel.
fn control(profiles: &[Profile]) -> Table {
    let mut rows = table(&[
        "workload",
        "kernel",
        "warp\ninstructions",
        "stall",
        "yield\n%",
        "write\nbarrier %",
        "read\nbarrier %",
        "waits\n%",
        "reuse\n%",
    ]);
    for profile in profiles {
        for (kernel, counts) in &profile.control {
            let per = |count: u64| count as f64 / counts.instructions as f64;
            let percent = |count: u64| format!("{:.1}", 100.0 * per(count));
            rows.add_row([
                profile.name.clone(),
                kernel.clone(),
                grouped(counts.instructions),
                format!("{:.2}", per(counts.stall_cycles)),
                percent(counts.yields),
                percent(counts.write_barriers),
                percent(counts.read_barriers),
                percent(counts.waits),
                percent(counts.reuse),
            ]);
        }
    }
    rows
}

const LEGEND: &str =
    "Active lanes, source operands read, `.reuse` flags: per instruction; traces have no such flags.
Reuses: of the operands whose value is read again, those at a distance of so many instructions; near: 12.";

fn counts(profiles: &[Profile]) -> Table {
    let mut rows = table(&[
        "workload",
        "kernels",
        "launches",
        "thread\nblocks",
        "warp\ninstructions",
        "registers",
        "active\nlanes",
        "operand\nreads",
        "`.reuse`\n%",
        "reuses\n≤ 3 %",
        "reuses\n≤ 10 %",
        "near\n%",
    ]);
    let shares = |profile: &Profile| {
        [
            profile.per_instruction(profile.active_lanes),
            profile.per_instruction(profile.operand_reads),
            100.0 * profile.per_instruction(profile.reuse_flags),
            100.0 * profile.reuses_within(3),
            100.0 * profile.reuses_within(10),
            100.0 * profile.reuses_within(DEFAULT_THRESHOLD),
        ]
    };
    let text = |[lanes, reads, rest @ ..]: [f64; 6]| {
        let rest = rest.map(|percent| format!("{percent:.1}"));
        [vec![format!("{lanes:.1}"), format!("{reads:.2}")], rest.to_vec()].concat()
    };
    for profile in profiles {
        let counts = [
            profile.kernels,
            profile.launches,
            profile.thread_blocks,
            profile.warp_instructions,
            profile.registers.into(),
        ];
        let counts = counts.map(grouped).to_vec();
        rows.add_row([vec![profile.name.clone()], counts, text(shares(profile))].concat());
    }
    if profiles.len() > 1 {
        let blank = vec![String::new(); 5];
        rows.add_row([vec!["average".into()], blank, text(average(profiles, shares))].concat());
    }
    rows
}

/// Share of the units, in percent.
fn units(profiles: &[Profile]) -> Table {
    let header: Vec<_> = Unit::ALL.into_iter().map(unit_name).collect();
    let mut rows = table(&[&["instructions %"], &header[..]].concat());
    let shares = |profile: &Profile| {
        Unit::ALL.map(|unit| {
            let count = profile.units.get(unit_name(unit)).copied().unwrap_or_default();
            100.0 * profile.per_instruction(count)
        })
    };
    let mut row = |name: &str, shares: [f64; 8]| {
        rows.add_row([vec![name.to_string()], shares.map(|share| format!("{share:.1}")).to_vec()].concat());
    };
    for profile in profiles {
        row(&profile.name, shares(profile));
    }
    if profiles.len() > 1 {
        row("average", average(profiles, shares));
    }
    rows
}

/// Every workload weighs the same.
fn average<const N: usize>(profiles: &[Profile], shares: impl Fn(&Profile) -> [f64; N]) -> [f64; N] {
    let all: Vec<_> = profiles.iter().map(shares).collect();
    std::array::from_fn(|i| all.iter().map(|shares| shares[i]).sum::<f64>() / all.len() as f64)
}

/// Share of the opcodes, in percent: a column per workload, the most frequent opcode first.
fn opcodes(profiles: &[Profile]) -> Table {
    let names: Vec<_> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let mut rows = table(&[&["opcodes %"], &names[..]].concat());
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (column, profile) in profiles.iter().enumerate() {
        for (opcode, &count) in &profile.opcodes {
            let shares = shares.entry(opcode).or_insert_with(|| vec![0.0; profiles.len()]);
            shares[column] = 100.0 * profile.per_instruction(count);
        }
    }
    let mut shares: Vec<_> = shares.into_iter().collect();
    let most = |shares: &[f64]| shares.iter().copied().fold(0.0, f64::max);
    shares.sort_by(|(_, a), (_, b)| most(b).total_cmp(&most(a)));
    for (opcode, shares) in shares {
        let shares = shares.iter().map(|share| format!("{share:.1}"));
        rows.add_row(std::iter::once(opcode.to_string()).chain(shares));
    }
    rows
}
