//! Register index decoder: R §V-C. Turns a live-register bit vector into register indices.
//!
//! It holds the vector of one warp, of the CTA's warps one after the other, and shows its lowest register,
//! until `step` drops that one. R does not fix the order.
//!
//! Timing: a vector loaded in cycle t shows its first register in t + 1; one register per cycle.

use rust_hdl::prelude::*;

use crate::dialect::{rtl, Identity, Module, Register};

#[derive(LogicBlock, Module)]
pub struct RegisterIndexDecoder {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// A new vector; it wins over `step`.
    pub load: Signal<In, Bit>,
    /// Registers 0 to 31, and 32 to 63.
    pub load_low: Signal<In, Bits<32>>,
    pub load_high: Signal<In, Bits<32>>,
    /// The register shown is dropped; only while there is one.
    pub step: Signal<In, Bit>,

    pub any: Signal<Out, Bit>,
    /// The lowest register left; zero if there is none.
    pub index: Signal<Out, Bits<6>>,

    any_low: Signal<Local, Bit>,
    /// The half in which the register is, that half without it.
    half: Signal<Local, Bits<32>>,
    less_one: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<6>>,
    low: Register<Bits<32>>,
    high: Register<Bits<32>>,
    identity: Identity,
}

impl Default for RegisterIndexDecoder {
    fn default() -> Self {
        RegisterIndexDecoder {
            clock: Signal::default(),
            reset: Signal::default(),
            load: Signal::default(),
            load_low: Signal::default(),
            load_high: Signal::default(),
            step: Signal::default(),
            any: Signal::default(),
            index: Signal::default(),
            any_low: Signal::default(),
            half: Signal::default(),
            less_one: Signal::default(),
            place: Signal::default(),
            low: Register::default(),
            high: Register::default(),
            identity: Identity::new("register_index_decoder", "Register index decoder (R V-C)", &[]),
        }
    }
}

impl Logic for RegisterIndexDecoder {
    #[rtl]
    fn update(&mut self) {
        self.any_low.next = self.low.q.val().any();
        self.any.next = self.any_low.val() | self.high.q.val().any();
        self.half.next = self.low.q.val();
        if !self.any_low.val() {
            self.half.next = self.high.q.val();
        }
        self.place.next = 0.into();
        for r in 0..32 {
            if self.half.val().get_bit(31 - r) {
                self.place.next = (31 - r).to_bits::<6>();
            }
        }
        self.index.next = self.place.val();
        if !self.any_low.val() & self.any.val() {
            self.index.next = self.place.val() | 32;
        }

        // x & (x - 1) is x without its lowest one.
        self.less_one.next = self.half.val() - 1;
        self.low.clock.next = self.clock.val();
        self.low.reset.next = self.reset.val();
        self.low.enable.next = self.load.val() | (self.step.val() & self.any_low.val());
        self.low.d.next = self.half.val() & self.less_one.val();
        self.high.clock.next = self.clock.val();
        self.high.reset.next = self.reset.val();
        self.high.enable.next = self.load.val() | (self.step.val() & !self.any_low.val());
        self.high.d.next = self.half.val() & self.less_one.val();
        if self.load.val() {
            self.low.d.next = self.load_low.val();
            self.high.d.next = self.load_high.val();
        }
    }
}
