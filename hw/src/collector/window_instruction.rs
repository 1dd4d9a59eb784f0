//! One instruction in the window of a bypassing operand collector: F §VI-B.
//!
//! Buffers the instruction's source and destination operands. Each operand: valid, register, ready (the
//! value is there), data. An operand that is valid and ready holds its register's present value, and can
//! be forwarded to a later instruction; see [`super::Boc`] for why.
//!
//! Timing: look-ups see the operands as they are at the start of the cycle; all changes show in the next.
//! An instruction that enters replaces the one that was here.
//!
//! Storage: `(slots + destinations) × (width + 10)` bits.

use gpurf_blocks::{Parameters, MAX_BANKS, MAX_DESTINATIONS, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// `W`: data width in bits.
#[derive(LogicBlock, Module)]
pub struct WindowInstruction<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// A new instruction takes this place.
    pub enter: Signal<In, Bit>,
    /// The operands leave the window, and no other instruction takes their place.
    pub clear: Signal<In, Bit>,
    /// Sources of a new instruction. They are looked up here wherever it enters.
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    /// A source's value, if it was found in the window.
    #[port(max = MAX_SLOTS)]
    pub forwarded: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub forwarded_data: Vec<Signal<In, Bits<W>>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_register: Vec<Signal<In, Bits<8>>>,
    /// Port S: the value of a source slot of this instruction arrives from the banks.
    pub s_valid: Signal<In, Bit>,
    pub s_slot: Signal<In, Bits<3>>,
    pub s_data: Signal<In, Bits<W>>,
    /// Results of the warp.
    #[port(max = MAX_BANKS)]
    pub write_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_data: Vec<Signal<In, Bits<W>>>,

    /// The register is here, with its value; which is zero if not.
    #[port(max = MAX_SLOTS)]
    pub found: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub found_data: Vec<Signal<Out, Bits<W>>>,
    /// The result goes into the slot of a destination.
    #[port(max = MAX_BANKS)]
    pub cached: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    /// The source is valid and its value is there.
    #[port(max = MAX_SLOTS)]
    pub operand_ready: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,
    /// Every valid source is ready.
    pub all_ready: Signal<Out, Bit>,

    s_register: Signal<Local, Bits<8>>,
    arrives: Vec<Signal<Local, Bit>>,
    source_written: Vec<Signal<Local, Bit>>,
    source_held: Vec<Register<Bit>>,
    source_tag: Vec<Register<Bits<8>>>,
    source_ready: Vec<Register<Bit>>,
    source_data: Vec<Register<Bits<W>>>,
    destination_usable: Vec<Signal<Local, Bit>>,
    awaits: Vec<Signal<Local, Bit>>,
    destination_written: Vec<Signal<Local, Bit>>,
    result_data: Vec<Signal<Local, Bits<W>>>,
    destination_held: Vec<Register<Bit>>,
    destination_tag: Vec<Register<Bits<8>>>,
    destination_ready: Vec<Register<Bit>>,
    destination_data: Vec<Register<Bits<W>>>,
    slot_number: Vec<Constant<Bits<3>>>,
    identity: Identity,
    _slots: usize,
    _destinations: usize,
    _banks: usize,
}

impl<const W: usize> WindowInstruction<W> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, destinations, banks, .. } = *parameters;
        WindowInstruction {
            clock: Signal::default(),
            reset: Signal::default(),
            enter: Signal::default(),
            clear: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            forwarded: array(slots),
            forwarded_data: array(slots),
            destination_valid: array(destinations),
            destination_register: array(destinations),
            s_valid: Signal::default(),
            s_slot: Signal::default(),
            s_data: Signal::default(),
            write_valid: array(banks),
            write_register: array(banks),
            write_data: array(banks),
            found: array(slots),
            found_data: array(slots),
            cached: array(banks),
            operand_valid: array(slots),
            operand_ready: array(slots),
            operand_data: array(slots),
            all_ready: Signal::default(),
            s_register: Signal::default(),
            arrives: array(slots),
            source_written: array(slots),
            source_held: array(slots),
            source_tag: array(slots),
            source_ready: array(slots),
            source_data: array(slots),
            destination_usable: array(destinations),
            awaits: array(destinations),
            destination_written: array(destinations),
            result_data: array(destinations),
            destination_held: array(destinations),
            destination_tag: array(destinations),
            destination_ready: array(destinations),
            destination_data: array(destinations),
            slot_number: (0..slots).map(|slot| Constant::new((slot as u64).into())).collect(),
            identity: Identity::new(
                "window_instruction",
                "One instruction in the window of a bypassing operand collector (F VI-B)",
                &[("w", W), ("slots", slots), ("destinations", destinations), ("banks", banks)],
            ),
            _slots: slots,
            _destinations: destinations,
            _banks: banks,
        }
    }
}

