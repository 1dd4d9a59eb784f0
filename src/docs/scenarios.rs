// SPDX-License-Identifier: Apache-2.0
//! Directed scenarios, as the testbenches have them.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{find, CatalogueEntry};
use gpurf_testbenches::workbench;

use super::project::Project;
use super::{cell, citation};

/// Names and rules of a module's scenarios.
pub fn of(entry: &CatalogueEntry) -> Vec<(&'static str, &'static str)> {
    workbench(entry.name, &Parameters::default()).scenarios()
}

/// Name and rule of each directed scenario. Of several modules also which of them play it.
pub fn table(_: &Project, modules: &str) -> Result<String> {
    let entries: Vec<&CatalogueEntry> = modules.split(' ').map(find).collect::<Result<_, _>>()?;
    let lists: Vec<(&str, Vec<_>)> = entries.iter().map(|entry| (entry.name, of(entry))).collect();
    let mut text = match entries.len() {
        1 => String::from("| scenario | rule |\n|---|---|\n"),
        _ => String::from("| scenario | of | rule |\n|---|---|---|\n"),
    };
    let mut seen = BTreeSet::new();
    for (name, rule) in lists.iter().flat_map(|(_, list)| list) {
        if !seen.insert((name, rule)) {
            continue;
        }
        let having: Vec<_> = lists
            .iter()
            .filter(|(_, list)| list.contains(&(name, rule)))
            .map(|(module, _)| format!("`{module}`"))
            .collect();
        let rule = cell(&citation::marked(rule));
        match having.len() {
            _ if lists.len() == 1 => writeln!(text, "| `{name}` | {rule} |")?,
            all if all == lists.len() => writeln!(text, "| `{name}` | all | {rule} |")?,
            _ => writeln!(text, "| `{name}` | {} | {rule} |", having.join(", "))?,
        }
    }
    Ok(text)
}
