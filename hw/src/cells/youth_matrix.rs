// SPDX-License-Identifier: Apache-2.0
//! Youth matrix: the one of several requests that was renewed last.
//!
//! It is an [age matrix](age_matrix.md) read the other way, for H §5.1.2 lets the youngest warp issue.
//! Entries renewed together, and all of them after reset, count as younger the higher their number.
//! `youngest` answers in the same cycle; ages change in the cycle after a renewal.

use rust_hdl::prelude::*;

use super::pairs_of;
use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(title = "Youth matrix", arguments(entries = warps), sizes(pairs = entries * (entries - 1) / 2))]
pub struct YouthMatrix {
    /// Wants to be chosen.
    pub request: In<[Bit; entries]>,
    /// The entry becomes the youngest at the end of this cycle.
    pub renew: In<[Bit; entries]>,
    /// The youngest request. At most one is high, and one is if there is any request.
    pub youngest: Out<[Bit; entries]>,

    requests: Local<Bits<16>>,
    renewals: Local<Bits<16>>,
    /// Entries that a younger request is in front of.
    beaten: Local<Bits<16>>,
    /// Set for each pair whose entry with the lower number is the younger.
    younger: Register<[Bit; pairs]>,
    /// The entries of each pair, as the one bit set.
    #[value(|pair| 1 << pairs_of(entries)[pair].0)]
    lower: Constant<[Bits<16>; pairs]>,
    #[value(|pair| 1 << pairs_of(entries)[pair].1)]
    higher: Constant<[Bits<16>; pairs]>,
}

watch!(YouthMatrix: [
    "fault for a in youngest for b in youngest if a < b && youngest[a] && youngest[b]: {a} and {b} are the youngest",
    "fault for a in youngest if youngest[a] && !request[a]: {a} is the youngest without a request",
]);

#[rtl]
impl YouthMatrix {
    fn order() {
        requests = 0;
        renewals = 0;
        for e in 0..entries {
            requests = requests.replace_bit(e, request[e]);
            renewals = renewals.replace_bit(e, renew[e]);
        }
        beaten = 0;
        for p in 0..pairs {
            younger[p].load((renewals & (lower[p] | higher[p])).any(), !(renewals & higher[p]).any());
            if (requests & lower[p]).any() & (requests & higher[p]).any() {
                if younger[p] {
                    beaten |= higher[p];
                } else {
                    beaten |= lower[p];
                }
            }
        }
        for e in 0..entries {
            youngest[e] = request[e] & !beaten.get_bit(e);
        }
    }
}
