//! Register index decoder: R §V-C. Turns a live-register bit vector into register indices.
//!
//! It holds the vector of one warp, of the CTA's warps one after the other, and shows its lowest register,
//! until `step` drops that one. R does not fix the order.
//!
//! Timing: a vector loaded in cycle t shows its first register in t + 1; one register per cycle.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

#[block(title = "Register index decoder", paper = "R §V-C")]
pub struct RegisterIndexDecoder {
    /// A new vector; it wins over `step`.
    pub load: In<Bit>,
    /// Registers 0 to 31, and 32 to 63.
    pub load_low: In<Bits<32>>,
    /// A new vector, registers 0 to 31 and 32 to 63; wins over `step`.
    pub load_high: In<Bits<32>>,
    /// The register shown is dropped; only while there is one.
    pub step: In<Bit>,

    /// The lowest register left; zero if there is none.
    pub any: Out<Bit>,
    /// The lowest register left; zero if there is none.
    pub index: Out<Bits<6>>,

    any_low: Local<Bit>,
    /// The half in which the register is, that half without it.
    half: Local<Bits<32>>,
    less_one: Local<Bits<32>>,
    place: Local<Bits<6>>,
    low: Register<Bits<32>>,
    high: Register<Bits<32>>,
}

impl Logic for RegisterIndexDecoder {
    #[rtl]
    fn update(&mut self) {
        self.any_low.next = self.low.val().any();
        self.any.next = self.any_low.val() | self.high.val().any();
        self.half.next = self.low.val();
        if !self.any_low.val() {
            self.half.next = self.high.val();
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
        self.low.load(
            self.load.val() | (self.step.val() & self.any_low.val()),
            self.half.val() & self.less_one.val(),
        );
        self.high.load(
            self.load.val() | (self.step.val() & !self.any_low.val()),
            self.half.val() & self.less_one.val(),
        );
        if self.load.val() {
            self.low.d.next = self.load_low.val();
            self.high.d.next = self.load_high.val();
        }
    }
}
