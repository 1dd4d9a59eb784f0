// SPDX-License-Identifier: Apache-2.0
//! Exchange buffer of the register management unit: R §V-E.
//!
//! It holds registers on their way from the ACRF to the [pcrf](pcrf.md), as a part of the [rmu](rmu.md).
//!
//! # Timing
//!
//! A register enters in the cycle of its read, without a value. The values come in the order of the reads.
//! The oldest register can leave in the cycle in which its value comes, and from then on. The second moves up
//! behind it:
//!
//! | cycle | what happens |
//! |---|---|
//! | t | `read`: the register enters |
//! | t + 1 | it is looked up as `under_way` until its value comes |
//! | a | `answer`: `complete` and `data` have the value; with `leave` it is gone in a + 1 |
//!
//! There is room for another register in the cycle in which one leaves.
//!
//! # Decisions
//!
//! **Two registers.** R §V-E has a buffer of 128 bytes, which is one register. With one, the ACRF could be
//! read in every other cycle only. With `streams` off there is one register at a time.

use gpurf_blocks::RMU_BUFFERS;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits.
#[block(
    title = "Exchange buffer",
    paper = "R §V-E",
    parameters(width, streams),
    sizes(buffers = RMU_BUFFERS)
)]
pub struct ExchangeBuffer<const W: usize> {
    /// A register is read, and enters. There must be room.
    pub read: In<Bit>,
    /// Warp of the register that enters.
    pub read_warp: In<Bits<5>>,
    /// Number of the register that enters.
    pub read_register: In<Bits<6>>,
    /// The value of the oldest register without one comes.
    pub answer: In<Bit>,
    /// The value that comes.
    pub answer_data: In<Bits<W>>,
    /// The oldest register leaves. It must be complete.
    pub leave: In<Bit>,
    /// Warp of a register that is looked up.
    pub look_warp: In<Bits<5>>,
    /// Number of the register that is looked up.
    pub look_register: In<Bits<6>>,

    /// There is room for another register, also because one leaves in this cycle.
    pub room: Out<Bit>,
    /// There is a register in it.
    pub any: Out<Bit>,
    /// The oldest register has its value, or gets it in this cycle.
    pub complete: Out<Bit>,
    /// Warp of the oldest register; without one it has no meaning.
    pub warp: Out<Bits<5>>,
    /// Number of the oldest register; without one it has no meaning.
    pub register: Out<Bits<6>>,
    /// Value of the oldest register, if it is complete.
    pub data: Out<Bits<W>>,
    /// The register that is looked up has been read, and its value has not come before this cycle.
    pub under_way: Out<Bit>,

    /// Oldest first: a register has been read; its value is there.
    held: Register<[Bit; buffers]>,
    full: Register<[Bit; buffers]>,
    buffer_warp: Register<[Bits<5>; buffers]>,
    buffer_register: Register<[Bits<6>; buffers]>,
    buffer: Register<[Bits<W>; buffers]>,
    /// The place that the value is for, and that of a register that enters.
    arrives: Local<[Bit; buffers]>,
    enters: Local<[Bit; buffers]>,
}

watch!(ExchangeBuffer<W>: [
    "read(register = read_register, warp = read_warp) if read: read R{register} of warp {warp}",
    "leave(register = buffer_register[0], warp = buffer_warp[0]) if leave: R{register} of warp {warp} leaves",
    "misuse if read && !room: a register enters, and there is no room",
    "misuse if leave && !complete: a register leaves without its value",
    "misuse if answer && !(held[0] && !full[0]) && !(held[1] && !full[1]): a value comes that nothing was read for",
    "fault if held[1] && !held[0]: the second place is taken, and the first is free",
    "fault for s in held if full[s] && !held[s]: place {s} has a value, and no register",
]);

#[rtl]
impl<const W: usize> ExchangeBuffer<W> {
    /// The oldest register, and the room behind it.
    fn oldest() {
        arrives[0] = answer & !full[0];
        arrives[1] = answer & full[0];
        room = if streams { !held[1] | leave } else { !held[0] | leave };
        any = held[0];
        complete = full[0] | arrives[0];
        warp = buffer_warp[0];
        register = buffer_register[0];
        data = if full[0] { buffer[0] } else { answer_data };
        under_way = false;
        for s in 0..buffers {
            let is_looked: Bit = (buffer_warp[s] == look_warp) & (buffer_register[s] == look_register);
            under_way |= (held[s] & !full[s]) & is_looked;
        }
    }

    /// Registers enter, and move up where one leaves.
    fn places() {
        enters[0] = read & (!held[0] | (leave & !held[1]));
        enters[1] = read & !enters[0];
        if enters[0] {
            held[0] = true;
            buffer_warp[0] = read_warp;
            buffer_register[0] = read_register;
        } else if leave {
            held[0] = held[1];
            buffer_warp[0] = buffer_warp[1];
            buffer_register[0] = buffer_register[1];
        }
        if enters[1] {
            held[1] = true;
            buffer_warp[1] = read_warp;
            buffer_register[1] = read_register;
        } else if leave {
            held[1] = false;
        }
    }

    /// So do values.
    fn values() {
        if leave {
            full[0] = full[1] | arrives[1];
            full[1] = false;
            buffer[0] = if full[1] { buffer[1] } else { answer_data };
        } else if arrives[0] {
            full[0] = true;
            buffer[0] = answer_data;
        }
        if arrives[1] {
            full[1] = !leave;
            buffer[1] = answer_data;
        }
    }
}
