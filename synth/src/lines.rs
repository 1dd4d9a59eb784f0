// SPDX-License-Identifier: Apache-2.0
//! Measurements, as lines of JSON in a file that stands in the tree.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::Serialize;

/// The lines of a file; a file that does not exist has none. `what`: what one of them is, for the message.
///
/// # Errors
/// If it cannot be read, or a line is something else; the message names the line.
pub fn read_lines<T: DeserializeOwned>(path: &Path, what: &str) -> Result<Vec<T>> {
    if !path.exists() {
        return Ok(vec![]);
    }
    let text = fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
    parse_lines(&text, path, what)
}

/// The lines of the text of a file.
///
/// # Errors
/// If one is something else; the message names the line.
pub fn parse_lines<T: DeserializeOwned>(text: &str, path: &Path, what: &str) -> Result<Vec<T>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    let read = lines.map(|(number, line)| {
        serde_json::from_str(line)
            .with_context(|| format!("{}:{}: no {what}; delete the line", path.display(), number + 1))
    });
    read.collect()
}

/// Puts a file of these lines instead of what was there.
///
/// # Errors
/// If it cannot be written.
pub fn write_lines<T: Serialize>(path: &Path, lines: &[T]) -> Result<()> {
    let lines = lines.iter().map(|line| Ok(serde_json::to_string(line)? + "\n"));
    Ok(gpurf_files::write(path, lines.collect::<Result<String>>()?)?)
}
