//! Operand collector unit (OCU), the baseline: W §2, F §II.
//!
//! Buffers the source operands of one instruction until it is dispatched. Per source slot: a valid bit
//! (the slot is used), a ready bit (the value has arrived) and the data. Metadata: warp, execution
//! unit, payload.
//!
//! Timing: `issue` takes the instruction at the end of its cycle and requests every source in that
//! cycle; a value on port S is stored at the end of its cycle; `ready` is high from the cycle after the
//! last one arrived, at the earliest the cycle after issue; `dispatch` frees the unit at the end of its
//! cycle. Storage: `slots × (width + 2) + 39` bits.
//!
//! A register that an instruction names twice takes two slots and two reads: the paper's unit knows no
//! register numbers. The issue stage avoids it by naming each register once.

use gpurf_blocks::{Parameters, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// `W`: data width in bits.
#[derive(LogicBlock, Module)]
pub struct Ocu<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An instruction enters; the unit must not be occupied.
    pub issue: Signal<In, Bit>,
    pub warp: Signal<In, Bits<3>>,
    pub unit: Signal<In, Bits<3>>,
    pub payload: Signal<In, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    /// Port S: the value of a source slot arrives from the banks.
    pub s_valid: Signal<In, Bit>,
    pub s_slot: Signal<In, Bits<3>>,
    pub s_data: Signal<In, Bits<W>>,
    /// The instruction leaves; it must be ready.
    pub dispatch: Signal<In, Bit>,

    /// Read requests of the instruction issued in this cycle.
    #[port(max = MAX_SLOTS)]
    pub request: Vec<Signal<Out, Bit>>,
    pub occupied: Signal<Out, Bit>,
    /// All sources have arrived.
    pub ready: Signal<Out, Bit>,
    pub held_warp: Signal<Out, Bits<3>>,
    pub held_unit: Signal<Out, Bits<3>>,
    pub held_payload: Signal<Out, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,

    arrives: Vec<Signal<Local, Bit>>,
    slot_valid: Vec<Register<Bit>>,
    slot_ready: Vec<Register<Bit>>,
    slot_data: Vec<Register<Bits<W>>>,
    occupancy: Register<Bit>,
    warp_held: Register<Bits<3>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    slot_number: Vec<Constant<Bits<3>>>,
    identity: Identity,
    _slots: usize,
}

impl<const W: usize> Ocu<W> {
    /// `slots`: source slots, 3 to 7.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, .. } = *parameters;
        Ocu {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: Signal::default(),
            warp: Signal::default(),
            unit: Signal::default(),
            payload: Signal::default(),
            source_valid: array(slots),
            s_valid: Signal::default(),
            s_slot: Signal::default(),
            s_data: Signal::default(),
            dispatch: Signal::default(),
            request: array(slots),
            occupied: Signal::default(),
            ready: Signal::default(),
            held_warp: Signal::default(),
            held_unit: Signal::default(),
            held_payload: Signal::default(),
            operand_valid: array(slots),
            operand_data: array(slots),
            arrives: array(slots),
            slot_valid: array(slots),
            slot_ready: array(slots),
            slot_data: array(slots),
            occupancy: Register::default(),
            warp_held: Register::default(),
            unit_held: Register::default(),
            payload_held: Register::default(),
            slot_number: (0..slots).map(|slot| Constant::new((slot as u64).into())).collect(),
            identity: Identity::new(
                "ocu",
                "Operand collector unit (W 2, F II)",
                &[("w", W), ("slots", slots)],
            ),
            _slots: slots,
        }
    }
}

impl<const W: usize> Logic for Ocu<W> {
    #[rtl]
    fn update(&mut self) {
        // Metadata.
        self.occupancy.clock.next = self.clock.val();
        self.occupancy.reset.next = self.reset.val();
        self.occupancy.enable.next = self.issue.val() | self.dispatch.val();
        self.occupancy.d.next = self.issue.val();
        self.warp_held.clock.next = self.clock.val();
        self.warp_held.reset.next = self.reset.val();
        self.warp_held.enable.next = self.issue.val();
        self.warp_held.d.next = self.warp.val();
        self.unit_held.clock.next = self.clock.val();
        self.unit_held.reset.next = self.reset.val();
        self.unit_held.enable.next = self.issue.val();
        self.unit_held.d.next = self.unit.val();
        self.payload_held.clock.next = self.clock.val();
        self.payload_held.reset.next = self.reset.val();
        self.payload_held.enable.next = self.issue.val();
        self.payload_held.d.next = self.payload.val();
        self.held_warp.next = self.warp_held.q.val();
        self.held_unit.next = self.unit_held.q.val();
        self.held_payload.next = self.payload_held.q.val();

        self.occupied.next = self.occupancy.q.val();
        self.ready.next = self.occupancy.q.val();
        for s in 0..self._slots {
            self.request[s].next = self.issue.val() & self.source_valid[s].val();
            self.arrives[s].next = self.s_valid.val() & (self.s_slot.val() == self.slot_number[s].val());

            self.slot_valid[s].clock.next = self.clock.val();
            self.slot_valid[s].reset.next = self.reset.val();
            self.slot_valid[s].enable.next = self.issue.val();
            self.slot_valid[s].d.next = self.source_valid[s].val();

            self.slot_ready[s].clock.next = self.clock.val();
            self.slot_ready[s].reset.next = self.reset.val();
            self.slot_ready[s].enable.next = self.issue.val() | self.arrives[s].val();
            self.slot_ready[s].d.next = self.arrives[s].val();

            // Data needs no reset: it is read only after it was written.
            self.slot_data[s].clock.next = self.clock.val();
            self.slot_data[s].reset.next = false;
            self.slot_data[s].enable.next = self.arrives[s].val();
            self.slot_data[s].d.next = self.s_data.val();

            if self.slot_valid[s].q.val() & !self.slot_ready[s].q.val() {
                self.ready.next = false;
            }
            self.operand_valid[s].next = self.slot_valid[s].q.val();
            self.operand_data[s].next = self.slot_data[s].q.val();
        }
    }
}
