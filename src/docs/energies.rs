//! Energies of designs under workloads, as a file of `gpurf power DESIGN... INPUT... --json` has them.

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::power::{table, Measured};

/// The designs beside the first one, and what that depends on, below a line that says how they were measured.
pub fn tables(project: &Project, file: &str) -> Result<String> {
    let (measured, how) = read(project, file)?;
    let Measured { runs, .. } = &measured;
    let tables = [table::beside(runs), table::balance(runs), table::sensitivity(runs), table::shares(runs)];
    Ok(format!("{how}\n\n{}", tables.map(|table| markdown(&table, &[])).join("\n")))
}

/// The designs beside the first one alone.
pub fn beside(project: &Project, file: &str) -> Result<String> {
    let (measured, how) = read(project, file)?;
    Ok(format!("{how}\n\n{}", markdown(&table::beside(&measured.runs), &[])))
}

/// What the file has, and how it was measured.
fn read(project: &Project, file: &str) -> Result<(Measured, String)> {
    let text = std::fs::read_to_string(project.root.join(file)).with_context(|| file.to_string())?;
    let measured: Measured = serde_json::from_str(&text).with_context(|| file.to_string())?;
    let Measured { period_ns, library, yosys, runs, .. } = &measured;
    let yosys = yosys.split(" (").next().unwrap_or(yosys);
    let checked: u64 = runs.iter().map(|run| run.checks.checked_values).sum();
    let cycles: u64 = runs.iter().map(|run| run.events.cycles).sum();
    let how = format!(
        "`{} --json {file}`: {library}, {yosys}, {period_ns} ns. {} cycles followed, {} values of operands compared.",
        measured.command(),
        crate::output::grouped(cycles),
        crate::output::grouped(checked),
    );
    Ok((measured, how))
}
