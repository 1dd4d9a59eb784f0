// SPDX-License-Identifier: Apache-2.0
//! `gpurf doctor`: which programs of others are there, and what each is needed for.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;
use clap::Args;
use comfy_table::CellAlignment;
use gpurf_synth::{nangate, ExternalProgram};
use gpurf_verilog::tools::{cache_folder, Tool};
use gpurf_workloads::binary::{DISASSEMBLER, EXTRACTOR, INSTALL};
use serde::Serialize;

use crate::output::{table, JsonArgument};
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf doctor           # a second
  gpurf doctor --json -  # a second

The exit code is 1 if something is missing that the main job or its tests need.")]
pub struct Arguments {
    #[command(flatten)]
    json: JsonArgument,
}

/// Something that the project takes from others.
#[derive(Serialize)]
struct Finding {
    name: String,
    /// Where it is; none if it is missing.
    path: Option<PathBuf>,
    version: Option<String>,
    needed_for: String,
    optional: bool,
    /// The way to install it.
    remedy: String,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let mut findings: Vec<Finding> = Tool::ALL.into_iter().map(tool).collect();
    let code = "launch files that name machine code and no listing";
    findings.extend([DISASSEMBLER, EXTRACTOR].map(|program| other(program, code, INSTALL)));
    findings.push(other(
        "git",
        "the commit that results name, when the tool is built",
        "run `apt-get install git`",
    ));
    findings.push(cell_library());
    findings.extend(ExternalProgram::ALL.iter().map(further));
    arguments.json.write_as_they_are(&findings)?;
    let missing: Vec<&Finding> = findings.iter().filter(|finding| finding.path.is_none()).collect();
    if arguments.json.leaves_tables() {
        println!("{}", rows(&findings));
        for Finding { name, optional, remedy, .. } in &missing {
            let how = if *optional { "optional" } else { "needed" };
            println!("{name} is missing ({how}): {remedy}");
        }
        match cache_folder() {
            Some(folder) => println!("What is built or fetched once is kept in {}.", folder.display()),
            None => println!("There is no folder for caches: set GPURF_CACHE to one."),
        }
    }
    Ok(match missing.iter().all(|finding| finding.optional) {
        true => Verdict::Holds,
        false => Verdict::Fails,
    })
}

fn tool(tool: Tool) -> Finding {
    let path = tool.find().ok();
    // Some programs print their version and fail all the same.
    let version = path.as_ref().and_then(|_| tool.version().ok());
    Finding {
        name: tool.program().into(),
        version: version.as_deref().and_then(first_line),
        path,
        needed_for: tool.purpose().into(),
        optional: tool.is_optional(),
        remedy: format!("run `make tools`, or `apt-get install {}`", tool.debian_package()),
    }
}

/// Programs that are looked for on PATH alone, and that the main job does without.
fn other(program: &str, needed_for: &str, remedy: &str) -> Finding {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file());
    let output = path.as_ref().and_then(|path| Command::new(path).arg("--version").output().ok());
    let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    Finding {
        name: program.into(),
        path,
        // NVIDIA's print name and copyright first.
        version: printed.and_then(|text| {
            text.lines().find(|line| line.contains("release") || line.contains("version")).map(str::to_string)
        }),
        needed_for: needed_for.into(),
        optional: true,
        remedy: remedy.into(),
    }
}

/// Programs that some commands go further with.
fn further(program: &ExternalProgram) -> Finding {
    Finding {
        name: program.names[0].into(),
        path: program.find(),
        version: program.version_line(),
        needed_for: program.needed_for.into(),
        optional: true,
        remedy: program.remedy.into(),
    }
}

fn cell_library() -> Finding {
    Finding {
        name: "Nangate 45 nm".into(),
        path: nangate::place().ok().filter(|path| Path::exists(path)),
        version: None,
        needed_for: "synthesis without --liberty".into(),
        optional: true,
        remedy: "`gpurf synth` fetches it from a package index when it is first needed".into(),
    }
}

fn first_line(text: &str) -> Option<String> {
    text.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_string)
}

fn rows(findings: &[Finding]) -> comfy_table::Table {
    let mut rows = table(&["program", "version", "where", "needed for"]);
    for column in 1..4 {
        rows.column_mut(column).expect("a column").set_cell_alignment(CellAlignment::Left);
    }
    for Finding { name, path, version, needed_for, .. } in findings {
        let place = path.as_ref().map_or("missing".to_string(), |path| path.display().to_string());
        rows.add_row([name, version.as_deref().unwrap_or("-"), &place, needed_for]);
    }
    rows
}
