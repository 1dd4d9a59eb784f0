//! How many small faults the testbenches find, as [`RECORD`] has it of some draws: `mutants 41 42`.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::catalogue;
use gpurf_synth::digest;

use super::files::Pages;
use super::markdown::markdown;
use crate::mutants::{recorded, summary, Report};
use crate::verilog::hierarchy;

/// Counts of mutants, from the root of the repository.
const RECORD: &str = "testbenches/mutants.jsonl";

/// One line per module at its default parameters, of all these draws together.
pub fn table(root: &Path, draws: &str) -> Result<String> {
    let wanted: BTreeSet<u64> = draws
        .split(' ')
        .map(|draw| draw.parse().with_context(|| format!("`{draw}` is no number of a draw")))
        .collect::<Result<_>>()?;
    let (all, pages) = (recorded(&root.join(RECORD))?, Pages::read(root)?);
    let mut modules = vec![];
    for entry in catalogue() {
        let design = hierarchy(entry, &Parameters::default())?;
        let of_module = |one: &&Report| one.verilog == design.top && wanted.contains(&one.draw);
        let reports: Vec<&Report> = all.iter().filter(of_module).collect();
        if reports.iter().any(|one| one.source != digest(&design.source())) {
            eprintln!("{} has changed since its mutants were counted; count them anew", entry.name);
        }
        if !reports.is_empty() {
            modules.push((pages.link(entry.name), reports));
        }
    }
    let reports = || modules.iter().flat_map(|(_, reports)| reports);
    let commands: BTreeSet<String> = reports()
        .map(|one| {
            format!("`gpurf mutants MODULE --draw {} --seed {} --cycles {}`", one.draw, one.seed, one.cycles)
        })
        .collect();
    let tools: BTreeSet<&str> = reports().flat_map(|one| &one.tools).map(String::as_str).collect();
    let days: BTreeSet<&str> = reports().map(|one| one.measured.date.as_str()).collect();
    let by = [commands.iter().map(String::as_str).collect(), tools, days]
        .map(|words| Vec::from_iter(words).join(", "));
    Ok(format!("{}:\n\n{}", by.join("; "), markdown(&summary(modules.into_iter()), &[])))
}
