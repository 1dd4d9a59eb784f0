//! Tag array of a register cache: C §IV, §V-B. Which registers of eight warps lie in it, for lanes that share tags.
//!
//! In C each thread caches for itself: 32 arrays, each of one lane. Where a warp's lanes share their tags, one array has
//! a valid bit and a dirty bit for each of them.
//!
//! An entry is a tag (the register's number), and for each lane: valid, dirty. Entry e of warp w lies in set
//! e / ways. C maps registers to sets when they are taken in and is silent on where a look-up searches. Here it searches
//! all entries of the warp: a result that was written into the set of its number would otherwise be missed by a source
//! that searches the set of its position, and the register file has only the old value. So a register is in an array at
//! most once, a result replaces its old value wherever that lies, and only a register that is nowhere goes into the set
//! that the mapping names.
//!
//! * A **result** is stored in its lanes if the allocation takes in destinations, else only where the register is
//!   valid. Lanes that are not stored, and all lanes when writing through, go to the register file at once (`direct`).
//! * A **fill** brings a source from the register file; it is stored where it is not valid yet. It is clean.
//! * What is replaced leaves with its dirty lanes (`victim`).
//!
//! Timing: look-ups and decisions are combinational and see the state at the start of the cycle; changes show in the
//! next one. At most one of a result, a fill, a flush of one entry and a drop takes place in a cycle.

use gpurf_blocks::{CacheAllocation, CacheReplacement, CacheWrite, CACHED_WARPS};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::register_cache::WayReplacement;

/// `L`: lanes that share the tags.
#[block(
    title = "Tag array of a register cache",
    paper = "C §IV, §V-B",
    parameters(rc_tag_lanes, rc_entries, rc_ways, slots, rc_allocation, rc_replacement, rc_write),
    sizes(
        sets = rc_entries / rc_ways,
        lines = CACHED_WARPS * rc_entries / rc_ways,
        renewed = if parameters.rc_replacement == CacheReplacement::Lru { rc_entries / rc_ways } else { 0 }
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
    /// That entry.
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
    /// Their row in the memory, 8 entry + warp; zero without one.
    pub hit_row: Out<[Bits<7>; slots]>,
    /// Lanes that were valid when they were written.
    pub write_hit: Out<Bits<L>>,
    /// Lanes that are stored.
    pub stored: Out<Bits<L>>,
    /// Their row; zero if there are none.
    pub row: Out<Bits<7>>,
    /// Lanes of the result that go to the register file.
    pub direct: Out<Bits<L>>,
    /// Dirty lanes that leave.
    pub victim: Out<Bits<L>>,
    /// Their register; zero without any.
    pub victim_register: Out<Bits<8>>,
    /// Their row; zero without any.
    pub victim_row: Out<Bits<7>>,

    /// The entries of the warp that reads, by set and way.
    read_tag: Local<[[Bits<8>; rc_ways]; sets]>,
    read_valid: Local<[[Bits<L>; rc_ways]; sets]>,
    /// The slot's read finds the entry.
    finds: Local<[[[Bit; slots]; rc_ways]; sets]>,
    /// They are used, which counts under LRU.
    read_used: Local<[[Bit; rc_ways]; renewed]>,
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
    /// The entry that is written, the one that is taken in anew, and the one that leaves.
    target: Local<[[Bit; rc_ways]; sets]>,
    taken: Local<[[Bit; rc_ways]; sets]>,
    leaves: Local<[[Bit; rc_ways]; sets]>,
    /// Of a line: it is written, emptied.
    writes_line: Local<[[Bit; rc_ways]; lines]>,
    clears_line: Local<[[Bit; rc_ways]; lines]>,
    /// Set s of warp w at 8 s + w.
    tag: Register<[[Bits<8>; rc_ways]; lines]>,
    valid: Register<[[Bits<L>; rc_ways]; lines]>,
    dirty: Register<[[Bits<L>; rc_ways]; lines]>,
    ways: [WayReplacement; lines],
    #[value(|number| number)]
    number: Constant<[Bits<3>; CACHED_WARPS]>,
    #[value(|number| number)]
    set_number: Constant<[Bits<3>; sets]>,
    #[value(|set, way| set * rc_ways + way)]
    entry_number: Constant<[[Bits<4>; rc_ways]; sets]>,
    #[value(|set, way| 8 * (set * rc_ways + way))]
    first_row: Constant<[[Bits<7>; rc_ways]; sets]>,
    #[value(rc_allocation != CacheAllocation::Read)]
    takes_results: Constant<Bit>,
    #[value(rc_write == CacheWrite::Through)]
    writes_through: Constant<Bit>,
}

