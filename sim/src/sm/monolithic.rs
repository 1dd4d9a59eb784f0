// SPDX-License-Identifier: Apache-2.0
//! One warp scheduler for the whole SM, which issues one instruction per cycle: the monolithic organisation
//! of F Fig. 2, as in the Tesla generation. Greedy, then oldest.
//!
//! F shows it only to compare two-level schedulers in it; the rest of the SM stays as it is here: a warp's
//! collectors, banks and units are those of its sub-core. A warp whose sub-core has no free collector is
//! passed over. With latches before the collectors a warp whose latch is full loses the cycle.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{Parameters, WarpId, WarpSet, MAX_WARPS, SUB_CORES};

use super::context::Context;
use super::core::Core;
use crate::bits::members;
use crate::design::TwoLevel;
use crate::engines::RunsSubCore;
use crate::issue::{ActiveSet, WarpWaits};

/// Warps by number: warp slot w of sub-core s is number 4 w + s.
#[derive(BorshSerialize, BorshDeserialize)]
pub(super) struct Monolithic {
    active: Option<ActiveSet>,
    last: Option<usize>,
}

impl Monolithic {
    /// As many warps are active as in all sub-cores together.
    pub fn new(two_level: Option<TwoLevel>, parameters: &Parameters) -> Monolithic {
        let whole = Parameters { active_warps: SUB_CORES * parameters.active_warps, ..*parameters };
        let active = two_level.map(|policy| ActiveSet::new(&whole, policy.cuts_strands()));
        Monolithic { active, last: None }
    }

    /// Lets one warp issue in this cycle. `next_serial`: number of the instruction after the last one
    /// launched.
    pub fn select<E>(&mut self, sub_cores: &mut [Core<E>; SUB_CORES], next_serial: u32, context: &mut Context)
    where
        E: RunsSubCore,
    {
        let (mut waits, mut takes) = (WarpWaits::default(), 0u64);
        for (index, sub_core) in sub_cores.iter_mut().enumerate() {
            let candidates = sub_core.candidates(context);
            waits = waits.union(candidates.waits.map(|warps| spread(warps as WarpSet) << index));
            takes |= spread(if candidates.free_collector { WarpSet::MAX } else { 0 }) << index;
        }
        let allowed = match &mut self.active {
            Some(active) => {
                active.update(waits, |warp| sub_cores[warp % SUB_CORES].ends_strand(local(warp), context))
            }
            None => u64::MAX,
        };
        if let Some(active) = &mut self.active {
            let (left, active) = (active.take_left(), active.active());
            for (index, sub_core) in sub_cores.iter_mut().enumerate() {
                sub_core.activate(gather(left >> index), gather(active >> index), context);
            }
        }
        let eligible = waits.ready & allowed & takes;
        let last = self.last.filter(|last| eligible >> last & 1 == 1);
        let first = |warp: usize| sub_cores[warp % SUB_CORES].first_serial(local(warp));
        let age = |&warp: &usize| next_serial.wrapping_sub(first(warp));
        let oldest = || members(eligible).max_by_key(age);
        self.last = last.or_else(oldest).or(self.last);
        let chosen = self.last.map_or(0, |warp| eligible & 1 << warp);
        for (index, sub_core) in sub_cores.iter_mut().enumerate() {
            sub_core.permit(gather(chosen >> index), gather(allowed >> index), chosen != 0);
        }
    }

    /// Returns true if it may change though nothing else does.
    pub fn rotates(&self) -> bool {
        self.active.as_ref().is_some_and(ActiveSet::rotates)
    }

    /// The warps of this sub-core, a bit each, leave.
    pub fn leave(&mut self, index: usize, warps: WarpSet) {
        let warps = spread(warps) << index;
        if let Some(active) = &mut self.active {
            active.leave(warps);
        }
        self.last = self.last.filter(|last| warps >> last & 1 == 0);
    }
}

/// The warp in its sub-core.
fn local(warp: usize) -> WarpId {
    WarpId((warp / SUB_CORES) as u8)
}

/// Bit w goes to bit 4 w.
fn spread(warps: WarpSet) -> u64 {
    (0..MAX_WARPS).map(|warp| u64::from(warps >> warp & 1) << (SUB_CORES * warp)).sum()
}

/// Bit 4 w goes to bit w.
fn gather(warps: u64) -> WarpSet {
    (0..MAX_WARPS).map(|warp| ((warps >> (SUB_CORES * warp) & 1) as WarpSet) << warp).sum()
}
