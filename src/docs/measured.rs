// SPDX-License-Identifier: Apache-2.0
//! Measurements that tests make and hold against their files; and others that were made once and are kept.

use std::fs;

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::output;

/// CSV files, one below the other: their rows are of the same columns. What no test repeats says when it was
/// measured, in lines that begin with `# `; they stand above the table.
pub fn table(project: &Project, files: &str) -> Result<String> {
    let (mut whole, mut notes) = (None, String::new());
    for file in files.split_whitespace() {
        let unreadable = || format!("{file}: cannot be read as a table");
        let text = fs::read_to_string(project.root.join(file)).with_context(unreadable)?;
        let of_file = text.lines().filter_map(|line| line.strip_prefix("# "));
        notes.extend(of_file.map(|note| format!("{note}\n\n")));
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
        let header = reader.headers().with_context(unreadable)?;
        let rows = whole.get_or_insert_with(|| output::table(&header.iter().collect::<Vec<_>>()));
        for row in reader.into_records() {
            rows.add_row(row.with_context(unreadable)?.iter());
        }
    }
    Ok(notes + &markdown(&whole.context("it names no file")?, &[]))
}
