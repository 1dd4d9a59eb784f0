// SPDX-License-Identifier: Apache-2.0
//! Latches behind a clock gate, as the memory of a value.
//!
//! A latch takes half of a flip-flop's transistors, and its input costs next to nothing while it is closed.
//! Collectors hold their values in latches with `storage=latches`: the entries of a [cache
//! table](cache_table.md), the slots of an [OCU](ocu.md).
//!
//! # Timing
//!
//! A latch is open in the first half of a cycle, while the clock is high. Its clock gate lets the clock
//! through in the cycle behind one with `enable`. So the value comes a cycle after `enable`, and must stand
//! from the beginning of that cycle: it comes from registers.
//!
//! ```text
//! cycle      0     1     2     3
//! enable     1     0     0     0
//! d          -     7     3     5
//! q          -     7     7     7
//! ```
//!
//! In a collector the value stands in a register in front of all entries, one for each port that writes.
//! Beside it registers say which entries take it. They change at the edge at which the entry opens, so the
//! entry shows the value in the same cycle as flip-flops would. A path from these registers goes through the
//! open latch.
//!
//! # Decisions
//!
//! - **In RTL and Verilog it is a register that shows what it is loaded with.** Cycle by cycle that is the
//!   same. So simulators, formal tools and FPGAs see one clock and no latch.
//! - **The synthesis maps it to cells by its name**: [a clock gate and a latch for each
//!   bit](synthesis.md#latches). Verilog with latches would hide a race between the clock's edges.
//! - It has no reset. A collector reads a value only after it was written.
//!
//! # Storage
//!
//! It keeps `width` bits, and in cells nothing else: the clock gate has the enable.

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
