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

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use super::EntryState;
use crate::bundles::LrtPorts;
use crate::dialect::{block, rtl, Memory, Register};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Load request table, four entries per cycle",
    paper = "I §3.1 to 3.3",
    parameters(lrt_entries),
    sizes(rows = lrt_entries / SCAN_LANES),
    bundle = LrtPorts<V, A>
)]
pub struct LrtScan<const V: usize, const A: usize> {
    /// Nothing is under way, and entries are due.
    aging: Local<Bit>,
    /// The row that is wanted now, and whether the memories show it.
    target: Local<Bits<6>>,
    here: Local<Bit>,
    next_row: Local<Bits<6>>,
    following_row: Local<Bits<6>>,
    last_row: Local<Bits<6>>,
    used_lanes: Local<Bits<4>>,
    leaving: Local<Bits<4>>,
    evict_lane: Local<Bits<2>>,
    evicts: Local<Bit>,
    /// The four comparators.
    same_warp: Local<[Bit; SCAN_LANES]>,
    same_destination: Local<[Bit; SCAN_LANES]>,
    same_place: Local<[Bit; SCAN_LANES]>,
    partners: Local<Bits<4>>,
    partner_lane: Local<Bits<2>>,
    partner_warp: Local<Bits<V>>,
    /// The row is compared, and nothing in it has to leave first.
    passed: Local<Bit>,
    at_end: Local<Bit>,
    reads: Local<Bit>,

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
    #[new(Memory::new(rows))]
    warps: [Memory<V>; SCAN_LANES],
    #[new(Memory::new(rows))]
    addresses: [Memory<A>; SCAN_LANES],
    #[new(Memory::new(rows))]
    sources: [Memory<8>; SCAN_LANES],
    #[new(Memory::new(rows))]
    destinations: [Memory<8>; SCAN_LANES],
    #[value(|row| row)]
    row_number: Constant<[Bits<6>; rows]>,
    #[value(|lane| lane)]
    lane_number: Constant<[Bits<2>; SCAN_LANES]>,
}

