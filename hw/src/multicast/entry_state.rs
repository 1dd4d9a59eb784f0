//! Which entries of a load request table are in use, and how old they are: part of [`super::LrtScan`] and
//! [`super::LrtCam`].
//!
//! Three bits per entry: used, and two for its age. With each `tick` an entry gets older by a step; after the
//! second it is due. So it is due after more than one interval between ticks and at most two. Entries have
//! a row and one of four lanes; the first free one is that of the lowest row, and in it of the lowest lane. Of the
//! lowest row with a due one, all lanes that are due are shown.
//!
//! How a step of an operation changes them is decided here: an entry that leaves becomes free when it is taken; a search
//! that ends frees the partner that it found, and without one its load takes the first free entry, if it wants one.
//!
//! Timing: changes show in the next cycle. `done`, `matched`, `finishes` and `writes` follow the inputs of their cycle, all
//! other outputs are state.

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
    /// It is taken, and becomes free.
    pub evict_ready: In<Bit>,
    /// That entry's row.
    pub evict_row: In<Bits<6>>,
    /// Its lane.
    pub evict_lane: In<Bits<2>>,
    /// A search has come to its end.
    pub ends: In<Bit>,
    /// With `ends`: its operation ends.
    pub done_ready: In<Bit>,
    /// With `ends`: a partner was found.
    pub any_partner: In<Bit>,
    /// The partner's row.
    pub partner_row: In<Bits<6>>,
    /// Its lane.
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
    /// Its lane.
    pub free_lane: Out<Bits<2>>,
    /// Some entry is due.
    pub any_due: Out<Bit>,
    /// Row of the first due entry; zero without one.
    pub due_row: Out<Bits<6>>,
    /// Lanes of that row that are due.
    pub due_lanes: Out<Bits<4>>,
    /// Entries in use.
    pub occupancy: Out<Bits<8>>,

    inserts: Local<Bit>,
    /// An entry becomes free, and which.
    frees: Local<Bit>,
    freed_row: Local<Bits<6>>,
    freed_lane: Local<Bits<2>>,
    room: Local<Bit>,
    taken_lanes: Local<Bits<4>>,
    some_due: Local<Bit>,
    free: Local<Bits<2>>,
    inserted: Local<Bits<4>>,
    /// All lanes but the freed one.
    others: Local<Bits<4>>,
    /// Of each row, lanes that are not taken anew.
    older: Local<[Bits<4>; rows]>,
    due: Local<[Bits<4>; rows]>,
    takes: Local<[Bit; rows]>,
    clears: Local<[Bit; rows]>,
    valid: Register<[Bits<4>; rows]>,
    /// Of an entry in use: has seen one tick; has seen two. Cleared as an entry is taken, so that it does not matter what the
    /// load before has left there.
    seen: Register<[Bits<4>; rows]>,
    expired: Register<[Bits<4>; rows]>,
    count: Register<Bits<8>>,
    #[value(|row| row)]
    row_number: Constant<[Bits<6>; rows]>,
    #[value(|lane| lane)]
    lane_number: Constant<[Bits<2>; SCAN_LANES]>,
}

impl Logic for EntryState {
    #[rtl]
    fn update(&mut self) {
        // The first free entry, and the first due one.
        self.room.next = false;
        self.free_row.next = 0.into();
        self.taken_lanes.next = 0.into();
        self.some_due.next = false;
        self.due_row.next = 0.into();
        self.due_lanes.next = 0.into();
        for r in 0..rows {
            self.used[r].next = self.valid[r].val();
            if !self.room.val() & !self.valid[r].val().all() {
                self.room.next = true;
                self.free_row.next = self.row_number[r].val();
                self.taken_lanes.next = self.valid[r].val();
            }
            self.due[r].next = self.expired[r].val() & self.valid[r].val();
            if !self.some_due.val() & self.due[r].val().any() {
                self.some_due.next = true;
                self.due_row.next = self.row_number[r].val();
                self.due_lanes.next = self.due[r].val();
            }
        }
        self.free.next = 0.into();
        for k in 0..4 {
            if !self.taken_lanes.val().get_bit(3 - k) {
                self.free.next = self.lane_number[3 - k].val();
            }
        }
        self.full.next = !self.room.val();
        self.free_lane.next = self.free.val();
        self.any_due.next = self.some_due.val();

        // What a step of an operation changes.
        self.done.next = self.ends.val();
        self.matched.next = self.ends.val() & self.any_partner.val();
        self.finishes.next = self.ends.val() & self.done_ready.val();
        self.inserts.next = (self.ends.val() & self.done_ready.val())
            & ((self.insert.val() & self.room.val()) & !self.any_partner.val());
        self.writes.next = self.inserts.val();
        self.frees.next = (self.evict.val() & self.evict_ready.val())
            | ((self.ends.val() & self.done_ready.val()) & self.any_partner.val());
        self.freed_row.next = self.partner_row.val();
        self.freed_lane.next = self.partner_lane.val();
        if self.evict.val() {
            self.freed_row.next = self.evict_row.val();
            self.freed_lane.next = self.evict_lane.val();
        }
        self.inserted.next = 0.into();
        self.others.next = 0.into();
        for k in 0..4 {
            self.inserted.next =
                self.inserted.val().replace_bit(k, self.free.val() == self.lane_number[k].val());
            self.others.next =
                self.others.val().replace_bit(k, self.freed_lane.val() != self.lane_number[k].val());
        }
        for r in 0..rows {
            self.takes[r].next = self.inserts.val() & (self.free_row.val() == self.row_number[r].val());
            self.clears[r].next = self.frees.val() & (self.freed_row.val() == self.row_number[r].val());
            self.valid[r]
                .load(self.takes[r].val() | self.clears[r].val(), self.valid[r].val() & self.others.val());
            if self.takes[r].val() {
                self.valid[r].d.next = self.valid[r].val() | self.inserted.val();
            }
            self.older[r].next = 0xf.into();
            if self.takes[r].val() {
                self.older[r].next = !self.inserted.val();
            }
            self.seen[r]
                .load(self.takes[r].val() | self.tick.val(), self.seen[r].val() & self.older[r].val());
            self.expired[r]
                .load(self.takes[r].val() | self.tick.val(), self.expired[r].val() & self.older[r].val());
            if self.tick.val() {
                // A lane that is taken anew was not in use before.
                self.seen[r].d.next = self.valid[r].val();
                self.expired[r].d.next = self.seen[r].val() & self.older[r].val();
            }
        }
        self.occupancy.next = self.count.val();
        self.count.load(self.inserts.val() | self.frees.val(), self.count.val() - 1);
        if self.inserts.val() {
            self.count.d.next = self.count.val() + 1;
        }
    }
}
