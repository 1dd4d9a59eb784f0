// SPDX-License-Identifier: Apache-2.0
//! A resident thread block, and how far it is.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::ThreadBlock;

use crate::config::Ready;

use super::decoded::Decoded;
use super::executing::Executing;
use super::names::{Region, Slot};
use super::warp::Warp;

/// A resident thread block.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Resident {
    /// Holds the addresses; the instructions have moved to the warps.
    pub block: ThreadBlock,
    /// The slot whose warps it has; `None` if it is pending, or on the way to or from it.
    pub slot: Option<Slot>,
    /// Where its registers lie in the banks; `None` if they are elsewhere.
    pub region: Option<Region>,
    /// Warps, by their number in the block, while it has no slot. Those without instructions are not there.
    pub contexts: Vec<Option<Warp>>,
    /// Instructions that were completed for it meanwhile.
    pub completed: Vec<Executing>,
    /// The cycle of its first issue since it was launched.
    pub first_issue: Option<u64>,
    /// The cycle in which it lost its slot.
    pub left: u64,
    /// All its warps have been seen stalled.
    pub has_stalled: bool,
    /// [`super::blocks::Blocks::epoch`] in which it was refused, alone and in exchange for another.
    pub refused: [Option<u64>; 2],
    /// A warp of it has diverged so that it cannot be stored, at least until it issues again.
    pub diverged: bool,
    /// Its registers as they lie in DRAM, warp by warp.
    pub stored: Vec<u32>,
    /// Warps with instructions still to issue.
    live: usize,
    /// Warps waiting at the barrier.
    waiting: usize,
    /// Warps with anything still to complete.
    incomplete: usize,
}

impl Resident {
    /// `warps`: those of the block that have any instruction.
    pub fn new(block: ThreadBlock, warps: usize, slot: Slot, region: Region) -> Self {
        Resident {
            block,
            slot: Some(slot),
            region: Some(region),
            contexts: Vec::new(),
            completed: Vec::new(),
            first_issue: None,
            left: 0,
            has_stalled: false,
            refused: [None; 2],
            diverged: false,
            stored: Vec::new(),
            live: warps,
            waiting: 0,
            incomplete: warps,
        }
    }

    /// Returns true if it could go on if it were active.
    pub fn can_resume(&self, ready: Ready, decoded: &[Decoded]) -> bool {
        let mut warps = self.contexts.iter().flatten().filter(|warp| !warp.is_issued());
        match ready {
            Ready::Any => warps.any(|warp| !warp.at_barrier && !warp.waits_long(decoded)),
            Ready::All => warps.all(|warp| !warp.waits_long(decoded)),
        }
    }

    /// A warp has come to the barrier; whether it opens.
    pub fn arrive(&mut self) -> bool {
        self.waiting += 1;
        self.opens()
    }

    /// A warp has issued its last instruction, and counts at the barrier no longer; whether it opens.
    pub fn finish_warp(&mut self) -> bool {
        self.live -= 1;
        self.opens()
    }

    /// Everything a warp did is completed; whether that is so of the whole block.
    pub fn complete_warp(&mut self) -> bool {
        self.incomplete -= 1;
        self.incomplete == 0
    }

    fn opens(&mut self) -> bool {
        let opens = self.waiting > 0 && self.waiting == self.live;
        if opens {
            self.waiting = 0;
        }
        opens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_barrier_waits_for_live_warps_only() {
        let mut resident = Resident::new(ThreadBlock::new([0; 3]), 3, Slot(0), Region(0));
        assert!(!resident.arrive());
        assert!(!resident.arrive());
        assert!(resident.arrive());
        assert!(!resident.arrive());
        assert!(!resident.finish_warp(), "one waits, two live");
        assert!(resident.finish_warp(), "the last live warp waits alone");
        assert!(!resident.complete_warp() && !resident.complete_warp() && resident.complete_warp());
    }
}
