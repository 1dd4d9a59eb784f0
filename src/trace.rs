//! `gpurf trace`: instruction streams as Accel-Sim traces.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use gpurf_workloads::Options;

use crate::input::EmulationArguments;
use crate::output::grouped;
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  gpurf trace sgemm bfs --out traces
  gpurf trace saxpy.toml --out traces")]
pub struct Arguments {
    /// Built-in workloads (see `gpurf workloads`), launch files or traces; a trace is read and written anew
    #[arg(required = true)]
    input: Vec<String>,
    #[command(flatten)]
    emulation: EmulationArguments,
    /// Write a new folder for each input into this folder
    #[arg(long)]
    out: PathBuf,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    arguments.emulation.set_threads()?;
    for name in &arguments.input {
        let workload = arguments.emulation.open(name, Options::default())?;
        let folder = arguments.out.join(&workload.name);
        std::fs::create_dir_all(&arguments.out)
            .with_context(|| format!("{}: cannot be created; check the path", arguments.out.display()))?;
        gpurf_trace::write(&workload, &folder)?;
        println!("{}: launches: {}", folder.display(), grouped(workload.kernels().count() as u64));
    }
    Ok(Verdict::Holds)
}
