// SPDX-License-Identifier: Apache-2.0
//! An instruction under way in an execution unit or in memory.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, SUB_CORES};
use gpurf_trace::DynamicInstruction;

use super::names::BlockId;

#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Executing {
    pub sub_core: usize,
    /// Warp of the sub-core.
    pub warp: WarpId,
    pub block: BlockId,
    /// The warp's number in its block.
    pub number: u16,
    pub serial: u32,
    pub instruction: DynamicInstruction,
}

impl Executing {
    /// No lane takes part in it.
    pub fn is_idle(&self) -> bool {
        self.instruction.mask == 0
    }

    /// Its warp slot in the SM: local warp w of sub-core s is in warp slot 4 w + s.
    pub fn warp_slot(&self) -> usize {
        self.warp.index() * SUB_CORES + self.sub_core
    }
}
