// SPDX-License-Identifier: Apache-2.0
//! Inter-warp multicasting unit (IWMU): I §3, Fig. 8a.
//!
//! Sub-cores send it their multicasting loads (MLDS). It searches the load request table for each, holds
//! those without a partner, and sends one load for two warps to shared memory when both scoreboards have
//! freed the destination. The parts: request queue ([`super::LoadQueue`]), load request table
//! ([`super::LrtScan`] or [`super::LrtCam`]), decision unit ([`super::DecisionUnit`]),
//! [`super::PendingLoads`].
//!
//! **Releases.** The paper does not say what becomes of a load that no other warp asks for. Our rules:
//!
//! * a sub-core sends `request_release` in place of a load, and every load of the warp that is still in the
//!   table leaves as a plain one. It is to be sent for each warp of a thread block once all of them have
//!   arrived at a barrier, since none of them can ask for more before it, and when a warp ends. It follows
//!   the warp's loads through the same queue, so it needs no wait;
//! * a load that has been in the table for long leaves: it may after `release_age` cycles, and is due after
//!   twice as many;
//! * a load into the register of an older one of the same warp drives that one out;
//! * a load that finds the table full leaves at once.
//!
//! Every request that is taken leaves exactly once, alone or with one other, and a warp's loads into one
//! register leave in their order.
//!
//! **No deadlock**, if (1) shared memory takes loads in the end, (2) a register that is asked about is freed
//! in the end by what was issued before its load, and (3) either `release_age` is not 0, or a warp that waits
//! for a load of its own gets a release: a lone load never leaves otherwise, and its warp never arrives at
//! the barrier. Nothing in the unit then waits for a request that has not come.
//!
//! Timing: all outputs are state, so that one settled cycle shows the questions before their answers are due.
//! A request taken in cycle t is searched for from t + 1, if the queue is empty, in so many cycles as the
//! table takes (1 as a CAM); a load that leaves asks its sub-cores in the cycle after the search, is answered
//! in the same cycle at the earliest, and stands on `load` in the next: t + 3 at the earliest.

use gpurf_blocks::{Search, SUB_CORES};
use rust_hdl::prelude::*;

use super::{DecisionUnit, LoadQueue, LrtCam, LrtScan, PendingLoads};
use crate::bundles::{LoadRequest, Question, SharedLoad};
use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Inter-warp multicasting unit",
    paper = "I §3",
    parameters(lrt_entries, search, release_age),
    sizes(scans = usize::from(parameters.search == Search::Scan), cams = 1 - scans, ages = usize::from(parameters.release_age > 0))
)]
pub struct Iwmu<const V: usize, const A: usize> {
    /// Per sub-core: a request. It is taken in a cycle with `request_ready`.
    pub request_valid: In<[Bit; SUB_CORES]>,
    /// Per sub-core: the request is no load: every load of `request_warp` leaves the table.
    pub request_release: In<[Bit; SUB_CORES]>,
    /// Per sub-core: the load; of a release its warp alone. The warp's number modulo four is the sub-core's.
    pub request: [LoadRequest<In, V, A>; SUB_CORES],
    /// Per sub-core: the register that `ask` of this cycle names is free.
    pub enable: In<[Bit; SUB_CORES]>,
    /// Shared memory takes `load`.
    pub load_ready: In<Bit>,

    /// The sub-core's request is taken.
    pub request_ready: Out<[Bit; SUB_CORES]>,
    /// Per sub-core: is this register of this warp free? The question may change every cycle until its
    /// answer; fields are zero while there is none.
    pub ask: [Question<Out, V>; SUB_CORES],
    /// A load for shared memory; it stays until it is taken.
    pub load_valid: Out<Bit>,
    /// The load for shared memory; zero while there is none.
    pub load: SharedLoad<Out, V, A>,

    /// Event: two loads became one.
    pub multicast: Out<Bit>,
    /// Event: a load without a partner was put into the table.
    pub inserted: Out<Bit>,
    /// Event: a load left because a younger one of its warp has the same destination.
    pub released_repeat: Out<Bit>,
    /// Event: a load left because of a release.
    pub released_barrier: Out<Bit>,
    /// Event: a load left because of its age.
    pub released_age: Out<Bit>,
    /// Event: a load without a partner found the table full.
    pub rejected: Out<Bit>,
    /// Entries of the table in use.
    pub occupancy: Out<Bits<8>>,

    tick: Local<Bit>,
    used: Local<Bits<8>>,
    queue: LoadQueue<V, A>,
    /// One of them has one table, the other none.
    scan: [LrtScan<V, A>; scans],
    cam: [LrtCam<V, A>; cams],
    decision: DecisionUnit<V, A>,
    pending: PendingLoads<V, A>,
    /// Cycles since the entries were made older; none if they never are.
    age: Register<[Bits<16>; ages]>,
    #[value(release_age.saturating_sub(1))]
    last_age: Constant<Bits<16>>,
}

watch!(Iwmu<V, A>: [
    "multicast(register = decision.offer_destination, warp = decision.offer_first_warp, \
        second = decision.offer_second_warp) if multicast: multicast R{register} to warps {warp} and {second}",
    "insert(register = queue.head_destination, warp = queue.head_warp) if inserted: insert R{register} of warp {warp}",
    "release(register = decision.evict_destination, warp = decision.evict_warp) \
        if released_repeat || released_barrier || released_age: release R{register} of warp {warp}",
    "full(register = queue.head_destination, warp = queue.head_warp) if rejected: no entry for R{register} of warp {warp}",
]);

#[rtl]
impl<const V: usize, const A: usize> Iwmu<V, A> {
    /// Request queue.
    fn queue_requests() {
        connect!(queue {
            push: request_valid, push_release: request_release, pushed: request,
        } -> ready as request_ready);
        pass!(decision => queue: pop);
    }

    /// Age: entries get older by a step every `release_age` cycles in which there are any.
    fn ageing() {
        used = 0;
        for t in 0..scans {
            used = scan[t].occupancy;
        }
        for t in 0..cams {
            used = cam[t].occupancy;
        }
        tick = false;
        for t in 0..ages {
            tick = used.any() & (age[t] == last_age);
            if used.any() {
                age[t] = if age[t] == last_age { 0 } else { age[t] + 1 };
            }
        }
    }

    /// Load request table.
    fn table_of_loads() {
        for t in 0..scans {
            pass!(queue => scan[t]: head_valid as search, head_release as drain, head as request);
            pass!(decision => scan[t]: evict_ready, done_ready, insert);
            connect!(scan[t] { tick });
            pass!(scan[t] => decision: evict, evict_aged, evicted, done, matched, matched_warp, full);
        }
        for t in 0..cams {
            pass!(queue => cam[t]: head_valid as search, head_release as drain, head as request);
            pass!(decision => cam[t]: evict_ready, done_ready, insert);
            connect!(cam[t] { tick });
            pass!(cam[t] => decision: evict, evict_aged, evicted, done, matched, matched_warp, full);
        }
    }

    /// Decision unit.
    fn decide() {
        pass!(queue => decision: head_release, head);
        pass!(pending => decision: accepted);
    }

    /// Loads that wait for scoreboards.
    fn wait() {
        pass!(decision => pending: offer, offered);
        connect!(pending { load_ready, enable } -> ask, load_valid, load);
    }

    /// Events.
    fn events() {
        connect!(decision ->
            insert as inserted, multicast, released_repeat, released_barrier, released_age, rejected);
        occupancy = used;
    }
}
