// SPDX-License-Identifier: Apache-2.0
//! Latches behind a clock gate, as the memory of a value.
//!
//! A latch takes half of a flip-flop: it is open in the first half of a cycle, while the clock is high, if
//! `enable` was high in the cycle before. So what it is to hold comes in the cycle **after** `enable`, and
//! must stand from that cycle's first half on: it comes from registers.
//!
//! In simulation it is a register that is loaded at the end of the cycle in which it is open, and shows what
//! comes meanwhile: cycle by cycle the same. [The flow of the synthesis](../../../docs/synthesis.md#latches)
//! maps it to a clock gate and a latch for each bit.
//!
//! Timing: with `enable` in cycle t, `q` is `d` in cycle t + 1, and stays what it was at its end. It has no
//! reset.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `W`: data width in bits.
#[block(title = "Latches behind a clock gate", parameters(width), unreset)]
pub struct Latch<const W: usize> {
    /// It is open in the next cycle.
    pub enable: In<Bit>,
    /// The value in a cycle in which it is open.
    pub d: In<Bits<W>>,
    /// The value that it holds, or `d` while it is open.
    pub q: Out<Bits<W>>,

    open: Register<Bit>,
    held: Register<Bits<W>>,
}

#[rtl]
impl<const W: usize> Latch<W> {
    fn pass() {
        open.reset = false;
        open = enable;
        held.reset = false;
        held.load(open, d);
        q = if open { d } else { held };
    }
}
