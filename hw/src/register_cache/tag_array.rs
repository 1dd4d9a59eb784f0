// SPDX-License-Identifier: Apache-2.0
//! Tag array of a register cache: C §IV, §V-B.
//!
//! It knows which registers of eight warps lie in the cache, for lanes that share tags. In C each thread
//! caches for itself: 32 arrays, each of one lane. Where a warp's lanes share their tags, one array has a
//! valid bit and a dirty bit for each of them.
//!
//! An entry is a tag (the register's number), and for each lane valid and dirty. Entry e of warp w lies in
//! set e / ways. Only a register that is nowhere goes into the set that the mapping names.
//!
//! - A **result** is stored in its lanes if the allocation takes in destinations, else only where the
//!   register is valid. Lanes that are not stored, and all lanes when writing through, go to the register
//!   file at once (`direct`).
//! - A **fill** brings a source from the register file; it is stored where it is not valid yet. It is clean.
//! - An entry that makes room leaves with its dirty lanes (`victim`).
//!
//! Look-ups and decisions are combinational and see the state at the start of the cycle; changes show in the
//! next one. At most one of a result, a fill, a flush of one entry and a drop takes place in a cycle.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, CACHED_WARPS};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::register_cache::WayReplacement;
use crate::{monitor, watch};

/// `L`: lanes that share the tags.
#[block(
    title = "Tag array of a register cache",
    paper = "C §IV, §V-B",
    parameters(rc_tag_lanes, rc_entries, rc_ways, slots, rc_allocation, rc_replacement, rc_write),
    sizes(
        sets = rc_entries / rc_ways,
        lines = CACHED_WARPS * rc_entries / rc_ways
    )
)]
pub struct TagArray<const L: usize> {
    /// A source is looked up.
    pub read: In<[Bit; slots]>,
    /// Warp of all sources.
    pub read_warp: In<Bits<3>>,
    /// Register of the source.
    pub read_register: In<[Bits<8>; slots]>,
    /// Lanes that read.
    pub read_mask: In<Bits<L>>,
    /// A result or a fill is written.
    pub write: In<Bit>,
    /// With `write`: it is a fill.
    pub fill: In<Bit>,
    /// An entry of the warp is flushed: it leaves with its dirty lanes.
    pub flush: In<Bit>,
    /// Entry that is flushed.
    pub flush_entry: In<Bits<4>>,
    /// All entries of the warp become invalid, and nothing leaves.
    pub drop: In<Bit>,
    /// Warp of the write, flush or drop.
    pub warp: In<Bits<3>>,
    /// Register that is written.
    pub register: In<Bits<8>>,
    /// Set that takes it in.
    pub set: In<Bits<3>>,
    /// Lanes that are written.
    pub mask: In<Bits<L>>,

    /// Lanes of the source that the cache has.
    pub hit: Out<[Bits<L>; slots]>,
    /// Row of the found lanes in the memory, 8 entry + warp; zero without one.
    pub hit_row: Out<[Bits<7>; slots]>,
    /// Lanes that were valid when they were written.
    pub write_hit: Out<Bits<L>>,
    /// Lanes that are stored.
    pub stored: Out<Bits<L>>,
    /// Row of the stored lanes; zero if there are none.
    pub row: Out<Bits<7>>,
    /// Lanes of the result that go to the register file.
    pub direct: Out<Bits<L>>,
    /// Dirty lanes that leave.
    pub victim: Out<Bits<L>>,
    /// Register of the lanes that leave; zero without any.
    pub victim_register: Out<Bits<8>>,
    /// Row of the lanes that leave; zero without any.
    pub victim_row: Out<Bits<7>>,

    /// The entries of the warp that reads, by set and way.
    read_tag: Local<[[Bits<8>; rc_ways]; sets]>,
    read_valid: Local<[[Bits<L>; rc_ways]; sets]>,
    /// The slot's read finds the entry.
    finds: Local<[[[Bit; slots]; rc_ways]; sets]>,
    /// They are used, which counts under LRU.
    #[when(rc_replacement == CacheReplacement::Lru)]
    read_used: Local<[[Bit; rc_ways]; sets]>,
    /// The entries of the warp that is written.
    own_tag: Local<[[Bits<8>; rc_ways]; sets]>,
    own_valid: Local<[[Bits<L>; rc_ways]; sets]>,
    own_dirty: Local<[[Bits<L>; rc_ways]; sets]>,
    found: Local<[[Bit; rc_ways]; sets]>,
    present: Local<Bit>,
    /// Lanes that have the register now, and those that are stored.
    had: Local<Bits<L>>,
    stores: Local<Bits<L>>,
    /// A register that is nowhere is taken in.
    takes_in: Local<Bit>,
    /// The way of each set that makes room.
    room: Local<[[Bit; rc_ways]; sets]>,
    /// The entry that is written, the one that is taken in again, and the one that leaves.
    target: Local<[[Bit; rc_ways]; sets]>,
    taken: Local<[[Bit; rc_ways]; sets]>,
    leaves: Local<[[Bit; rc_ways]; sets]>,
    /// A line is written, or emptied.
    writes_line: Local<[[Bit; rc_ways]; lines]>,
    clears_line: Local<[[Bit; rc_ways]; lines]>,
    /// Set s of warp w at 8 s + w.
    tag: Register<[[Bits<8>; rc_ways]; lines]>,
    valid: Register<[[Bits<L>; rc_ways]; lines]>,
    dirty: Register<[[Bits<L>; rc_ways]; lines]>,
    ways: [WayReplacement; lines],
    #[value(|number| number)]
    number: Constant<[Bits<3>; CACHED_WARPS]>,
    #[value(|set, way| set * rc_ways + way)]
    entry_number: Constant<[[Bits<4>; rc_ways]; sets]>,
    #[value(|set, way| 8 * (set * rc_ways + way))]
    first_row: Constant<[[Bits<7>; rc_ways]; sets]>,
    #[value(rc_allocation != CacheAllocation::Read)]
    takes_results: Constant<Bit>,
    #[value(rc_write == CacheWrite::Through)]
    writes_through: Constant<Bit>,
}

