//! Replacement of cache-table entries: W §4.1, F §IV-A1. Combinational.
//!
//! Chooses an entry for every source that misses and for the results that do, all in one cycle. Never an
//! entry that is locked, that a source of this instruction hits, or that the first result updates; then
//!
//! 1. a free entry, the lowest-numbered;
//! 2. under [`ReplacementPolicy::Malekeh`], a random far one: the first at or after `random`, around the table;
//! 3. the least recently used.
//!
//! The papers leave free entries out: taking them first is our decision, since evicting a value while
//! an entry stands empty serves nobody. They also choose one victim at a time and do not say how seven
//! are chosen at once: slots take turns in their order, results come last, and nobody takes what
//! another took. One random number serves a cycle.
//!
//! Since those rules order all entries beforehand, nobody waits for another's choice: every entry
//! counts how many go before it, and the k-th in need takes the entry with k before it. Choosing one
//! after the other would put eight selections in a row into the path.
//!
//! Something can always be chosen for the slots and the first result when there are more entries than slots;
//! a second result can come out empty-handed (`d_found`).

use gpurf_blocks::ReplacementPolicy;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl};

/// `I`: bits of an entry's number.
#[block(
    title = "Replacement",
    paper = "W §4.1, F §IV-A1",
    parameters(entries, slots, replacement, d_ports),
    combinational
)]
pub struct Replacement<const I: usize> {
    /// The entry holds a value.
    pub valid: In<[Bit; entries]>,
    /// Its next reuse is near.
    pub near: In<[Bit; entries]>,
    /// The entry must stay: locked, hit by a source, or updated by the first result.
    pub keep: In<[Bit; entries]>,
    /// Its place in the LRU order.
    pub rank: In<[Bits<I>; entries]>,
    /// Where the search for a far entry starts.
    pub random: In<Bits<I>>,
    /// The slot needs an entry.
    pub miss: In<[Bit; slots]>,
    /// The result at this port D needs an entry.
    pub d_miss: In<[Bit; d_ports]>,

    /// Entry for each slot with `miss` high; zero for the others.
    pub victim: Out<[Bits<I>; slots]>,
    /// Entry for each result with `d_miss` high, if there is one.
    pub d_victim: Out<[Bits<I>; d_ports]>,
    /// There is one; always high with a single port D.
    pub d_found: Out<[Bit; d_ports]>,

    eligible: Local<[Bit; entries]>,
    /// What of an entry goes first: 0 free, 1 far, 2 any other; and its order among those.
    tier: Local<[Bits<2>; entries]>,
    order: Local<[Bits<I>; entries]>,
    distance: Local<[Bits<I>; entries]>,
    age: Local<[Bits<I>; entries]>,
    /// Eligible entries that go before this one.
    place: Local<[Bits<I>; entries]>,
    /// Slots and results that have been served, modulo the entries; all entries are taken.
    turn: Local<Bits<I>>,
    exhausted: Local<Bit>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
    #[value(entries - 1)]
    last: Constant<Bits<I>>,
    #[value(replacement == ReplacementPolicy::Malekeh)]
    far_first: Constant<Bit>,
    /// With a single port D its result always finds an entry.
    #[value(d_ports == 1)]
    single: Constant<Bit>,
}

impl<const I: usize> Logic for Replacement<I> {
    #[rtl]
    fn update(&mut self) {
        // All entries in the order in which they make room.
        for e in 0..entries {
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
        for e in 0..entries {
            self.place[e].next = 0.into();
            for t in 0..entries {
                if self.eligible[t].val()
                    & ((self.tier[t].val() < self.tier[e].val())
                        | ((self.tier[t].val() == self.tier[e].val())
                            & (self.order[t].val() < self.order[e].val())))
                {
                    self.place[e].next = self.place[e].val() + 1;
                }
            }
        }

        // Slots that miss are served in their order, then results.
        self.turn.next = 0.into();
        for s in 0..slots {
            self.victim[s].next = 0.into();
            if self.miss[s].val() {
                for e in 0..entries {
                    if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                        self.victim[s].next = self.number[e].val();
                    }
                }
                self.turn.next = self.turn.val() + 1;
            }
        }
        self.exhausted.next = false;
        for p in 0..d_ports {
            self.d_victim[p].next = 0.into();
            self.d_found[p].next = self.single.val();
            if self.d_miss[p].val() & !self.exhausted.val() {
                for e in 0..entries {
                    if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                        self.d_victim[p].next = self.number[e].val();
                        self.d_found[p].next = true;
                    }
                }
                self.exhausted.next = self.turn.val() == self.last.val();
                self.turn.next = self.turn.val() + 1;
            }
        }
    }
}
