// SPDX-License-Identifier: Apache-2.0
//! Energies of designs under workloads, as a file of `gpurf power DESIGN... INPUT... --json` has them.

use anyhow::{Context, Result};
use gpurf_power::stage::{MeasuredStages, StageRun};

use super::markdown::markdown;
use super::project::Project;
use crate::output::{self, grouped};
use crate::power::{command_of, storage, table};

/// The designs beside the first one, and what that depends on, below a line that says how they were measured.
pub fn tables(project: &Project, file: &str) -> Result<String> {
    let (measured, how) = read(project, file)?;
    let MeasuredStages { runs, .. } = &measured;
    let tables = [table::beside(runs), table::balance(runs), table::sensitivity(runs), table::shares(runs)];
    Ok(format!("{how}\n\n{}", tables.map(|table| markdown(&table, &[])).join("\n")))
}

/// The designs beside the first one alone.
pub fn beside(project: &Project, file: &str) -> Result<String> {
    let (measured, how) = read(project, file)?;
    Ok(format!("{how}\n\n{}", markdown(&table::beside(&measured.runs), &[])))
}

/// Designs whose collectors are built in several ways, a file each; the first one has what all are held
/// against.
pub fn of_storages(project: &Project, files: &str) -> Result<String> {
    let read = files.split_whitespace().map(|file| read(project, file)).collect::<Result<Vec<_>>>()?;
    let (measured, commands): (Vec<MeasuredStages>, Vec<String>) = read.into_iter().unzip();
    Ok(format!("{}\n\n{}", commands.join("\n\n"), markdown(&storage::of_storages(&measured)?, &[])))
}

/// Cycles followed and values compared in some files, whatever the energies: a difference ends a measurement.
pub fn followed(project: &Project, files: &str) -> Result<String> {
    let mut commands = vec![];
    let header =
        ["design", "inputs", "cycles, 32 bits", "windows, 1,024 bits", "cycles in them", "values compared"];
    let mut rows = output::table(&header);
    for file in files.split_whitespace() {
        let (MeasuredStages { runs, window_cycles, .. }, how) = read(project, file)?;
        commands.push(how);
        for design in table::designs(&runs) {
            let of_design: Vec<_> = runs.iter().filter(|run| run.design == design).collect();
            let sum = |of: fn(&StageRun) -> u64| of_design.iter().map(|run| of(run)).sum::<u64>();
            let windows = sum(|run| run.windows);
            let counts = [
                of_design.len() as u64,
                sum(|run| run.events.cycles),
                windows,
                windows * window_cycles,
                sum(|run| run.checks.checked_values),
            ];
            rows.add_row([design.to_string()].into_iter().chain(counts.map(grouped)));
        }
    }
    Ok(format!("{}\n\n{}", commands.join("\n\n"), markdown(&rows, &[])))
}

/// The measurement in the file, and how it was made.
fn read(project: &Project, file: &str) -> Result<(MeasuredStages, String)> {
    let text = std::fs::read_to_string(project.root.join(file)).with_context(|| file.to_string())?;
    let measured: MeasuredStages = serde_json::from_str(&text).with_context(|| file.to_string())?;
    let MeasuredStages { period_ns, library, yosys, runs, .. } = &measured;
    let yosys = yosys.split(" (").next().unwrap_or(yosys);
    let checked: u64 = runs.iter().map(|run| run.checks.checked_values).sum();
    let cycles: u64 = runs.iter().map(|run| run.events.cycles).sum();
    let how = format!(
        "`{} --json {file}`: {library}, {yosys}, {period_ns} ns. {} cycles followed, {} values of operands compared.",
        command_of(&measured),
        grouped(cycles),
        grouped(checked),
    );
    Ok((measured, how))
}
