// SPDX-License-Identifier: Apache-2.0
//! Round-robin arbiter: grants one of several requests, turning on past the one granted last.
//!
//! The state is one bit for each requester. The bit is set for the one granted last and for all before it. A
//! request whose bit is clear goes first. Among equals the lowest number does.
//!
//! None of the papers describes this cell. It orders the banks that want one collector's port S
//! ([arbiter](arbiter.md)) and the collectors that are ready ([operand stage](operand_stage.md)).
//!
//! # Timing
//!
//! `grant` answers in the same cycle. The turn moves at the end of a cycle with `advance` high.
//!
//! ```text
//! cycle         0    1    2    3
//! request_0     1    1    1    0
//! request_1     1    1    1    1
//! advance       1    1    0    1
//! grant         0    1    0    1      (the turn stands still after cycle 2)
//! ```
//!
//! # Decisions
//!
//! - A thermometer mask instead of a pointer and two rotators: one bit per requester, no shifter.
//! - The turn moves only when a grant is used, so a requester is not passed over in a cycle in which nothing
//!   happens.
//!
//! # Storage
//!
//! It keeps one bit for each requester.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(title = "Round-robin arbiter", arguments(requesters = collectors))]
pub struct RoundRobin {
    /// Wants the grant.
    pub request: In<[Bit; requesters]>,
    /// The grant is used: move the turn on.
    pub advance: In<Bit>,
    /// At most one is high, and one is if there is any request.
    pub grant: Out<[Bit; requesters]>,

    /// Some request has not been passed in this turn.
    fresh: Local<Bit>,
    granted: Local<Bit>,
    passed: Register<[Bit; requesters]>,
}

watch!(RoundRobin: [
    "fault for a in grant for b in grant if a < b && grant[a] && grant[b]: {a} and {b} have the grant",
    "fault for a in grant if grant[a] && !request[a]: {a} has a grant without a request",
]);

#[rtl]
impl RoundRobin {
    fn grant_in_turn() {
        fresh = false;
        for i in 0..requesters {
            fresh |= (request[i] & !passed[i]);
        }
        granted = false;
        for i in 0..requesters {
            passed[i].load(advance, !granted);
            grant[i] = (request[i] & !granted) & (!passed[i] | !fresh);
            granted |= grant[i];
        }
    }
}
