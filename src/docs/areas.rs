// SPDX-License-Identifier: Apache-2.0
//! Areas of modules, from [`RECORD`]. A table names the commands that measure its rows, with the arguments
//! of `gpurf synth`, separated by semicolons: `areas active_set; active_set --set warps=16`.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{catalogue, CatalogueEntry};
use gpurf_synth::{Structure, Synthesis};

use super::markdown::markdown;
use super::project::Project;
use super::record_files::AREAS as RECORD;
use crate::output::{self, grouped};
use crate::synth::Arguments;

/// One line per module of some commands, below a line that names them.
pub fn table(project: &Project, commands: &str) -> Result<String> {
    let rows = commands.split("; ").map(|command| recorded(project, command)).collect::<Result<Vec<_>>>()?;
    let rows = rows.concat();
    Ok(format!("{}\n{}", said(commands, &rows), markdown(&Synthesis::summary(&rows), &[])))
}

/// Rows of a table of results: area and longest path of modules.
pub fn headlines(project: &Project, commands: &str) -> Result<String> {
    let mut rows = output::table(&["module", "area, µm²", "longest path, ns", "command"]);
    for command in commands.split("; ") {
        for one in recorded(project, command)? {
            let (area, path) = (grouped(one.area_um2.round() as u64), one.longest_path_ns);
            let path = path.map_or("–".to_string(), |path| format!("{path:.2}"));
            rows.add_row([one.top, area, path, format!("`gpurf synth {command}`")]);
        }
    }
    Ok(markdown(&rows, &[]))
}

/// One line per distinct module in those of a command: where their area goes.
pub fn by_module(project: &Project, command: &str) -> Result<String> {
    let rows = recorded(project, command)?;
    let tables = rows.iter().map(|one| markdown(&one.hierarchy(), &["memory bits"]));
    Ok(said(command, &rows) + "\n" + &tables.collect::<Vec<_>>().join("\n"))
}

/// All modules at their default parameters.
pub fn defaults(project: &Project, _: &str) -> Result<String> {
    let pages = project.pages()?;
    let mut rows = vec![];
    for entry in catalogue() {
        if let Some(one) = of_defaults(project, entry)? {
            let sum = if one.structure == Structure::Kept { ", sum over its modules" } else { "" };
            let memories = project.verilog(entry, &Parameters::default())?.memories.clone();
            rows.push(Synthesis { top: pages.link(entry.name) + sum, memories, ..one.clone() });
        }
    }
    Ok(format!("Measured by {}:\n\n{}", measured(&rows), markdown(&Synthesis::summary(&rows), &[])))
}

/// The area of a module at its default parameters, flattened if that was measured.
pub fn of_defaults<'a>(project: &'a Project, entry: &CatalogueEntry) -> Result<Option<&'a Synthesis>> {
    let verilog = project.verilog(entry, &Parameters::default())?;
    Ok(project.areas()?.latest(&verilog.top, &verilog.source))
}

/// The areas that a command measures. The module's name has the settings of the command behind it.
fn recorded(project: &Project, command: &str) -> Result<Vec<Synthesis>> {
    let arguments: Arguments = crate::arguments_of("synth", &command.split(' ').collect::<Vec<_>>())
        .with_context(|| format!("`gpurf synth {command}` is no command"))?;
    let options: String = match command.split_once(" --") {
        Some((_, options)) => {
            options.split(" --").map(|one| format!(", {}", one.trim_start_matches("set "))).collect()
        }
        None => String::new(),
    };
    let mut rows = vec![];
    let (entries, parameters) = arguments.chosen()?;
    for entry in entries {
        let verilog = project.verilog(entry, &parameters)?;
        let top = &verilog.top;
        let one = project.areas()?.last(top, arguments.flow()).with_context(|| {
            format!("{RECORD} does not know {top}; run `gpurf synth {command} --record {RECORD}`")
        })?;
        if let (Some(origin), true) = (&one.measured, one.source != verilog.source) {
            project.outdated(format!("gpurf synth {command} --record {RECORD}"), top, &origin.date);
        }
        let memories = verilog.memories.clone();
        rows.push(Synthesis { top: format!("`{}`{options}", entry.name), memories, ..one.clone() });
    }
    Ok(rows)
}

/// Which commands measured, and how and when.
fn said(commands: &str, rows: &[Synthesis]) -> String {
    let commands: Vec<_> = commands.split("; ").map(|command| format!("`gpurf synth {command}`")).collect();
    let commands = match commands.len() {
        1..=3 => commands.join(", "),
        _ => "`gpurf synth` with what each row names".to_string(),
    };
    format!("{commands} ([what is counted](synthesis.md#what-is-counted); {}):\n", measured(rows))
}

/// By which tools, and on which days.
fn measured(rows: &[Synthesis]) -> String {
    let tools: BTreeSet<_> = rows.iter().filter_map(|one| one.tool.split(" (").next()).collect();
    let days: BTreeSet<_> =
        rows.iter().flat_map(|one| &one.measured).map(|origin| origin.date.as_str()).collect();
    tools.into_iter().chain(days).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn rows_are_named_by_module_and_options() {
        let text = table(&Project::new(root()), "lfsr; lfsr --set seed=7").unwrap();
        assert!(
            text.starts_with("`gpurf synth lfsr`, `gpurf synth lfsr --set seed=7` ([what is counted]"),
            "{text}"
        );
        assert!(text.contains("\n| `lfsr` | 64 |") && text.contains("\n| `lfsr`, seed=7 | 64 |"), "{text}");
    }

    #[test]
    fn what_was_not_measured_is_asked_for() {
        let error = format!("{:#}", table(&Project::new(root()), "lfsr --clock-gating").unwrap_err());
        assert!(
            error.contains("run `gpurf synth lfsr --clock-gating --record synth/areas.jsonl`"),
            "{error}"
        );
        assert!(table(&Project::new(root()), "lfsr --nonsense").is_err());
        assert!(table(&Project::new(root()), "nonsense").is_err());
    }
}