impl<const L: usize> Logic for TagArray<L> {
    #[rtl]
    fn update(&mut self) {
        // The entries of both warps.
        for s in 0..sets {
            for k in 0..rc_ways {
                self.read_tag[s][k].next = 0.into();
                self.read_valid[s][k].next = 0.into();
                self.own_tag[s][k].next = 0.into();
                self.own_valid[s][k].next = 0.into();
                self.own_dirty[s][k].next = 0.into();
                self.room[s][k].next = false;
                for w in 0..8 {
                    self.ways[s * 8 + w].valid[k].next = self.valid[s * 8 + w][k].val().any();
                    if self.read_warp.val() == self.number[w].val() {
                        self.read_tag[s][k].next = self.tag[s * 8 + w][k].val();
                        self.read_valid[s][k].next = self.valid[s * 8 + w][k].val();
                    }
                    if self.warp.val() == self.number[w].val() {
                        self.own_tag[s][k].next = self.tag[s * 8 + w][k].val();
                        self.own_valid[s][k].next = self.valid[s * 8 + w][k].val();
                        self.own_dirty[s][k].next = self.dirty[s * 8 + w][k].val();
                        self.room[s][k].next = self.ways[s * 8 + w].victim[k].val();
                    }
                }
            }
        }

        // Look-up.
        for r in 0..slots {
            self.hit[r].next = 0.into();
            self.hit_row[r].next = 0.into();
            for s in 0..sets {
                for k in 0..rc_ways {
                    self.finds[s][k][r].next = (self.read[r].val()
                        & (self.read_tag[s][k].val() == self.read_register[r].val()))
                        & (self.read_valid[s][k].val() & self.read_mask.val()).any();
                    if self.finds[s][k][r].val() {
                        self.hit[r].next = self.read_valid[s][k].val() & self.read_mask.val();
                        self.hit_row[r].next =
                            self.first_row[s][k].val() | bit_cast::<7, 3>(self.read_warp.val());
                    }
                }
            }
        }
        for s in 0..renewed {
            for k in 0..rc_ways {
                self.read_used[s][k].next = false;
                for r in 0..slots {
                    if self.finds[s][k][r].val() {
                        self.read_used[s][k].next = true;
                    }
                }
            }
        }

        // What a result or a fill finds, and which lanes are stored.
        self.present.next = false;
        self.had.next = 0.into();
        for s in 0..sets {
            for k in 0..rc_ways {
                self.found[s][k].next =
                    self.own_valid[s][k].val().any() & (self.own_tag[s][k].val() == self.register.val());
                if self.found[s][k].val() {
                    self.present.next = true;
                    self.had.next = self.own_valid[s][k].val();
                }
            }
        }
        self.stores.next = 0.into();
        self.write_hit.next = 0.into();
        self.direct.next = 0.into();
        if self.write.val() {
            if self.fill.val() {
                self.stores.next = self.mask.val() & !self.had.val();
            } else {
                self.write_hit.next = self.mask.val() & self.had.val();
                self.stores.next = self.mask.val() & self.had.val();
                if self.takes_results.val() {
                    self.stores.next = self.mask.val();
                }
                self.direct.next = self.mask.val() & !self.stores.val();
                if self.writes_through.val() {
                    self.direct.next = self.mask.val();
                }
            }
        }
        self.stored.next = self.stores.val();
        self.takes_in.next = self.stores.val().any() & !self.present.val();

        // Where, and what leaves.
        self.row.next = 0.into();
        self.victim.next = 0.into();
        self.victim_register.next = 0.into();
        self.victim_row.next = 0.into();
        for s in 0..sets {
            for k in 0..rc_ways {
                self.taken[s][k].next = (self.takes_in.val() & (self.set.val() == self.set_number[s].val()))
                    & self.room[s][k].val();
                self.target[s][k].next =
                    self.taken[s][k].val() | (self.found[s][k].val() & self.stores.val().any());
                self.leaves[s][k].next = self.taken[s][k].val()
                    | (self.flush.val() & (self.flush_entry.val() == self.entry_number[s][k].val()));
                if self.target[s][k].val() {
                    self.row.next = self.first_row[s][k].val() | bit_cast::<7, 3>(self.warp.val());
                }
                if self.leaves[s][k].val() & self.own_dirty[s][k].val().any() {
                    self.victim.next = self.own_dirty[s][k].val();
                    self.victim_register.next = self.own_tag[s][k].val();
                    self.victim_row.next = self.first_row[s][k].val() | bit_cast::<7, 3>(self.warp.val());
                }
            }
        }

        // What changes.
        for s in 0..sets {
            for w in 0..8 {
                for k in 0..rc_ways {
                    self.writes_line[s * 8 + w][k].next =
                        self.target[s][k].val() & (self.warp.val() == self.number[w].val());
                    self.clears_line[s * 8 + w][k].next = (self.leaves[s][k].val() | self.drop.val())
                        & (self.warp.val() == self.number[w].val());
                    self.tag[s * 8 + w][k].load(self.writes_line[s * 8 + w][k].val(), self.register.val());
                    self.valid[s * 8 + w][k].load(
                        self.writes_line[s * 8 + w][k].val() | self.clears_line[s * 8 + w][k].val(),
                        0.into(),
                    );
                    self.dirty[s * 8 + w][k].load(
                        self.writes_line[s * 8 + w][k].val() | self.clears_line[s * 8 + w][k].val(),
                        0.into(),
                    );
                    if !self.clears_line[s * 8 + w][k].val() {
                        self.valid[s * 8 + w][k].d.next = self.valid[s * 8 + w][k].val();
                        self.dirty[s * 8 + w][k].d.next = self.dirty[s * 8 + w][k].val();
                    }
                    if self.writes_line[s * 8 + w][k].val() {
                        self.valid[s * 8 + w][k].d.next = self.stores.val();
                        if !self.clears_line[s * 8 + w][k].val() {
                            self.valid[s * 8 + w][k].d.next =
                                self.valid[s * 8 + w][k].val() | self.stores.val();
                        }
                        if !self.fill.val() & !self.writes_through.val() {
                            self.dirty[s * 8 + w][k].d.next = self.stores.val();
                            if !self.clears_line[s * 8 + w][k].val() {
                                self.dirty[s * 8 + w][k].d.next =
                                    self.dirty[s * 8 + w][k].val() | self.stores.val();
                            }
                        }
                    }
                    self.ways[s * 8 + w].touch[k].next =
                        self.taken[s][k].val() & (self.warp.val() == self.number[w].val());
                }
            }
        }
        for s in 0..renewed {
            for w in 0..8 {
                for k in 0..rc_ways {
                    self.ways[s * 8 + w].touch[k].next = self.writes_line[s * 8 + w][k].val()
                        | (self.read_used[s][k].val() & (self.read_warp.val() == self.number[w].val()));
                }
            }
        }
    }
}
