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

use crate::dialect::{rtl, Identity};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[derive(LogicBlock)]
pub struct DecisionUnit<const V: usize, const A: usize> {
    /// The request that is searched for.
    pub head_release: Signal<In, Bit>,
    pub head_warp: Signal<In, Bits<V>>,
    pub head_address: Signal<In, Bits<A>>,
    pub head_source: Signal<In, Bits<8>>,
    pub head_destination: Signal<In, Bits<8>>,
    /// From the load request table.
    pub evict: Signal<In, Bit>,
    pub evict_aged: Signal<In, Bit>,
    pub evict_warp: Signal<In, Bits<V>>,
    pub evict_address: Signal<In, Bits<A>>,
    pub evict_source: Signal<In, Bits<8>>,
    pub evict_destination: Signal<In, Bits<8>>,
    pub done: Signal<In, Bit>,
    pub matched: Signal<In, Bit>,
    pub matched_warp: Signal<In, Bits<V>>,
    pub full: Signal<In, Bit>,
    /// What is offered is taken.
    pub accepted: Signal<In, Bit>,

    /// A load leaves.
    pub offer: Signal<Out, Bit>,
    pub offer_address: Signal<Out, Bits<A>>,
    pub offer_source: Signal<Out, Bits<8>>,
    pub offer_destination: Signal<Out, Bits<8>>,
    pub offer_first_warp: Signal<Out, Bits<V>>,
    pub offer_second_valid: Signal<Out, Bit>,
    pub offer_second_warp: Signal<Out, Bits<V>>,
    /// To the load request table.
    pub evict_ready: Signal<Out, Bit>,
    pub done_ready: Signal<Out, Bit>,
    pub insert: Signal<Out, Bit>,
    /// To the request queue: the request is done.
    pub pop: Signal<Out, Bit>,
    /// Events.
    pub multicast: Signal<Out, Bit>,
    pub released_repeat: Signal<Out, Bit>,
    pub released_barrier: Signal<Out, Bit>,
    pub released_age: Signal<Out, Bit>,
    pub rejected: Signal<Out, Bit>,

    offered: Signal<Local, Bit>,
    pairs: Signal<Local, Bit>,
    inserts: Signal<Local, Bit>,
    rejects: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    identity: Identity,
}

impl<const V: usize, const A: usize> Default for DecisionUnit<V, A> {
    fn default() -> Self {
        DecisionUnit {
            head_release: Signal::default(),
            head_warp: Signal::default(),
            head_address: Signal::default(),
            head_source: Signal::default(),
            head_destination: Signal::default(),
            evict: Signal::default(),
            evict_aged: Signal::default(),
            evict_warp: Signal::default(),
            evict_address: Signal::default(),
            evict_source: Signal::default(),
            evict_destination: Signal::default(),
            done: Signal::default(),
            matched: Signal::default(),
            matched_warp: Signal::default(),
            full: Signal::default(),
            accepted: Signal::default(),
            offer: Signal::default(),
            offer_address: Signal::default(),
            offer_source: Signal::default(),
            offer_destination: Signal::default(),
            offer_first_warp: Signal::default(),
            offer_second_valid: Signal::default(),
            offer_second_warp: Signal::default(),
            evict_ready: Signal::default(),
            done_ready: Signal::default(),
            insert: Signal::default(),
            pop: Signal::default(),
            multicast: Signal::default(),
            released_repeat: Signal::default(),
            released_barrier: Signal::default(),
            released_age: Signal::default(),
            rejected: Signal::default(),
            offered: Signal::default(),
            pairs: Signal::default(),
            inserts: Signal::default(),
            rejects: Signal::default(),
            leaves: Signal::default(),
            identity: Identity::new(
                "decision_unit",
                "Decision unit of the inter-warp multicasting unit (I 3.1, 3.2)",
                &[("warp", V), ("address", A)],
            ),
        }
    }
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
