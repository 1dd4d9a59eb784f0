//! Round-robin arbiter: grants one of several requests, turning on past the one granted last.
//!
//! State: one bit per requester, set for the one granted last and all before it. A request whose bit
//! is clear goes first; among equals the lowest number.
//!
//! Timing: `grant` answers in the same cycle; the turn moves on at the end of a cycle with `advance`
//! high, for which some request must be granted.

use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct RoundRobin {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    #[port(max = 8)]
    pub request: Vec<Signal<In, Bit>>,
    /// The grant is used: move the turn on.
    pub advance: Signal<In, Bit>,
    /// At most one is high, and one is if there is any request.
    #[port(max = 8)]
    pub grant: Vec<Signal<Out, Bit>>,

    /// Some request has not been passed in this turn.
    fresh: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    passed: Vec<Register<Bit>>,
    identity: Identity,
    _requesters: usize,
}

impl RoundRobin {
    /// `requesters`: 1 to 8.
    pub fn new(requesters: usize) -> Self {
        RoundRobin {
            clock: Signal::default(),
            reset: Signal::default(),
            request: array(requesters),
            advance: Signal::default(),
            grant: array(requesters),
            fresh: Signal::default(),
            granted: Signal::default(),
            passed: array(requesters),
            identity: Identity::new("round_robin", "Round-robin arbiter", &[("requesters", requesters)]),
            _requesters: requesters,
        }
    }
}

impl Logic for RoundRobin {
    #[rtl]
    fn update(&mut self) {
        self.fresh.next = false;
        for i in 0..self._requesters {
            self.fresh.next = self.fresh.val() | (self.request[i].val() & !self.passed[i].q.val());
        }
        self.granted.next = false;
        for i in 0..self._requesters {
            self.passed[i].clock.next = self.clock.val();
            self.passed[i].reset.next = self.reset.val();
            self.passed[i].enable.next = self.advance.val();
            // Up to and including the granted one, nothing has been granted before it.
            self.passed[i].d.next = !self.granted.val();
            self.grant[i].next =
                (self.request[i].val() & !self.granted.val()) & (!self.passed[i].q.val() | !self.fresh.val());
            self.granted.next = self.granted.val() | self.grant[i].val();
        }
    }
}
