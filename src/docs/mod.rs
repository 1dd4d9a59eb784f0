// SPDX-License-Identifier: Apache-2.0
//! `gpurf docs`: writes the tables of the documents from what they describe.
//!
//! A table stands between two lines of README.md or a file in docs:
//!
//! ```text
//! <!-- generated: NAME -->
//! <!-- end -->
//! ```
//!
//! NAME is one of [`GENERATORS`], with what it is about where it wants that (`ports ccu`, `scenarios lrt_scan
//! lrt_cam`). Its text takes the place of what is between the lines.

pub mod areas;
mod citation;
mod claims;
pub mod commands;
mod curves;
mod designs;
mod diagrams;
mod energies;
mod events;
mod files;
mod fpga;
mod hardware;
mod layouts;
mod machines;
mod markdown;
mod measured;
mod memories;
mod memory_tables;
mod mutants;
mod netlists;
mod opcodes;
mod pages;
mod papers;
mod pictures;
mod project;
pub mod record_files;
pub mod results;
mod runs;
mod scenarios;
mod speeds;
mod states;
mod stencil;
mod storage;
mod timing;
mod transitions;
mod units;
mod workloads;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use clap::Args;

use crate::output;
use crate::verdict::Verdict;
use project::Project;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf docs          # minutes
  gpurf docs --check  # minutes")]
pub struct Arguments {
    /// Write nothing, but list the tables that are not what they describe, and fail if there are any
    #[arg(long)]
    check: bool,
    /// The folder that holds README.md and docs
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
}

/// A function that makes the text of a table. It is given what tables are made from, and what follows its
/// name.
type Generator = fn(&Project, &str) -> Result<String>;

/// Every table of the documents, by name.
const GENERATORS: &[(&str, Generator)] = &[
    ("areas", areas::table),
    ("areas_at_defaults", areas::defaults),
    ("areas_by_module", areas::by_module),
    ("areas_in_short", areas::headlines),
    ("claims", claims::claims),
    ("commands", commands::text),
    ("contradictions", claims::contradictions),
    ("choices", designs::choices),
    ("curves", curves::text),
    ("designs", designs::table),
    ("diagram", diagrams::text),
    ("files", files::table),
    ("fpga", fpga::table),
    ("fronts", curves::fronts),
    ("fpga_demonstrator", fpga::demonstrator),
    ("constants", machines::constants),
    ("energies", energies::tables),
    ("energies_beside", energies::beside),
    ("energies_followed", energies::followed),
    ("energies_of_storages", energies::of_storages),
    ("energies_claimed", results::energies),
    ("layouts", layouts::table),
    ("machine", machines::machine),
    ("machines", machines::side_by_side),
    ("events", events::table),
    ("contracts", events::contracts),
    ("monitors", events::monitors),
    ("measured", measured::table),
    ("memories", memories::hardware),
    ("memory_cells", memories::cells),
    ("memory_constants", memories::constants),
    ("memory_nodes", memories::nodes),
    ("memory_rule", memories::rule),
    ("memory_tables", memory_tables::table),
    ("module", hardware::module),
    ("modules", hardware::modules),
    ("mutants", mutants::table),
    ("netlists", netlists::table),
    ("opcodes", opcodes::text),
    ("papers", papers::table),
    ("parameters", hardware::parameters),
    ("points", curves::points),
    ("ports", hardware::ports),
    ("registers", claims::registers),
    ("results", results::table),
    ("runs", runs::table),
    ("headlines", results::headlines),
    ("scenarios", scenarios::table),
    ("speeds", speeds::table),
    ("states", states::text),
    ("stencil", stencil::text),
    ("stimuli", units::stimuli),
    ("stimuli_at_inputs", units::inputs),
    ("storage", storage::table),
    ("tables", results::tables),
    ("timing", timing::text),
    ("timings", machines::timings),
    ("transitions", transitions::table),
    ("units", units::table),
    ("unmeasured", results::unmeasured),
    ("verdicts", results::verdicts),
    ("workloads", workloads::table),
];

