// SPDX-License-Identifier: Apache-2.0
//! Reference models of the FineReg modules, written from R §V.

gpurf_rtl::modules!("src/finereg");

/// A live-register vector from its two ports.
fn vector(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two ports of a live-register vector.
fn halves(vector: u64) -> (u32, u32) {
    (vector as u32, (vector >> 32) as u32)
}
