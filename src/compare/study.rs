// SPDX-License-Identifier: Apache-2.0
//! The record of a study: its findings and plots with the command that gave them, for `gpurf report`.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use comfy_table::{Row, Table};
use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::plot::Plot;
use crate::output::{say, table, write, write_json};
use crate::program;

/// The option of commands whose results the documents have.
#[derive(Args)]
pub struct StudyRecordArgument {
    /// Write the tables, the claims and what was found to this file. The documents show the files in
    /// papers/results
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
}

impl StudyRecordArgument {
    /// If it is given.
    pub fn write(&self, study: &Study) -> Result<()> {
        self.record.as_ref().map_or(Ok(()), |path| study.record(path))
    }
}

/// The file in a study's folder.
pub const FILE: &str = "study.json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// As the command line names it.
    pub name: String,
    /// The command that repeats it.
    pub command: String,
    /// Release and commit of this software.
    pub version: String,
    /// The inputs that it ran on.
    pub inputs: Vec<String>,
    pub findings: Vec<Finding>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Titled>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<Plot>,
}

/// A table as it is printed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Titled {
    pub title: String,
    /// The heads of its columns first.
    pub rows: Vec<Vec<String>>,
}

impl Titled {
    pub fn new(title: impl Into<String>, table: &Table) -> Titled {
        let cells = |row: &Row| row.cell_iter().map(|cell| cell.content()).collect();
        Titled {
            title: title.into(),
            rows: table.header().into_iter().chain(table.row_iter()).map(cells).collect(),
        }
    }

    pub fn table(&self) -> Table {
        let mut rows = table(&self.rows[0].iter().map(String::as_str).collect::<Vec<_>>());
        rows.add_rows(&self.rows[1..]);
        rows
    }
}

/// For the terminal.
impl fmt::Display for Titled {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{}\n{}", self.title, self.table())
    }
}

impl Study {
    /// The number of inputs, and the size of built-in ones.
    pub fn extent(&self) -> String {
        let mut words = self.command.split(' ');
        let is_built_in = |input: &String| gpurf_workloads::suite::named(input).is_some();
        let size = match self.inputs.iter().any(is_built_in) && !self.command.contains("--inputs") {
            true => format!(
                ", {}",
                words.find(|word| *word == "--size").and_then(|_| words.next()).unwrap_or("small")
            ),
            false => String::new(),
        };
        format!("{} inputs{size}", self.inputs.len())
    }

    /// With the command line of this process as its command.
    pub fn new(name: &str, inputs: Vec<String>, findings: Vec<Finding>, plots: Vec<Plot>) -> Study {
        Study {
            tables: vec![],
            name: name.into(),
            command: crate::LINE.get().cloned().unwrap_or_default(),
            version: program::version().into(),
            inputs,
            findings,
            plots,
        }
    }

    /// The record of a command that leaves tables alone.
    pub fn of_tables(name: &str, inputs: Vec<String>, tables: Vec<Titled>) -> Study {
        Study { tables, ..Study::new(name, inputs, vec![], vec![]) }
    }

    /// Writes the findings, the tables, and what stands beside a paper's number, with a command that leaves
    /// out where its results went.
    fn record(&self, path: &Path) -> Result<()> {
        let mut command: Vec<&str> = self.command.split(' ').collect();
        for option in ["--out", "--record"] {
            if let Some(place) = command.iter().position(|word| *word == option) {
                command.drain(place..(place + 2).min(command.len()));
            }
        }
        let mut record = Study { command: command.join(" "), ..self.clone() };
        record.plots.retain(Plot::is_recorded);
        write_json(path, &record)?;
        say!("Findings: {}", path.display());
        Ok(())
    }

    /// Writes the plots and, for the report, what is in them.
    pub fn save(&self, folder: &Path) -> Result<()> {
        for plot in &self.plots {
            write(&folder.join(format!("{}.svg", plot.file)), plot.picture()?.as_bytes())?;
        }
        write_json(&folder.join(FILE), self)?;
        say!("Plots and results: {}", folder.display());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_has_the_command_without_where_its_results_went() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("small.json");
        let command = "gpurf compare malekeh --out /elsewhere --size small --record small.json".into();
        let study = Study { command, ..Study::new("malekeh", vec!["bfs".into()], vec![], vec![]) };
        study.record(&path).expect("written");
        let read: Study =
            serde_json::from_str(&std::fs::read_to_string(&path).expect("read")).expect("a record");
        assert_eq!(read, Study { command: "gpurf compare malekeh --size small".into(), ..study });
    }
}
