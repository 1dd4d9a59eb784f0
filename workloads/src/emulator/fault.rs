// SPDX-License-Identifier: Apache-2.0
//! Faults of instructions.

use crate::error::Cause;

/// Why an instruction did not execute: what is wrong, and in which lane if it is one's.
pub(crate) struct Fault {
    pub message: String,
    pub lane: Option<u32>,
    pub cause: Cause,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Fault {
        Fault { message: message.into(), lane: None, cause: Cause::Other }
    }

    pub fn at(mut self, lane: usize) -> Fault {
        self.lane = Some(lane as u32);
        self
    }

    pub fn of(mut self, cause: Cause) -> Fault {
        self.cause = cause;
        self
    }
}
