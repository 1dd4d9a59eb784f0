//! LRU order of a table's entries: a rank per entry, 0 the most recently used.
//!
//! W §3.2 and F §III-C give each entry of the cache table three bits for its place in the order. The
//! papers do not say how several entries used in one cycle rank among each other: here they move to
//! the front together and keep their order, which takes one comparison per pair of entries whatever
//! the number used. The ranks are a permutation in every cycle.
//!
//! Timing: ranks change in the cycle after a touch. Reset ranks the entries by number; a rank is
//! stored as its exclusive-or with the entry's number, so that the reset value of every register is
//! zero.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `I`: bits of a rank; the order has 2^I entries.
#[block(title = "LRU order", paper = "W §3.2, F §III-C", parameters(entries))]
pub struct LruOrder<const I: usize> {
    /// The entry is used in this cycle.
    pub touch: In<[Bit; entries]>,
    /// Its place in the order.
    pub rank: Out<[Bits<I>; entries]>,

    any_touch: Local<Bit>,
    updated: Local<[Bits<I>; entries]>,
    stored: Register<[Bits<I>; entries]>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
}

impl<const I: usize> Logic for LruOrder<I> {
    #[rtl]
    fn update(&mut self) {
        self.any_touch.next = false;
        for e in 0..entries {
            self.rank[e].next = self.stored[e].val() ^ self.number[e].val();
            self.any_touch.next = self.any_touch.val() | self.touch[e].val();
        }
        for e in 0..entries {
            self.updated[e].next = self.rank[e].val();
            if self.touch[e].val() {
                // In front of this one stay only the touched entries that were in front before.
                self.updated[e].next = 0.into();
                for t in 0..entries {
                    if self.touch[t].val() & (self.rank[t].val() < self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            } else {
                // Every touched entry that was behind this one moves in front of it.
                for t in 0..entries {
                    if self.touch[t].val() & (self.rank[t].val() > self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            }
            self.stored[e].load(self.any_touch.val(), self.updated[e].val() ^ self.number[e].val());
        }
    }
}
