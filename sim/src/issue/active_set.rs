// SPDX-License-Identifier: Apache-2.0
//! Reference model of the active set, the first of a two-level scheduler's levels: F §VI-A. Of a sub-core's
//! warps, or of the SM's, a few are active and may issue; the others are pending.
//!
//! The papers that F compares with cache registers of active warps only, which is why they keep them few:
//! - RFC: an active warp whose next instruction waits for memory becomes pending;
//! - software RFC: its compiler cuts the code into strands. Each ends at the first use of a value
//!   that it loaded itself; there an active warp becomes pending, whether or not the value has come.
//!
//! In both a warp also becomes pending at a barrier, and makes room when it ends. The oldest ready pending
//! warp takes a free place, and may issue from the next cycle on. F gives no more of either scheduler than
//! the numbers of warps; these rules are those of the papers it cites, as far as they concern scheduling.
//!
//! [`Refill::GpgpuSim`] is what F's simulator does, as far as its two-level scheduler goes: the warp that has
//! been pending for longest takes a free place, ready or not, and leaves it again in the next cycle if it
//! still waits; a wait for shared memory is no reason to become pending.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{ActiveSetIn, ActiveSetOut};
use gpurf_blocks::{Clocked, Parameters, Refill, WarpSet, MAX_WARPS, SUB_CORES};

use crate::bits::{members, warp_flags, warp_mask};

/// Warps with instructions left, by what they wait for; one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarpWaits {
    /// Nothing.
    pub ready: u64,
    /// Something other than memory.
    pub dependence: u64,
    /// Shared memory.
    pub shared: u64,
    /// Other memory, or a barrier.
    pub others: u64,
}

impl WarpWaits {
    /// The same warps where others number them.
    pub fn map(self, renumber: impl Fn(u64) -> u64) -> WarpWaits {
        WarpWaits {
            ready: renumber(self.ready),
            dependence: renumber(self.dependence),
            shared: renumber(self.shared),
            others: renumber(self.others),
        }
    }

    /// These warps and those.
    pub fn union(self, other: WarpWaits) -> WarpWaits {
        WarpWaits {
            ready: self.ready | other.ready,
            dependence: self.dependence | other.dependence,
            shared: self.shared | other.shared,
            others: self.others | other.others,
        }
    }
}

/// The active warps of a scheduler, and the order of the pending ones.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct ActiveSet {
    cuts_strands: bool,
    refill: Refill,
    /// Most active warps.
    size: u32,
    /// One bit each.
    active: u64,
    /// Warps that have become pending since that was asked last.
    left: u64,
    /// Pending warps in the order in which they became pending. Those that never were active come first, the
    /// lowest number before the others.
    turn: u64,
    since: [u64; SUB_CORES * MAX_WARPS],
    /// Warps that leave at the end of the cycle.
    retiring: WarpSet,
    /// The state after the cycle, before they do.
    next: Option<Box<ActiveSet>>,
}

impl ActiveSet {
    /// After reset, with `active_warps` places. `cuts_strands`: the end of a strand makes a warp pending.
    pub fn new(parameters: &Parameters, cuts_strands: bool) -> ActiveSet {
        ActiveSet {
            cuts_strands,
            refill: parameters.refill,
            size: parameters.active_warps as u32,
            active: 0,
            left: 0,
            turn: 0,
            since: [0; SUB_CORES * MAX_WARPS],
            retiring: 0,
            next: None,
        }
    }

    /// Warps that may issue in this cycle, one bit each. `ends_strand`: whether a warp's next instruction
    /// begins a new strand.
    pub fn update(&mut self, waits: WarpWaits, mut ends_strand: impl FnMut(usize) -> bool) -> u64 {
        let WarpWaits { ready, dependence, shared, others } = waits;
        let (stays, takes) = match self.refill {
            Refill::Ready => (ready | dependence, ready),
            Refill::GpgpuSim => (ready | dependence | shared, ready | dependence | shared | others),
        };
        // Neither ready nor about to be: at memory, at a barrier, or at the end.
        self.deactivate(self.active & !stays);
        if self.cuts_strands {
            let ending =
                members(self.active).filter(|&warp| ends_strand(warp)).fold(0, |set, warp| set | 1 << warp);
            self.deactivate(ending);
        }
        let allowed = self.active;
        while self.active.count_ones() < self.size {
            let pending = members(takes & !self.active);
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

    /// It changes though nothing else does: warps that wait become active and pending in turns.
    pub fn rotates(&self) -> bool {
        self.refill == Refill::GpgpuSim
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

    /// The ones that have become pending since that was asked last, also if they have become active again.
    /// Their values leave the register cache, if there is one.
    pub fn take_left(&mut self) -> u64 {
        std::mem::take(&mut self.left)
    }
}

impl Clocked for ActiveSet {
    type In = ActiveSetIn;
    type Out = ActiveSetOut;

    fn settle(&mut self, inputs: &ActiveSetIn) -> ActiveSetOut {
        let set = |warps| u64::from(warp_mask(warps));
        let waits = WarpWaits {
            ready: set(&inputs.ready),
            dependence: set(&inputs.dependence),
            shared: set(&inputs.shared),
            others: set(&inputs.others),
        };
        let mut next = Box::new(ActiveSet { next: None, ..self.clone() });
        let allowed = next.update(waits, |warp| inputs.ends_strand[warp]);
        let outputs = ActiveSetOut {
            allowed: warp_flags(allowed as WarpSet),
            left: warp_flags(next.take_left() as WarpSet),
            entered: warp_flags((next.active & !allowed) as WarpSet),
        };
        self.retiring = warp_mask(&inputs.retire);
        self.next = Some(next);
        outputs
    }

    fn tick(&mut self) {
        if let Some(next) = self.next.take() {
            let retiring = self.retiring;
            *self = *next;
            self.leave(retiring.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Active warps in each of three cycles with `waits`, after a cycle in which warp 0 alone was ready.
    fn active_after(refill: Refill, waits: WarpWaits) -> Vec<u64> {
        let parameters = Parameters { active_warps: 1, refill, ..Parameters::default() };
        let mut set = ActiveSet::new(&parameters, false);
        set.update(WarpWaits { ready: 0b001, others: 0b110, ..WarpWaits::default() }, |_| false);
        assert_eq!(set.active(), 0b001, "{refill:?}");
        let mut seen = vec![];
        for _ in 0..3 {
            set.update(waits, |_| false);
            seen.push(set.active());
        }
        seen
    }

    #[test]
    fn the_warp_that_becomes_active_is_ready_or_the_one_pending_for_longest() {
        let waits = WarpWaits { ready: 0b100, others: 0b011, ..WarpWaits::default() };
        assert_eq!(active_after(Refill::Ready, waits), [0b100; 3]);
        // Warp 1 takes the place and waits still; then it is warp 2's turn.
        assert_eq!(active_after(Refill::GpgpuSim, waits), [0b010, 0b100, 0b100]);
    }

    #[test]
    fn shared_memory_is_a_reason_to_become_pending_or_not() {
        let waits = WarpWaits { ready: 0b100, shared: 0b001, others: 0b010, ..WarpWaits::default() };
        assert_eq!(active_after(Refill::Ready, waits), [0b100; 3]);
        assert_eq!(active_after(Refill::GpgpuSim, waits), [0b001; 3]);
    }
}
