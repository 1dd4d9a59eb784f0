//! Load request table (LRT), searched four entries per cycle: I §3.1 to §3.3.
//!
//! Keeps the loads that no other warp has asked for yet: {warp, shared-memory address, source register,
//! destination register} = 38 bits each, in a memory of four lanes; whether an entry is in use and how old
//! it is stands in registers ([`EntryState`]). One operation at a time:
//!
//! * **A load** is compared with every entry. One of *another* warp with the same address and registers is
//!   its partner: it is deleted when the operation finishes. Without one the load may be inserted, into the
//!   first free entry.
//! * **An older load of the same warp into the same register** leaves the table first, as a plain load,
//!   whatever its address: were both in the table, the younger could find its partner first, and the older
//!   would overwrite its value. A warp's own repeat is a case of this.
//! * **A release** makes every load of one warp leave as a plain load.
//! * Between operations, entries that are due by age leave.
//!
//! So no two entries have the same warp and destination, and no two the same address and registers, since
//! the second would have found the first: a load has at most one partner, and "the oldest" need not be
//! chosen.
//!
//! Timing: row r of four entries is compared in the cycle after it is read, while row r + 1 is read. A
//! search takes as many cycles as there are rows up to the last one in use, at least one; one more if the
//! operation before inserted a load or entries left by age, since row 0 must then be read again. Each entry
//! that leaves takes a cycle more. `done` and `evict` stay until they are taken by `done_ready` and
//! `evict_ready` in the same cycle; the changes show in the next.

use gpurf_blocks::{Parameters, SCAN_LANES};
use rust_hdl::prelude::*;

use super::EntryState;
use crate::dialect::{array, rtl, Identity, Memory, Module, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[derive(LogicBlock, Module)]
pub struct LrtScan<const V: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// An operation: held with its fields until it has ended, with `done` and `done_ready`.
    pub search: Signal<In, Bit>,
    /// It is no load: a release of `warp`.
    pub drain: Signal<In, Bit>,
    pub warp: Signal<In, Bits<V>>,
    pub address: Signal<In, Bits<A>>,
    pub source: Signal<In, Bits<8>>,
    pub destination: Signal<In, Bits<8>>,
    /// What `evict` shows is taken.
    pub evict_ready: Signal<In, Bit>,
    /// The operation ends with `done`.
    pub done_ready: Signal<In, Bit>,
    /// It is then inserted, if it has no partner and an entry is free. Not with `drain`.
    pub insert: Signal<In, Bit>,
    /// Entries grow older by one of two steps. After the second they are due.
    pub tick: Signal<In, Bit>,

    /// An entry leaves as a plain load; its fields are zero while none does.
    pub evict: Signal<Out, Bit>,
    /// Because it is due by age.
    pub evict_aged: Signal<Out, Bit>,
    pub evict_warp: Signal<Out, Bits<V>>,
    pub evict_address: Signal<Out, Bits<A>>,
    pub evict_source: Signal<Out, Bits<8>>,
    pub evict_destination: Signal<Out, Bits<8>>,
    /// The search has come to its end.
    pub done: Signal<Out, Bit>,
    /// With `done`: the load has a partner.
    pub matched: Signal<Out, Bit>,
    /// The partner's warp; zero without one.
    pub matched_warp: Signal<Out, Bits<V>>,
    /// No entry is free.
    pub full: Signal<Out, Bit>,
    /// Entries in use.
    pub occupancy: Signal<Out, Bits<8>>,

    /// Nothing is under way, and entries are due.
    aging: Signal<Local, Bit>,
    /// The row that is wanted now, and whether the memories show it.
    target: Signal<Local, Bits<6>>,
    here: Signal<Local, Bit>,
    next_row: Signal<Local, Bits<6>>,
    following_row: Signal<Local, Bits<6>>,
    last_row: Signal<Local, Bits<6>>,
    used_lanes: Signal<Local, Bits<4>>,
    due_lanes: Signal<Local, Bits<4>>,
    leaving: Signal<Local, Bits<4>>,
    evict_lane: Signal<Local, Bits<2>>,
    evicts: Signal<Local, Bit>,
    /// The four comparators.
    same_warp: Vec<Signal<Local, Bit>>,
    same_destination: Vec<Signal<Local, Bit>>,
    same_place: Vec<Signal<Local, Bit>>,
    partners: Signal<Local, Bits<4>>,
    partner_lane: Signal<Local, Bits<2>>,
    partner_warp: Signal<Local, Bits<V>>,
    /// The row is compared, and nothing in it has to leave first.
    passed: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    pairs: Signal<Local, Bit>,
    removes: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,

    /// The row that the memories were asked for last, and whether they show it: a write does not.
    row: Register<Bits<6>>,
    fresh: Register<Bit>,
    /// An operation has begun.
    searching: Register<Bit>,
    /// A partner was found in an earlier row, and where.
    found: Register<Bit>,
    found_row: Register<Bits<6>>,
    found_lane: Register<Bits<2>>,
    found_warp: Register<Bits<V>>,
    state: EntryState,
    warps: Vec<Memory<V>>,
    addresses: Vec<Memory<A>>,
    sources: Vec<Memory<8>>,
    destinations: Vec<Memory<8>>,
    row_number: Vec<Constant<Bits<6>>>,
    lane_number: Vec<Constant<Bits<2>>>,
    identity: Identity,
    _rows: usize,
}

