// SPDX-License-Identifier: Apache-2.0
//! Constants of a launch.

/// Values that do not change during a launch.
pub(crate) struct Constants<'a> {
    pub banks: [&'a [u8]; 16],
    pub block: [u32; 3],
    pub block_size: [u32; 3],
    /// Shared memory of a block in bytes.
    pub shared_size: u32,
}
