// SPDX-License-Identifier: Apache-2.0
//! Load request table (LRT), all entries compared at once: I §3.1 to §3.3 read as a content-addressable
//! memory.
//!
//! Entries stand in registers, each with its own comparator: "check every LRT entry upon every MLDS request"
//! (I §3.1). Operations, rules and ports are those of `lrt_scan`.
//!
//! A search takes one cycle. Each entry that leaves takes a cycle before it. Entries due by age go first,
//! between the steps of an operation too.

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use super::EntryState;
use crate::bundles::{LoadRequest, LrtPorts};
use crate::dialect::{block, rtl, Held};
use crate::monitor;

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
}

#[rtl]
impl<const V: usize, const A: usize> LrtCam<V, A> {
    fn mode() {
        connect!(state { tick, evict_ready, done_ready, insert } -> done, matched, full, occupancy);
    }

    /// Comparators. A load has one partner at most, so its place and warp are collected by OR.
    fn compare() {
        any_leaving = false;
        leaving_row = 0;
        leaving_lanes = 0;
        any_partner = false;
        partner_row = 0;
        partner_lane = 0;
        partner_warp = 0;
        for r in 0..rows {
            leaving[r] = 0;
            partners[r] = 0;
            for k in 0..4 {
                if state.used[r].get_bit(k) {
                    if entries[r * 4 + k].warp == request.warp {
                        leaving[r] = leaving[r]
                            .replace_bit(k, drain | (entries[r * 4 + k].destination == request.destination));
                    } else if (!drain & (entries[r * 4 + k].destination == request.destination))
                        & ((entries[r * 4 + k].source == request.source)
                            & (entries[r * 4 + k].address == request.address))
                    {
                        partners[r] = partners[r].replace_bit(k, true);
                        partner_row |= r;
                        partner_lane |= k;
                        partner_warp |= entries[r * 4 + k].warp;
                    }
                }
            }
            any_partner |= partners[r].any();
            if !any_leaving & leaving[r].any() {
                any_leaving = true;
                leaving_row = r;
                leaving_lanes = leaving[r];
            }
        }
    }

    /// An entry that leaves: the first due one, else the first that the operation drives out.
    fn leave() {
        evicts = state.any_due | (search & any_leaving);
        connect!(state { evict: evicts, evict_row, evict_lane });
        evict = evicts;
        evict_aged = state.any_due;
        evict_row = leaving_row;
        evict_lanes = leaving_lanes;
        if state.any_due {
            evict_row = state.due_row;
            evict_lanes = state.due_lanes;
        }
        evict_lane = first(0..4, |k| evict_lanes.get_bit(k));
        evicted.clear();
        for r in 0..rows {
            if evicts & (evict_row == r) {
                for k in 0..4 {
                    if evict_lane == k {
                        evicted.merge(entries[r * 4 + k]);
                    }
                }
            }
        }
    }

    /// The end of the search.
    fn end() {
        connect!(state { ends: search & !evicts, any_partner, partner_row, partner_lane });
        matched_warp = if state.matched { partner_warp } else { 0 };
        for r in 0..rows {
            for k in 0..4 {
                entries[r * 4 + k]
                    .load(state.writes & ((state.free_row == r) & (state.free_lane == k)), request);
            }
        }
    }
}

monitor!(LrtCam<V, A>: "lrt_monitor.v", "lrt_cam_monitor.v");
