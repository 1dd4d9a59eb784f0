// SPDX-License-Identifier: Apache-2.0
//! Linear-feedback shift register: the source of random choices, one per sub-core.
//!
//! It has eight bits in Fibonacci form, with the XNOR of the taps 8, 6, 5 and 4 as feedback. It runs through
//! 255 states from zero, its reset state, and never reaches all ones.
//!
//! The papers ask for a random choice in the replacement policy (W §4.1, F §IV-A1) and in the allocation of
//! collectors (F §II, §IV-B2). They name no source for it.
//!
//! # Timing
//!
//! `value` changes in the cycle after one with `step` high.
//!
//! ```text
//! cycle       0     1     2     3
//! step        1     1     0     1
//! value     0x00  0x01  0x03  0x03
//! ```
//!
//! # Decisions
//!
//! - XNOR feedback, so that the reset value is zero like that of every other register of the project. XOR
//!   feedback needs a reset value that is not zero.
//! - One register per sub-core, stepped with each issue. The alternative, one per collector, costs eight more
//!   flip-flops each and decouples the collectors' choices.
//! - 255 states over 8 entries: entries 0 to 6 are 32 of them each, entry 7 is 31. The bias is 3%.
//!
//! # Storage
//!
//! It keeps 8 bits.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

#[block(title = "Linear-feedback shift register, 8 bits")]
pub struct Lfsr {
    /// Advance by one state at the end of this cycle.
    pub step: In<Bit>,
    /// The present state.
    pub value: Out<Register<Bits<8>>>,
}

#[rtl]
impl Lfsr {
    fn shift() {
        let feedback: Bit = !(value.get_bit(7) ^ (value.get_bit(5) ^ (value.get_bit(4) ^ value.get_bit(3))));
        let shifted: Bits<8> = value << 1;
        value.load(step, shifted.replace_bit(0, feedback));
    }
}
