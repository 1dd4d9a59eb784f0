//! Replacement of cache-table entries: W §4.1, F §IV-A1. Combinational.
//!
//! Chooses an entry for every source that needs one and for the results that do, all in one cycle. Never an
//! entry that must stay; then
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
//! With `allocate_on_arrival` only one source needs an entry in a cycle, that whose value arrives. Then nothing is counted:
//! the entries that go first, second and so on are known before it is known who needs one.
//!
//! Something can always be chosen for the sources and the first result when there are more entries than slots;
//! a second result can come out empty-handed.

use gpurf_blocks::ReplacementPolicy;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl};

/// `I`: bits of an entry's number.
#[block(
    title = "Replacement",
    paper = "W §4.1, F §IV-A1",
    parameters(entries, slots, replacement, d_ports, allocate_on_arrival),
    sizes(
        sources = if parameters.allocate_on_arrival { 1 } else { slots },
        counted = if parameters.allocate_on_arrival { 0 } else { entries },
        turns = if parameters.allocate_on_arrival { 1 + d_ports } else { 0 },
        carries = if parameters.allocate_on_arrival { 1 } else { 0 }
    ),
    combinational
)]
pub struct Replacement<const I: usize> {
    /// The entry holds a value.
    pub valid: In<[Bit; entries]>,
    /// Its next reuse is near.
    pub near: In<[Bit; entries]>,
    /// The entry must stay.
    pub keep: In<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: In<[Bits<16>; entries]>,
    /// Where the search for a far entry starts.
    pub random: In<Bits<I>>,
    /// The source needs an entry: of every slot, or the one whose value arrives.
    pub miss: In<[Bit; sources]>,
    /// The result at this port D needs an entry.
    pub d_miss: In<[Bit; d_ports]>,

    /// Entry for each source with `miss` high, as the one bit set; zero for the others.
    pub victim: Out<[Bits<16>; sources]>,
    /// Entry for each result with `d_miss` high, if there is one, as the one bit set.
    pub d_victim: Out<[Bits<16>; d_ports]>,

    eligible: Local<[Bit; entries]>,
    /// It goes before near ones, in the order of the distance from where the search starts.
    far: Local<[Bit; entries]>,
    distance: Local<[Bits<I>; entries]>,
    /// `precedes[e][t]`: entry t can be chosen, and goes before entry e.
    precedes: Local<[[Bit; entries]; entries]>,
    /// Eligible entries that go before this one.
    place: Local<[Bits<I>; counted]>,
    /// `ahead[e][k]`: more than k entries go before entry e. `chosen[k]`: the entry before which k go.
    ahead: Local<[[Bit; turns]; entries]>,
    chosen: Local<[Bits<16>; turns]>,
    carry: Local<[Bit; carries]>,
    both: Local<[Bit; turns]>,
    /// Sources and results that have been served, modulo the entries; all entries are taken.
    turn: Local<Bits<I>>,
    exhausted: Local<Bit>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    #[value(entries - 1)]
    last: Constant<Bits<I>>,
    #[value(replacement == ReplacementPolicy::Malekeh)]
    far_first: Constant<Bit>,
}

impl<const I: usize> Logic for Replacement<I> {
    #[rtl]
    fn update(&mut self) {
        // All entries in the order in which they make room.
        for e in 0..entries {
            self.eligible[e].next = !self.keep[e].val();
            self.distance[e].next = self.number[e].val() - self.random.val();
            self.far[e].next = !self.near[e].val() & self.far_first.val();
        }
        for e in 0..entries {
            for t in 0..entries {
                self.precedes[e][t].next = !self.far[e].val() & self.newer[t].val().get_bit(e);
                if self.far[t].val() {
                    self.precedes[e][t].next =
                        !self.far[e].val() | (self.distance[t].val() < self.distance[e].val());
                }
                if !self.valid[e].val() {
                    self.precedes[e][t].next = false;
                }
                if !self.valid[t].val() {
                    self.precedes[e][t].next =
                        self.valid[e].val() | (self.number[t].val() < self.number[e].val());
                }
                if !self.eligible[t].val() {
                    self.precedes[e][t].next = false;
                }
            }
        }

        // All are counted where any number of them may be needed, else those that go first are found.
        for e in 0..counted {
            self.place[e].next = 0.into();
            for t in 0..entries {
                if self.precedes[e][t].val() {
                    self.place[e].next = self.place[e].val() + 1;
                }
            }
        }
        for k in 0..turns {
            self.chosen[k].next = 0.into();
        }
        for e in 0..entries {
            for k in 0..turns {
                self.ahead[e][k].next = false;
            }
            for t in 0..entries {
                for c in 0..carries {
                    self.carry[c].next = self.precedes[e][t].val();
                    for k in 0..turns {
                        self.both[k].next = self.ahead[e][k].val() & self.carry[c].val();
                        self.ahead[e][k].next = self.ahead[e][k].val() | self.carry[c].val();
                        self.carry[c].next = self.both[k].val();
                    }
                }
            }
            for c in 0..carries {
                self.carry[c].next = self.eligible[e].val();
                for k in 0..turns {
                    if self.carry[c].val() & !self.ahead[e][k].val() {
                        self.chosen[k].next = self.chosen[k].val() | self.alone[e].val();
                    }
                    self.carry[c].next = self.carry[c].val() & self.ahead[e][k].val();
                }
            }
        }

        // Sources are served in the order of their slots, then results.
        self.turn.next = 0.into();
        for s in 0..sources {
            self.victim[s].next = 0.into();
            if self.miss[s].val() {
                for e in 0..counted {
                    if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                        self.victim[s].next = self.alone[e].val();
                    }
                }
                for k in 0..turns {
                    if self.turn.val() == self.number[k].val() {
                        self.victim[s].next = self.chosen[k].val();
                    }
                }
                self.turn.next = self.turn.val() + 1;
            }
        }
        self.exhausted.next = false;
        for p in 0..d_ports {
            self.d_victim[p].next = 0.into();
            if self.d_miss[p].val() & !self.exhausted.val() {
                for e in 0..counted {
                    if self.eligible[e].val() & (self.place[e].val() == self.turn.val()) {
                        self.d_victim[p].next = self.alone[e].val();
                    }
                }
                for k in 0..turns {
                    if self.turn.val() == self.number[k].val() {
                        self.d_victim[p].next = self.chosen[k].val();
                    }
                }
                self.exhausted.next = self.turn.val() == self.last.val();
                self.turn.next = self.turn.val() + 1;
            }
        }
    }
}
