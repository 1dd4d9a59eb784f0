// SPDX-License-Identifier: Apache-2.0
//! The papers' claims beside what is counted in the RTL, and beside areas as they were measured last.

use anyhow::{ensure, Result};
use gpurf_synth::Paper;

use super::markdown::markdown;
use super::project::Project;
use crate::overheads::{chosen, recorded};

/// Claims, what their own arithmetic gives, and what the RTL has: all of a paper's, or those of some names,
/// as in `F; extra-data-storage, area-bound`.
pub fn claims(project: &Project, about: &str) -> Result<String> {
    let (paper, ids) = about.split_once("; ").unwrap_or((about, ""));
    let ids: Vec<&str> = ids.split(", ").filter(|id| !id.is_empty()).collect();
    let mut audit = recorded(paper, project.areas()?)?;
    let known: Vec<&str> = audit.findings.iter().map(|finding| finding.id.as_str()).collect();
    for id in &ids {
        ensure!(known.contains(id), "{paper} has no claim `{id}`; there are {}", known.join(", "));
    }
    audit.findings.retain(|finding| ids.is_empty() || ids.contains(&finding.id.as_str()));
    let has_areas = audit.findings.iter().any(|finding| finding.area.is_some());
    let without: &[&str] = if has_areas { &[] } else { &["by area"] };
    Ok(markdown(&audit.findings_table(), without))
}

/// Bits of the registers of what is built for a paper, by name.
pub fn registers(project: &Project, paper: &str) -> Result<String> {
    Ok(markdown(&recorded(paper, project.areas()?)?.registers_table(), &[]))
}

/// Places of a paper that do not agree.
pub fn contradictions(_: &Project, paper: &str) -> Result<String> {
    let papers = Paper::all();
    let lines = chosen(&papers, &[paper.to_string()])?[0].contradictions.iter();
    Ok(lines.map(|found| format!("- {}: {}.\n", found.between.join(" and "), found.what)).collect())
}
