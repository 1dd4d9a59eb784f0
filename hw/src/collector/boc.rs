//! Bypassing operand collector (BOC) of BOW, a compared design: F §VI-B.
//!
//! Private to a warp. It keeps the source and destination operands of the warp's last instructions, a
//! sliding window with the instruction that is being collected as its newest. A source that the window
//! holds is forwarded into the slot of the new instruction; the others are read from the banks. Results
//! are written through: to the banks, and into the destination's slot while that is in the window.
//!
//! Timing. `issue` does all of this in its cycle: the window slides, so that the operands of its oldest
//! instruction leave; the sources are looked up in what stays; values that are found are copied;
//! requests for the others. A value on port S is stored at the end of its cycle. `ready` is high from the
//! cycle after the last value arrived, at the earliest the cycle after issue. `dispatch` frees the unit
//! for the next instruction at the end of its cycle; the operands stay in the window. Any number of
//! results enter at the end of their cycle, after an instruction that is issued in it.
//!
//! **No operand is stale.** The window follows the program's order of one warp, and a result
//! that passes makes every other copy of its register invalid. So all valid copies of a register that
//! have their value are its newest value, and it does not matter which one is forwarded. Between the issue
//! of an instruction and its result the older copies still stand, as the value in the banks does; the
//! scoreboard lets no instruction read the register then, nor the result pass before older readers are
//! dispatched.
//!
//! Where the papers are silent, we decided:
//!
//! * The window of `window` instructions counts the new one, as the papers' storage does: a value is
//!   forwarded over at most `window - 1` instructions.
//! * `flush` with an issue empties the window before the instruction enters. It is to be set when a branch
//!   has left the window: the instruction's address is neither the one after the last issued
//!   instruction's nor that of an instruction in the window. Values would be right without it.
//! * An instruction with more than `destinations` destinations keeps the first ones. A result without a
//!   slot goes to the banks alone, and makes copies of its register invalid.
//! * A register that an instruction names twice takes two slots and one request.
//! * A destination whose result never comes, of an instruction without active lanes, is found by nobody.
//!
//! Storage: `window × (slots + destinations) × (width + 10) + 42` bits.

use gpurf_blocks::{Parameters, MAX_BANKS, MAX_DESTINATIONS, MAX_SLOTS};
use rust_hdl::prelude::*;

use super::WindowInstruction;
use crate::dialect::{array, rtl, Identity, Module, Register};

/// `W`: data width in bits.
#[derive(LogicBlock, Module)]
pub struct Boc<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An instruction enters; the unit must not be occupied.
    pub issue: Signal<In, Bit>,
    /// With `issue`: the window is emptied before.
    pub flush: Signal<In, Bit>,
    pub unit: Signal<In, Bits<3>>,
    pub payload: Signal<In, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    /// The instruction's first destinations.
    #[port(max = MAX_DESTINATIONS)]
    pub destination_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_register: Vec<Signal<In, Bits<8>>>,
    /// Port S: the value of a source slot arrives from the banks.
    pub s_valid: Signal<In, Bit>,
    pub s_slot: Signal<In, Bits<3>>,
    pub s_data: Signal<In, Bits<W>>,
    /// Results of the warp, all of them, no two of one register.
    #[port(max = MAX_BANKS)]
    pub write_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_data: Vec<Signal<In, Bits<W>>>,
    /// The instruction leaves; it must be ready.
    pub dispatch: Signal<In, Bit>,

    /// Read requests of the instruction issued in this cycle.
    #[port(max = MAX_SLOTS)]
    pub request: Vec<Signal<Out, Bit>>,
    /// Sources of the instruction issued in this cycle that were found.
    #[port(max = MAX_SLOTS)]
    pub hit: Vec<Signal<Out, Bit>>,
    pub occupied: Signal<Out, Bit>,
    /// All sources have arrived.
    pub ready: Signal<Out, Bit>,
    pub held_unit: Signal<Out, Bits<3>>,
    pub held_payload: Signal<Out, Bits<32>>,
    /// This result also goes into a slot of the window.
    #[port(max = MAX_BANKS)]
    pub cached: Vec<Signal<Out, Bit>>,
    /// Sources of the present or last instruction. Data is zero until it is there.
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,

    uses: Vec<Signal<Local, Bit>>,
    named: Vec<Signal<Local, Bit>>,
    repeated: Vec<Signal<Local, Bit>>,
    flushes: Signal<Local, Bit>,
    found: Vec<Signal<Local, Bit>>,
    found_data: Vec<Signal<Local, Bits<W>>>,
    enters: Vec<Signal<Local, Bit>>,
    presents: Vec<Signal<Local, Bit>>,
    all_ready: Signal<Local, Bit>,
    /// Place of the oldest instruction, which the next one takes.
    oldest: Register<Bits<3>>,
    /// Place of the present or last instruction.
    newest: Register<Bits<3>>,
    occupancy: Register<Bit>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    instructions: Vec<WindowInstruction<W>>,
    place: Vec<Constant<Bits<3>>>,
    last_place: Constant<Bits<3>>,
    identity: Identity,
    _window: usize,
    _slots: usize,
    _destinations: usize,
    _banks: usize,
}

