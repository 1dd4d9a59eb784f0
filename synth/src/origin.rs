// SPDX-License-Identifier: Apache-2.0
//! Where a measurement comes from.

use serde::{Deserialize, Serialize};

/// The day of a measurement, and the version of the hardware.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Day, as in 2026-11-22.
    pub date: String,
    /// The commit that the hardware came from; with a `+` if it had been changed since.
    pub commit: String,
}
