// SPDX-License-Identifier: Apache-2.0
//! The shared register pool of RegMutex (R §I, §VI-A): a warp owns some of its registers, the base register
//! set (BRS). The others it takes from the pool (SRP) of its sub-core, all at once, before an instruction at
//! which one of them is live or written, and gives them back where none is live any more. If the pool has
//! none left, it waits.
//!
//! R gives no more of it than this. It keeps them while it waits for memory, at a barrier, and while its
//! block is pending (R §VI-C). RegMutex's compiler keeps warps that hold them from waiting for each other;
//! here, if nothing can move any more, one warp gets registers beyond the pool, which is counted.
//!
//! Which registers are a warp's own is for the compiler: it numbers them so that few instructions need the
//! pool. R does not say how RegMutex's does. Here they are those that are live at most places of the kernel's
//! code, the same ones in all of it (`finereg.renaming`); without renaming, those of the lowest numbers. What
//! is given back is lost: a token check would find a read of it.

use std::cmp::Reverse;

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_trace::{Liveness, RegisterId, RegisterSet};

use super::decoded::Decoded;
use super::warp::{State, Warp};

/// The part of the pool that belongs to a sub-core.
#[derive(Clone, Copy, Debug, BorshSerialize, BorshDeserialize)]
pub(super) struct Pool {
    /// Registers of a warp that are its own.
    pub own: RegisterSet,
    /// Warps that can still take the others.
    free: usize,
}

/// The registers of a warp that are its own: `count` of those that it has.
pub(super) fn own_registers(
    liveness: &Liveness,
    registers: usize,
    count: usize,
    renames: bool,
) -> RegisterSet {
    let mut places = [0u32; 256];
    for (_, live) in liveness.places().filter(|_| renames) {
        live.iter().for_each(|register| places[register.index()] += 1);
    }
    let mut registers: Vec<_> =
        (0..registers.min(places.len())).map(|register| RegisterId(register as u8)).collect();
    registers.sort_by_key(|&register| Reverse(places[register.index()]));
    registers.into_iter().take(count).collect()
}

/// A change of hands in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Taken,
    Returned,
}

impl Pool {
    pub fn new(own: RegisterSet, warps: usize) -> Pool {
        Pool { own, free: warps }
    }

    /// The state of a warp in view of the pool, from which it takes and to which it returns registers.
    pub fn update(
        &mut self,
        warp: &mut Warp,
        state: State,
        liveness: &Liveness,
        decoded: &[Decoded],
    ) -> (State, Change) {
        let next = warp.rest().first().map(|next| &decoded[next.static_index as usize]);
        let needs = next.is_some_and(|next| next.needs_pool);
        if needs && state == State::Ready && !warp.holds_pool {
            if self.free == 0 {
                return (State::Pool, Change::None);
            }
            self.free -= 1;
            warp.holds_pool = true;
            return (state, Change::Taken);
        }
        if !needs && warp.holds_pool && warp.can_return(self.own, liveness, decoded) {
            self.free += 1;
            warp.return_pool(self.own);
            return (state, Change::Returned);
        }
        (state, Change::None)
    }

    /// No warp can take any.
    pub fn is_empty(&self) -> bool {
        self.free == 0
    }

    /// One more warp can have registers.
    pub fn free_one(&mut self) {
        self.free += 1;
    }
}

#[cfg(test)]
mod tests {
    use gpurf_trace::liveness::{Node, Origin};

    use super::*;

    #[test]
    fn a_warp_owns_the_registers_that_are_live_longest() {
        // R7 is live from its write to the end, R3 at two places, R0 at one.
        let set = |registers: &[u8]| RegisterSet::from_iter(registers.iter().copied().map(RegisterId));
        let code: [(&[u8], &[u8]); 5] = [(&[], &[7]), (&[], &[3]), (&[], &[0]), (&[3, 0], &[]), (&[7], &[])];
        let node = |(index, (reads, kills)): (u32, &(&[u8], &[u8]))| Node {
            pc: 16 * index,
            reads: set(reads),
            kills: set(kills),
            writes: set(kills),
            successors: if index < 4 { vec![index + 1] } else { vec![] },
        };
        let nodes: Vec<Node> = (0..).zip(&code).map(node).collect();
        let liveness = Liveness::of(Origin::Listing, nodes);
        assert_eq!(own_registers(&liveness, 8, 1, true), set(&[7]));
        assert_eq!(own_registers(&liveness, 8, 4, true), set(&[7, 3, 0, 1]), "of equals the lowest number");
        assert_eq!(own_registers(&liveness, 8, 2, false), set(&[0, 1]));
    }
}
