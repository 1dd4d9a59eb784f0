// SPDX-License-Identifier: Apache-2.0
//! `gpurf verilog`: hardware modules as Verilog, with file list and FuseSoC core.

use std::path::PathBuf;

use anyhow::{anyhow, Result};
use clap::Args;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{catalogue, find, Entry};
use gpurf_testbenches::workbench;
use gpurf_verilog::{emit_as, Hierarchy, Language};

use crate::output::{progress, table};
use crate::settings::parameters_help;
use crate::Verdict;

/// Modules of the catalogue and their parameters.
#[derive(Args)]
pub struct ModuleArguments {
    /// The names of modules; without any, all modules
    module: Vec<String>,
    /// Set one parameter of the modules. The option may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = parameters_help())]
    settings: Vec<String>,
}

impl ModuleArguments {
    /// The names that are given.
    pub fn names(&self) -> &[String] {
        &self.module
    }

    /// What `--set` says.
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// Returns true if a parameter is set.
    pub fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.split('=').next() == Some(name))
    }
}

/// Entries and parameters that the arguments stand for.
pub fn modules(arguments: &ModuleArguments) -> Result<(Vec<&'static Entry>, Parameters)> {
    let entries: Vec<_> = match arguments.module.is_empty() {
        true => catalogue().to_vec(),
        false => arguments.module.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    let parameters = set(&arguments.settings, &entries)?;
    Ok((entries, parameters))
}

/// What stands before `--set KEY=VALUE`, once or several times, and what these set.
pub fn settings_behind(text: &str) -> (&str, Vec<String>) {
    let mut parts = text.split("--set ").map(str::trim);
    (parts.next().unwrap_or_default(), parts.map(String::from).collect())
}

/// The defaults with some parameters set for these modules, each written KEY=VALUE. What no module has
/// together need not go together.
pub fn set(settings: &[String], entries: &[&Entry]) -> Result<Parameters> {
    let mut parameters = Parameters::default();
    for setting in settings {
        let (name, value) = setting
            .split_once('=')
            .ok_or_else(|| anyhow!("--set {setting}: write KEY=VALUE, as in entries=16"))?;
        parameters.set(name, value).map_err(|error| anyhow!("--set {setting}: {error}"))?;
    }
    let has = |names: [&str; 2]| {
        entries.iter().any(|entry| names.iter().all(|name| entry.parameters().contains(name)))
    };
    parameters.check_of(has)?;
    Ok(parameters)
}

/// Verilog of a module.
pub fn hierarchy(entry: &Entry, parameters: &Parameters) -> Result<Hierarchy> {
    workbench(entry.name, parameters).verilog()
}

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf verilog ccu --out verilog                                            # a second
  gpurf verilog ccu_stage --set entries=16 --set collectors=4 --out verilog  # a second
  gpurf verilog ocu --set width=32                                           # a second
  gpurf verilog cache_table --system-verilog                                 # a second")]
pub struct Arguments {
    #[command(flatten)]
    modules: ModuleArguments,
    /// Write into this folder a file for each Verilog module, and for each named module a file list and a
    /// FuseSoC core file; without it, the Verilog goes to the standard output
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write SystemVerilog instead of Verilog-2005, with arrays of two dimensions, always_comb, always_ff and
    /// enums
    #[arg(long)]
    system_verilog: bool,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let mut rows = table(&["module", "files", "lines", "top"]);
    let language = if arguments.system_verilog { Language::SystemVerilog } else { Language::Verilog };
    let bar = progress(entries.len() as u64, "modules");
    for entry in entries {
        bar.set_message(entry.name);
        bar.inc(1);
        let hierarchy = emit_as(&*workbench(entry.name, &parameters).block(), language)?;
        let Some(folder) = &arguments.out else {
            print!("{}", hierarchy.source());
            continue;
        };
        gpurf_verilog::export(&hierarchy, folder)?;
        let lines = hierarchy.source().lines().count();
        rows.add_row([entry.name, &hierarchy.modules.len().to_string(), &lines.to_string(), &hierarchy.top]);
    }
    bar.finish_and_clear();
    if let Some(folder) = &arguments.out {
        println!("{rows}");
        println!("written to {}; read TOP.f for the files of a module", folder.display());
    }
    Ok(Verdict::Holds)
}
