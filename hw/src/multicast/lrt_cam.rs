//! Load request table (LRT), all entries compared at once: I §3.1 to §3.3 read as a content-addressable
//! memory. Operations, rules and ports are those of [`super::LrtScan`].
//!
//! Entries stand in registers, each with its own comparator.
//!
//! Timing: a search takes one cycle. Each entry that leaves takes a cycle before it; entries due by age go
//! first, between the steps of an operation too.

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use super::EntryState;
use crate::bundles::{LoadRequest, LrtPorts};
use crate::dialect::{block, rtl, Held};

/// `V`: bits of a warp's number; `A`: bits of an address.
#[block(
    title = "Load request table, all entries at once",
    paper = "I §3.1 to 3.3",
    parameters(lrt_entries),
    sizes(rows = lrt_entries / SCAN_LANES),
    bundle = LrtPorts<V, A>
)]
pub struct LrtCam<const V: usize, const A: usize> {
    /// Per row: entries that must leave before the operation.
    leaving: Local<[Bits<4>; rows]>,
    any_leaving: Local<Bit>,
    leaving_row: Local<Bits<6>>,
    leaving_lanes: Local<Bits<4>>,
    evict_row: Local<Bits<6>>,
    evict_lanes: Local<Bits<4>>,
    evict_lane: Local<Bits<2>>,
    evicts: Local<Bit>,
    /// Per row: partners of the load.
    partners: Local<[Bits<4>; rows]>,
    any_partner: Local<Bit>,
    partner_row: Local<Bits<6>>,
    partner_lane: Local<Bits<2>>,
    partner_warp: Local<Bits<V>>,

    state: EntryState,
    entries: [LoadRequest<Held, V, A>; lrt_entries],
    #[value(|row| row)]
    row_number: Constant<[Bits<6>; rows]>,
    #[value(|lane| lane)]
    lane_number: Constant<[Bits<2>; SCAN_LANES]>,
}

impl<const V: usize, const A: usize> Logic for LrtCam<V, A> {
    #[rtl]
    fn update(&mut self) {
        pass!(self => self.state: tick, evict_ready, done_ready, insert);
        pass!(self.state => self: done, matched, full, occupancy);

        // Comparators. A load has one partner at most, so its place and warp are collected by OR.
        self.any_leaving.next = false;
        self.leaving_row.next = 0.into();
        self.leaving_lanes.next = 0.into();
        self.any_partner.next = false;
        self.partner_row.next = 0.into();
        self.partner_lane.next = 0.into();
        self.partner_warp.next = 0.into();
        for r in 0..rows {
            self.leaving[r].next = 0.into();
            self.partners[r].next = 0.into();
            for k in 0..4 {
                if self.state.used[r].val().get_bit(k) {
                    if self.entries[r * 4 + k].warp.val() == self.request.warp.val() {
                        self.leaving[r].next = self.leaving[r].val().replace_bit(
                            k,
                            self.drain.val()
                                | (self.entries[r * 4 + k].destination.val()
                                    == self.request.destination.val()),
                        );
                    } else if (!self.drain.val()
                        & (self.entries[r * 4 + k].destination.val() == self.request.destination.val()))
                        & ((self.entries[r * 4 + k].source.val() == self.request.source.val())
                            & (self.entries[r * 4 + k].address.val() == self.request.address.val()))
                    {
                        self.partners[r].next = self.partners[r].val().replace_bit(k, true);
                        self.partner_row.next = self.partner_row.val() | self.row_number[r].val();
                        self.partner_lane.next = self.partner_lane.val() | self.lane_number[k].val();
                        self.partner_warp.next = self.partner_warp.val() | self.entries[r * 4 + k].warp.val();
                    }
                }
            }
            self.any_partner.next = self.any_partner.val() | self.partners[r].val().any();
            if !self.any_leaving.val() & self.leaving[r].val().any() {
                self.any_leaving.next = true;
                self.leaving_row.next = self.row_number[r].val();
                self.leaving_lanes.next = self.leaving[r].val();
            }
        }

        // An entry that leaves: the first due one, else the first that the operation drives out.
        self.evicts.next = self.state.any_due.val() | (self.search.val() & self.any_leaving.val());
        pass!(self => self.state: evicts as evict, evict_row, evict_lane);
        self.evict.next = self.evicts.val();
        self.evict_aged.next = self.state.any_due.val();
        self.evict_row.next = self.leaving_row.val();
        self.evict_lanes.next = self.leaving_lanes.val();
        if self.state.any_due.val() {
            self.evict_row.next = self.state.due_row.val();
            self.evict_lanes.next = self.state.due_lanes.val();
        }
        self.evict_lane.next = 0.into();
        for k in 0..4 {
            if self.evict_lanes.val().get_bit(3 - k) {
                self.evict_lane.next = self.lane_number[3 - k].val();
            }
        }
        self.evicted.clear();
        for r in 0..rows {
            if self.evicts.val() & (self.evict_row.val() == self.row_number[r].val()) {
                for k in 0..4 {
                    if self.evict_lane.val() == self.lane_number[k].val() {
                        self.evicted.merge(self.entries[r * 4 + k].val());
                    }
                }
            }
        }

        // The end of the search.
        self.state.ends.next = self.search.val() & !self.evicts.val();
        pass!(self => self.state: any_partner, partner_row, partner_lane);
        self.matched_warp.next = 0.into();
        if self.state.matched.val() {
            self.matched_warp.next = self.partner_warp.val();
        }
        for r in 0..rows {
            for k in 0..4 {
                self.entries[r * 4 + k].load(
                    self.state.writes.val()
                        & ((self.state.free_row.val() == self.row_number[r].val())
                            & (self.state.free_lane.val() == self.lane_number[k].val())),
                    self.request.val(),
                );
            }
        }
    }
}
