//! `gpurf trace`: built-in workloads as Accel-Sim traces.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::{input, Verdict};

#[derive(Args)]
#[command(after_help = "Example:\n  gpurf trace tiled_ffma --out traces")]
pub struct Arguments {
    /// Built-in workloads, see `gpurf workloads`; an Accel-Sim trace is read and written anew
    #[arg(required = true)]
    workload: Vec<String>,
    /// Folder that gets one new folder per workload
    #[arg(long)]
    out: PathBuf,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    for name in &arguments.workload {
        let workload = input::open(name)?;
        let folder = arguments.out.join(&workload.name);
        std::fs::create_dir_all(&arguments.out)?;
        gpurf_trace::write(&workload, &folder)?;
        println!("{}: {} kernels", folder.display(), workload.kernels().count());
    }
    Ok(Verdict::Holds)
}
