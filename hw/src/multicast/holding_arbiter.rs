// SPDX-License-Identifier: Apache-2.0
//! Round-robin arbiter that holds its grant until it is used up.
//!
//! It is a part of the request queue and of the pending loads. While the granted request stays, no other
//! takes the grant away; the [round_robin](round_robin.md) arbiter would. Its state is one bit per requester,
//! set for those before the one whose turn it is.
//!
//! `grant` answers in the same cycle. The turn passes to the granted one, or with `finish` to the next.

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

#[rtl]
impl HoldingArbiter {
    fn hold() {
        fresh = false;
        any_request = false;
        for i in 0..requesters {
            fresh |= (request[i] & !passed[i]);
            any_request |= request[i];
        }
        granted = false;
        for i in 0..requesters {
            unpassed[i] = !granted;
            grant[i] = (request[i] & !granted) & (!passed[i] | !fresh);
            granted |= grant[i];
        }
        for i in 0..requesters {
            passed[i].load(any_request, unpassed[i] & (!grant[i] | finish));
        }
    }
}
