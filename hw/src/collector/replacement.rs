//! Replacement of cache-table entries: W §4.1, F §IV-A1. Combinational.
//!
//! Chooses an entry for every source that misses and for a result that does, all in one cycle. Never an
//! entry that is locked, that a source of this instruction hits, or that the result updates; then
//!
//! 1. a free entry, the lowest-numbered;
//! 2. under [`Policy::Malekeh`], a random far one: the first at or after `random`, around the table;
//! 3. the least recently used.
//!
//! The papers leave free entries out: taking them first is our decision, since evicting a value while
//! an entry stands empty serves nobody. They also choose one victim at a time and do not say how seven
//! are chosen at once: slots take turns in their order, the result comes last, and nobody takes what
//! another took. One random number serves a cycle.
//!
//! Something can always be chosen when there are more entries than slots.

use rust_hdl::prelude::*;

use crate::cells::MAX_ENTRIES;
use crate::dialect::{rtl, Identity, Module};
use crate::operand_stage::MAX_SLOTS;

/// Which entry makes room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Far values first, one at random; then the least recently used (W §4.1, F §IV-A1).
    Malekeh,
    /// The least recently used, whatever its reuse distance (F §VI-C).
    Lru,
}

/// `I`: bits of an entry's number.
#[derive(LogicBlock, Module)]
pub struct Replacement<const I: usize> {
    #[port(max = MAX_ENTRIES)]
    pub valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub near: Vec<Signal<In, Bit>>,
    /// The entry must stay: locked, hit by a source, or updated by the result.
    #[port(max = MAX_ENTRIES)]
    pub keep: Vec<Signal<In, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub rank: Vec<Signal<In, Bits<I>>>,
    pub random: Signal<In, Bits<I>>,
    /// The slot needs an entry.
    #[port(max = MAX_SLOTS)]
    pub miss: Vec<Signal<In, Bit>>,
    /// The result needs an entry.
    pub d_miss: Signal<In, Bit>,

    /// Entry for each slot with `miss` high; zero for the others.
    #[port(max = MAX_SLOTS)]
    pub victim: Vec<Signal<Out, Bits<I>>>,
    pub d_victim: Signal<Out, Bits<I>>,

    /// Slots and, last, the result.
    wants: Vec<Signal<Local, Bit>>,
    choice: Vec<Signal<Local, Bits<I>>>,
    found: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<I>>,
    taken: Vec<Signal<Local, Bit>>,
    far: Vec<Signal<Local, Bit>>,
    number: Vec<Constant<Bits<I>>>,
    far_first: Constant<Bit>,
    identity: Identity,
    _entries: usize,
    _slots: usize,
}

impl<const I: usize> Replacement<I> {
    /// `slots`: source slots, fewer than the 2^I entries.
    pub fn new(slots: usize, policy: Policy) -> Self {
        let entries = 1 << I;
        let origin = "Replacement (W 4.1, F IV-A1)";
        let lru = (policy == Policy::Lru) as usize;
        Replacement {
            valid: vec![Signal::default(); entries],
            near: vec![Signal::default(); entries],
            keep: vec![Signal::default(); entries],
            rank: vec![Signal::default(); entries],
            random: Signal::default(),
            miss: vec![Signal::default(); slots],
            d_miss: Signal::default(),
            victim: vec![Signal::default(); slots],
            d_victim: Signal::default(),
            wants: vec![Signal::default(); slots + 1],
            choice: vec![Signal::default(); slots + 1],
            found: Signal::default(),
            oldest: Signal::default(),
            taken: vec![Signal::default(); entries],
            far: vec![Signal::default(); entries],
            number: (0..entries).map(|entry| Constant::new((entry as u64).into())).collect(),
            far_first: Constant::new(policy == Policy::Malekeh),
            identity: Identity::new(
                "replacement",
                origin,
                &[("entries", entries), ("slots", slots), ("lru", lru)],
            ),
            _entries: entries,
            _slots: slots,
        }
    }
}

impl<const I: usize> Logic for Replacement<I> {
    #[rtl]
    fn update(&mut self) {
        for s in 0..self._slots {
            self.wants[s].next = self.miss[s].val();
        }
        for s in self._slots..self._slots + 1 {
            self.wants[s].next = self.d_miss.val();
        }
        for e in 0..self._entries {
            self.taken[e].next = self.keep[e].val();
            self.far[e].next = (self.valid[e].val() & !self.near[e].val()) & self.far_first.val();
        }
        for s in 0..self._slots + 1 {
            self.choice[s].next = 0.into();
            self.found.next = false;
            self.oldest.next = 0.into();
            if self.wants[s].val() {
                for e in 0..self._entries {
                    if (!self.taken[e].val() & !self.valid[e].val()) & !self.found.val() {
                        self.choice[s].next = self.number[e].val();
                        self.found.next = true;
                    }
                }
                for e in 0..self._entries {
                    if ((self.far[e].val() & !self.taken[e].val()) & !self.found.val())
                        & (self.number[e].val() >= self.random.val())
                    {
                        self.choice[s].next = self.number[e].val();
                        self.found.next = true;
                    }
                }
                for e in 0..self._entries {
                    if (self.far[e].val() & !self.taken[e].val()) & !self.found.val() {
                        self.choice[s].next = self.number[e].val();
                        self.found.next = true;
                    }
                }
                for e in 0..self._entries {
                    if (!self.taken[e].val() & !self.found.val())
                        & (self.rank[e].val() >= self.oldest.val())
                    {
                        self.choice[s].next = self.number[e].val();
                        self.oldest.next = self.rank[e].val();
                    }
                }
                for e in 0..self._entries {
                    if self.choice[s].val() == self.number[e].val() {
                        self.taken[e].next = true;
                    }
                }
            }
        }
        for s in 0..self._slots {
            self.victim[s].next = self.choice[s].val();
        }
        for s in self._slots..self._slots + 1 {
            self.d_victim.next = self.choice[s].val();
        }
    }
}
