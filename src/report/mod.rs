// SPDX-License-Identifier: Apache-2.0
//! `gpurf report`: all results on one page, a single HTML file that needs no network.
//!
//! What is cheap is run: the designs of Malekeh's evaluation on small workloads, reuse distances, waveforms.
//! What is dear is read from what earlier commands left in the folder of results, or from the recorded
//! results, and stands there with its date and command.

mod areas;
mod claimed;
mod claims;
mod commands;
mod designs;
mod kept;
mod page;
mod plots;
mod stalls;
mod summary;
mod table;
mod waveforms;
mod workloads;

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_sim::sm::Design;
use gpurf_workloads::suite::MALEKEH;

use crate::compare::{self, jobs};
use crate::designs::DesignParser;
use crate::docs::results::RECORDS;
use crate::input::EmulationArguments;
use crate::output::write;
use crate::overheads;
use crate::verdict::Verdict;
use kept::Kept;
use page::Section;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf report                                                    # minutes
  gpurf report --results out --out out/report.html                # minutes
  gpurf report bfs sgemm --designs malekeh,bow --out report.html  # seconds

In the folder of results, every folder that `gpurf compare --out` wrote is read, and the file overheads.json that `gpurf
overheads --json` wrote. Runs whose results are in the folder `compare` are not repeated.")]
pub struct Arguments {
    /// Built-in workloads, launch files or traces; without any, all built-in workloads
    input: Vec<String>,
    /// Run these designs, separated by commas, beside the baseline; without the option, all designs
    #[arg(long, value_name = "DESIGN", value_delimiter = ',', value_parser = DesignParser)]
    designs: Vec<Design>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// The folder with the results of earlier commands; without the option, out
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// The folder with recorded results: claims that were not measured have their numbers from there. What is
    /// not there is not shown
    #[arg(long, value_name = "DIR", default_value = RECORDS)]
    recorded: PathBuf,
    /// Write the page to this file; without it, to report.html in the folder of results
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    out: Option<PathBuf>,
}

impl Arguments {
    /// The command line of the evaluation that the page shows.
    fn comparison(&self) -> Vec<String> {
        let mut line = vec!["malekeh".to_string()];
        line.extend(self.input.clone());
        if !self.designs.is_empty() {
            let names: Vec<String> = self.designs.iter().map(Design::name).collect();
            line.extend(["--designs".into(), names.join(",")]);
        }
        line.extend(self.emulation.as_arguments());
        line.extend(["--out".into(), self.results().join("compare").display().to_string()]);
        line
    }

    fn results(&self) -> &Path {
        self.results.as_deref().unwrap_or(Path::new("out"))
    }

    /// The workloads that the page shows: what the comparison runs on.
    fn names(&self) -> Vec<String> {
        match self.input.is_empty() {
            true => MALEKEH.iter().map(|benchmark| benchmark.name.to_string()).collect(),
            false => self.input.clone(),
        }
    }
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    let results = arguments.results();
    if arguments.results.is_some() {
        let is_there = results.is_dir();
        ensure!(
            is_there,
            "--results {}: there is no such folder; make it, or name another",
            results.display()
        );
    }
    std::fs::create_dir_all(results)
        .with_context(|| format!("{}: cannot be made; check the folder above it", results.display()))?;
    let path = arguments.out.clone().unwrap_or_else(|| results.join("report.html"));
    let mut studies = kept::studies(results)?;
    let areas = kept::areas(results)?;
    let line = arguments.comparison();
    let evaluation = compare::Arguments::of(&line)?.evaluate()?;
    let mut study = compare::saved(&evaluation, None);
    study.command = format!("gpurf compare {}", line.join(" "));
    let own = Kept::now(study);
    studies.retain(|other| other.of.command != own.of.command);
    studies.insert(0, own);
    let audits = overheads::audits(areas.as_ref().map_or(&[], |kept| &kept.of[..]))?;
    let profiles = workloads::profiles(&arguments.names(), &arguments.emulation)?;
    let waveforms = waveforms::record(&arguments.names()[0])?;

    let claims = claimed::claimed(&studies, &arguments.recorded)?;
    let designs = designs::section(&studies, &arguments.recorded)?;
    let summary = summary::section(&audits, &claims, &studies[0].of)?;
    let sections = [
        claims::section(&audits, &claims),
        workloads::section(&evaluation, &profiles, &studies[0].of.command),
        plots::section(&studies, &profiles)?,
        stalls::section(&evaluation, &studies[0].of.command),
        areas::section(areas.as_ref()),
        waveforms::section(&waveforms),
        commands::section(&studies, &claims, areas.as_ref(), &waveforms),
    ];
    let sections: Vec<Section> = [summary].into_iter().chain(designs).chain(sections).collect();
    let text = page::page(&sections);
    write(&path, text.as_bytes())?;
    println!("Report: {} ({} KB, one file)", path.display(), text.len() / 1024);
    Ok(jobs::verdict(&evaluation.outcomes))
}
