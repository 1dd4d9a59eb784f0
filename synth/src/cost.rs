// SPDX-License-Identifier: Apache-2.0
//! The cost of hardware that is put together from synthesized modules.

/// Area of a bit of a memory in µm², which synthesis leaves out: twice the 0.35 µm² that cells of six
/// transistors have at 45 nm, for what stands around them. An estimate.
pub const MEMORY_BIT_UM2: f64 = 0.7;

/// The cost of a design's hardware in an SM, with registers of all lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Area of all cells.
    pub cells_um2: f64,
    /// Bits of memories beside those of the register file.
    pub memory_bits: u64,
    /// The longest path of a module by itself.
    pub path_ns: f64,
}

impl Cost {
    /// Cells, and memories at an estimate for each bit.
    pub fn area_um2(&self) -> f64 {
        self.cells_um2 + self.memory_bits as f64 * MEMORY_BIT_UM2
    }
}
