// SPDX-License-Identifier: Apache-2.0
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
    last_row: Local<Bits<6>>,
    used_lanes: Local<Bits<4>>,
    leaving: Local<Bits<4>>,
    evict_lane: Local<Bits<2>>,
    evicts: Local<Bit>,
    same_place: Local<[Bit; SCAN_LANES]>,
    partners: Local<Bits<4>>,
    partner_lane: Local<Bits<2>>,
    partner_warp: Local<Bits<V>>,
    /// The row is compared, and nothing in it has to leave first.
    passed: Local<Bit>,
    at_end: Local<Bit>,

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
}

#[rtl]
impl<const V: usize, const A: usize> LrtScan<V, A> {
    fn mode() {
        connect!(state { tick, evict_ready, done_ready, insert } -> done, matched, full, occupancy);
    }

    /// The row that the memories should show, and what is in use of the one that they do. While entries age
    /// out, that is the row that is due.
    fn rows() {
        aging = state.any_due & !searching;
        target = if searching {
            row
        } else if state.any_due {
            state.due_row
        } else {
            0
        };
        here = fresh & (row == target);
        last_row = 0;
        used_lanes = 0;
        for r in 0..rows {
            if state.used[r].any() {
                last_row = r;
            }
            if row == r {
                used_lanes = state.used[r];
            }
        }
        at_end = row >= last_row;
    }

    /// Comparators.
    fn compare() {
        leaving = 0;
        partners = 0;
        for k in 0..4 {
            /// The four comparators.
            let same_warp: Bit = warps[k].read_data == request.warp;
            let same_destination: Bit = destinations[k].read_data == request.destination;
            same_place[k] =
                (addresses[k].read_data == request.address) & (sources[k].read_data == request.source);
            leaving = leaving.replace_bit(
                k,
                (aging & state.due_lanes.get_bit(k))
                    | ((!aging & (search & used_lanes.get_bit(k)))
                        & (same_warp & (drain | same_destination))),
            );
            partners = partners.replace_bit(
                k,
                ((used_lanes.get_bit(k) & !drain) & !same_warp) & (same_place[k] & same_destination),
            );
        }
    }

    /// An entry that leaves: the first of the row.
    fn leave() {
        evicts = here & leaving.any();
        connect!(state { evict: evicts, evict_row: row, evict_lane });
        evict = evicts;
        evict_aged = evicts & aging;
        evict_lane = 0;
        evicted.clear();
        partner_lane = 0;
        partner_warp = 0;
        for k in 0..4 {
            if evicts & leaving.get_bit(3 - k) {
                evict_lane = 3 - k;
                evicted.warp = warps[3 - k].read_data;
                evicted.address = addresses[3 - k].read_data;
                evicted.source = sources[3 - k].read_data;
                evicted.destination = destinations[3 - k].read_data;
            }
            if partners.get_bit(k) {
                partner_lane = k;
                partner_warp = warps[k].read_data;
            }
        }
    }

    /// The end of the search.
    fn end() {
        passed = ((here & !aging) & search) & !leaving.any();
        connect!(state {
            ends: passed & at_end, any_partner: found | partners.any(), partner_row: row, partner_lane,
        });
        matched_warp = 0;
        if found {
            state.partner_row = found_row;
            state.partner_lane = found_lane;
        }
        if state.matched {
            matched_warp = if found { found_warp } else { partner_warp };
        }
    }

    /// The memories: a write, or the row wanted next if they do not show it already.
    fn store() {
        let following_row: Bits<6> = row + 1;
        next_row = if state.finishes {
            0
        } else if passed & !at_end {
            following_row
        } else {
            target
        };
        let reads: Bit = !state.writes & (!fresh | (next_row != row));
        for k in 0..4 {
            warps[k].enable = reads | (state.writes & (state.free_lane == k));
            warps[k].write = state.writes;
            warps[k].address =
                if state.writes { bit_cast::<8, 6>(state.free_row) } else { bit_cast::<8, 6>(next_row) };
            warps[k].write_data = request.warp;
            addresses[k].enable = warps[k].enable;
            addresses[k].write = state.writes;
            addresses[k].address = warps[k].address;
            addresses[k].write_data = request.address;
            sources[k].enable = warps[k].enable;
            sources[k].write = state.writes;
            sources[k].address = warps[k].address;
            sources[k].write_data = request.source;
            destinations[k].enable = warps[k].enable;
            destinations[k].write = state.writes;
            destinations[k].address = warps[k].address;
            destinations[k].write_data = request.destination;
        }
    }

    /// Where the search stands.
    fn progress() {
        row = next_row;
        fresh = !state.writes;
        searching = (searching | ((here & !aging) & search)) & !state.finishes;
        found.load(state.finishes | (passed & partners.any()), !state.finishes);
        if passed & partners.any() {
            found_row = row;
            found_lane = partner_lane;
            found_warp = partner_warp;
        }
    }
}
