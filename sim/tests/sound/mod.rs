// SPDX-License-Identifier: Apache-2.0
//! Runs in which every check must hold.

use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu, SmError};
use gpurf_sim::statistics::Statistics;
use gpurf_trace::Workload;

/// A workload under a design on models, with or without cycles passed over in which nothing happens.
pub fn run(workload: &Workload, design: Design, config: &Config, every_cycle: bool) -> Statistics {
    let statistics = try_run(workload, design, config, every_cycle);
    let statistics = statistics.unwrap_or_else(|error| panic!("{design}: {error}"));
    assert!(statistics.is_sound(), "{design}: {:?}", statistics.errors);
    statistics
}

/// The same, whatever comes of it.
pub fn try_run(
    workload: &Workload,
    design: Design,
    config: &Config,
    every_cycle: bool,
) -> Result<Statistics, SmError> {
    let mut gpu = Gpu::new(config, design, 1, Engines::models(config, design, 1));
    if every_cycle {
        gpu.clock_every_cycle();
    }
    gpu.run(workload, None)?;
    Ok(gpu.statistics("model", 0))
}
