//! Two-level scheduling: F §VI-A. Of a sub-core's warps a few are active and may issue; the others are
//! pending.
//!
//! The papers that F compares with cache registers of active warps only, which is why they keep them few:
//! - RFC: an active warp whose next instruction waits for memory becomes pending;
//! - software RFC: its compiler cuts the code into strands, each of which ends at the first use of a value
//!   that it loaded itself; there an active warp becomes pending, whether or not the value has come.
//!
//! In both a warp also becomes pending at a barrier, and makes room when it ends. The oldest ready pending
//! warp takes a free place, and may issue from the next cycle on. F gives no more of either scheduler than
//! the numbers of warps; these rules are those of the papers it cites, as far as they concern scheduling.

use super::decoded::Decoded;
use super::warp::Warp;

/// When an active warp becomes pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoLevel {
    /// When it waits for memory.
    Rfc,
    /// When a strand ends.
    SoftwareRfc,
}

/// The active warps of a sub-core.
pub(super) struct ActiveSet {
    policy: TwoLevel,
    /// Most active warps.
    size: u32,
    /// One bit each.
    active: u8,
    /// Pending warps in the order in which they became pending, and warps that never were active behind.
    turn: u64,
    since: [u64; 8],
}

impl ActiveSet {
    pub fn new(policy: TwoLevel, size: usize) -> ActiveSet {
        ActiveSet { policy, size: size as u32, active: 0, turn: 0, since: [0; 8] }
    }

    /// Warps that may issue in this cycle, one bit each. `ready` can issue; `dependence` wait for something
    /// other than memory.
    pub fn update(&mut self, ready: u8, dependence: u8, warps: &mut [Warp], decoded: &[Decoded]) -> u8 {
        // Neither ready nor about to be: at memory, at a barrier, or at the end.
        self.deactivate(self.active & !(ready | dependence));
        if self.policy == TwoLevel::SoftwareRfc {
            for warp in 0..8u8 {
                if self.active >> warp & 1 == 1 && warps[usize::from(warp)].ends_strand(decoded) {
                    self.deactivate(1 << warp);
                }
            }
        }
        let allowed = self.active;
        while self.active.count_ones() < self.size {
            let pending = (0..8u8).filter(|warp| (ready & !self.active) >> warp & 1 == 1);
            let Some(first) = pending.min_by_key(|&warp| self.since[usize::from(warp)]) else { break };
            self.active |= 1 << first;
        }
        allowed
    }

    fn deactivate(&mut self, warps: u8) {
        for warp in (0..8).filter(|warp| warps >> warp & 1 == 1) {
            self.turn += 1;
            self.since[warp] = self.turn;
        }
        self.active &= !warps;
    }

    /// These warps' block is complete.
    pub fn leave(&mut self, warps: u8) {
        self.deactivate(warps);
    }
}
