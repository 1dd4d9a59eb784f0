// SPDX-License-Identifier: Apache-2.0
//! `gpurf trace`: instruction streams as Accel-Sim traces.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use gpurf_workloads::Options;

use crate::input::{EmulationArguments, Input};
use crate::output::grouped;
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf trace sgemm bfs --out traces                   # a second
  gpurf trace docs/examples/stencil.toml --out traces  # a second
  gpurf trace --out out/traces                         # seconds")]
pub struct Arguments {
    /// Built-in workloads, launch files or traces; without any, all built-in workloads
    input: Vec<String>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Write a new folder for each input into this folder
    #[arg(long)]
    out: PathBuf,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    let inputs = Input::find_all_or_built_in(&arguments.input)?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("{}: cannot be created; check the path", arguments.out.display()))?;
    for input in &inputs {
        let workload = arguments.emulation.stream(input, Options::default())?;
        let folder = arguments.out.join(&workload.name);
        gpurf_trace::write(&workload, &folder)?;
        println!("{}: launches: {}", folder.display(), grouped(workload.kernels().count() as u64));
    }
    Ok(Verdict::Holds)
}
