// SPDX-License-Identifier: Apache-2.0
//! Linear-feedback shift register: the source of random choices, one per sub-core.
//!
//! Eight bits, Fibonacci form, feedback XNOR of taps 8, 6, 5 and 4: it runs through 255 states from
//! zero (its reset state) and never reaches all ones. Papers W and F ask for a random choice and name
//! no source.
//!
//! Timing: `value` changes in the cycle after one with `step` high.

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