impl<const V: usize, const A: usize> LrtScan<V, A> {
    /// `entries`: 16 to 192, a multiple of four.
    pub fn new(parameters: &Parameters) -> Self {
        let entries = parameters.lrt_entries;
        let rows = entries / SCAN_LANES;
        LrtScan {
            clock: Signal::default(),
            reset: Signal::default(),
            search: Signal::default(),
            drain: Signal::default(),
            warp: Signal::default(),
            address: Signal::default(),
            source: Signal::default(),
            destination: Signal::default(),
            evict_ready: Signal::default(),
            done_ready: Signal::default(),
            insert: Signal::default(),
            tick: Signal::default(),
            evict: Signal::default(),
            evict_aged: Signal::default(),
            evict_warp: Signal::default(),
            evict_address: Signal::default(),
            evict_source: Signal::default(),
            evict_destination: Signal::default(),
            done: Signal::default(),
            matched: Signal::default(),
            matched_warp: Signal::default(),
            full: Signal::default(),
            occupancy: Signal::default(),
            aging: Signal::default(),
            target: Signal::default(),
            here: Signal::default(),
            next_row: Signal::default(),
            following_row: Signal::default(),
            last_row: Signal::default(),
            used_lanes: Signal::default(),
            due_lanes: Signal::default(),
            leaving: Signal::default(),
            evict_lane: Signal::default(),
            evicts: Signal::default(),
            same_warp: array(SCAN_LANES),
            same_destination: array(SCAN_LANES),
            same_place: array(SCAN_LANES),
            partners: Signal::default(),
            partner_lane: Signal::default(),
            partner_warp: Signal::default(),
            passed: Signal::default(),
            at_end: Signal::default(),
            ends: Signal::default(),
            pairs: Signal::default(),
            removes: Signal::default(),
            finishes: Signal::default(),
            writes: Signal::default(),
            reads: Signal::default(),
            row: Register::default(),
            fresh: Register::default(),
            searching: Register::default(),
            found: Register::default(),
            found_row: Register::default(),
            found_lane: Register::default(),
            found_warp: Register::default(),
            state: EntryState::new(entries),
            warps: (0..SCAN_LANES).map(|_| Memory::new(rows)).collect(),
            addresses: (0..SCAN_LANES).map(|_| Memory::new(rows)).collect(),
            sources: (0..SCAN_LANES).map(|_| Memory::new(rows)).collect(),
            destinations: (0..SCAN_LANES).map(|_| Memory::new(rows)).collect(),
            row_number: (0..rows).map(|row| Constant::new((row as u64).into())).collect(),
            lane_number: (0..SCAN_LANES).map(|lane| Constant::new((lane as u64).into())).collect(),
            identity: Identity::new(
                "lrt_scan",
                "Load request table, four entries per cycle (I 3.1 to 3.3)",
                &[("entries", entries), ("warp", V), ("address", A)],
            ),
            _rows: rows,
        }
    }
}

