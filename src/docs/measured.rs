//! What tests measured, and hold against their files.

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::output;

/// CSV files that tests measure, one below the other: their rows are of the same columns.
pub fn table(project: &Project, files: &str) -> Result<String> {
    let mut whole = None;
    for file in files.split_whitespace() {
        let unreadable = || format!("{file}: cannot be read as a table");
        let mut reader = csv::Reader::from_path(project.root.join(file)).with_context(unreadable)?;
        let header = reader.headers().with_context(unreadable)?;
        let rows = whole.get_or_insert_with(|| output::table(&header.iter().collect::<Vec<_>>()));
        for row in reader.into_records() {
            rows.add_row(row.with_context(unreadable)?.iter());
        }
    }
    Ok(markdown(&whole.context("it names no file")?, &[]))
}
