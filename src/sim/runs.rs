// SPDX-License-Identifier: Apache-2.0
//! Rows of documents about runs: one for each run.

use gpurf_sim::statistics::Statistics;

use crate::output::grouped;

/// The heads of its columns.
pub const HEADER: [&str; 8] = [
    "",
    "cycles",
    "warp instructions",
    "IPC",
    "hit ratio %",
    "operands checked",
    "of them wrong",
    "divergences",
];

/// A run, of an input by this name.
pub fn row(name: &str, Statistics { summary, divergences, .. }: &Statistics) -> [String; HEADER.len()] {
    let counters = &summary.counters;
    [
        name.into(),
        grouped(counters.cycles),
        grouped(counters.warp_instructions),
        format!("{:.3}", summary.ipc),
        format!("{:.1}", 100.0 * summary.hit_ratio),
        grouped(counters.token_checks),
        grouped(counters.token_errors),
        grouped(*divergences),
    ]
}
