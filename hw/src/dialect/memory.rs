// SPDX-License-Identifier: Apache-2.0
//! Synchronous memory that makes one access in a cycle, or two.

use rust_hdl::prelude::*;

use super::{activity, array, clock_edge, Clocking, Identity};

/// A single-ported memory of up to 2^`A` rows of `W` bits: one access per cycle, a read or a write.
///
/// Timing: an access with `enable` high takes place on the rising edge; what a read finds stands on
/// `read_data` from the next cycle until the next read. A write leaves `read_data` alone. Contents are
/// zero in simulation before the first write and unknown in hardware. Yosys infers one `$mem_v2`.
///
/// With two accesses per cycle it has a second address, of a read, which finds what was stored before a write
/// of the same cycle.
#[derive(LogicBlock)]
pub struct Memory<const W: usize, const A: usize = 8> {
    /// An access takes place at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is an access.
    pub enable: Signal<In, Bit>,
    /// It is a write.
    pub write: Signal<In, Bit>,
    /// Row, below the number of rows.
    pub address: Signal<In, Bits<A>>,
    /// Data that is written.
    pub write_data: Signal<In, Bits<W>>,
    /// Data of the last read.
    pub read_data: Signal<Out, Bits<W>>,
    /// There is a second access, a read.
    pub second_enable: Vec<Signal<In, Bit>>,
    /// Its row.
    pub second_address: Vec<Signal<In, Bits<A>>>,
    /// Data of the last second access.
    pub second_read_data: Vec<Signal<Out, Bits<W>>>,
    identity: Identity,
    _rows: Vec<Bits<W>>,
}

impl<const W: usize, const A: usize> Memory<W, A> {
    /// `rows`: 1 to 2^`A`.
    pub fn new(rows: usize) -> Self {
        Memory::with_accesses(rows, 1)
    }

    /// `rows`: 1 to 2^`A`; `accesses` per cycle: 1 or 2.
    pub fn with_accesses(rows: usize, accesses: usize) -> Self {
        let seconds = accesses - 1;
        let (name, title) = match seconds {
            0 => ("memory", "Single-ported synchronous memory"),
            _ => {
                ("memory_of_two_accesses", "Synchronous memory of two accesses per cycle, the second a read")
            }
        };
        assert!((1..=1 << A).contains(&rows), "a memory has 1 to {} rows, not {rows}", 1 << A);
        Memory {
            clock: Signal::default(),
            enable: Signal::default(),
            write: Signal::default(),
            address: Signal::default(),
            write_data: Signal::default(),
            read_data: Signal::default(),
            second_enable: array(seconds),
            second_address: array(seconds),
            second_read_data: array(seconds),
            identity: Identity::new(name, title, &[("w", W), ("rows", rows), ("address", A)]),
            _rows: vec![0.into(); rows],
        }
    }
}

impl<const W: usize, const A: usize> Clocking for Memory<W, A> {
    fn set_clock(&mut self, level: bool) {
        clock_edge(&mut self.clock, level);
    }

    fn shows_anew(&self) -> bool {
        self.enable.changed
            || self.write.changed
            || self.address.changed
            || self.write_data.changed
            || self.read_data.changed
            || self.second_enable.has_changed()
            || self.second_address.has_changed()
            || self.second_read_data.has_changed()
    }
}

impl<const W: usize, const A: usize> Logic for Memory<W, A> {
    fn update(&mut self) {
        if !self.clock.pos_edge() {
            return;
        }
        for second in 0..self.second_enable.len() {
            if self.second_enable[second].val() {
                activity::record();
                let row = self.second_address[second].val().index();
                self.second_read_data[second].next = self._rows[row];
            }
        }
        if self.enable.val() {
            let row = self.address.val().index();
            assert!(row < self._rows.len(), "row {row} of a memory of {} rows", self._rows.len());
            activity::record();
            if self.write.val() {
                self._rows[row] = self.write_data.val();
            } else {
                self.read_data.next = self._rows[row];
            }
        }
    }

    fn hdl(&self) -> Verilog {
        let rows = self._rows.len();
        let second = match self.second_enable.len() {
            0 => String::new(),
            _ => format!(
                "`ifndef SYNTHESIS\n\
                 initial second_read_data = {{{W}{{1'b0}}}};\n\
                 `endif\n\
                 always @(posedge clock)\n\
                 \x20 if (second_enable) second_read_data <= {};\n",
                row::<A>("second_address", rows)
            ),
        };
        Verilog::Custom(format!(
            "{declared}\
             always @(posedge clock)\n\
             \x20 if (enable) begin\n\
             \x20   if (write) {row} <= write_data;\n\
             \x20   else read_data <= {row};\n\
             \x20 end\n\
             {second}",
            declared = declared(W, rows),
            row = row::<A>("address", rows),
        ))
    }
}

/// In Verilog: so many rows of so many bits. In simulation they are zero at first, and so is what was read
/// last.
pub(super) fn declared(width: usize, rows: usize) -> String {
    format!(
        "reg [{msb}:0] rows [0:{last}];\n\
         `ifndef SYNTHESIS\n\
         integer row;\n\
         initial begin\n\
         \x20 for (row = 0; row < {rows}; row = row + 1) rows[row] = {{{width}{{1'b0}}}};\n\
         \x20 read_data = {{{width}{{1'b0}}}};\n\
         end\n\
         `endif\n",
        msb = width - 1,
        last = rows - 1,
    )
}

/// In Verilog: the row of `rows` that a port of `A` bits names.
pub(super) fn row<const A: usize>(address: &str, rows: usize) -> String {
    match rows {
        1 => "rows[1'b0]".to_string(),
        _ if clog2(rows) == A => format!("rows[{address}]"),
        _ => format!("rows[{address}[{}:0]]", clog2(rows) - 1),
    }
}
