// SPDX-License-Identifier: Apache-2.0
//! Queue of the read requests that wait for one bank: F §II.
//!
//! First in, first out. An instruction may push all its sources in one cycle, in slot order; they share its
//! collector. F §II has it so: "conflicting reads are stored in a FIFO queue associated with each bank".
//!
//! # Timing
//!
//! A push is in the queue in the next cycle, behind what was there. `pop` removes the head at the end of its
//! cycle. With two accesses per cycle (`accesses=2`) the read behind the head is shown too, and `second_pop`
//! removes it with the head.
//!
//! ```text
//! cycle         0           1       2       3
//! push          slots 0,2   -       -       -
//! pop           0           1       1       0
//! head_valid    0           1       1       0
//! head_slot     0           0       2       0
//! ```
//!
//! # Decisions
//!
//! - **It cannot overflow.** One entry per slot of every collector, and one instruction per collector: no
//!   back-pressure is needed. The papers give no depth. A shallower queue needs a stall of the issue stage.
//! - **Every entry is needed** where a bank makes one access per cycle. Writes may keep a bank busy while an
//!   instruction whose sources all live in that bank enters each collector. The scenario
//!   `every_place_of_a_queue_is_needed` of the [arbiter](arbiter.md#verification) shows it.
//! - **It shifts.** The head is always entry 0, and a push goes to the first empty entry. A ring with two
//!   pointers moves less data and needs a multiplexer for the head.
//! - **Pushes lie on lanes.** Entry *p* is on lane *p* modulo 8. The pushes of a cycle are turned so that the
//!   first is on the lane of the first empty entry, once for the whole queue. An entry then chooses between
//!   its lane and its neighbour. If every entry chose among all slots, 14 entries would be 42% larger, the
//!   longest path 65% longer (3,286 square micrometres and 1.638 ns).
//!
//! # Storage
//!
//! It keeps `collectors × slots × (12 + c)` bits, where c is the width of a collector's number: 182 for 2
//! collectors of 7 slots.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

/// `C`: bits of a collector's number.
#[block(
    title = "Read request queue of a bank",
    paper = "F §II",
    parameters(collectors, slots, accesses),
    sizes(
        depth = collectors * slots,
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
    #[when(accesses == 2)]
    pub second_pop: In<Bit>,

    /// The queue is not empty. While it is, the fields of the head are zero.
    pub head_valid: Out<Bit>,
    /// Row of the oldest read.
    pub head_row: Out<Bits<8>>,
    /// Collector of the oldest read.
    pub head_collector: Out<Bits<C>>,
    /// Slot of the oldest read.
    pub head_slot: Out<Bits<3>>,
    /// There is a read behind the head. While there is none, its fields are zero.
    #[when(accesses == 2)]
    pub second_valid: Out<Bit>,
    /// Row of the read behind the head.
    #[when(accesses == 2)]
    pub second_row: Out<Bits<8>>,
    /// Collector of the read behind the head.
    #[when(accesses == 2)]
    pub second_collector: Out<Bits<C>>,
    /// Slot of the read behind the head.
    #[when(accesses == 2)]
    pub second_slot: Out<Bits<3>>,

    /// Entries that stay, after `pop` has shifted the queue, and the place behind them.
    full: Local<[Bit; depth]>,
    first: Local<[Bit; places]>,
    /// The lane that is next at each slot, and behind the last.
    turn: Local<[[Bit; 8]; turns]>,
    /// The push on the lane of each place.
    offered: Local<[Bit; places]>,
    offered_row: Local<[Bits<8>; places]>,
    offered_slot: Local<[Bits<3>; places]>,
    takes: Local<[Bit; depth]>,
    any_push: Local<Bit>,
    valid: Register<[Bit; depth]>,
    row: Register<[Bits<8>; depth]>,
    collector: Register<[Bits<C>; depth]>,
    slot: Register<[Bits<3>; depth]>,
}

