//! What the modules cost, collected from their pages.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use gpurf_hw::catalogue::catalogue;

use super::files::Pages;

/// Head of the tables that `gpurf synth` prints, as pages have them.
const HEAD: &str = "| module | area µm² | GE | flip-flops | of area | memory bits | depth | path ns |\n\
                    |---|---:|---:|---:|---:|---:|---:|---:|\n";

/// The rows of all modules at their default parameters. Each stands on the module's page, below the command that gave
/// it.
pub fn table(root: &Path, _: &str) -> Result<String> {
    let pages = Pages::read(root)?;
    let mut text = HEAD.to_string();
    for entry in catalogue() {
        let Some(page) = pages.of(entry.name) else { continue };
        let prose =
            fs::read_to_string(page).with_context(|| format!("{}: cannot be read", page.display()))?;
        let start = format!("| {} |", entry.name);
        let mut rows = prose.split(HEAD).skip(1).flat_map(str::lines);
        if let Some(row) = rows.find_map(|line| line.strip_prefix(&start)) {
            writeln!(text, "| {} |{row}", pages.link(entry.name))?;
        }
    }
    Ok(text)
}