impl<const W: usize> Boc<W> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { window, slots, destinations, banks, .. } = *parameters;
        Boc {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: Signal::default(),
            flush: Signal::default(),
            unit: Signal::default(),
            payload: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            destination_valid: array(destinations),
            destination_register: array(destinations),
            s_valid: Signal::default(),
            s_slot: Signal::default(),
            s_data: Signal::default(),
            write_valid: array(banks),
            write_register: array(banks),
            write_data: array(banks),
            dispatch: Signal::default(),
            request: array(slots),
            hit: array(slots),
            occupied: Signal::default(),
            ready: Signal::default(),
            held_unit: Signal::default(),
            held_payload: Signal::default(),
            cached: array(banks),
            operand_valid: array(slots),
            operand_data: array(slots),
            uses: array(slots),
            named: array(slots),
            repeated: array(slots),
            flushes: Signal::default(),
            found: array(slots),
            found_data: array(slots),
            enters: array(window),
            presents: array(window),
            all_ready: Signal::default(),
            oldest: Register::default(),
            newest: Register::default(),
            occupancy: Register::default(),
            unit_held: Register::default(),
            payload_held: Register::default(),
            instructions: (0..window).map(|_| WindowInstruction::new(parameters)).collect(),
            place: (0..window).map(|place| Constant::new((place as u64).into())).collect(),
            last_place: Constant::new((window as u64 - 1).into()),
            identity: Identity::new(
                "boc",
                "Bypassing operand collector of BOW (F VI-B)",
                &[
                    ("w", W),
                    ("window", window),
                    ("slots", slots),
                    ("destinations", destinations),
                    ("banks", banks),
                ],
            ),
            _window: window,
            _slots: slots,
            _destinations: destinations,
            _banks: banks,
        }
    }
}

