// SPDX-License-Identifier: Apache-2.0
//! Files of measurements, from the root of the repository.

/// Areas of modules.
pub const AREAS: &str = "synth/areas.jsonl";

/// Modules' use of an FPGA.
pub const UTILIZATIONS: &str = "synth/fpga.jsonl";
