// SPDX-License-Identifier: Apache-2.0
//! One instruction in the window of a bypassing operand collector: F §VI-B.
//!
//! It buffers the instruction's source and destination operands. Each has valid, register, ready (the value
//! is there) and data. An operand that is valid and ready holds its register's present value. It can be
//! forwarded to a later instruction.
//!
//! Look-ups see the operands as they are at the start of the cycle, under `dispatch_on_arrival` with the
//! value that arrives in it. All other changes show in the next cycle. An instruction that enters replaces
//! the one that was here. Storage is `(slots + destinations) × (width + 10)` bits.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `W`: data width in bits.
#[block(
    title = "One instruction in the window of a bypassing operand collector",
    paper = "F §VI-B",
    parameters(width, slots, destinations, banks, accesses, dispatch_on_arrival)
)]
pub struct WindowInstruction<const W: usize> {
    /// A new instruction takes this place.
    pub enter: In<Bit>,
    /// The operands leave the window, and no other instruction takes their place.
    pub clear: In<Bit>,
    /// Sources of a new instruction. They are looked up here wherever it enters.
    pub source_valid: In<[Bit; slots]>,
    /// Register of the source.
    pub source_register: In<[Bits<8>; slots]>,
    /// A source's value, if it was found in the window.
    pub forwarded: In<[Bit; slots]>,
    /// The source's value, if it was found in the window.
    pub forwarded_data: In<[Bits<W>; slots]>,
    /// Destinations of a new instruction.
    pub destination_valid: In<[Bit; destinations]>,
    /// Register of the destination.
    pub destination_register: In<[Bits<8>; destinations]>,
    /// Port S: the value of a source slot of this instruction arrives from the banks.
    pub s_valid: In<Bit>,
    /// Slot of the value on port S.
    pub s_slot: In<Bits<3>>,
    /// The value on port S.
    pub s_data: In<Bits<W>>,
    /// With two accesses per cycle: the value of another slot arrives, of another register.
    #[when(accesses == 2)]
    pub second_s_valid: In<Bit>,
    /// Slot of the other value that arrives.
    #[when(accesses == 2)]
    pub second_s_slot: In<Bits<3>>,
    /// The other value that arrives.
    #[when(accesses == 2)]
    pub second_s_data: In<Bits<W>>,
    /// Results of the warp.
    pub write_valid: In<[Bit; banks]>,
    /// Register of the result.
    pub write_register: In<[Bits<8>; banks]>,
    /// Value of the result.
    pub write_data: In<[Bits<W>; banks]>,

    /// The register that is looked for is here, with its value.
    pub found: Out<[Bit; slots]>,
    /// The value that is found; zero without one.
    pub found_data: Out<[Bits<W>; slots]>,
    /// The result goes into the slot of a destination.
    pub cached: Out<[Bit; banks]>,
    /// The slot is used.
    pub operand_valid: Out<[Bit; slots]>,
    /// The source is valid and its value is there.
    pub operand_ready: Out<[Bit; slots]>,
    /// Value of the slot's source.
    pub operand_data: Out<[Bits<W>; slots]>,
    /// Every valid source is ready.
    pub all_ready: Out<Bit>,

    s_register: Local<Bits<8>>,
    arrives: Local<[Bit; slots]>,
    #[when(accesses == 2)]
    second_s_register: Local<Bits<8>>,
    #[when(accesses == 2)]
    second_arrives: Local<[Bit; slots]>,
    source_written: Local<[Bit; slots]>,
    source_held: Register<[Bit; slots]>,
    source_tag: Register<[Bits<8>; slots]>,
    source_ready: Register<[Bit; slots]>,
    source_data: Register<[Bits<W>; slots]>,
    destination_usable: Local<[Bit; destinations]>,
    awaits: Local<[Bit; destinations]>,
    destination_written: Local<[Bit; destinations]>,
    result_data: Local<[Bits<W>; destinations]>,
    destination_held: Register<[Bit; destinations]>,
    destination_tag: Register<[Bits<8>; destinations]>,
    destination_ready: Register<[Bit; destinations]>,
    destination_data: Register<[Bits<W>; destinations]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

#[rtl]
impl<const W: usize> WindowInstruction<W> {
    /// A destination waits for its result, or has it.
    fn destinations() {
        for k in 0..destinations {
            destination_usable[k] = destination_held[k] & destination_ready[k];
            awaits[k] = (destination_held[k] & !destination_ready[k]) & (!enter & !clear);
        }
    }

