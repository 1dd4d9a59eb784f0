//! Age matrix: who of several requests has waited longest since its last renewal.
//!
//! One bit per pair of entries: the one with the lower number is the younger. An entry that is renewed
//! becomes the youngest. Entries renewed together, and all of them after reset, count as older the lower
//! their number. It serves as the age order of warps, which the papers take for granted (F §IV-B1).
//!
//! Timing: `oldest` answers in the same cycle; ages change in the cycle after a renewal.

use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct AgeMatrix {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    #[port(max = 8)]
    pub request: Vec<Signal<In, Bit>>,
    /// The entry becomes the youngest at the end of this cycle.
    #[port(max = 8)]
    pub renew: Vec<Signal<In, Bit>>,
    /// The oldest request. At most one is high, and one is if there is any request.
    #[port(max = 8)]
    pub oldest: Vec<Signal<Out, Bit>>,

    requests: Signal<Local, Bits<8>>,
    renewals: Signal<Local, Bits<8>>,
    /// Entries that an older request is in front of.
    beaten: Signal<Local, Bits<8>>,
    /// Of each pair, the entry with the lower number is the younger.
    younger: Vec<Register<Bit>>,
    /// The entries of each pair, as the one bit set.
    lower: Vec<Constant<Bits<8>>>,
    higher: Vec<Constant<Bits<8>>>,
    identity: Identity,
    _entries: usize,
    _pairs: usize,
}

impl AgeMatrix {
    /// `entries`: 1 to 8.
    pub fn new(entries: usize) -> Self {
        let pairs: Vec<(usize, usize)> =
            (0..entries).flat_map(|lower| (lower + 1..entries).map(move |higher| (lower, higher))).collect();
        let bit = |entry: usize| Constant::new((1u64 << entry).into());
        AgeMatrix {
            clock: Signal::default(),
            reset: Signal::default(),
            request: array(entries),
            renew: array(entries),
            oldest: array(entries),
            requests: Signal::default(),
            renewals: Signal::default(),
            beaten: Signal::default(),
            younger: array(pairs.len()),
            lower: pairs.iter().map(|pair| bit(pair.0)).collect(),
            higher: pairs.iter().map(|pair| bit(pair.1)).collect(),
            identity: Identity::new("age_matrix", "Age matrix", &[("entries", entries)]),
            _entries: entries,
            _pairs: pairs.len(),
        }
    }
}

impl Logic for AgeMatrix {
    #[rtl]
    fn update(&mut self) {
        self.requests.next = 0.into();
        self.renewals.next = 0.into();
        for e in 0..self._entries {
            self.requests.next = self.requests.val().replace_bit(e, self.request[e].val());
            self.renewals.next = self.renewals.val().replace_bit(e, self.renew[e].val());
        }
        self.beaten.next = 0.into();
        for p in 0..self._pairs {
            self.younger[p].clock.next = self.clock.val();
            self.younger[p].reset.next = self.reset.val();
            self.younger[p].enable.next =
                (self.renewals.val() & (self.lower[p].val() | self.higher[p].val())).any();
            self.younger[p].d.next = !(self.renewals.val() & self.higher[p].val()).any();
            if (self.requests.val() & self.lower[p].val()).any()
                & (self.requests.val() & self.higher[p].val()).any()
            {
                if self.younger[p].q.val() {
                    self.beaten.next = self.beaten.val() | self.lower[p].val();
                } else {
                    self.beaten.next = self.beaten.val() | self.higher[p].val();
                }
            }
        }
        for e in 0..self._entries {
            self.oldest[e].next = self.request[e].val() & !self.beaten.val().get_bit(e);
        }
    }
}
