//! LRU order of a table's entries: of each entry, which others were used more recently.
//!
//! W §3.2 and F §III-C give each entry of the cache table three bits for its place in the order. The
//! papers do not say how several entries used in one cycle rank among each other: here they move to
//! the front together and keep their order. The order is a permutation in every cycle. It is kept as
//! `lru_order` says:
//!
//! * `ranks`: the papers' place of each entry, 0 the most recently used, in as many bits as its number has. Every touch
//!   counts those that go before each entry.
//! * `pairs`: a bit for each pair of entries, 28 for 8 entries. A touch sets the bits of the pairs of which it meets one
//!   entry; nothing is counted or compared.
//!
//! Timing: the order changes in the cycle after a touch. Reset orders the entries by number, the first as the most
//! recently used. A rank is stored as its exclusive-or with the entry's number, so that the reset value of every
//! register is zero.

use gpurf_blocks::LruStorage;
use rust_hdl::prelude::*;

use super::pairs_of;
use crate::dialect::{block, rtl, Register};

/// `I`: bits of a rank; the order has 2^I entries.
#[block(
    title = "LRU order",
    paper = "W §3.2, F §III-C",
    parameters(entries, lru_order),
    sizes(
        ranked = if parameters.lru_order == LruStorage::Ranks { entries } else { 0 },
        pairs = if parameters.lru_order == LruStorage::Pairs { entries * (entries - 1) / 2 } else { 0 }
    )
)]
pub struct LruOrder<const I: usize> {
    /// The entry is used in this cycle.
    pub touch: In<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: Out<[Bits<16>; entries]>,

    touched: Local<Bits<16>>,
    rank: Local<[Bits<I>; ranked]>,
    updated: Local<[Bits<I>; ranked]>,
    stored: Register<[Bits<I>; ranked]>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    /// Of each pair, the entry with the higher number is the newer.
    higher_newer: Register<[Bit; pairs]>,
    /// The entries of each pair, as the one bit set.
    #[value(|pair| 1 << pairs_of(entries)[pair].0)]
    lower: Constant<[Bits<16>; pairs]>,
    #[value(|pair| 1 << pairs_of(entries)[pair].1)]
    higher: Constant<[Bits<16>; pairs]>,
}

impl<const I: usize> Logic for LruOrder<I> {
    #[rtl]
    fn update(&mut self) {
        self.touched.next = 0.into();
        for e in 0..entries {
            self.touched.next = self.touched.val().replace_bit(e, self.touch[e].val());
            self.newer[e].next = 0.into();
        }

        // Ranks.
        for e in 0..ranked {
            self.rank[e].next = self.stored[e].val() ^ self.number[e].val();
        }
        for e in 0..ranked {
            self.updated[e].next = self.rank[e].val();
            for t in 0..ranked {
                if self.rank[t].val() < self.rank[e].val() {
                    self.newer[e].next = self.newer[e].val() | self.alone[t].val();
                }
            }
            if self.touch[e].val() {
                // In front of this one stay only the touched entries that were in front before.
                self.updated[e].next = 0.into();
                for t in 0..ranked {
                    if self.touch[t].val() & (self.rank[t].val() < self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            } else {
                // Every touched entry that was behind this one moves in front of it.
                for t in 0..ranked {
                    if self.touch[t].val() & (self.rank[t].val() > self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            }
            self.stored[e].load(self.touched.val().any(), self.updated[e].val() ^ self.number[e].val());
        }

        // Pairs: one that is touched goes before one that is not.
        for p in 0..pairs {
            self.higher_newer[p].load(
                (self.touched.val() & self.lower[p].val()).any()
                    ^ (self.touched.val() & self.higher[p].val()).any(),
                (self.touched.val() & self.higher[p].val()).any(),
            );
            for e in 0..entries {
                if (self.alone[e].val() == self.lower[p].val()) & self.higher_newer[p].val() {
                    self.newer[e].next = self.newer[e].val() | self.higher[p].val();
                }
                if (self.alone[e].val() == self.higher[p].val()) & !self.higher_newer[p].val() {
                    self.newer[e].next = self.newer[e].val() | self.lower[p].val();
                }
            }
        }
    }
}
