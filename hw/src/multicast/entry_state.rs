//! Which entries of a load request table are in use, and how old they are: part of [`super::LrtScan`] and
//! [`super::LrtCam`].
//!
//! Three bits per entry: used, and two for its age. With each `tick` an entry gets older by a step; after the
//! second it is due. So it is due after more than one interval between ticks and at most two. Entries have
//! a row and one of four lanes; the first free one, and the first due one, are those of the lowest row, and in
//! it of the lowest lane.
//!
//! Timing: outputs are state; changes show in the next cycle.

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Register};

#[derive(LogicBlock)]
pub struct EntryState {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The first free entry is taken; there must be one.
    pub insert: Signal<In, Bit>,
    /// An entry becomes free; not with `insert`.
    pub clear: Signal<In, Bit>,
    pub clear_row: Signal<In, Bits<6>>,
    pub clear_lane: Signal<In, Bits<2>>,
    pub tick: Signal<In, Bit>,

    /// Lanes of each row.
    pub used: Vec<Signal<Out, Bits<4>>>,
    pub due: Vec<Signal<Out, Bits<4>>>,
    pub full: Signal<Out, Bit>,
    pub free_row: Signal<Out, Bits<6>>,
    pub free_lane: Signal<Out, Bits<2>>,
    pub any_due: Signal<Out, Bit>,
    pub due_row: Signal<Out, Bits<6>>,
    pub due_lane: Signal<Out, Bits<2>>,
    /// Entries in use.
    pub occupancy: Signal<Out, Bits<8>>,

    room: Signal<Local, Bit>,
    taken_lanes: Signal<Local, Bits<4>>,
    some_due: Signal<Local, Bit>,
    due_lanes: Signal<Local, Bits<4>>,
    free: Signal<Local, Bits<2>>,
    inserted: Signal<Local, Bits<4>>,
    /// All lanes but the cleared or inserted one.
    kept: Signal<Local, Bits<4>>,
    others: Signal<Local, Bits<4>>,
    takes: Vec<Signal<Local, Bit>>,
    clears: Vec<Signal<Local, Bit>>,
    valid: Vec<Register<Bits<4>>>,
    /// Has seen one tick; has seen two.
    seen: Vec<Register<Bits<4>>>,
    expired: Vec<Register<Bits<4>>>,
    count: Register<Bits<8>>,
    row_number: Vec<Constant<Bits<6>>>,
    lane_number: Vec<Constant<Bits<2>>>,
    identity: Identity,
    _rows: usize,
}

impl EntryState {
    /// `entries`: a multiple of four, up to 252.
    pub fn new(entries: usize) -> Self {
        let rows = entries / SCAN_LANES;
        EntryState {
            clock: Signal::default(),
            reset: Signal::default(),
            insert: Signal::default(),
            clear: Signal::default(),
            clear_row: Signal::default(),
            clear_lane: Signal::default(),
            tick: Signal::default(),
            used: array(rows),
            due: array(rows),
            full: Signal::default(),
            free_row: Signal::default(),
            free_lane: Signal::default(),
            any_due: Signal::default(),
            due_row: Signal::default(),
            due_lane: Signal::default(),
            occupancy: Signal::default(),
            room: Signal::default(),
            taken_lanes: Signal::default(),
            some_due: Signal::default(),
            due_lanes: Signal::default(),
            free: Signal::default(),
            inserted: Signal::default(),
            kept: Signal::default(),
            others: Signal::default(),
            takes: array(rows),
            clears: array(rows),
            valid: array(rows),
            seen: array(rows),
            expired: array(rows),
            count: Register::default(),
            row_number: (0..rows).map(|row| Constant::new((row as u64).into())).collect(),
            lane_number: (0..SCAN_LANES).map(|lane| Constant::new((lane as u64).into())).collect(),
            identity: Identity::new(
                "entry_state",
                "Use and age of the entries of a load request table",
                &[("entries", entries)],
            ),
            _rows: rows,
        }
    }
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
        for r in 0..self._rows {
            self.used[r].next = self.valid[r].q.val();
            self.due[r].next = self.valid[r].q.val() & self.expired[r].q.val();
            if !self.room.val() & !self.valid[r].q.val().all() {
                self.room.next = true;
                self.free_row.next = self.row_number[r].val();
                self.taken_lanes.next = self.valid[r].q.val();
            }
            if !self.some_due.val() & (self.valid[r].q.val() & self.expired[r].q.val()).any() {
                self.some_due.next = true;
                self.due_row.next = self.row_number[r].val();
                self.due_lanes.next = self.valid[r].q.val() & self.expired[r].q.val();
            }
        }
        self.free.next = 0.into();
        self.due_lane.next = 0.into();
        for k in 0..4 {
            if !self.taken_lanes.val().get_bit(3 - k) {
                self.free.next = self.lane_number[3 - k].val();
            }
            if self.due_lanes.val().get_bit(3 - k) {
                self.due_lane.next = self.lane_number[3 - k].val();
            }
        }
        self.full.next = !self.room.val();
        self.free_lane.next = self.free.val();
        self.any_due.next = self.some_due.val();

        // What changes.
        self.inserted.next = 0.into();
        self.kept.next = 0.into();
        self.others.next = 0.into();
        for k in 0..4 {
            self.inserted.next =
                self.inserted.val().replace_bit(k, self.free.val() == self.lane_number[k].val());
            self.others.next = self.others.val().replace_bit(k, self.free.val() != self.lane_number[k].val());
            self.kept.next =
                self.kept.val().replace_bit(k, self.clear_lane.val() != self.lane_number[k].val());
        }
        for r in 0..self._rows {
            self.takes[r].next = self.insert.val() & (self.free_row.val() == self.row_number[r].val());
            self.clears[r].next = self.clear.val() & (self.clear_row.val() == self.row_number[r].val());
            self.valid[r].clock.next = self.clock.val();
            self.valid[r].reset.next = self.reset.val();
            self.valid[r].enable.next = self.takes[r].val() | self.clears[r].val();
            self.valid[r].d.next = self.valid[r].q.val() & self.kept.val();
            if self.takes[r].val() {
                self.valid[r].d.next = self.valid[r].q.val() | self.inserted.val();
            }
            self.seen[r].clock.next = self.clock.val();
            self.seen[r].reset.next = self.reset.val();
            self.seen[r].enable.next = self.takes[r].val() | self.tick.val();
            self.expired[r].clock.next = self.clock.val();
            self.expired[r].reset.next = self.reset.val();
            self.expired[r].enable.next = self.takes[r].val() | self.tick.val();
            self.seen[r].d.next = self.seen[r].q.val() & self.others.val();
            self.expired[r].d.next = self.expired[r].q.val() & self.others.val();
            if self.tick.val() {
                // An entry inserted now was not in use before, so it stays young.
                self.seen[r].d.next = self.valid[r].q.val();
                self.expired[r].d.next = self.valid[r].q.val() & self.seen[r].q.val();
            }
        }
        self.occupancy.next = self.count.q.val();
        self.count.clock.next = self.clock.val();
        self.count.reset.next = self.reset.val();
        self.count.enable.next = self.insert.val() | self.clear.val();
        self.count.d.next = self.count.q.val() - 1;
        if self.insert.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
    }
}