    /// Port S. A register that is named twice arrives once, for all its slots.
    fn port_s() {
        s_register = 0;
        for s in 0..slots {
            if s_slot == s {
                s_register = source_tag[s];
            }
        }
        if accesses == 2 {
            second_s_register = 0;
            for s in 0..slots {
                if second_s_slot == s {
                    second_s_register = source_tag[s];
                }
            }
        }
        for s in 0..slots {
            arrives[s] = s_valid & (source_tag[s] == s_register);
            if accesses == 2 {
                second_arrives[s] = second_s_valid & (source_tag[s] == second_s_register);
                if second_arrives[s] {
                    arrives[s] = true;
                }
            }
            /// The source's value arrives, and can leave in the same cycle.
            let passes: Bit = arrives[s] & can_pass;
            operand_valid[s] = source_held[s];
            operand_ready[s] = source_held[s] & (source_ready[s] | passes);
            operand_data[s] = source_data[s];
            if passes {
                operand_data[s] = s_data;
                if accesses == 2 {
                    if second_arrives[s] {
                        operand_data[s] = second_s_data;
                    }
                }
            }
        }
    }

    /// Look-up. All that is found of a register is the same value, so a sum of products will do.
    fn look_up() {
        for s in 0..slots {
            found[s] = false;
            found_data[s] = 0;
            for t in 0..slots {
                if operand_ready[t] & (source_tag[t] == source_register[s]) {
                    found[s] = true;
                    found_data[s] |= operand_data[t];
                }
            }
            for k in 0..destinations {
                if destination_usable[k] & (destination_tag[k] == source_register[s]) {
                    found[s] = true;
                    found_data[s] |= destination_data[k];
                }
            }
        }
    }

    /// Sources. A result makes a copy of its register's old value invalid.
    fn sources() {
        all_ready = true;
        for s in 0..slots {
            source_written[s] = false;
            for b in 0..banks {
                if write_valid[b] & (write_register[b] == source_tag[s]) {
                    source_written[s] = true;
                }
            }

            source_held[s] = (source_held[s] & !source_written[s]) & !clear;
            if enter {
                source_held[s] = source_valid[s];
                source_tag[s] = source_register[s];
            }

            // What arrives with an instruction that enters is for the one that was here.
            source_ready[s].load(enter | arrives[s], !enter | forwarded[s]);

            // Data needs no reset: it is read only after it was written.
            source_data[s].reset = false;
            source_data[s].load((enter & forwarded[s]) | arrives[s], s_data);
            if accesses == 2 {
                if second_arrives[s] {
                    source_data[s].d = second_s_data;
                }
            }
            if enter & forwarded[s] {
                source_data[s].d = forwarded_data[s];
            }

            if source_held[s] & !operand_ready[s] {
                all_ready = false;
            }
        }
    }

    /// Destinations. A result fills the slot that waits for it; a slot that has its result already
    /// holds an old value then, as a source does.
    fn results() {
        for b in 0..banks {
            cached[b] = false;
        }
        for k in 0..destinations {
            destination_written[k] = false;
            result_data[k] = 0;
            for b in 0..banks {
                if write_valid[b] & (write_register[b] == destination_tag[k]) {
                    destination_written[k] = true;
                    result_data[k] |= write_data[b];
                    if awaits[k] {
                        cached[b] = true;
                    }
                }
            }

            destination_held[k] =
                (destination_held[k] & !(destination_written[k] & destination_ready[k])) & !clear;
            if enter {
                destination_held[k] = destination_valid[k];
                destination_tag[k] = destination_register[k];
            }

            destination_ready[k].load(enter | (awaits[k] & destination_written[k]), !enter);

            destination_data[k].reset = false;
            destination_data[k].load(awaits[k] & destination_written[k], result_data[k]);
        }
    }
}