watch!(RequestQueue<C>: [
    "fault for p in valid if p > 0 && valid[p] && !valid[p - 1]: there is a gap before place {p}",
    "misuse if pop && !head_valid: a read is taken from an empty queue",
    "fault if !head_valid && (head_row != 0 || head_collector != 0 || head_slot != 0): fields \
        without a read",
]);

monitor!(RequestQueue<C>: "request_queue_monitor.v");

#[rtl]
impl<const C: usize> RequestQueue<C> {
    fn heads() {
        head_valid = valid[0];
        head_row = 0;
        head_collector = 0;
        head_slot = 0;
        if valid[0] {
            head_row = row[0];
            head_collector = collector[0];
            head_slot = slot[0];
        }

        if accesses == 2 {
            second_valid = valid[1];
            second_row = 0;
            second_collector = 0;
            second_slot = 0;
            if valid[1] {
                second_row = row[1];
                second_collector = collector[1];
                second_slot = slot[1];
            }
        }
    }

    /// Shift.
    fn shift() {
        for p in 0..depth - 1 {
            full[p] = if pop { valid[p + 1] } else { valid[p] };
            row[p].d = row[p + 1];
            collector[p].d = collector[p + 1];
            slot[p].d = slot[p + 1];
        }
        for p in depth - 1..depth {
            full[p] = valid[p] & !pop;
            row[p].d = row[p];
            collector[p].d = collector[p];
            slot[p].d = slot[p];
        }

        if accesses == 2 {
            if second_pop {
                for p in 0..depth - 2 {
                    full[p] = valid[p + 2];
                    row[p].d = row[p + 2];
                    collector[p].d = collector[p + 2];
                    slot[p].d = slot[p + 2];
                }
                for p in depth - 2..depth {
                    full[p] = false;
                }
            }
        }
    }

    /// The lane of the first empty place, then the others around.
    fn lanes() {
        for p in 0..1 {
            first[p] = !full[p];
        }
        for p in 1..depth {
            first[p] = !full[p] & full[p - 1];
        }
        for p in depth..places {
            first[p] = false;
        }
        for l in 0..8 {
            turn[0][l] = false;
            for r in 0..rows {
                turn[0][l] |= first[r * 8 + l];
            }
        }
        for s in 0..slots {
            for l in 0..8 {
                turn[s + 1][l] = turn[s][l];
            }
            if push[s] {
                for l in 0..1 {
                    turn[s + 1][l] = turn[s][7];
                }
                for l in 1..8 {
                    turn[s + 1][l] = turn[s][l - 1];
                }
            }
        }
    }

    /// Pushed reads lie on the lanes, which are the first eight places.
    fn push() {
        any_push = false;
        for l in 0..8 {
            offered[l] = false;
            offered_row[l] = 0;
            offered_slot[l] = 0;
        }
        for s in 0..slots {
            any_push |= push[s];
            for l in 0..8 {
                if push[s] & turn[s][l] {
                    offered[l] = true;
                    offered_row[l] |= push_row[s];
                    offered_slot[l] |= s;
                }
            }
        }
        for p in 8..places {
            offered[p] = offered[p - 8];
            offered_row[p] = offered_row[p - 8];
            offered_slot[p] = offered_slot[p - 8];
        }
    }

    /// An empty place is the next of its lane if the one before it on that lane is full.
    fn fill() {
        for p in 0..depth {
            takes[p] = offered[p] & !full[p];
        }
        for p in 8..depth {
            takes[p] &= full[p - 8];
        }

        for p in 0..depth {
            valid[p].load(pop | any_push, full[p] | takes[p]);
            if takes[p] {
                row[p].d = offered_row[p];
                collector[p].d = push_collector;
                slot[p].d = offered_slot[p];
            }
            // What stays in place must not be overwritten by its neighbour.
            let changes: Bit = pop | takes[p];
            row[p].enable = changes;
            collector[p].enable = changes;
            slot[p].enable = changes;
        }
    }
}
