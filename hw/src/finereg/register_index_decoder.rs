// SPDX-License-Identifier: Apache-2.0
//! Register index decoder of FineReg: R §V-C, Fig. 10.
//!
//! It turns a live-register bit vector into register indices, one per cycle, the lowest first. One that is
//! wanted goes before the others.
//!
//! # Timing
//!
//! A vector loaded in cycle t shows its first register in t + 1, and the next in the cycle after each `step`.
//!
//! # Decisions
//!
//! It holds the vector of one warp; the [rmu](rmu.md) loads those of a CTA one after the other. R does not
//! fix the order. The RMU wants the register whose row is about to be written. It takes back what is left
//! (`left_low`, `left_high`) when one of another warp is in the way.
//!
//! # Storage
//!
//! It keeps 64 bits of registers.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(title = "Register index decoder", paper = "R §V-C")]
pub struct RegisterIndexDecoder {
    /// A new vector; it wins over `step`.
    pub load: In<Bit>,
    /// Registers 0 to 31 of the new vector.
    pub load_low: In<Bits<32>>,
    /// Registers 32 to 63 of the new vector.
    pub load_high: In<Bits<32>>,
    /// The register shown is dropped; only while there is one.
    pub step: In<Bit>,
    /// One register is to be shown first, if it is left.
    pub want: In<Bit>,
    /// Register that is to be shown first.
    pub wanted: In<Bits<6>>,

    /// A register is left.
    pub any: Out<Bit>,
    /// The register shown is the only one that is left.
    pub last: Out<Bit>,
    /// The wanted register is left.
    pub found: Out<Bit>,
    /// The wanted register if it is left, else the lowest; zero if there is none.
    pub index: Out<Bits<6>>,
    /// Registers 0 to 31 that are left.
    pub left_low: Out<Register<Bits<32>>>,
    /// Registers 32 to 63 that are left.
    pub left_high: Out<Register<Bits<32>>>,

    any_low: Local<Bit>,
    any_high: Local<Bit>,
    lowest: Local<Bits<32>>,
    place: Local<Bits<6>>,
    wanted_bit: Local<Bits<32>>,
    /// The register shown: it is in the upper half, and its bit there.
    is_high: Local<Bit>,
    shown: Local<Bits<32>>,
    #[value(1)]
    one: Constant<Bits<32>>,
}

watch!(RegisterIndexDecoder: [
    "load if load: load a vector",
    "decode(register = index) if step && any && !load: decode R{register}",
    "misuse if step && !any && !load: a register is dropped, and there is none",
    "fault if (last || found) && !any: a register is shown, and there is none",
    "fault if found && index != wanted: register {wanted} is left, and {index} is shown",
]);

monitor!(RegisterIndexDecoder: "register_index_decoder_monitor.v");

#[rtl]
impl RegisterIndexDecoder {
    fn remaining() {
        any_low = left_low.any();
        any_high = left_high.any();
        any = any_low | any_high;
    }

    /// The lowest one. x & !(x - 1) is its bit.
    fn lowest() {
        /// The half with the lowest register.
        let half: Bits<32> = if !any_low { left_high } else { left_low };
        lowest = half & !(half - 1);
        last = (any & !(any_low & any_high)) & (half == lowest);
        place = first(0..32, |r| half.get_bit(r));
    }

    /// The wanted one.
    fn wanted_one() {
        wanted_bit = one << wanted.get_bits::<5>(0);
        let wanted_half: Bits<32> = if wanted.get_bit(5) { left_high } else { left_low };
        found = want & (wanted_half & wanted_bit).any();
    }

    /// The register that is shown.
    fn show() {
        is_high = !any_low & any_high;
        shown = lowest;
        index = if is_high { place | 32 } else { place };
        if found {
            is_high = wanted.get_bit(5);
            shown = wanted_bit;
            index = wanted;
        }

        if load {
            left_low = load_low;
            left_high = load_high;
        } else if step {
            if is_high {
                left_high &= !shown;
            } else {
                left_low &= !shown;
            }
        }
    }
}