const START: (&str, &str) = ("<!-- generated: ", " -->");
const END: &str = "<!-- end -->";

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let mut tables = Tables { project: Project::new(&arguments.root), texts: BTreeMap::new() };
    let mut verdict = Verdict::Holds;
    for path in documents(&arguments.root)? {
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{}: cannot be read; check --root", path.display()))?;
        let (new, stale) = tables.renewed(&path, &text)?;
        for (line, name) in &stale {
            if arguments.check {
                println!("{}:{line}: {name} is stale; run `gpurf docs`", path.display());
                verdict = Verdict::Fails;
            } else {
                println!("{}:{line}: {name}", path.display());
            }
        }
        if !stale.is_empty() && !arguments.check {
            output::write(&path, new.as_bytes())?;
        }
    }
    tables.project.print_outdated();
    let docs = arguments.root.join("docs");
    let curves = curves::pictures(&arguments.root)?;
    let mut pictures = tables.project.pictures.take();
    pictures.extend(curves);
    let stale = [curves::FOLDER, diagrams::FOLDER, timing::FOLDER].map(|folder| {
        let folder = docs.join(folder);
        let of_folder = pictures.iter().filter(|(path, _)| path.starts_with(&folder));
        pictures::renew(&folder, of_folder, arguments.check)
    });
    for path in stale.into_iter().collect::<Result<Vec<_>>>()?.concat() {
        if arguments.check {
            println!("{}: stale; run `gpurf docs`", path.display());
            verdict = Verdict::Fails;
        } else {
            println!("{}", path.display());
        }
    }
    Ok(verdict)
}

/// README.md and the files of docs, in the order of their names.
fn documents(root: &Path) -> Result<Vec<PathBuf>> {
    let folder = root.join("docs");
    let context = || format!("{}: cannot be read; --root names the folder that holds it", folder.display());
    let mut paths = vec![];
    for entry in fs::read_dir(&folder).with_context(context)? {
        paths.push(entry.with_context(context)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.insert(0, root.join("README.md"));
    Ok(paths)
}

/// Texts of tables, each made when it is first wanted.
struct Tables<'a> {
    project: Project<'a>,
    texts: BTreeMap<String, String>,
}

impl Tables<'_> {
    fn text(&mut self, table: &str) -> Result<&str> {
        let (name, about) = table.split_once(' ').unwrap_or((table, ""));
        let Some((_, generate)) = GENERATORS.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = GENERATORS.iter().map(|(name, _)| *name).collect();
            bail!("there is no table `{name}`; there are {}", names.join(", "));
        };
        if !self.texts.contains_key(table) {
            let text = generate(&self.project, about);
            let text = text.with_context(|| format!("the table `{table}` cannot be made"))?;
            self.texts.insert(table.to_string(), text.trim_end().to_string() + "\n");
        }
        Ok(&self.texts[table])
    }

    /// A document with its tables made again, and the lines and names of those that were not so.
    fn renewed<'t>(&mut self, path: &Path, text: &'t str) -> Result<(String, Vec<(usize, &'t str)>)> {
        let (mut new, mut stale) = (String::new(), vec![]);
        let mut lines = text.split_inclusive('\n').zip(1..);
        while let Some((line, number)) = lines.next() {
            let place = |number: usize| format!("{}:{number}", path.display());
            if line.trim_end() == END {
                bail!("{}: `{END}` without a `{}NAME{}` before it", place(number), START.0, START.1);
            }
            new += line;
            let Some(name) = name_of(line) else { continue };
            let mut old = String::new();
            let end = loop {
                match lines.next() {
                    Some((line, _)) if line.trim_end() == END => break line,
                    Some((line, _)) if name_of(line).is_none() => old += line,
                    _ => bail!("{}: the table `{name}` has no end; add a line `{END}`", place(number)),
                }
            };
            let text = self.text(name).with_context(|| place(number))?;
            if old != text {
                stale.push((number, name));
            }
            new += text;
            new += end;
        }
        Ok((new, stale))
    }
}

/// The name of the table that a line starts.
fn name_of(line: &str) -> Option<&str> {
    line.trim_end().strip_prefix(START.0)?.strip_suffix(START.1)
}

/// A text on one line, as a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
