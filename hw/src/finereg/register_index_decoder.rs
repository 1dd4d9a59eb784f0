//! Register index decoder: R §V-C. Turns a live-register bit vector into register indices.
//!
//! It holds the vector of one warp, of the CTA's warps one after the other, and shows its lowest register,
//! until `step` drops that one. R does not fix the order. A register that is wanted goes before the others: its place is
//! about to be overwritten.
//!
//! Timing: a vector loaded in cycle t shows its first register in t + 1; one register per cycle.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

#[block(title = "Register index decoder", paper = "R §V-C")]
pub struct RegisterIndexDecoder {
    /// A new vector; it wins over `step`.
    pub load: In<Bit>,
    /// Its registers 0 to 31.
    pub load_low: In<Bits<32>>,
    /// Its registers 32 to 63.
    pub load_high: In<Bits<32>>,
    /// The register shown is dropped; only while there is one.
    pub step: In<Bit>,
    /// One register is to be shown first, if it is left.
    pub want: In<Bit>,
    /// That one.
    pub wanted: In<Bits<6>>,

    /// A register is left.
    pub any: Out<Bit>,
    /// It is the only one.
    pub last: Out<Bit>,
    /// The wanted register is left.
    pub found: Out<Bit>,
    /// The wanted register if it is left, else the lowest; zero if there is none.
    pub index: Out<Bits<6>>,
    /// What is left of registers 0 to 31.
    pub left_low: Out<Bits<32>>,
    /// What is left of registers 32 to 63.
    pub left_high: Out<Bits<32>>,

    any_low: Local<Bit>,
    any_high: Local<Bit>,
    /// The half with the lowest register, that register's bit there, and its place.
    half: Local<Bits<32>>,
    lowest: Local<Bits<32>>,
    place: Local<Bits<6>>,
    wanted_half: Local<Bits<32>>,
    wanted_bit: Local<Bits<32>>,
    /// The register shown: it is in the upper half, and its bit there.
    is_high: Local<Bit>,
    shown: Local<Bits<32>>,
    low: Register<Bits<32>>,
    high: Register<Bits<32>>,
    #[value(1)]
    one: Constant<Bits<32>>,
}

impl Logic for RegisterIndexDecoder {
    #[rtl]
    fn update(&mut self) {
        self.left_low.next = self.low.val();
        self.left_high.next = self.high.val();
        self.any_low.next = self.low.val().any();
        self.any_high.next = self.high.val().any();
        self.any.next = self.any_low.val() | self.any_high.val();

        // The lowest one. x & !(x - 1) is its bit.
        self.half.next = self.low.val();
        if !self.any_low.val() {
            self.half.next = self.high.val();
        }
        self.lowest.next = self.half.val() & !(self.half.val() - 1);
        self.last.next = (self.any.val() & !(self.any_low.val() & self.any_high.val()))
            & (self.half.val() == self.lowest.val());
        self.place.next = 0.into();
        for r in 0..32 {
            if self.half.val().get_bit(31 - r) {
                self.place.next = (31 - r).to_bits::<6>();
            }
        }

        // The wanted one.
        self.wanted_bit.next = self.one.val() << self.wanted.val().get_bits::<5>(0);
        self.wanted_half.next = self.low.val();
        if self.wanted.val().get_bit(5) {
            self.wanted_half.next = self.high.val();
        }
        self.found.next = self.want.val() & (self.wanted_half.val() & self.wanted_bit.val()).any();

        // What is shown.
        self.is_high.next = !self.any_low.val() & self.any_high.val();
        self.shown.next = self.lowest.val();
        self.index.next = self.place.val();
        if self.is_high.val() {
            self.index.next = self.place.val() | 32;
        }
        if self.found.val() {
            self.is_high.next = self.wanted.val().get_bit(5);
            self.shown.next = self.wanted_bit.val();
            self.index.next = self.wanted.val();
        }

        self.low.load(
            self.load.val() | (self.step.val() & !self.is_high.val()),
            self.low.val() & !self.shown.val(),
        );
        self.high.load(
            self.load.val() | (self.step.val() & self.is_high.val()),
            self.high.val() & !self.shown.val(),
        );
        if self.load.val() {
            self.low.d.next = self.load_low.val();
            self.high.d.next = self.load_high.val();
        }
    }
}
