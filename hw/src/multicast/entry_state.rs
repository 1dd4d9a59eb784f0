// SPDX-License-Identifier: Apache-2.0
//! Entries of a load request table that are in use, and their ages.
//!
//! Each entry has three bits: used, and two for its age. With each `tick` an entry gets older by a step;
//! after the second it is due. So it is due after more than one interval between ticks and at most two.
//! Entries have a row and one of four lanes. The first free one is that of the lowest row, and in it of the
//! lowest lane. All lanes of the lowest row with a due one are shown.
//!
//! The steps of an operation change entries. An entry that leaves becomes free when it is taken. A search
//! that ends frees the partner that it found. Without a partner its load takes the first free entry, if it
//! wants one.
//!
//! Changes show in the next cycle. `done`, `matched`, `finishes` and `writes` follow the inputs of their
//! cycle, all other outputs are state.

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

#[block(
    title = "Use and age of the entries of a load request table",
    parameters(lrt_entries),
    sizes(rows = lrt_entries / SCAN_LANES)
)]
pub struct EntryState {
    /// An entry leaves; not with `ends`.
    pub evict: In<Bit>,
    /// The entry that leaves is taken, and becomes free.
    pub evict_ready: In<Bit>,
    /// Row of the entry that leaves.
    pub evict_row: In<Bits<6>>,
    /// Lane of the entry that leaves.
    pub evict_lane: In<Bits<2>>,
    /// A search has come to its end.
    pub ends: In<Bit>,
    /// With `ends`: its operation ends.
    pub done_ready: In<Bit>,
    /// With `ends`: a partner was found.
    pub any_partner: In<Bit>,
    /// The partner's row.
    pub partner_row: In<Bits<6>>,
    /// The partner's lane.
    pub partner_lane: In<Bits<2>>,
    /// With `ends`: without a partner the first free entry is taken, if there is one.
    pub insert: In<Bit>,
    /// An interval is over: entries get older.
    pub tick: In<Bit>,

    /// The search has come to its end.
    pub done: Out<Bit>,
    /// With `done`: a partner was found.
    pub matched: Out<Bit>,
    /// The operation ends.
    pub finishes: Out<Bit>,
    /// The first free entry is taken.
    pub writes: Out<Bit>,
    /// Lanes of each row.
    pub used: Out<[Bits<4>; rows]>,
    /// No entry is free.
    pub full: Out<Bit>,
    /// Row of the first free entry; zero without one.
    pub free_row: Out<Bits<6>>,
    /// Lane of the first free entry; zero without one.
    pub free_lane: Out<Bits<2>>,
    /// Some entry is due.
    pub any_due: Out<Bit>,
    /// Row of the first due entry; zero without one.
    pub due_row: Out<Bits<6>>,
    /// Lanes of `due_row` that are due.
    pub due_lanes: Out<Bits<4>>,
    /// Entries in use.
    pub occupancy: Out<Register<Bits<8>>>,

    freed_row: Local<Bits<6>>,
    freed_lane: Local<Bits<2>>,
    room: Local<Bit>,
    taken_lanes: Local<Bits<4>>,
    some_due: Local<Bit>,
    free: Local<Bits<2>>,
    inserted: Local<Bits<4>>,
    /// All lanes but the freed one.
    others: Local<Bits<4>>,
    valid: Register<[Bits<4>; rows]>,
    /// An entry in use has seen one tick, or two if it is `expired`. Both are cleared as an entry is taken,
    /// whatever the load before has left there.
    seen: Register<[Bits<4>; rows]>,
    expired: Register<[Bits<4>; rows]>,
}

#[rtl]
impl EntryState {
    /// The first free entry, and the first due one.
    fn search() {
        room = false;
        free_row = 0;
        taken_lanes = 0;
        some_due = false;
        due_row = 0;
        due_lanes = 0;
        for r in 0..rows {
            used[r] = valid[r];
            if !room & !valid[r].all() {
                room = true;
                free_row = r;
                taken_lanes = valid[r];
            }
            let due: Bits<4> = expired[r] & valid[r];
            if !some_due & due.any() {
                some_due = true;
                due_row = r;
                due_lanes = due;
            }
        }
        free = first(0..4, |k| !taken_lanes.get_bit(k));
        full = !room;
        free_lane = free;
        any_due = some_due;
    }

    /// Changes of a step of an operation.
    fn step() {
        done = ends;
        matched = ends & any_partner;
        finishes = ends & done_ready;
        let inserts: Bit = (ends & done_ready) & ((insert & room) & !any_partner);
        writes = inserts;
        /// An entry becomes free, and which.
        let frees: Bit = (evict & evict_ready) | ((ends & done_ready) & any_partner);
        freed_row = if evict { evict_row } else { partner_row };
        freed_lane = if evict { evict_lane } else { partner_lane };
        inserted = 0;
        others = 0;
        for k in 0..4 {
            inserted = inserted.replace_bit(k, free == k);
            others = others.replace_bit(k, freed_lane != k);
        }
        for r in 0..rows {
            let takes: Bit = inserts & (free_row == r);
            let clears: Bit = frees & (freed_row == r);
            if takes {
                valid[r] |= inserted;
            } else if clears {
                valid[r] &= others;
            }
            /// Lanes of each row that are not taken again.
            let older: Bits<4> = if takes { !inserted } else { 0xf };
            if tick {
                // A lane that is taken again was not in use before.
                seen[r] = valid[r];
                expired[r] = seen[r] & older;
            } else if takes {
                seen[r] &= older;
                expired[r] &= older;
            }
        }
        if inserts {
            occupancy += 1;
        } else if frees {
            occupancy = occupancy - 1;
        }
    }
}
