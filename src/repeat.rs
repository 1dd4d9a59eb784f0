// SPDX-License-Identifier: Apache-2.0
//! `gpurf repeat`: runs the commands behind recorded results again, and tells which of these they still give.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure, Context, Result};
use clap::Args;
use comfy_table::CellAlignment;
use serde::Serialize;
use walkdir::WalkDir;

use crate::compare::study::Study;
use crate::output::{progress, table, write_json, JsonArgument};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf repeat papers/results/more/register_caches.json  # minutes
  gpurf repeat --update; gpurf docs                      # hours")]
pub struct Arguments {
    /// Records, as `--record` writes them, or folders of such; other files in a folder are passed over
    #[arg(value_name = "RECORD", default_value = "papers/results")]
    records: Vec<PathBuf>,
    /// The folder in which the commands run: traces that they name are looked for there
    #[arg(long = "in", value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Write a record again if its command gives something else
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    json: JsonArgument,
}

/// The fate of a record.
#[derive(Serialize)]
struct Repeated {
    record: String,
    command: String,
    outcome: Outcome,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Same,
    /// Claims, tables and curves that differ, by name.
    Moved(Vec<String>),
    /// The command does not run here, with what it said last.
    NotRun(String),
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let records = read(&arguments.records)?;
    ensure!(arguments.folder.is_dir(), "{}: is no folder; give --in one", arguments.folder.display());
    let bar = progress(records.len() as u64, "records");
    let mut results = vec![];
    for (path, before) in &records {
        bar.set_message(path.display().to_string());
        let outcome = match again(before, &arguments.folder)? {
            Err(reason) => Outcome::NotRun(reason),
            Ok(after) => match moved(before, &after) {
                names if names.is_empty() => Outcome::Same,
                names => {
                    if arguments.update {
                        write_json(path, &after)?;
                    }
                    Outcome::Moved(names)
                }
            },
        };
        let (record, command) = (path.display().to_string(), before.command.clone());
        results.push(Repeated { record, command, outcome });
        bar.inc(1);
    }
    bar.finish_and_clear();
    let written = arguments.json.write_list(&results);
    if arguments.json.leaves_tables() {
        print(&results);
    }
    written?;
    let holds = |one: &Repeated| arguments.update || !matches!(one.outcome, Outcome::Moved(_));
    Ok(if results.iter().all(holds) { Verdict::Holds } else { Verdict::Fails })
}

fn print(results: &[Repeated]) {
    let mut rows = table(&["record", "result", "what", "command"]);
    for Repeated { record, command, outcome } in results {
        let (result, what) = match outcome {
            Outcome::Same => ("same", String::new()),
            Outcome::Moved(names) => ("moved", names.join("\n")),
            Outcome::NotRun(reason) => ("not run", reason.clone()),
        };
        rows.add_row([record.as_str(), result, &what, command]);
    }
    rows.column_iter_mut().for_each(|column| column.set_cell_alignment(CellAlignment::Left));
    println!("{rows}");
}

/// The records among these files, and in these folders, by path.
fn read(paths: &[PathBuf]) -> Result<Vec<(PathBuf, Study)>> {
    let mut records = vec![];
    for path in paths {
        for entry in WalkDir::new(path).sort_by_file_name() {
            let entry = entry.with_context(|| format!("{}: cannot be read", path.display()))?;
            if !entry.file_type().is_file() {
                continue;
            }
            let text = fs::read(entry.path())
                .with_context(|| format!("{}: cannot be read", entry.path().display()))?;
            match serde_json::from_slice(&text) {
                Ok(study) => records.push((entry.path().into(), study)),
                Err(error) if entry.depth() == 0 => {
                    bail!(
                        "{}: is no record of a command ({error}); name one that --record has written",
                        path.display()
                    )
                }
                Err(_) => {}
            }
        }
    }
    Ok(records)
}

/// The result that the command behind a record gives now, or the reason why it does not run.
fn again(record: &Study, folder: &Path) -> Result<Result<Study, String>> {
    let file = tempfile::NamedTempFile::new().context("no temporary file can be made")?;
    let output = Command::new(std::env::current_exe()?)
        .args(record.command.split(' ').skip(1))
        .arg("--record")
        .arg(file.path())
        .current_dir(folder)
        .output()
        .with_context(|| format!("`{}` cannot be started", record.command))?;
    let text = fs::read(file.path()).context("what was recorded cannot be read")?;
    // Claims that do not hold are no reason not to record them.
    Ok(serde_json::from_slice(&text).map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing").to_string()
    }))
}

/// The parts that differ, by name.
fn moved(before: &Study, after: &Study) -> Vec<String> {
    let mut names = vec![];
    if before.inputs != after.inputs {
        names.push("inputs".into());
    }
    names.extend(changed(&before.findings, &after.findings, |one| {
        format!("{} {}: {}", one.paper, one.section, one.what)
    }));
    names.extend(changed(&before.tables, &after.tables, |one| one.title.clone()));
    names.extend(changed(&before.plots, &after.plots, |one| one.file.to_string()));
    names
}

/// The names of those that are not alike, or that only one side has.
fn changed<T: PartialEq>(before: &[T], after: &[T], name: impl Fn(&T) -> String) -> Vec<String> {
    let differs = |one: &&T| !before.contains(one) || !after.contains(one);
    let mut names: Vec<String> = vec![];
    for name in before.iter().chain(after).filter(differs).map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
