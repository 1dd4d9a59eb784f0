//! Inter-warp multicasting unit (IWMU): I §3, Fig. 8a.
//!
//! Sub-cores send it their multicasting loads (MLDS). It searches the load request table for each, holds those
//! without a partner, and sends one load for two warps to shared memory when both scoreboards have freed the
//! destination. The parts: request queue ([`super::LoadQueue`]), load request table ([`super::LrtScan`] or
//! [`super::LrtCam`]), decision unit ([`super::DecisionUnit`]), [`super::PendingLoads`].
//!
//! **Releases.** The paper does not say what becomes of a load that no other warp asks for. Our rules:
//!
//! * a sub-core sends `request_release` in place of a load, and every load of the warp that is still in the
//!   table leaves as a plain one. It is to be sent for each warp of a thread block once all of them have
//!   arrived at a barrier, since none of them can ask for more before it, and when a warp ends. It follows the
//!   warp's loads through the same queue, so it needs no wait;
//! * a load that has been in the table for long leaves: it may after `release_age` cycles, and is due after
//!   twice as many;
//! * a load into the register of an older one of the same warp drives that one out;
//! * a load that finds the table full leaves at once.
//!
//! Every request that is taken leaves exactly once, alone or with one other, and a warp's loads into one
//! register leave in their order.
//!
//! **No deadlock**, if (1) shared memory takes loads in the end, (2) a register that is asked about is freed in
//! the end by what was issued before its load, and (3) either `release_age` is not 0, or a warp that waits for
//! a load of its own gets a release: a lone load never leaves otherwise, and its warp never arrives at the
//! barrier. Nothing in the unit then waits for a request that has not come.
//!
//! Timing: all outputs are state, so that one settled cycle shows the questions before their answers are due.
//! A request taken in cycle t is searched for from t + 1, if the queue is empty, in so many cycles as the
//! table takes (1 as a CAM); a load that leaves asks its sub-cores in the cycle after the search, is answered
//! in the same cycle at the earliest, and stands on `load` in the next: t + 3 at the earliest.

use gpurf_blocks::{Search, SUB_CORES};
use rust_hdl::prelude::*;

use super::{DecisionUnit, LoadQueue, LrtCam, LrtScan, PendingLoads};
use crate::dialect::{block, rtl, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(title = "Inter-warp multicasting unit", paper = "I §3", parameters(lrt_entries, search, release_age), sizes(scans = usize::from(parameters.search == Search::Scan), cams = 1 - scans, ages = usize::from(parameters.release_age > 0)))]
pub struct Iwmu<const V: usize, const A: usize> {
    /// Per sub-core: a request. It is taken in a cycle with `request_ready`.
    pub request_valid: In<[Bit; SUB_CORES]>,
    /// It is no load: every load of `request_warp` leaves the table.
    pub request_release: In<[Bit; SUB_CORES]>,
    /// Its number modulo four is the sub-core's.
    pub request_warp: In<[Bits<V>; SUB_CORES]>,
    /// Of the load; ignored with a release.
    pub request_address: In<[Bits<A>; SUB_CORES]>,
    /// Of the load; ignored with a release.
    pub request_source: In<[Bits<8>; SUB_CORES]>,
    /// Of the load; ignored with a release.
    pub request_destination: In<[Bits<8>; SUB_CORES]>,
    /// Per sub-core: the register that `ask` of this cycle names is free.
    pub enable: In<[Bit; SUB_CORES]>,
    /// Shared memory takes `load`.
    pub load_ready: In<Bit>,

