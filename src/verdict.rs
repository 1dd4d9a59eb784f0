// SPDX-License-Identifier: Apache-2.0
//! Verdicts of commands.

/// The verdict on everything that a command checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of it holds.
    Holds,
    /// Some of it does not.
    Fails,
}
