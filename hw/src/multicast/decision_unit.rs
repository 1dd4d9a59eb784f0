//! Decision unit of the inter-warp multicasting unit: I §3.1, §3.2.
//!
//! What becomes of an entry that leaves the load request table, and of a request whose search has ended:
//!
//! | what | becomes |
//! |---|---|
//! | an entry that leaves | a plain load |
//! | a load with a partner | a multicast to both warps, the partner's first (case 1 of I Fig. 8c) |
//! | a load without a partner | an entry (case 2) |
//! | the same, and the table is full | a plain load, at once |
//! | a release | nothing |
//!
//! A load that leaves is offered to [`super::PendingLoads`]; table and queue hold until it is taken. Timing:
//! combinational.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(title = "Decision unit of the inter-warp multicasting unit", paper = "I §3.1, 3.2", combinational)]
pub struct DecisionUnit<const V: usize, const A: usize> {
    /// The request that is searched for.
    pub head_release: In<Bit>,
    /// Its warp.
    pub head_warp: In<Bits<V>>,
    /// Its address in shared memory.
    pub head_address: In<Bits<A>>,
    /// Register that holds the address, in the load's instruction.
    pub head_source: In<Bits<8>>,
    /// Register that is loaded.
    pub head_destination: In<Bits<8>>,
    /// From the load request table.
    pub evict: In<Bit>,
    /// It leaves because of its age.
    pub evict_aged: In<Bit>,
    /// Its warp.
    pub evict_warp: In<Bits<V>>,
    /// Its address.
    pub evict_address: In<Bits<A>>,
    /// Its address's register.
    pub evict_source: In<Bits<8>>,
    /// Its destination.
    pub evict_destination: In<Bits<8>>,
    /// The search for the request has ended.
    pub done: In<Bit>,
    /// It has found a partner.
    pub matched: In<Bit>,
    /// The partner's warp.
    pub matched_warp: In<Bits<V>>,
    /// No entry is free.
    pub full: In<Bit>,
    /// What is offered is taken.
    pub accepted: In<Bit>,

    /// A load leaves.
    pub offer: Out<Bit>,
    /// Its address.
    pub offer_address: Out<Bits<A>>,
    /// Its address's register.
    pub offer_source: Out<Bits<8>>,
    /// Its destination.
    pub offer_destination: Out<Bits<8>>,
    /// The warp, or the first of two.
    pub offer_first_warp: Out<Bits<V>>,
    /// It is for two warps.
    pub offer_second_valid: Out<Bit>,
    /// The second one; zero without one.
    pub offer_second_warp: Out<Bits<V>>,
    /// To the load request table.
    pub evict_ready: Out<Bit>,
    /// The end of the search is taken.
    pub done_ready: Out<Bit>,
    /// The request becomes an entry.
    pub insert: Out<Bit>,
    /// To the request queue: the request is done.
    pub pop: Out<Bit>,
    /// Events.
    pub multicast: Out<Bit>,
    /// Event: an entry leaves before a load into the same register of its warp.
    pub released_repeat: Out<Bit>,
    /// Event: an entry leaves before a barrier.
    pub released_barrier: Out<Bit>,
    /// Event: an entry leaves because of its age.
    pub released_age: Out<Bit>,
    /// Event: the table is full, and the load leaves at once.
    pub rejected: Out<Bit>,

    offered: Local<Bit>,
    pairs: Local<Bit>,
    inserts: Local<Bit>,
    rejects: Local<Bit>,
    leaves: Local<Bit>,
}

impl<const V: usize, const A: usize> Logic for DecisionUnit<V, A> {
    #[rtl]
    fn update(&mut self) {
        self.pairs.next = self.done.val() & self.matched.val();
        self.inserts.next =
            (self.done.val() & !self.matched.val()) & (!self.head_release.val() & !self.full.val());
        self.rejects.next =
            (self.done.val() & !self.matched.val()) & (!self.head_release.val() & self.full.val());
        self.offered.next = self.evict.val() | (self.pairs.val() | self.rejects.val());
        self.leaves.next = self.offered.val() & self.accepted.val();

        self.offer.next = self.offered.val();
        self.offer_address.next = self.head_address.val();
        self.offer_source.next = self.head_source.val();
        self.offer_destination.next = self.head_destination.val();
        self.offer_first_warp.next = self.head_warp.val();
        self.offer_second_valid.next = false;
        self.offer_second_warp.next = 0.into();
        if self.evict.val() {
            self.offer_address.next = self.evict_address.val();
            self.offer_source.next = self.evict_source.val();
            self.offer_destination.next = self.evict_destination.val();
            self.offer_first_warp.next = self.evict_warp.val();
        } else if self.pairs.val() {
            self.offer_first_warp.next = self.matched_warp.val();
            self.offer_second_valid.next = true;
            self.offer_second_warp.next = self.head_warp.val();
        }

        self.evict_ready.next = self.accepted.val();
        self.done_ready.next = !self.offered.val() | self.accepted.val();
        self.insert.next = self.inserts.val();
        self.pop.next = self.done.val() & (!self.offered.val() | self.accepted.val());

        self.multicast.next = self.pairs.val() & self.leaves.val();
        self.rejected.next = self.rejects.val() & self.leaves.val();
        self.released_age.next = (self.evict.val() & self.evict_aged.val()) & self.leaves.val();
        self.released_barrier.next =
            ((self.evict.val() & !self.evict_aged.val()) & self.head_release.val()) & self.leaves.val();
        self.released_repeat.next =
            ((self.evict.val() & !self.evict_aged.val()) & !self.head_release.val()) & self.leaves.val();
    }
}
