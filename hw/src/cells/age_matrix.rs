// SPDX-License-Identifier: Apache-2.0
//! Age matrix: the one of several requests that has waited longest since its last renewal.
//!
//! One bit for each pair of entries says which of the two is the younger. An entry that is renewed becomes
//! the youngest.
//!
//! None of the papers describes this cell. It keeps the age order of warps, which F §IV-B1 takes for granted
//! ([warp_scheduler](warp_scheduler.md)).
//!
//! # Timing
//!
//! `oldest` answers in the same cycle. Ages change in the cycle after a renewal.
//!
//! ```text
//! cycle       0       1       2
//! request     0 1 2   0 1 2   1 2
//! renew       0       -       -
//! oldest      0       1       1
//! ```
//!
//! # Decisions
//!
//! - Entries renewed together, and all of them after reset, count as older the lower their number. So every
//!   register resets to zero.
//! - A bit per pair instead of a rank per entry as in [lru_order](lru_order.md) by default: 28 bits instead
//!   of 24 for 8 entries, and a sixth of the area.
//!
//! # Storage
//!
//! It keeps `n (n − 1) / 2` bits for n entries: 28 for 8.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(title = "Age matrix", arguments(entries = warps), sizes(pairs = entries * (entries - 1) / 2))]
pub struct AgeMatrix {
    /// Wants to be chosen.
    pub request: In<[Bit; entries]>,
    /// The entry becomes the youngest at the end of this cycle.
    pub renew: In<[Bit; entries]>,
    /// The oldest request. At most one is high, and one is if there is any request.
    pub oldest: Out<[Bit; entries]>,

    requests: Local<Bits<16>>,
    renewals: Local<Bits<16>>,
    /// Entries that an older request is in front of.
    beaten: Local<Bits<16>>,
    /// Set for each pair whose entry with the lower number is the younger.
    younger: Register<[Bit; pairs]>,
    /// The entries of each pair, as the one bit set.
    #[value(|pair| 1 << pairs_of(entries)[pair].0)]
    lower: Constant<[Bits<16>; pairs]>,
    #[value(|pair| 1 << pairs_of(entries)[pair].1)]
    higher: Constant<[Bits<16>; pairs]>,
}

/// The two entries of each pair, the lower number first.
pub(super) fn pairs_of(entries: usize) -> Vec<(usize, usize)> {
    (0..entries).flat_map(|lower| (lower + 1..entries).map(move |higher| (lower, higher))).collect()
}

watch!(AgeMatrix: [
    "fault for a in oldest for b in oldest if a < b && oldest[a] && oldest[b]: {a} and {b} are the oldest",
    "fault for a in oldest if oldest[a] && !request[a]: {a} is the oldest without a request",
]);

monitor!(AgeMatrix: "age_matrix_monitor.v");

#[rtl]
impl AgeMatrix {
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
                    beaten |= lower[p];
                } else {
                    beaten |= higher[p];
                }
            }
        }
        for e in 0..entries {
            oldest[e] = request[e] & !beaten.get_bit(e);
        }
    }
}
