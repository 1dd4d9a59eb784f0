// SPDX-License-Identifier: Apache-2.0
//! Read window of one read port of a bank: H §5.3. It makes the reads, and keeps their values until the
//! operands leave.
//!
//! The allocator says in which cycle of its window each source of an instruction is read. All operands leave
//! in the cycle behind the window, so an instruction of fixed latency takes as long with conflicts as
//! without. A value that was read early goes through as many registers as there are cycles left. With a
//! window of three cycles a port has two. Were operands kept by instruction, three stages would have a
//! register for each of its sources.
//!
//! A value may be old, since results of fixed latency come while it waits here. A newer one of the result
//! queue takes the place of what the bank shows (`found`). From then on, each result that comes does.
//! Operands that leave have the results of their own cycle as well, of their own pipe alone: to other pipes a
//! result takes a cycle longer. The pipe of an instruction of variable latency has no such results.
//!
//! An instruction goes in cycle t. Its source at cycle k of the window is read in t + 1 + k. The bank shows
//! it in t + 2 + k. Operands leave in t + 1 + `read_window`.

use gpurf_blocks::OPERANDS;
use rust_hdl::prelude::*;

use crate::bundles::Arrival;
use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits.
#[block(
    title = "Read window of a bank's port",
    paper = "H §5.3",
    parameters(width, read_window, result_ports),
    sizes(waits = read_window - 1)
)]
pub struct ReadWindow<const W: usize> {
    /// When the operand of the instruction that goes is read at this port: bit k for cycle k of the window,
    /// or none.
    pub grant: In<[Bits<5>; OPERANDS]>,
    /// Its register.
    pub register: In<[Bits<8>; OPERANDS]>,
    /// Warp of the instruction.
    pub warp: In<Bits<4>>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    /// Results of fixed latency that come to the bank.
    pub result: [Arrival<In>; result_ports],
    /// Their values.
    pub result_data: In<[Bits<W>; result_ports]>,
    /// Value that the bank shows, in the cycle after `read`.
    pub data: In<Bits<W>>,
    /// The result queue has a newer value of the register that the bank shows.
    pub found: In<Bit>,
    /// Newer value of the register that the bank shows.
    pub found_data: In<Bits<W>>,
    /// Cycle in which each operand of the leaving instruction was read at this port: bit k for cycle k of the
    /// window.
    pub leave_grant: In<[Bits<5>; OPERANDS]>,
    /// Its pipe.
    pub leave_pipe: In<Bits<2>>,

    /// The bank reads a row.
    pub read: Out<Bit>,
    /// Row that the bank reads; zero without a read.
    pub row: Out<Bits<8>>,
    /// Warp of the register that the bank shows; zero without one.
    pub shown_warp: Out<Bits<4>>,
    /// Register that the bank shows; zero without one.
    pub shown_register: Out<Bits<8>>,
    /// Operands that leave; zero where none was read at this port.
    pub value: Out<[Bits<W>; OPERANDS]>,

    takes: Local<[Bit; read_window]>,
    new_register: Local<[Bits<8>; read_window]>,
    /// Values as they were, with the results of this cycle, and as they leave.
    waiting: Local<[Bits<W>; read_window]>,
    moved: Local<[Bits<W>; read_window]>,
    leaving: Local<[Bits<W>; read_window]>,
    /// Reads k cycles from now.
    read_valid: Register<[Bit; read_window]>,
    read_register: Register<[Bits<8>; read_window]>,
    read_warp: Register<[Bits<4>; read_window]>,
    read_base: Register<[Bits<8>; read_window]>,
    /// Values that have been read: those of cycle k of their window leave from place k. The bank shows the
    /// last.
    value_valid: Register<[Bit; read_window]>,
    value_register: Register<[Bits<8>; read_window]>,
    value_warp: Register<[Bits<4>; read_window]>,
    held: Register<[Bits<W>; waits]>,
}

watch!(ReadWindow<W>: [
    "read(register = read_register[0], warp = read_warp[0]) if read: read R{read_register[0]} of warp {read_warp[0]}",
    "misuse for a in grant for b in grant if a < b && (grant[a] & grant[b]) != 0: operands {a} and {b} are read at once",
    "misuse for o in leave_grant if leave_grant[o] != 0 && (leave_grant[o] & (leave_grant[o] - 1)) != 0: operand {o} was read twice",
    "fault if !read && row != 0: a row without a read",
]);

#[rtl]
impl<const W: usize> ReadWindow<W> {
    /// Reads that are to come.
    fn schedule() {
        read = read_valid[0];
        let half: Bits<8> = read_register[0] >> 1;
        let sum: Bits<8> = read_base[0] + half;
        row = 0;
        if read_valid[0] {
            row = sum;
        }
        for k in 0..read_window {
            takes[k] = false;
            new_register[k] = 0;
            for o in 0..3 {
                if grant[o].get_bit(k) {
                    takes[k] = true;
                    new_register[k] |= register[o];
                }
            }
        }
        for k in 0..waits {
            read_valid[k] = takes[k] | read_valid[k + 1];
            if takes[k] | read_valid[k + 1] {
                read_register[k] = read_register[k + 1];
                read_warp[k] = read_warp[k + 1];
                read_base[k] = read_base[k + 1];
            }
        }
        for k in waits..read_window {
            read_valid[k] = takes[k];
            if takes[k] {
                read_register[k] = new_register[k];
                read_warp[k] = warp;
                read_base[k] = base;
            }
        }
        for k in 0..waits {
            if takes[k] {
                read_register[k].d = new_register[k];
                read_warp[k].d = warp;
                read_base[k].d = base;
            }
        }
    }

    /// Values that wait, and results that come meanwhile.
    fn wait() {
        for k in 0..waits {
            waiting[k] = held[k];
        }
        for k in waits..read_window {
            shown_warp = if value_valid[k] { value_warp[k] } else { 0 };
            shown_register = if value_valid[k] { value_register[k] } else { 0 };
            waiting[k] = if found { found_data } else { data };
        }
        for k in 0..read_window {
            moved[k] = waiting[k];
            leaving[k] = waiting[k];
            for m in 0..result_ports {
                if result[m].valid
                    & ((result[m].warp == value_warp[k]) & (result[m].register == value_register[k]))
                {
                    moved[k] = result_data[m];
                    if result[m].pipe == leave_pipe {
                        leaving[k] = result_data[m];
                    }
                }
            }
        }
        for k in 0..waits {
            value_valid[k] = value_valid[k + 1];
            if value_valid[k + 1] {
                value_register[k] = value_register[k + 1];
                value_warp[k] = value_warp[k + 1];
                held[k] = moved[k + 1];
            }
        }
        for k in waits..read_window {
            value_valid[k] = read_valid[0];
            if read_valid[0] {
                value_register[k] = read_register[0];
                value_warp[k] = read_warp[0];
            }
        }
    }

    fn leave() {
        for o in 0..3 {
            value[o] = 0;
            for k in 0..read_window {
                if leave_grant[o].get_bit(k) {
                    value[o] |= leaving[k];
                }
            }
        }
    }
}
