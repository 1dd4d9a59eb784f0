// SPDX-License-Identifier: Apache-2.0
//! Values that the driver puts into constant bank 0 before the parameters, as byte offsets.

use std::ops::Range;

/// Extent of a block in x, y and z.
pub const BLOCK: u32 = 0x0;
/// Extent of the grid in x, y and z.
pub const GRID: u32 = 0xc;
/// Where shared memory is among other memory, 8 bytes.
pub const SHARED: u32 = 0x18;
/// Where local memory is among other memory, 8 bytes.
pub const LOCAL: u32 = 0x20;
/// Bytes of a thread's stack, which grows down from there.
pub const STACK: u32 = 0x28;
/// Bytes of dynamic shared memory.
pub const DYNAMIC: u32 = 0x2c;
/// Number of the launch, 8 bytes.
pub const LAUNCH: u32 = 0x30;
/// Where constants are among other memory, 8 bytes.
pub const CONSTANTS: u32 = 0x50;
/// Where grids keep the barrier that all their blocks meet at: the upper word of the address, then the lower
/// one.
pub const WORKSPACE: u32 = 0x8c;
/// Bytes of it: a size that nothing reads, and the barrier.
pub const WORKSPACE_BYTES: u64 = 8;
/// Number of multiprocessors.
pub const MULTIPROCESSORS: u32 = 0x10c;

/// All of them, side by side where they are.
const KNOWN: [Range<u32>; 4] = [
    BLOCK..LAUNCH + 8,
    CONSTANTS..CONSTANTS + 8,
    WORKSPACE..WORKSPACE + 8,
    MULTIPROCESSORS..MULTIPROCESSORS + 4,
];

/// Returns true if it is known what the driver puts at this offset.
pub fn is_known(offset: i64) -> bool {
    KNOWN.iter().any(|range| (range.start.into()..range.end.into()).contains(&offset))
}