impl<const W: usize> Logic for WindowInstruction<W> {
    #[rtl]
    fn update(&mut self) {
        // A destination waits for its result, or has it.
        for k in 0..self._destinations {
            self.destination_usable[k].next =
                self.destination_held[k].q.val() & self.destination_ready[k].q.val();
            self.awaits[k].next = (self.destination_held[k].q.val() & !self.destination_ready[k].q.val())
                & (!self.enter.val() & !self.clear.val());
        }
        for s in 0..self._slots {
            self.operand_valid[s].next = self.source_held[s].q.val();
            self.operand_ready[s].next = self.source_held[s].q.val() & self.source_ready[s].q.val();
            self.operand_data[s].next = self.source_data[s].q.val();
        }

        // Look-up. All that is found of a register is the same value, so a sum of products will do.
        for s in 0..self._slots {
            self.found[s].next = false;
            self.found_data[s].next = 0.into();
            for t in 0..self._slots {
                if self.operand_ready[t].val() & (self.source_tag[t].q.val() == self.source_register[s].val())
                {
                    self.found[s].next = true;
                    self.found_data[s].next = self.found_data[s].val() | self.source_data[t].q.val();
                }
            }
            for k in 0..self._destinations {
                if self.destination_usable[k].val()
                    & (self.destination_tag[k].q.val() == self.source_register[s].val())
                {
                    self.found[s].next = true;
                    self.found_data[s].next = self.found_data[s].val() | self.destination_data[k].q.val();
                }
            }
        }

        // Sources. A result makes a copy of its register's old value invalid.
        self.s_register.next = 0.into();
        for s in 0..self._slots {
            if self.s_slot.val() == self.slot_number[s].val() {
                self.s_register.next = self.source_tag[s].q.val();
            }
        }
        self.all_ready.next = true;
        for s in 0..self._slots {
            self.source_written[s].next = false;
            for b in 0..self._banks {
                if self.write_valid[b].val() & (self.write_register[b].val() == self.source_tag[s].q.val()) {
                    self.source_written[s].next = true;
                }
            }

            self.source_held[s].clock.next = self.clock.val();
            self.source_held[s].reset.next = self.reset.val();
            self.source_held[s].enable.next = true;
            self.source_held[s].d.next =
                (self.source_held[s].q.val() & !self.source_written[s].val()) & !self.clear.val();
            if self.enter.val() {
                self.source_held[s].d.next = self.source_valid[s].val();
            }

            self.source_tag[s].clock.next = self.clock.val();
            self.source_tag[s].reset.next = self.reset.val();
            self.source_tag[s].enable.next = self.enter.val();
            self.source_tag[s].d.next = self.source_register[s].val();

            // A register that is named twice arrives once, for all its slots.
            self.arrives[s].next = self.s_valid.val() & (self.source_tag[s].q.val() == self.s_register.val());
            self.source_ready[s].clock.next = self.clock.val();
            self.source_ready[s].reset.next = self.reset.val();
            self.source_ready[s].enable.next = self.enter.val() | self.arrives[s].val();
            self.source_ready[s].d.next =
                (self.enter.val() & self.forwarded[s].val()) | self.arrives[s].val();

            // Data needs no reset: it is read only after it was written.
            self.source_data[s].clock.next = self.clock.val();
            self.source_data[s].reset.next = false;
            self.source_data[s].enable.next =
                (self.enter.val() & self.forwarded[s].val()) | self.arrives[s].val();
            self.source_data[s].d.next = self.s_data.val();
            if self.enter.val() {
                self.source_data[s].d.next = self.forwarded_data[s].val();
            }

            if self.source_held[s].q.val() & !self.source_ready[s].q.val() {
                self.all_ready.next = false;
            }
        }

        // Destinations. A result fills the slot that waits for it; a slot that has its result already
        // holds an old value then, as a source does.
        for b in 0..self._banks {
            self.cached[b].next = false;
        }
        for k in 0..self._destinations {
            self.destination_written[k].next = false;
            self.result_data[k].next = 0.into();
            for b in 0..self._banks {
                if self.write_valid[b].val()
                    & (self.write_register[b].val() == self.destination_tag[k].q.val())
                {
                    self.destination_written[k].next = true;
                    self.result_data[k].next = self.result_data[k].val() | self.write_data[b].val();
                    if self.awaits[k].val() {
                        self.cached[b].next = true;
                    }
                }
            }

            self.destination_held[k].clock.next = self.clock.val();
            self.destination_held[k].reset.next = self.reset.val();
            self.destination_held[k].enable.next = true;
            self.destination_held[k].d.next = (self.destination_held[k].q.val()
                & !(self.destination_written[k].val() & self.destination_ready[k].q.val()))
                & !self.clear.val();
            if self.enter.val() {
                self.destination_held[k].d.next = self.destination_valid[k].val();
            }

            self.destination_tag[k].clock.next = self.clock.val();
            self.destination_tag[k].reset.next = self.reset.val();
            self.destination_tag[k].enable.next = self.enter.val();
            self.destination_tag[k].d.next = self.destination_register[k].val();

            self.destination_ready[k].clock.next = self.clock.val();
            self.destination_ready[k].reset.next = self.reset.val();
            self.destination_ready[k].enable.next =
                self.enter.val() | (self.awaits[k].val() & self.destination_written[k].val());
            self.destination_ready[k].d.next = !self.enter.val();

            self.destination_data[k].clock.next = self.clock.val();
            self.destination_data[k].reset.next = false;
            self.destination_data[k].enable.next = self.awaits[k].val() & self.destination_written[k].val();
            self.destination_data[k].d.next = self.result_data[k].val();
        }
    }
}
