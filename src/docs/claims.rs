//! The papers' claims beside what is counted in the RTL. Areas need synthesis and have no part in it.

use std::path::Path;

use anyhow::Result;
use comfy_table::{Row, Table};
use gpurf_synth::Paper;

use crate::overheads::{chosen, counted};

/// Claims, what their own arithmetic gives, and what the RTL has.
pub fn claims(_: &Path, paper: &str) -> Result<String> {
    Ok(markdown(&counted(paper)?.findings_table(), &["by area"]))
}

/// Bits of the registers of what is built for a paper, by name.
pub fn registers(_: &Path, paper: &str) -> Result<String> {
    Ok(markdown(&counted(paper)?.registers_table(), &[]))
}

/// Places of a paper that do not agree.
pub fn contradictions(_: &Path, paper: &str) -> Result<String> {
    let papers = Paper::all();
    let lines = chosen(&papers, &[paper.to_string()])?[0].contradictions.iter();
    Ok(lines.map(|found| format!("- {}: {}.\n", found.between.join(" and "), found.what)).collect())
}

/// A table of the terminal as one of a document, some columns left out.
fn markdown(table: &Table, without: &[&str]) -> String {
    let cells = |row: &Row| -> Vec<String> {
        let cells = row.cell_iter().map(|cell| cell.content().replace('\n', "<br>").replace('|', "\\|"));
        cells.collect()
    };
    let header = table.header().map(cells).unwrap_or_default();
    let line = |row: &[String]| {
        let kept = row.iter().zip(&header).filter(|(_, name)| !without.contains(&name.as_str()));
        kept.fold("|".to_string(), |line, (cell, _)| format!("{line} {cell} |")) + "\n"
    };
    let rule = line(&vec!["---".to_string(); header.len()]);
    let rows = table.row_iter().map(|row| line(&cells(row)));
    line(&header) + &rule + &rows.collect::<String>()
}
