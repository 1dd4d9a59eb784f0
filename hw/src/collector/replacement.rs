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
//! Since those rules order all entries beforehand, nobody waits for another's choice: every entry
//! counts how many go before it, and the k-th in need takes the entry with k before it. Choosing one
//! after the other would put eight selections in a row into the path.
//!
//! Something can always be chosen when there are more entries than slots.

use rust_hdl::prelude::*;

use crate::cells::MAX_ENTRIES;
use crate::dialect::{array, rtl, Identity, Module};
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

    eligible: Vec<Signal<Local, Bit>>,
    /// What of an entry goes first: 0 free, 1 far, 2 any other; and its order among those.
    tier: Vec<Signal<Local, Bits<2>>>,
    order: Vec<Signal<Local, Bits<I>>>,
    distance: Vec<Signal<Local, Bits<I>>>,
    age: Vec<Signal<Local, Bits<I>>>,
    /// Eligible entries that go before this one.
    place: Vec<Signal<Local, Bits<I>>>,
    /// Slots that have been served.
    turn: Signal<Local, Bits<I>>,
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
            valid: array(entries),
            near: array(entries),
            keep: array(entries),
            rank: array(entries),
            random: Signal::default(),
            miss: array(slots),
            d_miss: Signal::default(),
            victim: array(slots),
            d_victim: Signal::default(),
            eligible: array(entries),
            tier: array(entries),
            order: array(entries),
            distance: array(entries),
            age: array(entries),
            place: array(entries),
            turn: Signal::default(),
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
        // All entries in the order in which they make room.
        for e in 0..self._entries {
            self.eligible[e].next = !self.keep[e].val();
            self.distance[e].next = self.number[e].val() - self.random.val();
            self.age[e].next = !self.rank[e].val();
            self.tier[e].next = 2.into();
            self.order[e].next = self.age[e].val();
            if !self.near[e].val() & self.far_first.val() {
                self.tier[e].next = 1.into();
                self.order[e].next = self.distance[e].val();
            }
            if !self.valid[e].val() {
                self.tier[e].next = 0.into();
                self.order[e].next = self.number[e].val();
            }
        }
        for e in 0..self._entries {
            self.place[e].next = 0.into();
            for t in 0..self._entries {
                if self.eligible[t].val()
                    & ((self.tier[t].val() < self.tier[e].val())
                        | ((self.tier[t].val() == self.tier[e].val())
                            & (self.order[t].val() < self.order[e].val())))
                {
                    self.place[e].next = self.place[e].val() + 1;
                }
            }
        }

        // Slots that miss are served in their order, then the result.
        self.turn.next = 0.into();
        for s in 0..self._slots {
            self.victim[s].next = 0.into();
            if self.miss[s].val() {
                for e in 0..self._entries {
                    if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                        self.victim[s].next = self.number[e].val();
                    }
                }
                self.turn.next = self.turn.val() + 1;
            }
        }
        self.d_victim.next = 0.into();
        if self.d_miss.val() {
            for e in 0..self._entries {
                if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                    self.d_victim.next = self.number[e].val();
                }
            }
        }
    }
}
