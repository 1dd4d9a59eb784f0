//! One instruction in the window of a bypassing operand collector: F §VI-B.
//!
//! Buffers the instruction's source and destination operands. Each operand: valid, register, ready (the
//! value is there), data. An operand that is valid and ready holds its register's present value, and can
//! be forwarded to a later instruction; see [`super::Boc`] for why.
//!
//! Timing: look-ups see the operands as they are at the start of the cycle, under `dispatch_on_arrival` with the value
//! that arrives in it; all other changes show in the next.
//! An instruction that enters replaces the one that was here.
//!
//! Storage: `(slots + destinations) × (width + 10)` bits.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `W`: data width in bits.
#[block(
    title = "One instruction in the window of a bypassing operand collector",
    paper = "F §VI-B",
    parameters(width, slots, destinations, banks, accesses, dispatch_on_arrival),
    sizes(seconds = accesses - 1)
)]
pub struct WindowInstruction<const W: usize> {
    /// A new instruction takes this place.
    pub enter: In<Bit>,
    /// The operands leave the window, and no other instruction takes their place.
    pub clear: In<Bit>,
    /// Sources of a new instruction. They are looked up here wherever it enters.
    pub source_valid: In<[Bit; slots]>,
    /// Their registers.
    pub source_register: In<[Bits<8>; slots]>,
    /// A source's value, if it was found in the window.
    pub forwarded: In<[Bit; slots]>,
    /// That value.
    pub forwarded_data: In<[Bits<W>; slots]>,
    /// Destinations of a new instruction.
    pub destination_valid: In<[Bit; destinations]>,
    /// Their registers.
    pub destination_register: In<[Bits<8>; destinations]>,
    /// Port S: the value of a source slot of this instruction arrives from the banks.
    pub s_valid: In<Bit>,
    /// That slot.
    pub s_slot: In<Bits<3>>,
    /// The value.
    pub s_data: In<Bits<W>>,
    /// With two accesses per cycle: the value of another slot arrives, of another register.
    pub second_s_valid: In<[Bit; seconds]>,
    /// That slot.
    pub second_s_slot: In<[Bits<3>; seconds]>,
    /// The value.
    pub second_s_data: In<[Bits<W>; seconds]>,
    /// Results of the warp.
    pub write_valid: In<[Bit; banks]>,
    /// Its register.
    pub write_register: In<[Bits<8>; banks]>,
    /// Its value.
    pub write_data: In<[Bits<W>; banks]>,

    /// The register is here, with its value; which is zero if not.
    pub found: Out<[Bit; slots]>,
    /// That value.
    pub found_data: Out<[Bits<W>; slots]>,
    /// The result goes into the slot of a destination.
    pub cached: Out<[Bit; banks]>,
    /// The slot is used.
    pub operand_valid: Out<[Bit; slots]>,
    /// The source is valid and its value is there.
    pub operand_ready: Out<[Bit; slots]>,
    /// Its value.
    pub operand_data: Out<[Bits<W>; slots]>,
    /// Every valid source is ready.
    pub all_ready: Out<Bit>,

