//! Instruction streams by name or path.

use std::path::Path;

use anyhow::{ensure, Result};
use gpurf_trace::Workload;
use gpurf_workloads::example::{self, Size};

/// Built-in workloads: name and what it is.
pub const BUILT_IN: &[(&str, &str)] =
    &[("tiled_ffma", "FP32 matrix product tiled through shared memory, 128 x 128 x 48")];

/// A built-in workload, a trace file, a kernel list or a folder holding one.
pub fn open(name: &str) -> Result<Workload> {
    if name == "tiled_ffma" {
        return Ok(example::tiled_ffma(&Size::default()));
    }
    let names: Vec<_> = BUILT_IN.iter().map(|(name, _)| *name).collect();
    ensure!(
        Path::new(name).exists(),
        "{name}: neither a built-in workload ({}) nor an existing file or folder",
        names.join(", "),
    );
    Ok(gpurf_trace::open(name)?)
}
