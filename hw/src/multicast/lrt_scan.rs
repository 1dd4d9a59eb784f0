// SPDX-License-Identifier: Apache-2.0
//! Load request table (LRT), searched four entries per cycle: I §3.1 to §3.3, §5.2.3.
//!
//! The table keeps the multicasting loads (MLDS) that no other warp has asked for yet. It is part of the
//! [iwmu](iwmu.md). An entry is {warp 6, shared-memory address 16, source register 8, destination register
//! 8}, 38 bits. A used bit and two bits of age stand beside it, in `entry_state`.
//!
//! "Four comparators" (I §3.1) and "SRAM" (I §5.2.3): entries stand in a single-ported memory, four to a row;
//! a row is compared per cycle. As exported each field of each of the four lanes is a memory of its own, 16
//! in all. They share address and enables, and would be one macro of 152 bits a row.
//!
//! The table performs one operation at a time:
//!
//! 1. **A load.** An entry of *another* warp with the same address and registers is its partner, and is
//!    deleted when the operation ends. Without a partner the load may be inserted, into the first free entry.
//! 2. **Before that**, an older load of the same warp into the same register leaves, as a plain load.
//! 3. **A release** (`drain`): every load of one warp leaves as a plain load.
//! 4. **Ticks**: after two of them an entry is due, and leaves as a plain load, between operations.
//!
//! # Timing
//!
//! | step | `lrt_scan` | `lrt_cam` |
//! |---|---|---|
//! | a search, n the place of the last row in use | n + 1 cycles, at least 1 | 1 cycle |
//! | the same after an insertion | 1 more: a write leaves the memory's output stale | 1 cycle |
//! | the same after entries left by age | 1 more | 1 cycle |
//! | each entry that leaves first | 1 more | 1 more |
//!
//! An insertion takes the first free entry, so the rows in use stay together. N entries without holes take
//! N/4 cycles, 48 for 192. A search never ends at a match, because the older load of rule 2 may stand behind
//! it.
//!
//! `evict` and `done` depend on the operation and the state. They stay until they are taken, unless a `tick`
//! makes an entry due. That one then goes first, in `lrt_scan` if it lies in an earlier row. Changes show in
//! the next cycle. `lrt_scan` with one load in row 0, whose partner comes:
//!
//! ```text
//! cycle        0   1   2   3
//! search       1   1   0   0
//! done         0   1   0   0      (cycle 0 reads row 0 again, after the insertion)
//! matched      0   1   0   0
//! occupancy    1   1   0   0
//! ```
//!
//! # Decisions
//!
//! - **No two entries are alike.** An inserted load has no partner, and rule 2 leaves a warp one entry per
//!   destination register. So a load has at most one partner. The random testbench fails on a second partner.
//! - **An own repeat, and any other load of the same warp into the same register, drives the older one out.**
//!   Otherwise the younger could be delivered first, and the older would overwrite its value. A scoreboard
//!   that reserves the destination at issue never lets this happen; the table does not count on it.
//! - **A full table** refuses the insertion and says so (`full`); the load leaves at once as a plain one
//!   ([iwmu](iwmu.md)).
//! - **The same sub-core.** The paper asks for a different warp and speaks of "two sub-cores". Two warps of
//!   one sub-core may be partners here.
//! - **Age** is counted in two steps: two bits per entry, not a time. An entry leaves after more than one and
//!   at most two intervals between ticks, and then when its turn comes. **Our rule**; the paper has no end
//!   for a lone load.

use gpurf_blocks::SCAN_LANES;
use rust_hdl::prelude::*;

use super::EntryState;
use crate::bundles::LrtPorts;
use crate::dialect::{block, rtl, Memory, Register};
use crate::monitor;

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
            ends: passed & at_end,
            any_partner: found | partners.any(),
            partner_row: row,
            partner_lane,
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

monitor!(LrtScan<V, A>: "lrt_monitor.v", "lrt_scan_monitor.v");