    s_register: Local<Bits<8>>,
    arrives: Local<[Bit; slots]>,
    second_s_register: Local<[Bits<8>; seconds]>,
    second_arrives: Local<[[Bit; slots]; seconds]>,
    /// The source's value arrives, and can leave in the same cycle.
    passes: Local<[Bit; slots]>,
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
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

impl<const W: usize> Logic for WindowInstruction<W> {
    #[rtl]
    fn update(&mut self) {
        // A destination waits for its result, or has it.
        for k in 0..destinations {
            self.destination_usable[k].next =
                self.destination_held[k].val() & self.destination_ready[k].val();
            self.awaits[k].next = (self.destination_held[k].val() & !self.destination_ready[k].val())
                & (!self.enter.val() & !self.clear.val());
        }

        // Port S. A register that is named twice arrives once, for all its slots.
        self.s_register.next = 0.into();
        for s in 0..slots {
            if self.s_slot.val() == self.slot_number[s].val() {
                self.s_register.next = self.source_tag[s].val();
            }
        }
        for k in 0..seconds {
            self.second_s_register[k].next = 0.into();
            for s in 0..slots {
                if self.second_s_slot[k].val() == self.slot_number[s].val() {
                    self.second_s_register[k].next = self.source_tag[s].val();
                }
            }
        }
        for s in 0..slots {
            self.arrives[s].next = self.s_valid.val() & (self.source_tag[s].val() == self.s_register.val());
            for k in 0..seconds {
                self.second_arrives[k][s].next = self.second_s_valid[k].val()
                    & (self.source_tag[s].val() == self.second_s_register[k].val());
                if self.second_arrives[k][s].val() {
                    self.arrives[s].next = true;
                }
            }
            self.passes[s].next = self.arrives[s].val() & self.can_pass.val();
            self.operand_valid[s].next = self.source_held[s].val();
            self.operand_ready[s].next =
                self.source_held[s].val() & (self.source_ready[s].val() | self.passes[s].val());
            self.operand_data[s].next = self.source_data[s].val();
            if self.passes[s].val() {
                self.operand_data[s].next = self.s_data.val();
                for k in 0..seconds {
                    if self.second_arrives[k][s].val() {
                        self.operand_data[s].next = self.second_s_data[k].val();
                    }
                }
            }
        }

        // Look-up. All that is found of a register is the same value, so a sum of products will do.
        for s in 0..slots {
            self.found[s].next = false;
            self.found_data[s].next = 0.into();
            for t in 0..slots {
                if self.operand_ready[t].val() & (self.source_tag[t].val() == self.source_register[s].val()) {
                    self.found[s].next = true;
                    self.found_data[s].next = self.found_data[s].val() | self.operand_data[t].val();
                }
            }
            for k in 0..destinations {
                if self.destination_usable[k].val()
                    & (self.destination_tag[k].val() == self.source_register[s].val())
                {
                    self.found[s].next = true;
                    self.found_data[s].next = self.found_data[s].val() | self.destination_data[k].val();
                }
            }
        }

        // Sources. A result makes a copy of its register's old value invalid.
        self.all_ready.next = true;
        for s in 0..slots {
            self.source_written[s].next = false;
            for b in 0..banks {
                if self.write_valid[b].val() & (self.write_register[b].val() == self.source_tag[s].val()) {
                    self.source_written[s].next = true;
                }
            }

            self.source_held[s]
                .load(true, (self.source_held[s].val() & !self.source_written[s].val()) & !self.clear.val());
            if self.enter.val() {
                self.source_held[s].d.next = self.source_valid[s].val();
            }

            self.source_tag[s].load(self.enter.val(), self.source_register[s].val());

            // What arrives with an instruction that enters is for the one that was here.
            self.source_ready[s]
                .load(self.enter.val() | self.arrives[s].val(), !self.enter.val() | self.forwarded[s].val());

            // Data needs no reset: it is read only after it was written.
            self.source_data[s].reset.next = false;
            self.source_data[s].load(
                (self.enter.val() & self.forwarded[s].val()) | self.arrives[s].val(),
                self.s_data.val(),
            );
            for k in 0..seconds {
                if self.second_arrives[k][s].val() {
                    self.source_data[s].d.next = self.second_s_data[k].val();
                }
            }
            if self.enter.val() & self.forwarded[s].val() {
                self.source_data[s].d.next = self.forwarded_data[s].val();
            }

            if self.source_held[s].val() & !self.operand_ready[s].val() {
                self.all_ready.next = false;
            }
        }

        // Destinations. A result fills the slot that waits for it; a slot that has its result already
        // holds an old value then, as a source does.
        for b in 0..banks {
            self.cached[b].next = false;
        }
        for k in 0..destinations {
            self.destination_written[k].next = false;
            self.result_data[k].next = 0.into();
            for b in 0..banks {
                if self.write_valid[b].val() & (self.write_register[b].val() == self.destination_tag[k].val())
                {
                    self.destination_written[k].next = true;
                    self.result_data[k].next = self.result_data[k].val() | self.write_data[b].val();
                    if self.awaits[k].val() {
                        self.cached[b].next = true;
                    }
                }
            }

            self.destination_held[k].load(
                true,
                (self.destination_held[k].val()
                    & !(self.destination_written[k].val() & self.destination_ready[k].val()))
                    & !self.clear.val(),
            );
            if self.enter.val() {
                self.destination_held[k].d.next = self.destination_valid[k].val();
            }

            self.destination_tag[k].load(self.enter.val(), self.destination_register[k].val());

            self.destination_ready[k].load(
                self.enter.val() | (self.awaits[k].val() & self.destination_written[k].val()),
                !self.enter.val(),
            );

            self.destination_data[k].reset.next = false;
            self.destination_data[k]
                .load(self.awaits[k].val() & self.destination_written[k].val(), self.result_data[k].val());
        }
    }
}
