// SPDX-License-Identifier: Apache-2.0
//! Register bank: F §II.
//!
//! A bank is a single-ported memory with one register of a warp in each row. Beside it is the stage that
//! keeps, for the read under way, which collector and slot it is for. The memory itself is
//! [`hw/src/dialect/memory.rs`](../hw/src/dialect/memory.rs).
//!
//! # Timing
//!
//! One access per cycle. The value of a read in cycle t stands on `data` in cycle t + 1, with `data_valid`.
//! The collector takes it at the end of that cycle.
//!
//! ```text
//! cycle         0       1       2       3
//! read          row 7   0       row 7   0
//! write         0       row 7   0       0
//! data_valid    0       1       0       1
//! data          -       old     old     new
//! ```
//!
//! With two accesses per cycle (`accesses=2`) a second read has ports of its own, beside a write or a first
//! read. Its value stands on `second_data` in the next cycle.
//!
//! # Decisions
//!
//! - A synchronous memory: a cycle for the read. F §II fixes no latency.
//! - The memory keeps its read data until the next read, and writes leave it alone.
//! - **Two accesses** are a second address of the memory, for reads alone. Accel-Sim clocks single-ported
//!   banks twice as fast, which does the same; the hardware here has one clock. A read beside a write of the
//!   same row finds what was there before; the scoreboard lets none come.
//! - Contents are zero in simulation before the first write, and unknown in hardware. The reset clears the
//!   stage, not the memory.
//!
//! # Storage
//!
//! It keeps `rows × width` bits of memory, 262,144 by default, and 4 bits of registers beside the collector's
//! number: 5 by default, and as many again for a second access.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Memory, Register};
use crate::{monitor, watch};

/// `W`: data width in bits; `C`: bits of a collector's number.
#[block(
    title = "Single-ported register bank",
    paper = "F §II",
    parameters(width, collectors, accesses, transfer_ports, rows)
)]
pub struct Bank<const W: usize, const C: usize> {
    /// Read a row for a collector. At most one of this, `write` and `transfer` is high.
    pub read: In<Bit>,
    /// Write a row.
    pub write: In<Bit>,
    /// Read a row for no collector: its register leaves.
    pub transfer: In<[Bit; transfer_ports]>,
    /// Row of the first access.
    pub row: In<Bits<8>>,
    /// Value that is written.
    pub write_data: In<Bits<W>>,
    /// Collector that the read is for.
    pub collector: In<Bits<C>>,
    /// Slot that the read is for.
    pub slot: In<Bits<3>>,
    /// With two accesses per cycle: read a second row for a collector, whatever the first access is.
    #[when(accesses == 2)]
    pub second_read: In<Bit>,
    /// Row of the second read.
    #[when(accesses == 2)]
    pub second_row: In<Bits<8>>,
    /// Collector that the second read is for.
    #[when(accesses == 2)]
    pub second_collector: In<Bits<C>>,
    /// Slot that the second read is for.
    #[when(accesses == 2)]
    pub second_slot: In<Bits<3>>,

    /// The value of a read stands on `data`.
    pub data_valid: Out<Register<Bit>>,
    /// The value of a register that leaves stands on `data`.
    pub data_transfer: Out<Register<[Bit; transfer_ports]>>,
    /// Collector that the value on `data` is for.
    pub data_collector: Out<Register<Bits<C>>>,
    /// Slot that the value on `data` is for.
    pub data_slot: Out<Register<Bits<3>>>,
    /// Value of the last read.
    pub data: Out<Bits<W>>,
    /// The value of a second read stands on `second_data`.
    #[when(accesses == 2)]
    pub second_data_valid: Out<Register<Bit>>,
    /// Collector that the value on `second_data` is for.
    #[when(accesses == 2)]
    pub second_data_collector: Out<Register<Bits<C>>>,
    /// Slot that the value on `second_data` is for.
    #[when(accesses == 2)]
    pub second_data_slot: Out<Register<Bits<3>>>,
    /// Value of the last second read.
    #[when(accesses == 2)]
    pub second_data: Out<Bits<W>>,

    #[new(Memory::with_accesses(rows, accesses))]
    memory: Memory<W>,
    access: Local<Bit>,
}

watch!(Bank<W, C>: [
    "misuse if read && write: the bank is read and written",
]);

monitor!(Bank<W, C>: "bank_monitor.v");

#[rtl]
impl<const W: usize, const C: usize> Bank<W, C> {
    fn access() {
        access = read | write;
        for t in 0..transfer_ports {
            access |= transfer[t];
            data_transfer[t] = transfer[t];
        }
        memory.enable = access;
        connect!(memory { write, address: row, write_data });

        data_valid = read;
        if read {
            data_collector = collector;
            data_slot = slot;
        }

        data = memory.read_data;

        if accesses == 2 {
            memory.second_enable[0] = second_read;
            memory.second_address[0] = second_row;
            second_data_valid = second_read;
            if second_read {
                second_data_collector = second_collector;
                second_data_slot = second_slot;
            }
            second_data = memory.second_read_data[0];
        }
    }
}
