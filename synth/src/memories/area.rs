// SPDX-License-Identifier: Apache-2.0
//! Area and delay of all memories of a module.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{Memories, Ports};

/// Memories of one size with the same ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryArray {
    /// Rows of one.
    pub rows: usize,
    /// Bits of a row.
    pub width: usize,
    /// Ports of one.
    pub ports: Ports,
    /// How many there are.
    pub count: u64,
}

impl MemoryArray {
    /// Bits of all of them.
    pub fn bits(&self) -> u64 {
        self.count * (self.rows * self.width) as u64
    }
}

/// Area and access time of a module's memories at 45 nm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MemoryArea {
    /// Area of all of them, in µm².
    pub um2: f64,
    /// From the address to the data of the slowest.
    pub access_ns: f64,
}

impl Memories {
    /// Area and delay of memories that stand beside each other.
    ///
    /// # Errors
    /// As [`Memories::access`].
    pub fn area(&self, arrays: &[MemoryArray]) -> Result<MemoryArea> {
        let mut area = MemoryArea { um2: 0.0, access_ns: 0.0 };
        for MemoryArray { rows, width, ports, count } in arrays {
            let one = self.access(*rows, *width, *ports)?;
            area.um2 += *count as f64 * one.area_um2;
            area.access_ns = area.access_ns.max(one.access_ns.unwrap_or_default());
        }
        Ok(area)
    }
}
