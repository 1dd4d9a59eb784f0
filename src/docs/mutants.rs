//! How many small faults the testbenches find, as [`RECORD`] has it of some draws of faults. A table names the draws and the
//! parameters that are not at their defaults: `mutants 41 42 --set width=32`.

use std::collections::BTreeSet;

use anyhow::{ensure, Context, Result};
use gpurf_hw::catalogue::catalogue;

use super::markdown::markdown;
use super::project::Project;
use crate::mutants::{recorded, summary, Report};
use crate::verilog::set;

/// Counts of mutants, from the root of the repository.
const RECORD: &str = "testbenches/mutants.jsonl";

/// One line per module, of all these draws together.
pub fn table(project: &Project, about: &str) -> Result<String> {
    let mut parts = about.split(" --set ");
    let wanted: BTreeSet<u64> = parts
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|draw| draw.parse().with_context(|| format!("`{draw}` is no number of a draw")))
        .collect::<Result<_>>()?;
    let settings: Vec<String> = parts.map(str::to_string).collect();
    let parameters = set(&settings)?;
    let settings: String = settings.iter().map(|setting| format!(" --set {setting}")).collect();
    let (all, pages) = (recorded(&project.root.join(RECORD))?, project.pages()?);
    let mut modules = vec![];
    for entry in catalogue() {
        let verilog = project.verilog(entry, &parameters)?;
        let of_module = |one: &&Report| one.verilog == verilog.top && wanted.contains(&one.draw);
        let reports: Vec<&Report> = all.iter().filter(of_module).collect();
        if let Some(one) = reports.iter().find(|one| one.source != verilog.source) {
            let command =
                format!("gpurf mutants {}{settings} --draw {} --record {RECORD}", entry.name, one.draw);
            project.outdated(command, &verilog.top, &one.measured.date);
        }
        if !reports.is_empty() {
            modules.push((pages.link(entry.name), reports));
        }
    }
    ensure!(
        !modules.is_empty(),
        "{RECORD} has none of these draws; `gpurf mutants --record {RECORD}` counts"
    );
    let reports = || modules.iter().flat_map(|(_, reports)| reports);
    let commands: BTreeSet<String> = reports()
        .map(|Report { draw, seed, cycles, .. }| {
            format!("`gpurf mutants MODULE{settings} --draw {draw} --seed {seed} --cycles {cycles}`")
        })
        .collect();
    let tools: BTreeSet<&str> = reports().flat_map(|one| &one.tools).map(String::as_str).collect();
    let days: BTreeSet<&str> = reports().map(|one| one.measured.date.as_str()).collect();
    let by = [commands.iter().map(String::as_str).collect(), tools, days]
        .map(|words| Vec::from_iter(words).join(", "));
    Ok(format!("{}:\n\n{}", by.join("; "), markdown(&summary(modules.into_iter()), &[])))
}
