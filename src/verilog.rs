// SPDX-License-Identifier: Apache-2.0
//! `gpurf verilog`: hardware modules as Verilog, with file list and FuseSoC core.

use std::path::PathBuf;

use anyhow::{anyhow, bail, ensure, Result};
use clap::Args;
use gpurf_blocks::{Parameters, TIMING, TIMINGS};
use gpurf_hw::catalogue::{catalogue, find, CatalogueEntry};
use gpurf_synth::Paper;
use gpurf_testbenches::workbench;
use gpurf_verilog::{emit_as, Clock, Hierarchy, Language, Origin, Reset, Style};

use crate::output::{progress, say, table};
use crate::settings::parameters_help;
use crate::verdict::Verdict;

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

    /// The settings that `--set` names.
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// Returns true if a parameter is set.
    pub fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.split('=').next() == Some(name))
    }
}

/// Names of modules, clock and reset in Verilog.
#[derive(Args)]
pub struct NameArguments {
    /// Put this before the name of every Verilog module and file
    #[arg(long, value_name = "PREFIX", default_value_t)]
    prefix: String,
    /// Call the top module so. The option takes one module; no prefix stands before it
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Call the clock of every module so
    #[arg(long, value_name = "NAME", default_value = "clock")]
    clock: String,
    /// Call the reset of every module so; NAME:low is a reset that resets while it is low
    #[arg(long, value_name = "NAME[:low]", default_value = "reset")]
    reset: String,
}

impl NameArguments {
    /// A style with these names, for so many modules.
    pub fn style(&self, modules: usize) -> Result<Style> {
        ensure!(self.name.is_none() || modules == 1, "--name takes one module; name it");
        let (name, level) = self.reset.split_once(':').unwrap_or((&self.reset, "high"));
        let is_low = match level {
            "low" => true,
            "high" => false,
            _ => bail!("--reset {}: write NAME, or NAME:low, as in rst_ni:low", self.reset),
        };
        Ok(Style {
            prefix: self.prefix.clone(),
            name: self.name.clone(),
            clock: Clock(self.clock.clone()),
            reset: Reset { name: name.to_string(), is_low },
            ..Style::default()
        })
    }

    /// As the command line has them.
    fn words(&self) -> String {
        let Style { prefix, clock, reset, .. } = Style::default();
        let mut words = String::new();
        let options = [
            ("prefix", &self.prefix, &prefix),
            ("clock", &self.clock, &clock.0),
            ("reset", &self.reset, &reset.name),
        ];
        for (option, value, _) in options.into_iter().filter(|(_, value, default)| value != default) {
            words += &format!(" --{option} {value}");
        }
        if let Some(name) = &self.name {
            words += &format!(" --name {name}");
        }
        words
    }
}

/// Entries and parameters that the arguments stand for.
pub fn modules(arguments: &ModuleArguments) -> Result<(Vec<&'static CatalogueEntry>, Parameters)> {
    let entries: Vec<_> = match arguments.module.is_empty() {
        true => catalogue().to_vec(),
        false => arguments.module.iter().map(|name| find(name)).collect::<Result<_, _>>()?,
    };
    let parameters = set(&arguments.settings, &entries)?;
    for setting in &arguments.settings {
        let name = setting.split('=').next().unwrap_or_default();
        let is_set = |parameter: &&str| match name {
            TIMING => TIMINGS[0].settings.iter().any(|(set, _)| set == parameter),
            name => *parameter == name,
        };
        if !entries.iter().any(|entry| entry.parameters().iter().any(&is_set)) {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            say!("note: --set {setting} changes nothing: {} has no parameter {name}", names.join(" or "));
        }
    }
    Ok((entries, parameters))
}

/// The text before `--set KEY=VALUE`, once or several times, and the settings behind it.
pub fn settings_behind(text: &str) -> (&str, Vec<String>) {
    let mut parts = text.split("--set ").map(str::trim);
    (parts.next().unwrap_or_default(), parts.map(String::from).collect())
}

/// The defaults with some parameters set for these modules, each written KEY=VALUE. What no module has
/// together need not go together.
pub fn set(settings: &[String], entries: &[&CatalogueEntry]) -> Result<Parameters> {
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
pub fn hierarchy(entry: &CatalogueEntry, parameters: &Parameters) -> Result<Hierarchy> {
    workbench(entry.name, parameters).verilog()
}

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf verilog ccu --out verilog                                            # a second
  gpurf verilog ccu_stage --set entries=16 --set collectors=4 --out verilog  # a second
  gpurf verilog ocu --set width=32                                           # a second
  gpurf verilog cache_table --system-verilog                                 # a second
  gpurf verilog ccu --prefix acme_ --clock clk_i --reset rst_ni:low --out v  # a second")]
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
    #[command(flatten)]
    names: NameArguments,
}

impl Arguments {
    fn style(&self, modules: usize) -> Result<Style> {
        let names = self.modules.names().iter().map(|name| format!(" {name}")).collect::<String>();
        let settings = self.modules.settings().iter().map(|setting| format!(" --set {setting}"));
        let language = if self.system_verilog { " --system-verilog" } else { "" };
        let origin = Origin {
            command: format!(
                "gpurf verilog{names}{}{language}{}",
                settings.collect::<String>(),
                self.names.words()
            ),
            papers: Paper::all()
                .into_iter()
                .map(|paper| (paper.key, format!("{} ({})", paper.title, paper.year)))
                .collect(),
        };
        let language = if self.system_verilog { Language::SystemVerilog } else { Language::Verilog };
        Ok(Style { language, origin: Some(origin), ..self.names.style(modules)? })
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let (entries, parameters) = modules(&arguments.modules)?;
    let mut rows = table(&["module", "files", "lines", "top"]);
    let style = arguments.style(entries.len())?;
    let bar = progress(entries.len() as u64, "modules");
    for entry in entries {
        bar.set_message(entry.name);
        bar.inc(1);
        let hierarchy = emit_as(&*workbench(entry.name, &parameters).block(), &style)?;
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
        println!(
            "written to {}; lint a module with verilator --lint-only -Wall TOP.vlt -F TOP.f",
            folder.display()
        );
    }
    Ok(Verdict::Holds)
}
