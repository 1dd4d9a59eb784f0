//! Round-robin arbiter that holds its grant until it is used up: part of [`super::LoadQueue`] and
//! [`super::PendingLoads`]. Unlike [`crate::cells::RoundRobin`] no other request takes the grant away while
//! the granted one stays.
//!
//! State: one bit per requester, set for those before the one whose turn it is.
//!
//! Timing: `grant` answers in the same cycle; the turn passes to the granted one, or with `finish` to the next.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

#[block(title = "Round-robin arbiter that holds its grant", arguments(requesters = collectors))]
pub struct HoldingArbiter {
    /// Who asks for the grant.
    pub request: In<[Bit; requesters]>,
    /// The granted one is done; only with a request.
    pub finish: In<Bit>,
    /// At most one is high, and one is if there is any request.
    pub grant: Out<[Bit; requesters]>,

    /// Some request has not been passed in this turn.
    fresh: Local<Bit>,
    any_request: Local<Bit>,
    granted: Local<Bit>,
    /// Nothing before it is granted.
    unpassed: Local<[Bit; requesters]>,
    passed: Register<[Bit; requesters]>,
}

impl Logic for HoldingArbiter {
    #[rtl]
    fn update(&mut self) {
        self.fresh.next = false;
        self.any_request.next = false;
        for i in 0..requesters {
            self.fresh.next = self.fresh.val() | (self.request[i].val() & !self.passed[i].val());
            self.any_request.next = self.any_request.val() | self.request[i].val();
        }
        self.granted.next = false;
        for i in 0..requesters {
            self.unpassed[i].next = !self.granted.val();
            self.grant[i].next =
                (self.request[i].val() & !self.granted.val()) & (!self.passed[i].val() | !self.fresh.val());
            self.granted.next = self.granted.val() | self.grant[i].val();
        }
        for i in 0..requesters {
            self.passed[i].load(
                self.any_request.val(),
                self.unpassed[i].val() & (!self.grant[i].val() | self.finish.val()),
            );
        }
    }
}
