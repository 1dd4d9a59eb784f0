// SPDX-License-Identifier: Apache-2.0
//! Inter-warp multicasting unit (IWMU): I §3, Fig. 8a.
//!
//! It sends one shared-memory load for two warps that ask for the same data.
//!
//! Sub-cores send it their multicasting loads (MLDS). They wait in a request queue, `load_queue`. Each is
//! searched for in the [load request table](lrt.md), which keeps those that wait for a partner. The
//! `decision_unit` makes a multicast of two partners. Four `pending_loads` ask the scoreboards (I §3.1),
//! before they go to shared memory.
//!
//! # Timing
//!
//! **All outputs are state**: they do not depend on the inputs of their cycle. An SM can settle once with any
//! inputs, read the questions, and settle again with the answers.
//!
//! | cycle | what happens, with nothing in the way |
//! |---|---|
//! | t | the request is taken into the queue |
//! | t + 1 to t + c | it is searched for; c as in [lrt](lrt.md#timing), 1 for a CAM |
//! | t + c + 1 | a load that leaves asks its sub-cores, and may be answered |
//! | t + c + 2 | it stands on `load`, from the cycle after its last answer |
//!
//! One search at a time: a scanned table of N entries takes one request per N/4 cycles, a CAM one per cycle.
//! A question without an answer gives way to the sub-core's others, and comes again.
//!
//! # Decisions
//!
//! - **Releases are ours.** In the paper every load meets its partner. Here those that do not have four ways
//!   out: a release, age, a repeat, a full table. The events tell them apart.
//! - **A release travels with the loads.** A sub-core sends it on the same port, behind the warp's loads, so
//!   it finds them all in the table or gone. It is meant for each warp of a thread block once all have
//!   arrived at a barrier, and for a warp that ends. Sending it when a warp arrives is safe too but gives
//!   pairs away. The barrier must not open for a warp whose loads have not been delivered, or a later store
//!   may overtake them.
//! - **Order.** A warp's loads into one register reach memory in their order: the [table](lrt.md#decisions)
//!   never has two of them, and a pending one keeps out the next. Loads into different registers may pass
//!   each other.
//! - **Scoreboards.** Each question is asked until it has been answered once. The SM must keep both registers
//!   free until the load leaves. A register that stays in use holds up its own load only, until all four
//!   places are taken by such loads.
//! - **There is no deadlock** under three conditions. Shared memory takes loads in the end. Instructions
//!   issued before the load free a register in question in the end, as in-order issue behind a scoreboard has
//!   it. Either `release_age` is not 0, or a warp that waits for its own lone load is sent a release.
//!   Otherwise it waits for a partner that may wait for it at the barrier.
//! - **Back-pressure** reaches back step by step: no place among the pending loads holds the decision, that
//!   the queue, that the sub-core. A match is deleted from the table only when its load has a place.

use gpurf_blocks::{Search, SUB_CORES};
use rust_hdl::prelude::*;

use super::{DecisionUnit, LoadQueue, LrtCam, LrtScan, PendingLoads};
use crate::bundles::{LoadRequest, Question, SharedLoad};
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

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
    "misuse for c in request_valid if request_valid[c] && ((request_warp[c] ^ c) & 3) != 0: sub-core {c} asks for \
        warp {request_warp[c]} of another",
]);

monitor!(Iwmu<V, A>: "iwmu_monitor.v");

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
