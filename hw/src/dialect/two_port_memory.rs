// SPDX-License-Identifier: Apache-2.0
//! Synchronous memory that reads and writes at once.

use rust_hdl::prelude::*;

use super::memory::{declared, row};
use super::{activity, clock_edge, Clocking, Identity};

/// A memory of up to 2^`A` rows of `W` bits with a port that reads and one that writes.
///
/// Timing: an access takes place on the rising edge; what a read finds stands on `read_data` from the next
/// cycle until the next read, and is what was stored before a write of the same cycle. Contents are zero in
/// simulation before the first write and unknown in hardware. Yosys infers one `$mem_v2`.
#[derive(LogicBlock)]
pub struct TwoPortMemory<const W: usize, const A: usize> {
    /// An access takes place at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A row is read.
    pub read: Signal<In, Bit>,
    /// This one, below the number of rows.
    pub read_address: Signal<In, Bits<A>>,
    /// A row is written.
    pub write: Signal<In, Bit>,
    /// This one, below the number of rows.
    pub write_address: Signal<In, Bits<A>>,
    /// Data that is written.
    pub write_data: Signal<In, Bits<W>>,
    /// Data of the last read.
    pub read_data: Signal<Out, Bits<W>>,
    identity: Identity,
    _rows: Vec<Bits<W>>,
}

impl<const W: usize, const A: usize> TwoPortMemory<W, A> {
    /// `rows`: 2 to 2^`A`.
    pub fn new(rows: usize) -> Self {
        assert!((2..=1 << A).contains(&rows), "a memory with two ports has 2 to {} rows, not {rows}", 1 << A);
        TwoPortMemory {
            clock: Signal::default(),
            read: Signal::default(),
            read_address: Signal::default(),
            write: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_data: Signal::default(),
            identity: Identity::new(
                "two_port_memory",
                "Synchronous memory with a read port and a write port",
                &[("w", W), ("rows", rows), ("address", A)],
            ),
            _rows: vec![0.into(); rows],
        }
    }
}

impl<const W: usize, const A: usize> Clocking for TwoPortMemory<W, A> {
    fn set_clock(&mut self, level: bool) {
        clock_edge(&mut self.clock, level);
    }

    fn shows_anew(&self) -> bool {
        self.read.changed
            || self.read_address.changed
            || self.write.changed
            || self.write_address.changed
            || self.write_data.changed
            || self.read_data.changed
    }
}

impl<const W: usize, const A: usize> Logic for TwoPortMemory<W, A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        if self.read.val() {
            activity::record();
            self.read_data.next = self._rows[self.read_address.val().index()];
        }
        if self.write.val() {
            activity::record();
            self._rows[self.write_address.val().index()] = self.write_data.val();
        }
    }

    fn hdl(&self) -> Verilog {
        let rows = self._rows.len();
        Verilog::Custom(format!(
            "{declared}\
             always @(posedge clock) begin\n\
             \x20 if (read) read_data <= {read};\n\
             \x20 if (write) {written} <= write_data;\n\
             end\n",
            declared = declared(W, rows),
            read = row::<A>("read_address", rows),
            written = row::<A>("write_address", rows),
        ))
    }
}
