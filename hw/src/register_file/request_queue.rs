//! Queue of the read requests that wait for one bank: F §II.
//!
//! First in, first out. An instruction may push all its sources in one cycle, in slot order; they
//! share its collector. The queue shifts: its head is always entry 0.
//!
//! Places lie on eight lanes, in turn. The pushes of a cycle are laid on as many lanes, beginning with that of the first empty
//! place, so that a place takes what is on its own lane and need not choose among the slots.
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
    sizes(
        depth = collectors * slots,
        seconds = accesses - 1,
        rows = (collectors * slots).div_ceil(8),
        places = (collectors * slots).next_multiple_of(8),
        turns = slots + 1
    )
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

    /// Entries that stay, after `pop` has shifted the queue, and the place behind them.
    full: Local<[Bit; depth]>,
    first: Local<[Bit; places]>,
    /// The lane that is next at each slot, and behind the last.
    turn: Local<[[Bit; 8]; turns]>,
    /// What lies on the lane of each place.
    offered: Local<[Bit; places]>,
    offered_row: Local<[Bits<8>; places]>,
    offered_slot: Local<[Bits<3>; places]>,
    takes: Local<[Bit; depth]>,
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

        // The lane of the first empty place, then the others around.
        for p in 0..1 {
            self.first[p].next = !self.full[p].val();
        }
        for p in 1..depth {
            self.first[p].next = !self.full[p].val() & self.full[p - 1].val();
        }
        for p in depth..places {
            self.first[p].next = false;
        }
        for l in 0..8 {
            self.turn[0][l].next = false;
            for r in 0..rows {
                self.turn[0][l].next = self.turn[0][l].val() | self.first[r * 8 + l].val();
            }
        }
        for s in 0..slots {
            for l in 0..8 {
                self.turn[s + 1][l].next = self.turn[s][l].val();
            }
            if self.push[s].val() {
                for l in 0..1 {
                    self.turn[s + 1][l].next = self.turn[s][7].val();
                }
                for l in 1..8 {
                    self.turn[s + 1][l].next = self.turn[s][l - 1].val();
                }
            }
        }

        // What is pushed lies on the lanes, which are the first eight places.
        self.any_push.next = false;
        for l in 0..8 {
            self.offered[l].next = false;
            self.offered_row[l].next = 0.into();
            self.offered_slot[l].next = 0.into();
        }
        for s in 0..slots {
            self.any_push.next = self.any_push.val() | self.push[s].val();
            for l in 0..8 {
                if self.push[s].val() & self.turn[s][l].val() {
                    self.offered[l].next = true;
                    self.offered_row[l].next = self.offered_row[l].val() | self.push_row[s].val();
                    self.offered_slot[l].next = self.offered_slot[l].val() | self.slot_number[s].val();
                }
            }
        }
        for p in 8..places {
            self.offered[p].next = self.offered[p - 8].val();
            self.offered_row[p].next = self.offered_row[p - 8].val();
            self.offered_slot[p].next = self.offered_slot[p - 8].val();
        }

        // An empty place is the next of its lane if the one before it on that lane is full.
        for p in 0..depth {
            self.takes[p].next = self.offered[p].val() & !self.full[p].val();
        }
        for p in 8..depth {
            self.takes[p].next = self.takes[p].val() & self.full[p - 8].val();
        }

        for p in 0..depth {
            self.valid[p]
                .load(self.pop.val() | self.any_push.val(), self.full[p].val() | self.takes[p].val());
            if self.takes[p].val() {
                self.row[p].d.next = self.offered_row[p].val();
                self.collector[p].d.next = self.push_collector.val();
                self.slot[p].d.next = self.offered_slot[p].val();
            }
            // What stays in place must not be overwritten by its neighbour.
            self.changes[p].next = self.pop.val() | self.takes[p].val();
            self.row[p].enable.next = self.changes[p].val();
            self.collector[p].enable.next = self.changes[p].val();
            self.slot[p].enable.next = self.changes[p].val();
        }
    }
}
