//! Queue of the read requests that wait for one bank: F §II.
//!
//! First in, first out. An instruction may push all its sources in one cycle, in slot order; they
//! share its collector. The queue shifts: its head is always entry 0.
//!
//! Timing: what is pushed in a cycle is in the queue in the next, behind what was there; `pop` removes
//! the head at the end of its cycle, and `second_pop` the read behind it too. Nothing is ever refused: with one entry per slot of every
//! collector, and one instruction per collector, the queue cannot overflow.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

/// `C`: bits of a collector's number.
#[block(
    title = "Read request queue of a bank",
    paper = "F §II",
    parameters(collectors, slots, accesses),
    sizes(depth = collectors * slots, seconds = accesses - 1)
)]
pub struct RequestQueue<const C: usize> {
    /// The slot's read joins the queue.
    pub push: In<[Bit; slots]>,
    /// Row to read.
    pub push_row: In<[Bits<8>; slots]>,
    /// Collector of all pushes of this cycle.
    pub push_collector: In<Bits<C>>,
    /// Remove the head; the queue must not be empty.
    pub pop: In<Bit>,
    /// With `pop`: remove the read behind the head too; there must be one.
    pub second_pop: In<[Bit; seconds]>,

    /// The queue is not empty. While it is, the fields of the head are zero.
    pub head_valid: Out<Bit>,
    /// Row of the oldest read.
    pub head_row: Out<Bits<8>>,
    /// Its collector.
    pub head_collector: Out<Bits<C>>,
    /// Its slot.
    pub head_slot: Out<Bits<3>>,
    /// There is a read behind the head. While there is none, its fields are zero.
    pub second_valid: Out<[Bit; seconds]>,
    /// Its row.
    pub second_row: Out<[Bits<8>; seconds]>,
    /// Its collector.
    pub second_collector: Out<[Bits<C>; seconds]>,
    /// Its slot.
    pub second_slot: Out<[Bits<3>; seconds]>,

    /// Entries that stay, after `pop` has shifted the queue, and those taken by pushes so far.
    full: Local<[Bit; depth]>,
    placed: Local<Bit>,
    changes: Local<[Bit; depth]>,
    any_push: Local<Bit>,
    valid: Register<[Bit; depth]>,
    row: Register<[Bits<8>; depth]>,
    collector: Register<[Bits<C>; depth]>,
    slot: Register<[Bits<3>; depth]>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
}

impl<const C: usize> Logic for RequestQueue<C> {
    #[rtl]
    fn update(&mut self) {
        self.head_valid.next = self.valid[0].val();
        self.head_row.next = 0.into();
        self.head_collector.next = 0.into();
        self.head_slot.next = 0.into();
        if self.valid[0].val() {
            self.head_row.next = self.row[0].val();
            self.head_collector.next = self.collector[0].val();
            self.head_slot.next = self.slot[0].val();
        }

        for k in 0..seconds {
            self.second_valid[k].next = self.valid[1].val();
            self.second_row[k].next = 0.into();
            self.second_collector[k].next = 0.into();
            self.second_slot[k].next = 0.into();
            if self.valid[1].val() {
                self.second_row[k].next = self.row[1].val();
                self.second_collector[k].next = self.collector[1].val();
                self.second_slot[k].next = self.slot[1].val();
            }
        }

        // Shift.
        for p in 0..depth - 1 {
            self.full[p].next = self.valid[p].val();
            if self.pop.val() {
                self.full[p].next = self.valid[p + 1].val();
            }
            self.row[p].d.next = self.row[p + 1].val();
            self.collector[p].d.next = self.collector[p + 1].val();
            self.slot[p].d.next = self.slot[p + 1].val();
        }
        for p in depth - 1..depth {
            self.full[p].next = self.valid[p].val() & !self.pop.val();
            self.row[p].d.next = self.row[p].val();
            self.collector[p].d.next = self.collector[p].val();
            self.slot[p].d.next = self.slot[p].val();
        }

        for k in 0..seconds {
            if self.second_pop[k].val() {
                for p in 0..depth - 2 {
                    self.full[p].next = self.valid[p + 2].val();
                    self.row[p].d.next = self.row[p + 2].val();
                    self.collector[p].d.next = self.collector[p + 2].val();
                    self.slot[p].d.next = self.slot[p + 2].val();
                }
                for p in depth - 2..depth {
                    self.full[p].next = false;
                }
            }
        }

        // Each push takes the first entry that is empty by then.
        self.any_push.next = false;
        for s in 0..slots {
            self.placed.next = false;
            if self.push[s].val() {
                self.any_push.next = true;
                for p in 0..depth {
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

        for p in 0..depth {
            self.valid[p].load(self.pop.val() | self.any_push.val(), self.full[p].val());
            // What stays in place must not be overwritten by its neighbour.
            self.changes[p].next = self.pop.val() | (self.full[p].val() & !self.valid[p].val());
            self.row[p].enable.next = self.changes[p].val();
            self.collector[p].enable.next = self.changes[p].val();
            self.slot[p].enable.next = self.changes[p].val();
        }
    }
}
