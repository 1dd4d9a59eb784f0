// SPDX-License-Identifier: Apache-2.0
//! Settings of `--set`, as the declarations have them.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use gpurf_blocks::{timing, Description, Parameter, PARAMETERS, TIMING, TIMINGS};
use gpurf_sim::config::{constants, Config};

/// The simulated machine.
#[derive(Args)]
pub struct MachineArguments {
    /// Take constants of the machine from this file, in TOML, or from the preset of this name
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set one constant of the machine. The option may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", long_help = constants_help())]
    pub settings: Vec<String>,
}

impl MachineArguments {
    pub fn load(&self) -> Result<Config> {
        Ok(Config::load(self.config.as_deref(), &self.settings)?)
    }
}

/// Parameters of hardware modules.
pub fn parameters_help() -> String {
    let parameters: Vec<String> = PARAMETERS.iter().map(Parameter::to_string).collect();
    format!(
        "Set one parameter of the modules. The option may be given several times. The parameters, with their defaults in \
         brackets: {}. {}",
        parameters.join("; "),
        timing_help()
    )
}

/// The parameters that a timing sets.
fn timing_help() -> String {
    let set = TIMINGS[0].settings.map(|(name, _)| name).join(", ");
    format!("{TIMING}: {}, which set {set}", timing::names())
}

/// Constants of the simulated machine, one on a line.
pub fn constants_help() -> String {
    let line = |Description { name, default, values, unit, doc, .. }| {
        let values = [values, unit].join(" ");
        let values = match values.trim() {
            "" => String::new(),
            values => format!("{values}. "),
        };
        format!("\n{name} ({default}): {values}{doc}")
    };
    format!(
        "Set one constant of the machine. The option may be given several times. The constants, with the default, the values \
         and the meaning of each:\n{}\n{}",
        constants().into_iter().map(line).collect::<String>(),
        timing_help()
    )
}
