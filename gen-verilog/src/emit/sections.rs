// SPDX-License-Identifier: Apache-2.0
//! Sections of a kernel.

use std::collections::HashMap;

use super::signals::VectorId;

/// The parts into which a kernel is divided.
#[derive(Default)]
pub struct Sections {
    /// Comments, in the kernel's order.
    pub comments: Vec<String>,
    /// The place of the section that first assigns something to a vector.
    pub of: HashMap<VectorId, usize>,
}
