//! Energies of designs under workloads, as a file of `gpurf power DESIGN... INPUT... --json` has them.

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::power::{table, Measured};

/// The designs beside the first one, and what that depends on, below a line that says how they were measured.
pub fn tables(project: &Project, file: &str) -> Result<String> {
    let text = std::fs::read_to_string(project.root.join(file)).with_context(|| file.to_string())?;
    let measured: Measured = serde_json::from_str(&text).with_context(|| file.to_string())?;
    let Measured { period_ns, library, yosys, runs, .. } = &measured;
    let yosys = yosys.split(" (").next().unwrap_or(yosys);
    let checked: u64 = runs.iter().map(|run| run.checks.checked_values).sum();
    let cycles: u64 = runs.iter().map(|run| run.events.cycles).sum();
    Ok(format!(
        "`{} --json {file}`: {library}, {yosys}, {period_ns} ns. {} cycles followed, {} values of operands compared.\n\n{}\n{}\n{}",
        measured.command(),
        crate::output::grouped(cycles),
        crate::output::grouped(checked),
        markdown(&table::beside(runs), &[]),
        markdown(&table::sensitivity(runs), &[]),
        markdown(&table::shares(runs), &[]),
    ))
}
