//! Two-level scheduling: F §VI-A. Of a sub-core's warps, or of the SM's, a few are active and may issue; the
//! others are pending.
//!
//! The papers that F compares with cache registers of active warps only, which is why they keep them few:
//! - RFC: an active warp whose next instruction waits for memory becomes pending;
//! - software RFC: its compiler cuts the code into strands, each of which ends at the first use of a value
//!   that it loaded itself; there an active warp becomes pending, whether or not the value has come.
//!
//! In both a warp also becomes pending at a barrier, and makes room when it ends. The oldest ready pending
//! warp takes a free place, and may issue from the next cycle on. F gives no more of either scheduler than
//! the numbers of warps; these rules are those of the papers it cites, as far as they concern scheduling.

use crate::bits::members;
use crate::design::TwoLevel;
use gpurf_blocks::{MAX_WARPS, SUB_CORES};

/// The active warps of a scheduler.
pub(super) struct ActiveSet {
    policy: TwoLevel,
    /// Most active warps.
    size: u32,
    /// One bit each.
    active: u64,
    /// Warps that have become pending since that was asked last.
    left: u64,
    /// Pending warps in the order in which they became pending, and warps that never were active behind.
    turn: u64,
    since: [u64; SUB_CORES * MAX_WARPS],
}

impl ActiveSet {
    pub fn new(policy: TwoLevel, size: usize) -> ActiveSet {
        ActiveSet {
            policy,
            size: size as u32,
            active: 0,
            left: 0,
            turn: 0,
            since: [0; SUB_CORES * MAX_WARPS],
        }
    }

    /// Warps that may issue in this cycle, one bit each. `ready` can issue; `dependence` wait for something
    /// other than memory. `ends_strand`: whether a warp's next instruction begins a new strand.
    pub fn update(&mut self, ready: u64, dependence: u64, mut ends_strand: impl FnMut(usize) -> bool) -> u64 {
        // Neither ready nor about to be: at memory, at a barrier, or at the end.
        self.deactivate(self.active & !(ready | dependence));
        if self.policy == TwoLevel::SoftwareRfc {
            let ending =
                members(self.active).filter(|&warp| ends_strand(warp)).fold(0, |set, warp| set | 1 << warp);
            self.deactivate(ending);
        }
        let allowed = self.active;
        while self.active.count_ones() < self.size {
            let pending = members(ready & !self.active);
            let Some(first) = pending.min_by_key(|&warp| self.since[warp]) else { break };
            self.active |= 1 << first;
        }
        allowed
    }

    fn deactivate(&mut self, warps: u64) {
        for warp in members(warps) {
            self.turn += 1;
            self.since[warp] = self.turn;
        }
        self.left |= warps;
        self.active &= !warps;
    }

    /// These warps' block is complete.
    pub fn leave(&mut self, warps: u64) {
        self.deactivate(warps);
        self.left &= !warps;
    }

    /// The active warps.
    pub fn active(&self) -> u64 {
        self.active
    }

    /// Those that have become pending since that was asked last, also if they have become active again. Their values
    /// leave the register cache, if there is one.
    pub fn take_left(&mut self) -> u64 {
        std::mem::take(&mut self.left)
    }
}