    /// The sub-core's request is taken.
    pub request_ready: Out<[Bit; SUB_CORES]>,
    /// Per sub-core: is this register of this warp free? The question may change every cycle until its
    /// answer; fields are zero while there is none.
    pub ask_valid: Out<[Bit; SUB_CORES]>,
    /// Is this register of this warp free? Zero while there is no question.
    pub ask_warp: Out<[Bits<V>; SUB_CORES]>,
    /// Is this register of this warp free? Zero while there is no question.
    pub ask_register: Out<[Bits<8>; SUB_CORES]>,
    /// A load for shared memory; it stays until it is taken. Fields are zero while there is none.
    pub load_valid: Out<Bit>,
    /// Zero while there is none.
    pub load_address: Out<Bits<A>>,
    /// Zero while there is none.
    pub load_source: Out<Bits<8>>,
    /// Zero while there is none.
    pub load_destination: Out<Bits<8>>,
    /// The warp whose load it is; of a multicast the one that asked first.
    pub load_first_warp: Out<Bits<V>>,
    /// It is a multicast, and the data go to this warp's register as well.
    pub load_second_valid: Out<Bit>,
    /// A multicast: the data go to the same register of this warp too.
    pub load_second_warp: Out<Bits<V>>,

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

impl<const V: usize, const A: usize> Logic for Iwmu<V, A> {
    #[rtl]
    fn update(&mut self) {
        // Request queue.
        for s in 0..4 {
            self.queue.push[s].next = self.request_valid[s].val();
            self.queue.push_release[s].next = self.request_release[s].val();
            self.queue.push_warp[s].next = self.request_warp[s].val();
            self.queue.push_address[s].next = self.request_address[s].val();
            self.queue.push_source[s].next = self.request_source[s].val();
            self.queue.push_destination[s].next = self.request_destination[s].val();
            self.request_ready[s].next = self.queue.ready[s].val();
        }
        self.queue.pop.next = self.decision.pop.val();

        // Age: entries get older by a step every `release_age` cycles in which there are any.
        self.used.next = 0.into();
        for t in 0..scans {
            self.used.next = self.scan[t].occupancy.val();
        }
        for t in 0..cams {
            self.used.next = self.cam[t].occupancy.val();
        }
        self.tick.next = false;
        for t in 0..ages {
            self.tick.next = self.used.val().any() & (self.age[t].val() == self.last_age.val());
            self.age[t].load(self.used.val().any(), self.age[t].val() + 1);
            if self.age[t].val() == self.last_age.val() {
                self.age[t].d.next = 0.into();
            }
        }

        // Load request table.
        for t in 0..scans {
            self.scan[t].search.next = self.queue.head_valid.val();
            self.scan[t].drain.next = self.queue.head_release.val();
            self.scan[t].warp.next = self.queue.head_warp.val();
            self.scan[t].address.next = self.queue.head_address.val();
            self.scan[t].source.next = self.queue.head_source.val();
            self.scan[t].destination.next = self.queue.head_destination.val();
            self.scan[t].evict_ready.next = self.decision.evict_ready.val();
            self.scan[t].done_ready.next = self.decision.done_ready.val();
            self.scan[t].insert.next = self.decision.insert.val();
            self.scan[t].tick.next = self.tick.val();
            self.decision.evict.next = self.scan[t].evict.val();
            self.decision.evict_aged.next = self.scan[t].evict_aged.val();
            self.decision.evict_warp.next = self.scan[t].evict_warp.val();
            self.decision.evict_address.next = self.scan[t].evict_address.val();
            self.decision.evict_source.next = self.scan[t].evict_source.val();
            self.decision.evict_destination.next = self.scan[t].evict_destination.val();
            self.decision.done.next = self.scan[t].done.val();
            self.decision.matched.next = self.scan[t].matched.val();
            self.decision.matched_warp.next = self.scan[t].matched_warp.val();
            self.decision.full.next = self.scan[t].full.val();
        }
        for t in 0..cams {
            self.cam[t].search.next = self.queue.head_valid.val();
            self.cam[t].drain.next = self.queue.head_release.val();
            self.cam[t].warp.next = self.queue.head_warp.val();
            self.cam[t].address.next = self.queue.head_address.val();
            self.cam[t].source.next = self.queue.head_source.val();
            self.cam[t].destination.next = self.queue.head_destination.val();
            self.cam[t].evict_ready.next = self.decision.evict_ready.val();
            self.cam[t].done_ready.next = self.decision.done_ready.val();
            self.cam[t].insert.next = self.decision.insert.val();
            self.cam[t].tick.next = self.tick.val();
            self.decision.evict.next = self.cam[t].evict.val();
            self.decision.evict_aged.next = self.cam[t].evict_aged.val();
            self.decision.evict_warp.next = self.cam[t].evict_warp.val();
            self.decision.evict_address.next = self.cam[t].evict_address.val();
            self.decision.evict_source.next = self.cam[t].evict_source.val();
            self.decision.evict_destination.next = self.cam[t].evict_destination.val();
            self.decision.done.next = self.cam[t].done.val();
            self.decision.matched.next = self.cam[t].matched.val();
            self.decision.matched_warp.next = self.cam[t].matched_warp.val();
            self.decision.full.next = self.cam[t].full.val();
        }

        // Decision unit.
        self.decision.head_release.next = self.queue.head_release.val();
        self.decision.head_warp.next = self.queue.head_warp.val();
        self.decision.head_address.next = self.queue.head_address.val();
        self.decision.head_source.next = self.queue.head_source.val();
        self.decision.head_destination.next = self.queue.head_destination.val();
        self.decision.accepted.next = self.pending.accepted.val();

        // Loads that wait for scoreboards.
        self.pending.offer.next = self.decision.offer.val();
        self.pending.offer_address.next = self.decision.offer_address.val();
        self.pending.offer_source.next = self.decision.offer_source.val();
        self.pending.offer_destination.next = self.decision.offer_destination.val();
        self.pending.offer_first_warp.next = self.decision.offer_first_warp.val();
        self.pending.offer_second_valid.next = self.decision.offer_second_valid.val();
        self.pending.offer_second_warp.next = self.decision.offer_second_warp.val();
        self.pending.load_ready.next = self.load_ready.val();
        for s in 0..4 {
            self.pending.enable[s].next = self.enable[s].val();
            self.ask_valid[s].next = self.pending.ask_valid[s].val();
            self.ask_warp[s].next = self.pending.ask_warp[s].val();
            self.ask_register[s].next = self.pending.ask_register[s].val();
        }
        self.load_valid.next = self.pending.load_valid.val();
        self.load_address.next = self.pending.load_address.val();
        self.load_source.next = self.pending.load_source.val();
        self.load_destination.next = self.pending.load_destination.val();
        self.load_first_warp.next = self.pending.load_first_warp.val();
        self.load_second_valid.next = self.pending.load_second_valid.val();
        self.load_second_warp.next = self.pending.load_second_warp.val();

        // Events.
        self.inserted.next = self.decision.insert.val();
        self.multicast.next = self.decision.multicast.val();
        self.released_repeat.next = self.decision.released_repeat.val();
        self.released_barrier.next = self.decision.released_barrier.val();
        self.released_age.next = self.decision.released_age.val();
        self.rejected.next = self.decision.rejected.val();
        self.occupancy.next = self.used.val();
    }
}
