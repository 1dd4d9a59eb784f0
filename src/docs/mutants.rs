// SPDX-License-Identifier: Apache-2.0
//! How many small faults the testbenches find, as [`RECORD`] has it of each module's latest draw of faults. A
//! table names the parameters that are not at their defaults: `mutants --set width=32`.

use std::collections::BTreeSet;

use anyhow::{ensure, Result};
use gpurf_hw::catalogue::catalogue;

use super::markdown::markdown;
use super::project::Project;
use crate::mutants::{recorded, summary, MutantsReport};
use crate::verilog::{set, settings_behind};

/// Counts of mutants, from the root of the repository.
const RECORD: &str = "testbenches/mutants.jsonl";

/// One line per module.
pub fn table(project: &Project, about: &str) -> Result<String> {
    let (_, settings) = settings_behind(about);
    let parameters = set(&settings, catalogue())?;
    let settings: String = settings.iter().map(|setting| format!(" --set {setting}")).collect();
    let (all, pages) = (recorded(&project.root.join(RECORD))?, project.pages()?);
    let mut modules = vec![];
    for entry in catalogue() {
        let verilog = project.verilog(entry, &parameters)?;
        let of_module = all.iter().filter(|one| one.verilog == verilog.top);
        let Some(latest) = of_module.max_by_key(|one| one.draw) else { continue };
        if latest.source != verilog.source_with_contract {
            let command =
                format!("gpurf mutants {}{settings} --draw {} --record {RECORD}", entry.name, latest.draw);
            project.outdated(command, &verilog.top, &latest.measured.date);
        }
        modules.push((pages.link(entry.name), latest));
    }
    ensure!(
        !modules.is_empty(),
        "{RECORD} has nothing under these parameters; `gpurf mutants --record {RECORD}` counts"
    );
    let reports = || modules.iter().map(|(_, report)| *report);
    let commands: BTreeSet<String> = reports()
        .map(|MutantsReport { seed, cycles, .. }| {
            format!("`gpurf mutants MODULE{settings} --draw DRAW --seed {seed} --cycles {cycles}`")
        })
        .collect();
    let tools: BTreeSet<&str> = reports().flat_map(|one| &one.tools).map(String::as_str).collect();
    let days: BTreeSet<&str> = reports().map(|one| one.measured.date.as_str()).collect();
    let by = [commands.iter().map(String::as_str).collect(), tools, days]
        .map(|words| Vec::from_iter(words).join(", "));
    Ok(format!("{}:\n\n{}", by.join("; "), markdown(&summary(modules.into_iter()), &[])))
}
