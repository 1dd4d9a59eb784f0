//! `gpurf verilog`: hardware modules as Verilog, with file list and FuseSoC core.

use std::path::PathBuf;

use anyhow::{anyhow, Result};
use clap::Args;
use gpurf_hw::catalogue::{self, Entry, Parameters, CATALOGUE};
use gpurf_verilog::{emit, emit_as, Design, Language};

use crate::output::table;
use crate::Verdict;

/// Modules of the catalogue and their parameters.
#[derive(Args)]
pub struct ModuleArguments {
    /// Modules; all if none is named
    module: Vec<String>,
    /// Set a parameter: width (32, 1024), entries (4, 8, 16), slots (3 to 7), collectors (1, 2, 4, 8),
    /// banks (2, 4), rows (32 to 256), replacement (malekeh, lru), cache_far and invalidate (true, false),
    /// d_ports (1, 2), window (2 to 8) and destinations (1 to 4) of bypassing collectors,
    /// scheduling (malekeh, gto, lrr), occupied (skip, stall), allocation (malekeh, own_else_any_free,
    /// any_free, private), waiting (below, up_to), seed (0 to 255), interval (cycles), sthld_table (a file);
    /// multicasting's: lrt_entries (16 to 192), search (scan, cam), release_age (0 to 65535);
    /// FineReg's: pcrf_entries (64 to 2048), ctas (16, 32, 64, 128), pcrf_latency and next_latency (1 to 8),
    /// count_bits (6, 12), tie (lowest, round_robin)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl ModuleArguments {
    /// Whether a parameter is set.
    pub fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.split('=').next() == Some(name))
    }
}

/// Entries and parameters that the arguments stand for.
pub fn modules(arguments: &ModuleArguments) -> Result<(Vec<&'static Entry>, Parameters)> {
    let mut parameters = Parameters::default();
    for setting in &arguments.settings {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| anyhow!("--set {setting}: write KEY=VALUE, as in entries=16"))?;
        parameters.set(name, value).map_err(|error| anyhow!("--set {setting}: {error}"))?;
    }
    let entries: Vec<_> = match arguments.module.is_empty() {
        true => CATALOGUE.iter().collect(),
        false => arguments.module.iter().map(|name| catalogue::find(name)).collect::<Result<_, _>>()?,
    };
    entries.iter().try_for_each(|entry| parameters.check_for(entry))?;
    Ok((entries, parameters))
}

/// Verilog of a module.
pub fn design(entry: &Entry, parameters: &Parameters) -> Result<Design> {
    Ok(emit(&*catalogue::build(entry.name, parameters))?)
}

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf verilog ccu --out verilog
  gpurf verilog ccu_stage --set entries=16 --set collectors=4 --out verilog
  gpurf verilog ocu --set width=32
  gpurf verilog cache_table --system-verilog")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Folder that gets one file per Verilog module, a file list and a FuseSoC core file per named
    /// module; without it, Verilog goes to standard output
    #[arg(long)]
    out: Option<PathBuf>,
    /// SystemVerilog in the place of Verilog-2005: arrays of two dimensions, always_comb, always_ff, enums
    #[arg(long)]
    system_verilog: bool,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let mut rows = table(&["module", "files", "lines", "top"]);
    let language = if arguments.system_verilog { Language::SystemVerilog } else { Language::Verilog };
    for entry in entries {
        let design = emit_as(&*catalogue::build(entry.name, &parameters), language)?;
        let Some(folder) = &arguments.out else {
            print!("{}", design.source());
            continue;
        };
        gpurf_verilog::export(&design, folder)?;
        let lines = design.source().lines().count();
        rows.add_row([entry.name, &design.modules.len().to_string(), &lines.to_string(), &design.top]);
    }
    if let Some(folder) = &arguments.out {
        println!("{rows}");
        println!("written to {}; read TOP.f for the files of a module", folder.display());
    }
    Ok(Verdict::Holds)
}
