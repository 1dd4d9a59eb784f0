//! Round-robin arbiter that holds its grant until it is used up: part of [`super::LoadQueue`] and
//! [`super::PendingLoads`]. Unlike [`crate::cells::RoundRobin`] no other request takes the grant away while
//! the granted one stays.
//!
//! State: one bit per requester, set for those before the one whose turn it is.
//!
//! Timing: `grant` answers in the same cycle; the turn passes to the granted one, or with `finish` to the next.

use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Register};

#[derive(LogicBlock)]
pub struct HoldingArbiter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub request: Vec<Signal<In, Bit>>,
    /// The granted one is done; only with a request.
    pub finish: Signal<In, Bit>,
    /// At most one is high, and one is if there is any request.
    pub grant: Vec<Signal<Out, Bit>>,

    /// Some request has not been passed in this turn.
    fresh: Signal<Local, Bit>,
    any_request: Signal<Local, Bit>,
    granted: Signal<Local, Bit>,
    /// Nothing before it is granted.
    unpassed: Vec<Signal<Local, Bit>>,
    passed: Vec<Register<Bit>>,
    identity: Identity,
    _requesters: usize,
}

impl HoldingArbiter {
    pub fn new(requesters: usize) -> Self {
        let parameters = [("requesters", requesters)];
        HoldingArbiter {
            clock: Signal::default(),
            reset: Signal::default(),
            request: array(requesters),
            finish: Signal::default(),
            grant: array(requesters),
            fresh: Signal::default(),
            any_request: Signal::default(),
            granted: Signal::default(),
            unpassed: array(requesters),
            passed: array(requesters),
            identity: Identity::new(
                "holding_arbiter",
                "Round-robin arbiter that holds its grant",
                &parameters,
            ),
            _requesters: requesters,
        }
    }
}

impl Logic for HoldingArbiter {
    #[rtl]
    fn update(&mut self) {
        self.fresh.next = false;
        self.any_request.next = false;
        for i in 0..self._requesters {
            self.fresh.next = self.fresh.val() | (self.request[i].val() & !self.passed[i].q.val());
            self.any_request.next = self.any_request.val() | self.request[i].val();
        }
        self.granted.next = false;
        for i in 0..self._requesters {
            self.unpassed[i].next = !self.granted.val();
            self.grant[i].next =
                (self.request[i].val() & !self.granted.val()) & (!self.passed[i].q.val() | !self.fresh.val());
            self.granted.next = self.granted.val() | self.grant[i].val();
        }
        for i in 0..self._requesters {
            self.passed[i].clock.next = self.clock.val();
            self.passed[i].reset.next = self.reset.val();
            self.passed[i].enable.next = self.any_request.val();
            // Those before the granted one, and with `finish` itself.
            self.passed[i].d.next = self.unpassed[i].val() & (!self.grant[i].val() | self.finish.val());
        }
    }
}
