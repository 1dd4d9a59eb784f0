// SPDX-License-Identifier: Apache-2.0
//! Control bits for traces, from the listings of their cubins.

use std::path::Path;

use anyhow::{ensure, Context, Result};
use gpurf_trace::Workload;
use gpurf_workloads::listing::control_bits;

/// The workload with the control bits of a listing.
pub fn with_control_bits(workload: &Workload, listing: &Path) -> Result<Workload> {
    let text = std::fs::read_to_string(listing)
        .with_context(|| format!("--control {}: the listing cannot be read; check it", listing.display()))?;
    let bits = control_bits(&listing.display().to_string(), &text)?;
    let (controlled, found) = workload.with_control_bits(&bits);
    ensure!(
        found > 0,
        "--control {}: it has no kernel of {}; it has {}",
        listing.display(),
        workload.name,
        bits.kernels.keys().cloned().collect::<Vec<_>>().join(", ")
    );
    Ok(controlled)
}
