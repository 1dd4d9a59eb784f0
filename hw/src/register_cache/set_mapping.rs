// SPDX-License-Identifier: Apache-2.0
//! Set mapping of a register cache: C §IV-C, Equations 1 to 3. Combinational.
//!
//! It names the set that takes in a register.
//!
//! - A source: its position in the instruction, modulo the sets.
//! - A destination: its number, modulo the sets (interleaving), or by the part of the 256 numbers in which it
//!   lies (linear).
//!
//! The number of sets is a power of two, so both are a shift and a mask.

use gpurf_blocks::DestinationMapping;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl};

#[block(
    title = "Set mapping of a register cache",
    paper = "C §IV-C",
    parameters(rc_entries, rc_ways, rc_mapping),
    combinational
)]
pub struct SetMapping {
    /// The operand is a source, not a destination.
    pub is_source: In<Bit>,
    /// Place of the source in the instruction: 0 to 3.
    pub position: In<Bits<2>>,
    /// Number of the destination.
    pub register: In<Bits<8>>,

    /// Set that the operand lies in.
    pub set: Out<Bits<3>>,

    /// Places by which a linear mapping shifts the number; none when interleaving.
    #[value(if rc_mapping == DestinationMapping::Linear { 8 - clog2(rc_entries / rc_ways) } else { 0 })]
    shift: Constant<Bits<8>>,
    #[value(rc_entries / rc_ways - 1)]
    last_set: Constant<Bits<8>>,
}

#[rtl]
impl SetMapping {
    fn map() {
        let number: Bits<8> = if is_source { bit_cast::<8, 2>(position) } else { register >> shift };
        let masked: Bits<8> = number & last_set;
        set = bit_cast::<3, 8>(masked);
    }
}