impl<const V: usize, const A: usize> Logic for LrtScan<V, A> {
    #[rtl]
    fn update(&mut self) {
        self.state.clock.next = self.clock.val();
        self.state.reset.next = self.reset.val();
        self.state.tick.next = self.tick.val();
        self.full.next = self.state.full.val();
        self.occupancy.next = self.state.occupancy.val();

        // The row that the memories should show, and what is in use of the one that they do.
        self.aging.next = self.state.any_due.val() & !self.searching.q.val();
        self.target.next = 0.into();
        if self.searching.q.val() {
            self.target.next = self.row.q.val();
        } else if self.state.any_due.val() {
            self.target.next = self.state.due_row.val();
        }
        self.here.next = self.fresh.q.val() & (self.row.q.val() == self.target.val());
        self.last_row.next = 0.into();
        self.used_lanes.next = 0.into();
        self.due_lanes.next = 0.into();
        for r in 0..self._rows {
            if self.state.used[r].val().any() {
                self.last_row.next = self.row_number[r].val();
            }
            if self.row.q.val() == self.row_number[r].val() {
                self.used_lanes.next = self.state.used[r].val();
                self.due_lanes.next = self.state.due[r].val();
            }
        }
        self.at_end.next = self.row.q.val() >= self.last_row.val();

        // Comparators.
        self.leaving.next = 0.into();
        self.partners.next = 0.into();
        for k in 0..4 {
            self.same_warp[k].next = self.warps[k].read_data.val() == self.warp.val();
            self.same_destination[k].next = self.destinations[k].read_data.val() == self.destination.val();
            self.same_place[k].next = (self.addresses[k].read_data.val() == self.address.val())
                & (self.sources[k].read_data.val() == self.source.val());
            self.leaving.next = self.leaving.val().replace_bit(
                k,
                (self.aging.val() & self.due_lanes.val().get_bit(k))
                    | ((!self.aging.val() & (self.search.val() & self.used_lanes.val().get_bit(k)))
                        & (self.same_warp[k].val() & (self.drain.val() | self.same_destination[k].val()))),
            );
            self.partners.next = self.partners.val().replace_bit(
                k,
                ((self.used_lanes.val().get_bit(k) & !self.drain.val()) & !self.same_warp[k].val())
                    & (self.same_place[k].val() & self.same_destination[k].val()),
            );
        }

        // An entry that leaves: the first of the row.
        self.evicts.next = self.here.val() & self.leaving.val().any();
        self.evict.next = self.evicts.val();
        self.evict_aged.next = self.evicts.val() & self.aging.val();
        self.evict_lane.next = 0.into();
        self.evict_warp.next = 0.into();
        self.evict_address.next = 0.into();
        self.evict_source.next = 0.into();
        self.evict_destination.next = 0.into();
        self.partner_lane.next = 0.into();
        self.partner_warp.next = 0.into();
        for k in 0..4 {
            if self.evicts.val() & self.leaving.val().get_bit(3 - k) {
                self.evict_lane.next = self.lane_number[3 - k].val();
                self.evict_warp.next = self.warps[3 - k].read_data.val();
                self.evict_address.next = self.addresses[3 - k].read_data.val();
                self.evict_source.next = self.sources[3 - k].read_data.val();
                self.evict_destination.next = self.destinations[3 - k].read_data.val();
            }
            if self.partners.val().get_bit(k) {
                self.partner_lane.next = self.lane_number[k].val();
                self.partner_warp.next = self.warps[k].read_data.val();
            }
        }

        // The end of the search.
        self.passed.next =
            ((self.here.val() & !self.aging.val()) & self.search.val()) & !self.leaving.val().any();
        self.ends.next = self.passed.val() & self.at_end.val();
        self.pairs.next = self.ends.val() & (self.found.q.val() | self.partners.val().any());
        self.done.next = self.ends.val();
        self.matched.next = self.pairs.val();
        self.matched_warp.next = 0.into();
        if self.pairs.val() {
            self.matched_warp.next = self.partner_warp.val();
            if self.found.q.val() {
                self.matched_warp.next = self.found_warp.q.val();
            }
        }

        // Which entry changes.
        self.removes.next = self.evicts.val() & self.evict_ready.val();
        self.finishes.next = self.ends.val() & self.done_ready.val();
        self.writes.next =
            (self.finishes.val() & self.insert.val()) & (!self.pairs.val() & !self.state.full.val());
        self.state.insert.next = self.writes.val();
        self.state.clear.next = self.removes.val() | (self.finishes.val() & self.pairs.val());
        self.state.clear_row.next = self.row.q.val();
        self.state.clear_lane.next = self.partner_lane.val();
        if self.removes.val() {
            self.state.clear_lane.next = self.evict_lane.val();
        } else if self.found.q.val() {
            self.state.clear_row.next = self.found_row.q.val();
            self.state.clear_lane.next = self.found_lane.q.val();
        }

        // The memories: a write, or the row wanted next if they do not show it already.
        self.following_row.next = self.row.q.val() + 1;
        self.next_row.next = self.target.val();
        if self.finishes.val() {
            self.next_row.next = 0.into();
        } else if self.passed.val() & !self.at_end.val() {
            self.next_row.next = self.following_row.val();
        }
        self.reads.next =
            !self.writes.val() & (!self.fresh.q.val() | (self.next_row.val() != self.row.q.val()));
        for k in 0..4 {
            self.warps[k].clock.next = self.clock.val();
            self.warps[k].enable.next = self.reads.val()
                | (self.writes.val() & (self.state.free_lane.val() == self.lane_number[k].val()));
            self.warps[k].write.next = self.writes.val();
            self.warps[k].address.next = bit_cast::<8, 6>(self.next_row.val());
            if self.writes.val() {
                self.warps[k].address.next = bit_cast::<8, 6>(self.state.free_row.val());
            }
            self.warps[k].write_data.next = self.warp.val();
            self.addresses[k].clock.next = self.clock.val();
            self.addresses[k].enable.next = self.warps[k].enable.val();
            self.addresses[k].write.next = self.writes.val();
            self.addresses[k].address.next = self.warps[k].address.val();
            self.addresses[k].write_data.next = self.address.val();
            self.sources[k].clock.next = self.clock.val();
            self.sources[k].enable.next = self.warps[k].enable.val();
            self.sources[k].write.next = self.writes.val();
            self.sources[k].address.next = self.warps[k].address.val();
            self.sources[k].write_data.next = self.source.val();
            self.destinations[k].clock.next = self.clock.val();
            self.destinations[k].enable.next = self.warps[k].enable.val();
            self.destinations[k].write.next = self.writes.val();
            self.destinations[k].address.next = self.warps[k].address.val();
            self.destinations[k].write_data.next = self.destination.val();
        }

        // Where the search stands.
        self.row.clock.next = self.clock.val();
        self.row.reset.next = self.reset.val();
        self.row.enable.next = true;
        self.row.d.next = self.next_row.val();
        self.fresh.clock.next = self.clock.val();
        self.fresh.reset.next = self.reset.val();
        self.fresh.enable.next = true;
        self.fresh.d.next = !self.writes.val();
        self.searching.clock.next = self.clock.val();
        self.searching.reset.next = self.reset.val();
        self.searching.enable.next = true;
        self.searching.d.next = (self.searching.q.val()
            | ((self.here.val() & !self.aging.val()) & self.search.val()))
            & !self.finishes.val();
        self.found.clock.next = self.clock.val();
        self.found.reset.next = self.reset.val();
        self.found.enable.next = self.finishes.val() | (self.passed.val() & self.partners.val().any());
        self.found.d.next = !self.finishes.val();
        self.found_row.clock.next = self.clock.val();
        self.found_row.reset.next = self.reset.val();
        self.found_row.enable.next = self.passed.val() & self.partners.val().any();
        self.found_row.d.next = self.row.q.val();
        self.found_lane.clock.next = self.clock.val();
        self.found_lane.reset.next = self.reset.val();
        self.found_lane.enable.next = self.passed.val() & self.partners.val().any();
        self.found_lane.d.next = self.partner_lane.val();
        self.found_warp.clock.next = self.clock.val();
        self.found_warp.reset.next = self.reset.val();
        self.found_warp.enable.next = self.passed.val() & self.partners.val().any();
        self.found_warp.d.next = self.partner_warp.val();
    }
}
