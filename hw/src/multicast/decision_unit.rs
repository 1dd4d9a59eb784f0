// SPDX-License-Identifier: Apache-2.0
//! Decision unit of the inter-warp multicasting unit: I §3.1, §3.2. Combinational.
//!
//! It decides on an entry that leaves the load request table, and on a request whose search has ended:
//!
//! | before | after |
//! |---|---|
//! | an entry that leaves | a plain load |
//! | a load with a partner | a multicast to both warps, the partner's first (case 1 of I Fig. 8c) |
//! | a load without a partner | an entry (case 2) |
//! | the same, and the table is full | a plain load, at once |
//! | a release | nothing |
//!
//! A load that leaves is offered to the pending loads. Table and queue hold until it is taken.

use rust_hdl::prelude::*;

use crate::bundles::{LoadRequest, SharedLoad};
use crate::dialect::{block, rtl};
use crate::watch;

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(title = "Decision unit of the inter-warp multicasting unit", paper = "I §3.1, 3.2", combinational)]
pub struct DecisionUnit<const V: usize, const A: usize> {
    /// The request that is searched for is a release.
    pub head_release: In<Bit>,
    /// The request that is searched for.
    pub head: LoadRequest<In, V, A>,
    /// From the load request table: an entry leaves.
    pub evict: In<Bit>,
    /// The entry leaves because of its age.
    pub evict_aged: In<Bit>,
    /// The entry that leaves.
    #[prefix(evict)]
    pub evicted: LoadRequest<In, V, A>,
    /// The search for the request has ended.
    pub done: In<Bit>,
    /// The request has found a partner.
    pub matched: In<Bit>,
    /// The partner's warp.
    pub matched_warp: In<Bits<V>>,
    /// No entry is free.
    pub full: In<Bit>,
    /// The load that is offered is taken.
    pub accepted: In<Bit>,

    /// A load leaves.
    pub offer: Out<Bit>,
    /// The load that leaves.
    #[prefix(offer)]
    pub offered: SharedLoad<Out, V, A>,
    /// To the load request table: the entry that leaves is taken.
    pub evict_ready: Out<Bit>,
    /// The end of the search is taken.
    pub done_ready: Out<Bit>,
    /// The request becomes an entry.
    pub insert: Out<Bit>,
    /// To the request queue: the request is done.
    pub pop: Out<Bit>,
    /// Event: two loads become one.
    pub multicast: Out<Bit>,
    /// Event: an entry leaves before a load into the same register of its warp.
    pub released_repeat: Out<Bit>,
    /// Event: an entry leaves before a barrier.
    pub released_barrier: Out<Bit>,
    /// Event: an entry leaves because of its age.
    pub released_age: Out<Bit>,
    /// Event: the table is full, and the load leaves at once.
    pub rejected: Out<Bit>,

    leaves: Local<Bit>,
}

watch!(DecisionUnit<V, A>: [
    "misuse if evict && done: the search ends while an entry leaves",
    "fault if insert && (head_release || full): a release, or a load too many, becomes an entry",
]);

#[rtl]
impl<const V: usize, const A: usize> DecisionUnit<V, A> {
    fn decide() {
        let pairs: Bit = done & matched;
        let inserts: Bit = (done & !matched) & (!head_release & !full);
        let rejects: Bit = (done & !matched) & (!head_release & full);
        let offers: Bit = evict | (pairs | rejects);
        leaves = offers & accepted;

        offer = offers;
        pass!(head => offered: address, source, destination, warp as first_warp);
        offered.second_valid = false;
        offered.second_warp = 0;
        if evict {
            pass!(evicted => offered: address, source, destination, warp as first_warp);
        } else if pairs {
            offered.first_warp = matched_warp;
            offered.second_valid = true;
            offered.second_warp = head.warp;
        }

        evict_ready = accepted;
        done_ready = !offers | accepted;
        insert = inserts;
        pop = done & (!offers | accepted);

        multicast = pairs & leaves;
        rejected = rejects & leaves;
        released_age = (evict & evict_aged) & leaves;
        released_barrier = ((evict & !evict_aged) & head_release) & leaves;
        released_repeat = ((evict & !evict_aged) & !head_release) & leaves;
    }
}
