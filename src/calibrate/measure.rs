// SPDX-License-Identifier: Apache-2.0
//! Cycles of kernels, and how near they are to the reference's.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use gpurf_sim::config::Config;
use gpurf_sim::engines::Engines;
use gpurf_sim::sm::{Design, Gpu};
use serde::Serialize;

use super::reference::{CalibrationStep, Set};

/// A kernel's cycles beside the reference's.
#[derive(Serialize)]
pub struct MeasuredKernel {
    pub trace: String,
    pub file: String,
    pub name: String,
    pub group: String,
    pub warp_instructions: u64,
    pub cycles: u64,
    pub reference: u64,
    /// Ours by the reference's.
    pub ratio: f64,
    /// Checks of the run that failed.
    pub errors: Vec<String>,
}

/// Runs the kernels of a folder one after the other; L2 keeps what it holds from one to the next.
pub fn measure(set: &Set, config: &Config) -> Result<Vec<MeasuredKernel>> {
    let mut gpu = Gpu::new(config, Design::BASELINE, 1, Engines::models(config, Design::BASELINE, 1));
    let mut references = vec![];
    for step in &set.commands {
        match step {
            CalibrationStep::Copy { address, bytes } => gpu.copy_to_device(*address, *bytes),
            CalibrationStep::Kernel { trace, reference } => {
                gpu.run_kernel(trace, None).with_context(|| format!("{}, {}", set.trace, reference.file))?;
                references.push(reference);
            }
        }
    }
    let statistics = gpu.statistics("model", 0);
    let kernels = statistics.kernels.iter().zip(references).map(|(kernel, reference)| {
        let counters = kernel.summary.counters;
        MeasuredKernel {
            trace: set.trace.clone(),
            file: reference.file.clone(),
            name: reference.name.clone(),
            group: reference.group.clone(),
            warp_instructions: counters.warp_instructions,
            cycles: counters.cycles,
            reference: reference.cycles,
            ratio: counters.cycles as f64 / reference.cycles as f64,
            errors: vec![],
        }
    });
    let mut kernels: Vec<MeasuredKernel> = kernels.collect();
    if let Some(last) = kernels.last_mut().filter(|_| !statistics.is_sound()) {
        last.errors = statistics.errors;
    }
    Ok(kernels)
}

/// How near the cycles of several kernels are.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CalibrationSummary {
    pub kernels: usize,
    pub cycles: u64,
    pub reference: u64,
    /// Mean of the differences, as fractions of the reference's cycles.
    pub mean_error: f64,
    /// The correlation of the logarithms of the cycles; none of fewer than three kernels.
    pub correlation: Option<f64>,
    /// Kernels whose cycles differ by at most a tenth.
    pub within_tenth: usize,
}

impl CalibrationSummary {
    /// Pairs are our cycles and the reference's.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> CalibrationSummary {
        let pairs: Vec<(f64, f64)> = pairs.into_iter().collect();
        let error = |(ours, reference): &(f64, f64)| (ours / reference - 1.0).abs();
        let logarithms: Vec<(f64, f64)> =
            pairs.iter().map(|(ours, reference)| (ours.max(1.0).ln(), reference.ln())).collect();
        let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>().round() as u64;
        CalibrationSummary {
            kernels: pairs.len(),
            cycles: sum(|pair| pair.0),
            reference: sum(|pair| pair.1),
            mean_error: pairs.iter().map(error).sum::<f64>() / pairs.len() as f64,
            correlation: correlation(&logarithms),
            within_tenth: pairs.iter().filter(|pair| error(pair) <= 0.1).count(),
        }
    }

    pub fn of_kernels<'a>(kernels: impl IntoIterator<Item = &'a MeasuredKernel>) -> CalibrationSummary {
        let pairs = kernels.into_iter().map(|kernel| (kernel.cycles as f64, kernel.reference as f64));
        CalibrationSummary::of(pairs)
    }
}

/// Pearson's.
fn correlation(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|point| of(point.0 - x, point.1 - y)).sum::<f64>();
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}

/// The kernels by what bounds them.
pub fn by_group(kernels: &[MeasuredKernel]) -> Vec<(String, CalibrationSummary)> {
    let mut groups: BTreeMap<&str, Vec<&MeasuredKernel>> = BTreeMap::new();
    for kernel in kernels {
        groups.entry(&kernel.group).or_default().push(kernel);
    }
    groups
        .into_iter()
        .map(|(group, kernels)| (group.to_string(), CalibrationSummary::of_kernels(kernels)))
        .collect()
}
