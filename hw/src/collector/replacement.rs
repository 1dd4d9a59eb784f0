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

use gpurf_blocks::{Parameters, ReplacementPolicy, MAX_D_PORTS, MAX_ENTRIES, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module};

/// `I`: bits of an entry's number.
#[derive(LogicBlock, Module)]
pub struct Replacement<const I: usize> {
    #[port(max = MAX_ENTRIES)]
    pub valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub near: Vec<Signal<In, Bit>>,
    /// The entry must stay: locked, hit by a source, or updated by the first result.
    #[port(max = MAX_ENTRIES)]
    pub keep: Vec<Signal<In, Bit>>,
    #[port(max = MAX_ENTRIES)]
    pub rank: Vec<Signal<In, Bits<I>>>,
    pub random: Signal<In, Bits<I>>,
    /// The slot needs an entry.
    #[port(max = MAX_SLOTS)]
    pub miss: Vec<Signal<In, Bit>>,
    /// The result at this port D needs an entry.
    #[port(max = MAX_D_PORTS)]
    pub d_miss: Vec<Signal<In, Bit>>,

    /// Entry for each slot with `miss` high; zero for the others.
    #[port(max = MAX_SLOTS)]
    pub victim: Vec<Signal<Out, Bits<I>>>,
    /// Entry for each result with `d_miss` high, if there is one.
    #[port(max = MAX_D_PORTS)]
    pub d_victim: Vec<Signal<Out, Bits<I>>>,
    #[port(max = MAX_D_PORTS)]
    pub d_found: Vec<Signal<Out, Bit>>,

    eligible: Vec<Signal<Local, Bit>>,
    /// What of an entry goes first: 0 free, 1 far, 2 any other; and its order among those.
    tier: Vec<Signal<Local, Bits<2>>>,
    order: Vec<Signal<Local, Bits<I>>>,
    distance: Vec<Signal<Local, Bits<I>>>,
    age: Vec<Signal<Local, Bits<I>>>,
    /// Eligible entries that go before this one.
    place: Vec<Signal<Local, Bits<I>>>,
    /// Slots and results that have been served, modulo the entries; all entries are taken.
    turn: Signal<Local, Bits<I>>,
    exhausted: Signal<Local, Bit>,
    number: Vec<Constant<Bits<I>>>,
    last: Constant<Bits<I>>,
    far_first: Constant<Bit>,
    /// With a single port D its result always finds an entry.
    single: Constant<Bit>,
    identity: Identity,
    _entries: usize,
    _slots: usize,
    _d_ports: usize,
}

impl<const I: usize> Replacement<I> {
    /// `slots`: source slots, fewer than the 2^I entries; `d_ports`: results per cycle, 1 or 2.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, d_ports, replacement, .. } = *parameters;
        let entries = 1 << I;
        let origin = "Replacement (W 4.1, F IV-A1)";
        let lru = (replacement == ReplacementPolicy::Lru) as usize;
        Replacement {
            valid: array(entries),
            near: array(entries),
            keep: array(entries),
            rank: array(entries),
            random: Signal::default(),
            miss: array(slots),
            d_miss: array(d_ports),
            victim: array(slots),
            d_victim: array(d_ports),
            d_found: array(d_ports),
            eligible: array(entries),
            tier: array(entries),
            order: array(entries),
            distance: array(entries),
            age: array(entries),
            place: array(entries),
            turn: Signal::default(),
            exhausted: Signal::default(),
            number: (0..entries).map(|entry| Constant::new((entry as u64).into())).collect(),
            last: Constant::new((entries as u64 - 1).into()),
            far_first: Constant::new(replacement == ReplacementPolicy::Malekeh),
            single: Constant::new(d_ports == 1),
            identity: Identity::new(
                "replacement",
                origin,
                &[("entries", entries), ("slots", slots), ("lru", lru), ("dports", d_ports)],
            ),
            _entries: entries,
            _slots: slots,
            _d_ports: d_ports,
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

        // Slots that miss are served in their order, then results.
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
        self.exhausted.next = false;
        for p in 0..self._d_ports {
            self.d_victim[p].next = 0.into();
            self.d_found[p].next = self.single.val();
            if self.d_miss[p].val() & !self.exhausted.val() {
                for e in 0..self._entries {
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
