//! Linear-feedback shift register: the source of random choices, one per sub-core.
//!
//! Eight bits, Fibonacci form, feedback XNOR of taps 8, 6, 5 and 4: it runs through 255 states from
//! zero (its reset state) and never reaches all ones. Papers W and F ask for a random choice and name
//! no source.
//!
//! Timing: `value` changes in the cycle after one with `step` high.

use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct Lfsr {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// Advance by one state at the end of this cycle.
    pub step: Signal<In, Bit>,
    pub value: Signal<Out, Bits<8>>,

    feedback: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<8>>,
    state: Register<Bits<8>>,
    identity: Identity,
}

impl Default for Lfsr {
    fn default() -> Self {
        Lfsr {
            clock: Signal::default(),
            reset: Signal::default(),
            step: Signal::default(),
            value: Signal::default(),
            feedback: Signal::default(),
            shifted: Signal::default(),
            state: Register::default(),
            identity: Identity::new("lfsr", "Linear-feedback shift register, 8 bits", &[]),
        }
    }
}

impl Logic for Lfsr {
    #[rtl]
    fn update(&mut self) {
        self.feedback.next = !(self.state.q.val().get_bit(7)
            ^ (self.state.q.val().get_bit(5)
                ^ (self.state.q.val().get_bit(4) ^ self.state.q.val().get_bit(3))));
        self.shifted.next = self.state.q.val() << 1;
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.state.enable.next = self.step.val();
        self.state.d.next = self.shifted.val().replace_bit(0, self.feedback.val());
        self.value.next = self.state.q.val();
    }
}