watch!(TagArray<L>: [
    "misuse if write + flush + drop > 1: a warp is written, flushed and dropped in one cycle",
]);

monitor!(TagArray<L>: "tag_array_monitor.v");

#[rtl]
impl<const L: usize> TagArray<L> {
    /// The entries of both warps.
    fn entries_of_both() {
        for s in 0..sets {
            for k in 0..rc_ways {
                read_tag[s][k] = 0;
                read_valid[s][k] = 0;
                own_tag[s][k] = 0;
                own_valid[s][k] = 0;
                own_dirty[s][k] = 0;
                room[s][k] = false;
                for w in 0..8 {
                    ways[s * 8 + w].valid[k] = valid[s * 8 + w][k].any();
                    if read_warp == number[w] {
                        read_tag[s][k] = tag[s * 8 + w][k];
                        read_valid[s][k] = valid[s * 8 + w][k];
                    }
                    if warp == number[w] {
                        own_tag[s][k] = tag[s * 8 + w][k];
                        own_valid[s][k] = valid[s * 8 + w][k];
                        own_dirty[s][k] = dirty[s * 8 + w][k];
                        room[s][k] = ways[s * 8 + w].victim[k];
                    }
                }
            }
        }
    }

    /// Look-up.
    fn look_up() {
        for r in 0..slots {
            hit[r] = 0;
            hit_row[r] = 0;
            for s in 0..sets {
                for k in 0..rc_ways {
                    finds[s][k][r] = (read[r] & (read_tag[s][k] == read_register[r]))
                        & (read_valid[s][k] & read_mask).any();
                    if finds[s][k][r] {
                        hit[r] = read_valid[s][k] & read_mask;
                        hit_row[r] = first_row[s][k] | bit_cast::<7, 3>(read_warp);
                    }
                }
            }
        }
        if rc_replacement == CacheReplacement::Lru {
            for s in 0..sets {
                for k in 0..rc_ways {
                    read_used[s][k] = false;
                    for r in 0..slots {
                        if finds[s][k][r] {
                            read_used[s][k] = true;
                        }
                    }
                }
            }
        }
    }

    /// Entries that a result or a fill finds, and lanes that are stored.
    fn stores() {
        present = false;
        had = 0;
        for s in 0..sets {
            for k in 0..rc_ways {
                found[s][k] = own_valid[s][k].any() & (own_tag[s][k] == register);
                if found[s][k] {
                    present = true;
                    had = own_valid[s][k];
                }
            }
        }
        stores = 0;
        write_hit = 0;
        direct = 0;
        if write {
            if fill {
                stores = mask & !had;
            } else {
                write_hit = mask & had;
                stores = if takes_results { mask } else { mask & had };
                direct = if writes_through { mask } else { mask & !stores };
            }
        }
        stored = stores;
        takes_in = stores.any() & !present;
    }

    /// Where, and what leaves.
    fn choose() {
        row = 0;
        victim = 0;
        victim_register = 0;
        victim_row = 0;
        for s in 0..sets {
            for k in 0..rc_ways {
                taken[s][k] = (takes_in & (set == s)) & room[s][k];
                target[s][k] = taken[s][k] | (found[s][k] & stores.any());
                leaves[s][k] = taken[s][k] | (flush & (flush_entry == entry_number[s][k]));
                if target[s][k] {
                    row = first_row[s][k] | bit_cast::<7, 3>(warp);
                }
                if leaves[s][k] & own_dirty[s][k].any() {
                    victim = own_dirty[s][k];
                    victim_register = own_tag[s][k];
                    victim_row = first_row[s][k] | bit_cast::<7, 3>(warp);
                }
            }
        }
    }

    /// Changes.
    fn change() {
        for s in 0..sets {
            for w in 0..8 {
                for k in 0..rc_ways {
                    writes_line[s * 8 + w][k] = target[s][k] & (warp == number[w]);
                    clears_line[s * 8 + w][k] = (leaves[s][k] | drop) & (warp == number[w]);
                    tag[s * 8 + w][k].load(writes_line[s * 8 + w][k], register);
                    if writes_line[s * 8 + w][k] | clears_line[s * 8 + w][k] {
                        valid[s * 8 + w][k] = 0;
                        dirty[s * 8 + w][k] = 0;
                    }
                    if !clears_line[s * 8 + w][k] {
                        valid[s * 8 + w][k].d = valid[s * 8 + w][k];
                        dirty[s * 8 + w][k].d = dirty[s * 8 + w][k];
                    }
                    if writes_line[s * 8 + w][k] {
                        valid[s * 8 + w][k].d =
                            if !clears_line[s * 8 + w][k] { valid[s * 8 + w][k] | stores } else { stores };
                        if !fill & !writes_through {
                            dirty[s * 8 + w][k].d = if !clears_line[s * 8 + w][k] {
                                dirty[s * 8 + w][k] | stores
                            } else {
                                stores
                            };
                        }
                    }
                    ways[s * 8 + w].touch[k] = taken[s][k] & (warp == number[w]);
                }
            }
        }
        if rc_replacement == CacheReplacement::Lru {
            for s in 0..sets {
                for w in 0..8 {
                    for k in 0..rc_ways {
                        ways[s * 8 + w].touch[k] =
                            writes_line[s * 8 + w][k] | (read_used[s][k] & (read_warp == number[w]));
                    }
                }
            }
        }
    }
}
