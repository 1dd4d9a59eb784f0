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

use gpurf_blocks::MAX_ENTRIES;
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// `I`: bits of a rank; the order has 2^I entries.
#[derive(LogicBlock, Module)]
pub struct LruOrder<const I: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The entry is used in this cycle.
    #[port(max = MAX_ENTRIES)]
    pub touch: Vec<Signal<In, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub rank: Vec<Signal<Out, Bits<I>>>,

    any_touch: Signal<Local, Bit>,
    updated: Vec<Signal<Local, Bits<I>>>,
    stored: Vec<Register<Bits<I>>>,
    number: Vec<Constant<Bits<I>>>,
    identity: Identity,
    _entries: usize,
}

impl<const I: usize> Default for LruOrder<I> {
    fn default() -> Self {
        let entries = 1 << I;
        LruOrder {
            clock: Signal::default(),
            reset: Signal::default(),
            touch: array(entries),
            rank: array(entries),
            any_touch: Signal::default(),
            updated: array(entries),
            stored: array(entries),
            number: (0..entries).map(|entry| Constant::new((entry as u64).into())).collect(),
            identity: Identity::new("lru_order", "LRU order (W 3.2, F III-C)", &[("entries", entries)]),
            _entries: entries,
        }
    }
}

impl<const I: usize> Logic for LruOrder<I> {
    #[rtl]
    fn update(&mut self) {
        self.any_touch.next = false;
        for e in 0..self._entries {
            self.rank[e].next = self.stored[e].q.val() ^ self.number[e].val();
            self.any_touch.next = self.any_touch.val() | self.touch[e].val();
        }
        for e in 0..self._entries {
            self.updated[e].next = self.rank[e].val();
            if self.touch[e].val() {
                // In front of this one stay only the touched entries that were in front before.
                self.updated[e].next = 0.into();
                for t in 0..self._entries {
                    if self.touch[t].val() & (self.rank[t].val() < self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            } else {
                // Every touched entry that was behind this one moves in front of it.
                for t in 0..self._entries {
                    if self.touch[t].val() & (self.rank[t].val() > self.rank[e].val()) {
                        self.updated[e].next = self.updated[e].val() + 1;
                    }
                }
            }
            self.stored[e].clock.next = self.clock.val();
            self.stored[e].reset.next = self.reset.val();
            self.stored[e].enable.next = self.any_touch.val();
            self.stored[e].d.next = self.updated[e].val() ^ self.number[e].val();
        }
    }
}
