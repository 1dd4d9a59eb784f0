// SPDX-License-Identifier: Apache-2.0
//! Storage of modules, counted in their RTL. A table names modules, each with the parameters that are not
//! at their defaults, separated by semicolons: `storage lrt_scan --set lrt_entries=16; lrt_cam`.

use anyhow::Result;
use gpurf_hw::catalogue::find;
use gpurf_synth::{by_name, count, Registers};
use gpurf_testbenches::workbench;

use super::markdown::markdown;
use super::project::Project;
use crate::verilog::{set, settings_behind};

/// Registers by name, in bits, and the memories.
pub fn table(_: &Project, modules: &str) -> Result<String> {
    let mut columns: Vec<(String, Registers)> = vec![];
    for module in modules.split("; ") {
        let (name, settings) = settings_behind(module);
        let entry = find(name)?;
        let block = workbench(entry.name, &set(&settings, &[entry])?).block();
        let title = [&[format!("`{name}`")], &settings[..]].concat().join(", ");
        columns.push((title, count(&*block)));
    }
    let columns: Vec<_> = columns.iter().map(|(title, registers)| (title.as_str(), registers)).collect();
    Ok(markdown(&by_name(&columns), &[]))
}