impl<const W: usize> Logic for Boc<W> {
    #[rtl]
    fn update(&mut self) {
        // Metadata.
        self.occupancy.clock.next = self.clock.val();
        self.occupancy.reset.next = self.reset.val();
        self.occupancy.enable.next = self.issue.val() | self.dispatch.val();
        self.occupancy.d.next = self.issue.val();
        self.unit_held.clock.next = self.clock.val();
        self.unit_held.reset.next = self.reset.val();
        self.unit_held.enable.next = self.issue.val();
        self.unit_held.d.next = self.unit.val();
        self.payload_held.clock.next = self.clock.val();
        self.payload_held.reset.next = self.reset.val();
        self.payload_held.enable.next = self.issue.val();
        self.payload_held.d.next = self.payload.val();
        self.occupied.next = self.occupancy.q.val();
        self.held_unit.next = self.unit_held.q.val();
        self.held_payload.next = self.payload_held.q.val();

        // The window slides: places are taken in turn, and no data moves.
        self.oldest.clock.next = self.clock.val();
        self.oldest.reset.next = self.reset.val();
        self.oldest.enable.next = self.issue.val();
        self.oldest.d.next = self.oldest.q.val() + 1;
        if self.oldest.q.val() == self.last_place.val() {
            self.oldest.d.next = 0.into();
        }
        self.newest.clock.next = self.clock.val();
        self.newest.reset.next = self.reset.val();
        self.newest.enable.next = self.issue.val();
        self.newest.d.next = self.oldest.q.val();
        self.flushes.next = self.issue.val() & self.flush.val();
        for p in 0..self._window {
            self.enters[p].next = self.issue.val() & (self.oldest.q.val() == self.place[p].val());
            self.presents[p].next = self.newest.q.val() == self.place[p].val();
            self.instructions[p].clock.next = self.clock.val();
            self.instructions[p].reset.next = self.reset.val();
            self.instructions[p].enter.next = self.enters[p].val();
            self.instructions[p].clear.next = self.flushes.val();
        }

        // Look-up in what stays in the window.
        for s in 0..self._slots {
            self.found[s].next = false;
            self.found_data[s].next = 0.into();
            for p in 0..self._window {
                if !self.enters[p].val() & self.instructions[p].found[s].val() {
                    self.found[s].next = true;
                    self.found_data[s].next =
                        self.found_data[s].val() | self.instructions[p].found_data[s].val();
                }
            }
        }

        // A slot repeats another if an earlier one names the same register; it needs no request.
        for s in 0..self._slots {
            self.named[s].next = false;
        }
        for s in 0..self._slots {
            self.uses[s].next = self.issue.val() & self.source_valid[s].val();
            self.repeated[s].next = false;
            for t in 0..self._slots {
                if self.named[t].val() & (self.source_register[t].val() == self.source_register[s].val()) {
                    self.repeated[s].next = true;
                }
            }
            self.named[s].next = self.uses[s].val();
            self.hit[s].next = (self.uses[s].val() & self.found[s].val()) & !self.flush.val();
            self.request[s].next = (self.uses[s].val() & !self.hit[s].val()) & !self.repeated[s].val();
        }

        // Operands and results reach every instruction of the window.
        for b in 0..self._banks {
            self.cached[b].next = false;
        }
        for p in 0..self._window {
            for s in 0..self._slots {
                self.instructions[p].source_valid[s].next = self.source_valid[s].val();
                self.instructions[p].source_register[s].next = self.source_register[s].val();
                self.instructions[p].forwarded[s].next = self.hit[s].val();
                self.instructions[p].forwarded_data[s].next = self.found_data[s].val();
            }
            for k in 0..self._destinations {
                self.instructions[p].destination_valid[k].next = self.destination_valid[k].val();
                self.instructions[p].destination_register[k].next = self.destination_register[k].val();
            }
            self.instructions[p].s_valid.next = self.s_valid.val() & self.presents[p].val();
            self.instructions[p].s_slot.next = self.s_slot.val();
            self.instructions[p].s_data.next = self.s_data.val();
            for b in 0..self._banks {
                self.instructions[p].write_valid[b].next = self.write_valid[b].val();
                self.instructions[p].write_register[b].next = self.write_register[b].val();
                self.instructions[p].write_data[b].next = self.write_data[b].val();
                if self.instructions[p].cached[b].val() {
                    self.cached[b].next = true;
                }
            }
        }

        // Operands of the present instruction.
        self.all_ready.next = false;
        for s in 0..self._slots {
            self.operand_valid[s].next = false;
            self.operand_data[s].next = 0.into();
        }
        for p in 0..self._window {
            if self.presents[p].val() {
                self.all_ready.next = self.instructions[p].all_ready.val();
                for s in 0..self._slots {
                    self.operand_valid[s].next = self.instructions[p].operand_valid[s].val();
                    if self.instructions[p].operand_ready[s].val() {
                        self.operand_data[s].next =
                            self.operand_data[s].val() | self.instructions[p].operand_data[s].val();
                    }
                }
            }
        }
        self.ready.next = self.occupancy.q.val() & self.all_ready.val();
    }
}
