// SPDX-License-Identifier: Apache-2.0
//! Modules placed and routed, as [`RECORD`] has them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::catalogue;
use gpurf_synth::{Layout, Layouts};

use super::markdown::markdown;
use super::project::Project;

/// Layouts, from the root of the repository.
const RECORD: &str = "synth/layouts.jsonl";

/// One line per layout, modules by name, those with registers of 32 bits under that.
pub fn table(project: &Project, _: &str) -> Result<String> {
    let layouts = Layouts::read(&project.root.join(RECORD))?.0;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (width, title) in [(Parameters::default().width, ""), (32, ", width=32")] {
        for entry in catalogue() {
            let mut parameters = Parameters::default();
            parameters.set("width", &width.to_string())?;
            let verilog = project.verilog(entry, &parameters)?;
            let Some(layout) = layouts.iter().find(|layout| layout.top == verilog.top) else { continue };
            names.entry(layout.top.clone()).or_insert(format!("`{}`{title}", entry.name));
            if let (Some(origin), true) = (&layout.measured, layout.source != verilog.source) {
                let command = format!("gpurf layout {} --set width={width} --record {RECORD}", entry.name);
                project.outdated(command, &verilog.top, &origin.date);
            }
        }
    }
    let title = |top: &String| names.get(top).unwrap_or(top).clone();
    let mut rows: Vec<Layout> =
        layouts.iter().map(|layout| Layout { top: title(&layout.top), ..layout.clone() }).collect();
    rows.sort_by_key(|layout| layout.cells);
    let days: BTreeSet<&str> =
        rows.iter().flat_map(|one| &one.measured).map(|origin| origin.date.as_str()).collect();
    let tools: BTreeSet<&str> = rows.iter().map(|layout| layout.tools.as_str()).collect();
    let said: Vec<&str> = tools.into_iter().chain(days).collect();
    Ok(format!(
        "`gpurf layout` with what each row names ({}):\n\n{}",
        said.join(", "),
        markdown(&Layout::summary(&rows), &[])
    ))
}