impl<const V: usize, const A: usize> Logic for LrtScan<V, A> {
    #[rtl]
    fn update(&mut self) {
        pass!(self => self.state: tick, evict_ready, done_ready, insert);
        pass!(self.state => self: done, matched, full, occupancy);

        // The row that the memories should show, and what is in use of the one that they do. While entries age out,
        // that is the row that is due.
        self.aging.next = self.state.any_due.val() & !self.searching.val();
        self.target.next = 0.into();
        if self.searching.val() {
            self.target.next = self.row.val();
        } else if self.state.any_due.val() {
            self.target.next = self.state.due_row.val();
        }
        self.here.next = self.fresh.val() & (self.row.val() == self.target.val());
        self.last_row.next = 0.into();
        self.used_lanes.next = 0.into();
        for r in 0..rows {
            if self.state.used[r].val().any() {
                self.last_row.next = self.row_number[r].val();
            }
            if self.row.val() == self.row_number[r].val() {
                self.used_lanes.next = self.state.used[r].val();
            }
        }
        self.at_end.next = self.row.val() >= self.last_row.val();

        // Comparators.
        self.leaving.next = 0.into();
        self.partners.next = 0.into();
        for k in 0..4 {
            self.same_warp[k].next = self.warps[k].read_data.val() == self.request.warp.val();
            self.same_destination[k].next =
                self.destinations[k].read_data.val() == self.request.destination.val();
            self.same_place[k].next = (self.addresses[k].read_data.val() == self.request.address.val())
                & (self.sources[k].read_data.val() == self.request.source.val());
            self.leaving.next = self.leaving.val().replace_bit(
                k,
                (self.aging.val() & self.state.due_lanes.val().get_bit(k))
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
        pass!(self => self.state: evicts as evict, row as evict_row, evict_lane);
        self.evict.next = self.evicts.val();
        self.evict_aged.next = self.evicts.val() & self.aging.val();
        self.evict_lane.next = 0.into();
        self.evicted.clear();
        self.partner_lane.next = 0.into();
        self.partner_warp.next = 0.into();
        for k in 0..4 {
            if self.evicts.val() & self.leaving.val().get_bit(3 - k) {
                self.evict_lane.next = self.lane_number[3 - k].val();
                self.evicted.warp.next = self.warps[3 - k].read_data.val();
                self.evicted.address.next = self.addresses[3 - k].read_data.val();
                self.evicted.source.next = self.sources[3 - k].read_data.val();
                self.evicted.destination.next = self.destinations[3 - k].read_data.val();
            }
            if self.partners.val().get_bit(k) {
                self.partner_lane.next = self.lane_number[k].val();
                self.partner_warp.next = self.warps[k].read_data.val();
            }
        }

        // The end of the search.
        self.passed.next =
            ((self.here.val() & !self.aging.val()) & self.search.val()) & !self.leaving.val().any();
        self.state.ends.next = self.passed.val() & self.at_end.val();
        self.state.any_partner.next = self.found.val() | self.partners.val().any();
        self.state.partner_row.next = self.row.val();
        self.state.partner_lane.next = self.partner_lane.val();
        self.matched_warp.next = 0.into();
        if self.found.val() {
            self.state.partner_row.next = self.found_row.val();
            self.state.partner_lane.next = self.found_lane.val();
        }
        if self.state.matched.val() {
            self.matched_warp.next = self.partner_warp.val();
            if self.found.val() {
                self.matched_warp.next = self.found_warp.val();
            }
        }

        // The memories: a write, or the row wanted next if they do not show it already.
        self.following_row.next = self.row.val() + 1;
        self.next_row.next = self.target.val();
        if self.state.finishes.val() {
            self.next_row.next = 0.into();
        } else if self.passed.val() & !self.at_end.val() {
            self.next_row.next = self.following_row.val();
        }
        self.reads.next =
            !self.state.writes.val() & (!self.fresh.val() | (self.next_row.val() != self.row.val()));
        for k in 0..4 {
            self.warps[k].enable.next = self.reads.val()
                | (self.state.writes.val() & (self.state.free_lane.val() == self.lane_number[k].val()));
            self.warps[k].write.next = self.state.writes.val();
            self.warps[k].address.next = bit_cast::<8, 6>(self.next_row.val());
            if self.state.writes.val() {
                self.warps[k].address.next = bit_cast::<8, 6>(self.state.free_row.val());
            }
            self.warps[k].write_data.next = self.request.warp.val();
            self.addresses[k].enable.next = self.warps[k].enable.val();
            self.addresses[k].write.next = self.state.writes.val();
            self.addresses[k].address.next = self.warps[k].address.val();
            self.addresses[k].write_data.next = self.request.address.val();
            self.sources[k].enable.next = self.warps[k].enable.val();
            self.sources[k].write.next = self.state.writes.val();
            self.sources[k].address.next = self.warps[k].address.val();
            self.sources[k].write_data.next = self.request.source.val();
            self.destinations[k].enable.next = self.warps[k].enable.val();
            self.destinations[k].write.next = self.state.writes.val();
            self.destinations[k].address.next = self.warps[k].address.val();
            self.destinations[k].write_data.next = self.request.destination.val();
        }

        // Where the search stands.
        self.row.load(true, self.next_row.val());
        self.fresh.load(true, !self.state.writes.val());
        self.searching.load(
            true,
            (self.searching.val() | ((self.here.val() & !self.aging.val()) & self.search.val()))
                & !self.state.finishes.val(),
        );
        self.found.load(
            self.state.finishes.val() | (self.passed.val() & self.partners.val().any()),
            !self.state.finishes.val(),
        );
        self.found_row.load(self.passed.val() & self.partners.val().any(), self.row.val());
        self.found_lane.load(self.passed.val() & self.partners.val().any(), self.partner_lane.val());
        self.found_warp.load(self.passed.val() & self.partners.val().any(), self.partner_warp.val());
    }
}
