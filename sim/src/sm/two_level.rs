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

/// When an active warp becomes pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TwoLevel {
    /// When it waits for memory.
    Rfc,
    /// When a strand ends.
    SoftwareRfc,
}

/// The active warps of a scheduler.
pub(super) struct ActiveSet {
    policy: TwoLevel,
    /// Most active warps.
    size: u32,
    /// One bit each.
    active: u32,
    /// Pending warps in the order in which they became pending, and warps that never were active behind.
    turn: u64,
    since: [u64; 32],
}

impl ActiveSet {
    pub fn new(policy: TwoLevel, size: usize) -> ActiveSet {
        ActiveSet { policy, size: size as u32, active: 0, turn: 0, since: [0; 32] }
    }

    /// Warps that may issue in this cycle, one bit each. `ready` can issue; `dependence` wait for something
    /// other than memory. `ends_strand`: whether a warp's next instruction begins a new strand.
    pub fn update(&mut self, ready: u32, dependence: u32, mut ends_strand: impl FnMut(u8) -> bool) -> u32 {
        // Neither ready nor about to be: at memory, at a barrier, or at the end.
        self.deactivate(self.active & !(ready | dependence));
        if self.policy == TwoLevel::SoftwareRfc {
            let ending =
                bits(self.active).filter(|&warp| ends_strand(warp)).fold(0, |set, warp| set | 1 << warp);
            self.deactivate(ending);
        }
        let allowed = self.active;
        while self.active.count_ones() < self.size {
            let pending = bits(ready & !self.active);
            let Some(first) = pending.min_by_key(|&warp| self.since[usize::from(warp)]) else { break };
            self.active |= 1 << first;
        }
        allowed
    }

    fn deactivate(&mut self, warps: u32) {
        for warp in bits(warps) {
            self.turn += 1;
            self.since[usize::from(warp)] = self.turn;
        }
        self.active &= !warps;
    }

    /// These warps' block is complete.
    pub fn leave(&mut self, warps: u32) {
        self.deactivate(warps);
    }
}

/// The numbers of the bits that are set, lowest first.
fn bits(mut set: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as u8);
        set &= set.wrapping_sub(1);
        bit
    })
}
