//! The papers' claims beside what is counted in the RTL. Areas need synthesis and have no part in it.

use anyhow::Result;
use gpurf_synth::Paper;

use super::markdown::markdown;
use super::project::Project;
use crate::overheads::{chosen, counted};

/// Claims, what their own arithmetic gives, and what the RTL has.
pub fn claims(_: &Project, paper: &str) -> Result<String> {
    Ok(markdown(&counted(paper)?.findings_table(), &["by area"]))
}

/// Bits of the registers of what is built for a paper, by name.
pub fn registers(_: &Project, paper: &str) -> Result<String> {
    Ok(markdown(&counted(paper)?.registers_table(), &[]))
}

/// Places of a paper that do not agree.
pub fn contradictions(_: &Project, paper: &str) -> Result<String> {
    let papers = Paper::all();
    let lines = chosen(&papers, &[paper.to_string()])?[0].contradictions.iter();
    Ok(lines.map(|found| format!("- {}: {}.\n", found.between.join(" and "), found.what)).collect())
}
