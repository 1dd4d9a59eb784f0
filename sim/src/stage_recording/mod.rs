// SPDX-License-Identifier: Apache-2.0
//! Records of an operand stage while an SM runs: its ports in every cycle, the values that its tokens stand
//! for, and counts of events.

mod events;
mod recorder;

pub use events::{EventCounter, Events};
pub use recorder::{Checks, Cycle, Record, Recorder, TokenValues};
