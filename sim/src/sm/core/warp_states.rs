// SPDX-License-Identifier: Apache-2.0
//! States of a sub-core's warps: each waits for something.

use super::super::warp::State;
use crate::issue::WarpWaits;
use crate::statistics::Stalls;
use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::{WarpId, WarpSet};

/// Warps by what they wait for, one bit each.
#[derive(Clone, Copy, Default, BorshSerialize, BorshDeserialize)]
pub(super) struct WarpStates {
    pub ready: WarpSet,
    pub memory: WarpSet,
    /// Shared memory alone.
    pub shared: WarpSet,
    pub dependence: WarpSet,
    pub barrier: WarpSet,
    pub issued: WarpSet,
    pub pool: WarpSet,
    pub prefetch: WarpSet,
}

/// The situation of a sub-core's warps: a bit each in every set.
#[derive(Default, BorshSerialize, BorshDeserialize)]
pub(super) struct Situation {
    /// Warps of resident blocks by what they wait for.
    pub states: WarpStates,
    /// Warps to be classified again.
    pub changed: WarpSet,
    /// Warps that are classified whenever something comes for them, because something other than an event may
    /// end their wait: all of them where blocks give up their slots, a prefetch may begin or end, or a pool
    /// of registers may think of something; otherwise none.
    pub unsettled: WarpSet,
    /// Ready warps whose next instruction is at the head of their buffer.
    pub presented: WarpSet,
    /// Warps launched since the last cycle.
    pub launched: WarpSet,
}

impl Situation {
    /// Has a warp classified again, whose buffer has another instruction at its head.
    #[inline]
    pub fn renew(&mut self, warp: WarpId) {
        self.presented &= !warp.bit();
        self.changed |= warp.bit();
    }

    /// Has a warp classified again if it is among those that wait for what has come, or unsettled.
    #[inline]
    pub fn look_again(&mut self, warp: WarpId, waits: WarpSet) {
        self.changed |= warp.bit() & (waits | self.unsettled);
    }

    /// Forgets warps that leave their slots.
    pub fn forget(&mut self, warps: WarpSet) {
        self.states.clear(warps);
        self.changed &= !warps;
    }
}

impl WarpStates {
    #[inline]
    pub fn set(&mut self, warp: WarpId, state: State) {
        let bit = warp.bit();
        self.clear(bit);
        *match state {
            State::Ready => &mut self.ready,
            State::Memory => &mut self.memory,
            State::SharedMemory => &mut self.shared,
            State::Dependence => &mut self.dependence,
            State::Barrier => &mut self.barrier,
            State::Issued => &mut self.issued,
            State::Pool => &mut self.pool,
            State::Prefetch => &mut self.prefetch,
        } |= bit;
    }

    /// The ones that wait for a register to be written.
    #[inline]
    pub fn pending(&self) -> WarpSet {
        self.memory | self.shared | self.dependence
    }

    #[inline]
    pub fn clear(&mut self, warps: WarpSet) {
        let WarpStates { ready, memory, shared, dependence, barrier, issued, pool, prefetch } = self;
        for set in [ready, memory, shared, dependence, barrier, issued, pool, prefetch] {
            *set &= !warps;
        }
    }

    /// The same for a two-level scheduler, to which these warps are ready.
    pub fn waits(&self, ready: WarpSet) -> WarpWaits {
        WarpWaits {
            ready: ready.into(),
            dependence: (self.dependence | self.prefetch).into(),
            shared: self.shared.into(),
            others: (self.memory | self.barrier).into(),
        }
    }

    /// The counter of a cycle in which nothing issues. `depleted`: a block waits for registers.
    #[inline]
    pub fn stall<'a>(&self, stalls: &'a mut Stalls, depleted: bool) -> &'a mut u64 {
        match self {
            WarpStates { ready: 1.., .. } => &mut stalls.collector,
            WarpStates { prefetch: 1.., .. } => &mut stalls.prefetch,
            WarpStates { pool: 1.., .. } => &mut stalls.depletion,
            WarpStates { memory: 1.., .. } | WarpStates { shared: 1.., .. } if depleted => {
                &mut stalls.depletion
            }
            WarpStates { memory: 1.., .. } | WarpStates { shared: 1.., .. } => &mut stalls.memory,
            WarpStates { dependence: 1.., .. } => &mut stalls.dependence,
            WarpStates { barrier: 1.., .. } => &mut stalls.barrier,
            WarpStates { issued: 1.., .. } => &mut stalls.drain,
            _ => &mut stalls.no_warp,
        }
    }
}
