// SPDX-License-Identifier: Apache-2.0
//! LRU order of a table's entries: W §3.2, F §III-C.
//!
//! The order tells of each entry which others were used more recently. The papers give each entry of the
//! cache table three bits for its place. By default they are kept as that, a rank: 0 is the most recently
//! used, `entries − 1` the least. With `lru_order=pairs` a bit for each pair of entries keeps the same order.
//!
//! # Timing
//!
//! The order changes in the cycle after a touch. Any number of entries may be touched in a cycle.
//!
//! ```text
//! cycle             0           1           2
//! touch             2 and 5     0           -
//! rank of 0 to 7    01234567    23045167    03145267       (as many others are newer)
//! ```
//!
//! In cycle 0 the order is that of reset. Entries 2 and 5 move to the front together and stay in their order;
//! entries 0, 1, 3 and 4 are pushed back.
//!
//! # Decisions
//!
//! - Several entries used in one cycle move to the front together and keep their order among each other. The
//!   papers do not say. The alternative, one after the other in slot order, chains one comparison network per
//!   slot.
//! - The ranks are a permutation of the entries in every cycle, reset included. A rank is stored as its
//!   exclusive-or with the entry's number, so that every register resets to zero.
//! - The width is the papers' three bits per entry. Pairs take four bits more for 8 entries, and no counting.
//!
//! # Storage
//!
//! It keeps `entries × log2 entries` bits, 24 for 8 entries; as pairs `entries × (entries − 1) / 2`, 28.

use gpurf_blocks::LruStorage;
use rust_hdl::prelude::*;

use super::pairs_of;
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

/// `I`: bits of a rank; the order has 2^I entries.
#[block(
    title = "LRU order",
    paper = "W §3.2, F §III-C",
    parameters(entries, lru_order),
    sizes(pairs = entries * (entries - 1) / 2)
)]
pub struct LruOrder<const I: usize> {
    /// The entry is used in this cycle.
    pub touch: In<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: Out<[Bits<16>; entries]>,

    touched: Local<Bits<16>>,
    #[when(lru_order == LruStorage::Ranks)]
    rank: Local<[Bits<I>; entries]>,
    #[when(lru_order == LruStorage::Ranks)]
    updated: Local<[Bits<I>; entries]>,
    #[when(lru_order == LruStorage::Ranks)]
    stored: Register<[Bits<I>; entries]>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    /// Set for each pair whose entry with the higher number is the newer.
    #[when(lru_order == LruStorage::Pairs)]
    higher_newer: Register<[Bit; pairs]>,
    /// The entries of each pair, as the one bit set.
    #[value(|pair| 1 << pairs_of(entries)[pair].0)]
    #[when(lru_order == LruStorage::Pairs)]
    lower: Constant<[Bits<16>; pairs]>,
    #[value(|pair| 1 << pairs_of(entries)[pair].1)]
    #[when(lru_order == LruStorage::Pairs)]
    higher: Constant<[Bits<16>; pairs]>,
}

watch!(LruOrder<I>: [
    "fault for e in rank? for t in rank if e < t && rank[e] == rank[t]: entries {e} and {t} have one rank",
]);

monitor!(LruOrder<I>: "lru_order_monitor.v");

#[rtl]
impl<const I: usize> LruOrder<I> {
    fn touched() {
        touched = 0;
        for e in 0..entries {
            touched = touched.replace_bit(e, touch[e]);
            newer[e] = 0;
        }
    }

    /// Ranks.
    fn ranks() {
        if lru_order == LruStorage::Ranks {
            for e in 0..entries {
                rank[e] = stored[e] ^ number[e];
            }
            for e in 0..entries {
                updated[e] = rank[e];
                for t in 0..entries {
                    if rank[t] < rank[e] {
                        newer[e] |= alone[t];
                    }
                }
                if touch[e] {
                    // In front of this one stay only the touched entries that were in front before.
                    updated[e] = 0;
                    for t in 0..entries {
                        if touch[t] & (rank[t] < rank[e]) {
                            updated[e] += 1;
                        }
                    }
                } else {
                    // Every touched entry that was behind this one moves in front of it.
                    for t in 0..entries {
                        if touch[t] & (rank[t] > rank[e]) {
                            updated[e] += 1;
                        }
                    }
                }
                stored[e].load(touched.any(), updated[e] ^ number[e]);
            }
        }
    }

    /// Pairs: one that is touched goes before one that is not.
    fn pairs() {
        if lru_order == LruStorage::Pairs {
            for p in 0..pairs {
                higher_newer[p].load(
                    (touched & lower[p]).any() ^ (touched & higher[p]).any(),
                    (touched & higher[p]).any(),
                );
                for e in 0..entries {
                    if (alone[e] == lower[p]) & higher_newer[p] {
                        newer[e] |= higher[p];
                    }
                    if (alone[e] == higher[p]) & !higher_newer[p] {
                        newer[e] |= lower[p];
                    }
                }
            }
        }
    }
}
