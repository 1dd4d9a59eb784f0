// SPDX-License-Identifier: Apache-2.0
//! From a paper to what is built of it.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::{bail, Result};
use gpurf_hw::catalogue::catalogue;

use super::citation::{places, CitedPlace, PAPERS};
use super::files::files;
use super::project::Project;
use super::{areas, scenarios};
use crate::output::grouped;

/// Sections, figures and tables of a paper, and the modules whose declaration or scenarios cite them, with
/// what they cost at their default parameters.
pub fn table(project: &Project, paper: &str) -> Result<String> {
    if !PAPERS.contains(&paper) {
        bail!("no paper is called `{paper}`; there are {}", PAPERS.join(", "));
    }
    let pages = project.pages()?;
    let mut rows: BTreeSet<(CitedPlace, usize, String)> = BTreeSet::new();
    for (number, entry) in catalogue().iter().enumerate() {
        let cited: Vec<Vec<CitedPlace>> =
            scenarios::of(entry).iter().map(|(_, rule)| places(rule, paper)).collect();
        let declared = places(entry.naming.paper, paper);
        let all: BTreeSet<&CitedPlace> = declared.iter().chain(cited.iter().flatten()).collect();
        if all.is_empty() {
            continue;
        }
        let module = pages.link(entry.name);
        let area = match areas::of_defaults(project, entry)? {
            Some(one) => grouped(one.gate_equivalents.round() as u64),
            None => "–".to_string(),
        };
        let [rtl, model, testbench] = files(project.root, entry)?;
        for place in all {
            let count = cited.iter().filter(|cited| cited.iter().any(|other| place.contains(other))).count();
            let row = format!(
                "{module} | [RTL](../{rtl}) | [model](../{model}) | [testbench](../{testbench}) | {count} | {area}"
            );
            rows.insert((place.clone(), number, row));
        }
    }
    let mut text = String::from(
        "| place | module | RTL | reference model | testbench | scenarios | GE |\n|---|---|---|---|---|---:|---:|\n",
    );
    for (place, _, row) in rows {
        writeln!(text, "| {place} | {row} |")?;
    }
    Ok(text)
}
