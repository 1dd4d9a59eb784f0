//! Operand collector table (OCT) of the caching collector unit: W §3.2, F §III-C.
//!
//! One slot per source operand: valid, ready, and the index of the cache-table entry that holds the
//! value, so that a value is stored once however many slots name it.
//!
//! Timing: `issue` fills all slots at the end of its cycle; a value arriving for a slot makes ready
//! every slot that points to the same entry, so that a register named twice is read once.

use gpurf_blocks::{Parameters, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// `I`: bits of an index.
#[derive(LogicBlock, Module)]
pub struct OperandCollectorTable<const I: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    pub issue: Signal<In, Bit>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_index: Vec<Signal<In, Bits<I>>>,
    /// The source is in the cache table already.
    #[port(max = MAX_SLOTS)]
    pub source_hit: Vec<Signal<In, Bit>>,
    pub s_valid: Signal<In, Bit>,
    pub s_slot: Signal<In, Bits<3>>,

    /// Entry that the arriving value fills.
    pub s_index: Signal<Out, Bits<I>>,
    #[port(max = MAX_SLOTS)]
    pub valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub index: Vec<Signal<Out, Bits<I>>>,
    /// Every valid slot is ready.
    pub all_ready: Signal<Out, Bit>,

    arrives: Vec<Signal<Local, Bit>>,
    slot_valid: Vec<Register<Bit>>,
    slot_ready: Vec<Register<Bit>>,
    slot_index: Vec<Register<Bits<I>>>,
    slot_number: Vec<Constant<Bits<3>>>,
    identity: Identity,
    _slots: usize,
}

impl<const I: usize> OperandCollectorTable<I> {
    /// `slots`: source slots, 3 to 7.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { slots, .. } = *parameters;
        OperandCollectorTable {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: Signal::default(),
            source_valid: array(slots),
            source_index: array(slots),
            source_hit: array(slots),
            s_valid: Signal::default(),
            s_slot: Signal::default(),
            s_index: Signal::default(),
            valid: array(slots),
            index: array(slots),
            all_ready: Signal::default(),
            arrives: array(slots),
            slot_valid: array(slots),
            slot_ready: array(slots),
            slot_index: array(slots),
            slot_number: (0..slots).map(|slot| Constant::new((slot as u64).into())).collect(),
            identity: Identity::new(
                "operand_collector_table",
                "Operand collector table (W 3.2, F III-C)",
                &[("slots", slots), ("index", I)],
            ),
            _slots: slots,
        }
    }
}

impl<const I: usize> Logic for OperandCollectorTable<I> {
    #[rtl]
    fn update(&mut self) {
        self.s_index.next = 0.into();
        self.all_ready.next = true;
        for s in 0..self._slots {
            if self.s_slot.val() == self.slot_number[s].val() {
                self.s_index.next = self.slot_index[s].q.val();
            }
        }
        for s in 0..self._slots {
            self.arrives[s].next = (self.s_valid.val() & self.slot_valid[s].q.val())
                & (self.slot_index[s].q.val() == self.s_index.val());

            self.slot_valid[s].clock.next = self.clock.val();
            self.slot_valid[s].reset.next = self.reset.val();
            self.slot_valid[s].enable.next = self.issue.val();
            self.slot_valid[s].d.next = self.source_valid[s].val();

            self.slot_ready[s].clock.next = self.clock.val();
            self.slot_ready[s].reset.next = self.reset.val();
            self.slot_ready[s].enable.next = self.issue.val() | self.arrives[s].val();
            self.slot_ready[s].d.next = self.arrives[s].val() | self.source_hit[s].val();

            self.slot_index[s].clock.next = self.clock.val();
            self.slot_index[s].reset.next = self.reset.val();
            self.slot_index[s].enable.next = self.issue.val();
            self.slot_index[s].d.next = self.source_index[s].val();

            if self.slot_valid[s].q.val() & !self.slot_ready[s].q.val() {
                self.all_ready.next = false;
            }
            self.valid[s].next = self.slot_valid[s].q.val();
            self.index[s].next = self.slot_index[s].q.val();
        }
    }
}
