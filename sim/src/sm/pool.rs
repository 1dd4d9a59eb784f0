//! The shared register pool of RegMutex (R §I, §VI-A): a warp owns its registers below a bound, the base register
//! set (BRS). The others it takes from the pool (SRP) of its sub-core, all at once, before an instruction at which one
//! of them is live or written, and gives them back where none is live any more. If the pool has none left, it waits.
//!
//! R gives no more of it than this. It keeps them while it waits for memory, at a barrier, and while its block is
//! pending (R §VI-C). RegMutex's compiler keeps warps that hold them from waiting for each other; here, if nothing
//! can move any more, one warp gets registers beyond the pool, which is counted.
//!
//! Registers keep their numbers: no compiler moves the long-lived ones below the bound, as RegMutex's does, so more
//! warps need the pool, and for longer. What is given back is lost: a token check would find a read of it.

use gpurf_trace::Liveness;

use super::decoded::Decoded;
use super::warp::{State, Warp};

/// The part of the pool that belongs to a sub-core.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pool {
    /// Registers of a warp that are its own.
    own: u8,
    /// Warps that can still take the others.
    free: usize,
}

/// What has changed hands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Taken,
    Returned,
}

impl Pool {
    pub fn new(own: usize, warps: usize) -> Pool {
        Pool { own: own as u8, free: warps }
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

    /// One more warp can have registers.
    pub fn free_one(&mut self) {
        self.free += 1;
    }
}
