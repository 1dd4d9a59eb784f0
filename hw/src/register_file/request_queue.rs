//! Queue of the read requests that wait for one bank: F §II.
//!
//! First in, first out. An instruction may push all its sources in one cycle, in slot order; they
//! share its collector. The queue shifts: its head is always entry 0.
//!
//! Timing: what is pushed in a cycle is in the queue in the next, behind what was there; `pop` removes
//! the head at the end of its cycle. Nothing is ever refused: with one entry per slot of every
//! collector, and one instruction per collector, the queue cannot overflow.

use gpurf_blocks::{Parameters, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// `C`: bits of a collector's number.
#[derive(LogicBlock, Module)]
pub struct RequestQueue<const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    #[port(max = MAX_SLOTS)]
    pub push: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub push_row: Vec<Signal<In, Bits<8>>>,
    pub push_collector: Signal<In, Bits<C>>,
    /// Remove the head; the queue must not be empty.
    pub pop: Signal<In, Bit>,

    /// The queue is not empty. While it is, the fields of the head are zero.
    pub head_valid: Signal<Out, Bit>,
    pub head_row: Signal<Out, Bits<8>>,
    pub head_collector: Signal<Out, Bits<C>>,
    pub head_slot: Signal<Out, Bits<3>>,

    /// Entries that stay, after `pop` has shifted the queue, and those taken by pushes so far.
    full: Vec<Signal<Local, Bit>>,
    placed: Signal<Local, Bit>,
    changes: Vec<Signal<Local, Bit>>,
    any_push: Signal<Local, Bit>,
    valid: Vec<Register<Bit>>,
    row: Vec<Register<Bits<8>>>,
    collector: Vec<Register<Bits<C>>>,
    slot: Vec<Register<Bits<3>>>,
    slot_number: Vec<Constant<Bits<3>>>,
    identity: Identity,
    _depth: usize,
    _slots: usize,
}

impl<const C: usize> RequestQueue<C> {
    /// `collectors`, `slots`: the queue has room for every slot of every collector.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, .. } = *parameters;
        let depth = collectors * slots;
        RequestQueue {
            clock: Signal::default(),
            reset: Signal::default(),
            push: array(slots),
            push_row: array(slots),
            push_collector: Signal::default(),
            pop: Signal::default(),
            head_valid: Signal::default(),
            head_row: Signal::default(),
            head_collector: Signal::default(),
            head_slot: Signal::default(),
            full: array(depth),
            placed: Signal::default(),
            changes: array(depth),
            any_push: Signal::default(),
            valid: array(depth),
            row: array(depth),
            collector: array(depth),
            slot: array(depth),
            slot_number: (0..slots).map(|slot| Constant::new((slot as u64).into())).collect(),
            identity: Identity::new(
                "request_queue",
                "Read request queue of a bank (F II)",
                &[("depth", depth), ("slots", slots), ("collector", C)],
            ),
            _depth: depth,
            _slots: slots,
        }
    }
}

impl<const C: usize> Logic for RequestQueue<C> {
    #[rtl]
    fn update(&mut self) {
        self.head_valid.next = self.valid[0].q.val();
        self.head_row.next = 0.into();
        self.head_collector.next = 0.into();
        self.head_slot.next = 0.into();
        if self.valid[0].q.val() {
            self.head_row.next = self.row[0].q.val();
            self.head_collector.next = self.collector[0].q.val();
            self.head_slot.next = self.slot[0].q.val();
        }

        for p in 0..self._depth {
            self.valid[p].clock.next = self.clock.val();
            self.valid[p].reset.next = self.reset.val();
            self.row[p].clock.next = self.clock.val();
            self.row[p].reset.next = self.reset.val();
            self.collector[p].clock.next = self.clock.val();
            self.collector[p].reset.next = self.reset.val();
            self.slot[p].clock.next = self.clock.val();
            self.slot[p].reset.next = self.reset.val();
        }

        // Shift.
        for p in 0..self._depth - 1 {
            self.full[p].next = self.valid[p].q.val();
            if self.pop.val() {
                self.full[p].next = self.valid[p + 1].q.val();
            }
            self.row[p].d.next = self.row[p + 1].q.val();
            self.collector[p].d.next = self.collector[p + 1].q.val();
            self.slot[p].d.next = self.slot[p + 1].q.val();
        }
        for p in self._depth - 1..self._depth {
            self.full[p].next = self.valid[p].q.val() & !self.pop.val();
            self.row[p].d.next = self.row[p].q.val();
            self.collector[p].d.next = self.collector[p].q.val();
            self.slot[p].d.next = self.slot[p].q.val();
        }

        // Each push takes the first entry that is empty by then.
        self.any_push.next = false;
        for s in 0..self._slots {
            self.placed.next = false;
            if self.push[s].val() {
                self.any_push.next = true;
                for p in 0..self._depth {
                    if !self.full[p].val() & !self.placed.val() {
                        self.row[p].d.next = self.push_row[s].val();
                        self.collector[p].d.next = self.push_collector.val();
                        self.slot[p].d.next = self.slot_number[s].val();
                        self.full[p].next = true;
                        self.placed.next = true;
                    }
                }
            }
        }

        for p in 0..self._depth {
            self.valid[p].enable.next = self.pop.val() | self.any_push.val();
            self.valid[p].d.next = self.full[p].val();
            // What stays in place must not be overwritten by its neighbour.
            self.changes[p].next = self.pop.val() | (self.full[p].val() & !self.valid[p].q.val());
            self.row[p].enable.next = self.changes[p].val();
            self.collector[p].enable.next = self.changes[p].val();
            self.slot[p].enable.next = self.changes[p].val();
        }
    }
}
