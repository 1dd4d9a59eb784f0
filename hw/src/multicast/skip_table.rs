// SPDX-License-Identifier: Apache-2.0
//! Skip table of DARSIE: I §5.2.2.
//!
//! The first warp of a sub-core that performs a load goes to shared memory, and leads. The table keeps the
//! load's instruction, its CTA and the section of the CTA's work, which a barrier ends. A later warp with the
//! same load skips its access: by register renaming it reads what the leader loaded. If that is still under
//! way the warp follows: it is noted in the entry, and goes on when the data come.
//!
//! # Timing
//!
//! The table does one thing in a cycle, and answers in the same:
//!
//! | in this cycle | what happens |
//! |---|---|
//! | `request`, found | the access is skipped; `under_way`: the warp follows |
//! | `request`, not found | the load leads; `kept`: it has an entry from the next cycle on |
//! | `loaded` | the data of a leading load come; `followers` go on |
//! | `opens` | a CTA begins a section: its values from before the last one are dropped |
//! | `forget` | a CTA leaves: all its values are dropped |
//!
//! # Decisions
//!
//! I says that DARSIE's compiler finds loads alike, and that the later one reads the register file. The rest
//! is our reconstruction:
//!
//! - **Who is alike** is known elsewhere. An entry's `alike` says that its load has the same lanes and
//!   addresses, and that nothing has been stored there since. DARSIE's compiler proves it.
//! - **Order.** Entries stand in the order of their loads. The newest that is alike is found. A new one takes
//!   the last place, and those behind the one that makes room move up.
//! - **Who makes room**: an entry without a value, else the oldest whose data have come. If all are under way
//!   the load is not kept.
//! - **A load from before a barrier may come late**, so entries stay until the section after has ended too.
//! - **What a follower reads** stands in the [renaming table](renaming_table.md), which says in whose row the
//!   value lies. A value that has been overwritten there is no longer `alike`. Where the SM renames no
//!   registers, a follower's are written when it goes on, as by any load.
//!
//! # Storage
//!
//! The table has an entry for every four of the sub-core's registers: 128 of them. An entry has 37 bits, and
//! one for each warp. That makes 5,760 bits with 8 warps.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "Skip table of DARSIE",
    paper = "I §5.2.2",
    parameters(warps, rows, banks),
    sizes(entries = rows * banks / 4)
)]
pub struct SkipTable {
    /// A load asks whether another warp has done the same. At most one of `request`, `loaded`, `opens` and
    /// `forget` is high.
    pub request: In<Bit>,
    /// The data of a load come that leads. A warp has one such load of an instruction at a time.
    pub loaded: In<Bit>,
    /// A section of a CTA begins.
    pub opens: In<Bit>,
    /// A CTA leaves; none of its loads is under way.
    pub forget: In<Bit>,
    /// Number of the load's instruction.
    pub pc: In<Bits<16>>,
    /// Warp of the load.
    pub warp: In<Bits<4>>,
    /// CTA of the load, or the one that begins a section or leaves.
    pub cta: In<Bits<7>>,
    /// Section of the load, or the one that begins.
    pub section: In<Bits<8>>,
    /// The load of the entry does the same as the one that asks.
    pub alike: In<[Bit; entries]>,

    /// The load is found: its access is skipped.
    pub found: Out<Bit>,
    /// The data of the load that is found are still to come: the warp follows.
    pub under_way: Out<Bit>,
    /// The load that asks gets an entry.
    pub kept: Out<Bit>,
    /// The entry that makes room for it; zero if it is not kept.
    pub removed: Out<Bits<8>>,
    /// The data that come are those of an entry.
    pub arrived: Out<Bit>,
    /// The entry that is found, or whose data come; else zero.
    pub entry: Out<Bits<8>>,
    /// Warps that have followed the load whose data come.
    pub followers: Out<[Bit; warps]>,

    is_its: Local<[Bit; entries]>,
    agrees: Local<[Bit; entries]>,
    comes: Local<[Bit; entries]>,
    any_hole: Local<Bit>,
    hole: Local<Bits<8>>,
    any_loaded: Local<Bit>,
    oldest: Local<Bits<8>>,
    came_for: Local<Bits<16>>,
    drops: Local<[Bit; entries]>,
    joins: Local<[Bit; entries]>,

    valid: Register<[Bit; entries]>,
    /// The data of the entry have come.
    has_come: Register<[Bit; entries]>,
    its_pc: Register<[Bits<16>; entries]>,
    its_cta: Register<[Bits<7>; entries]>,
    its_section: Register<[Bits<8>; entries]>,
    leader: Register<[Bits<4>; entries]>,
    /// Warps that follow.
    following: Register<[Bits<16>; entries]>,
    #[value(1)]
    one: Constant<Bits<16>>,
    #[value((1 << warps) - 1)]
    everyone: Constant<Bits<16>>,
}

watch!(SkipTable: [
    "lead(warp = warp, pc = pc) if request && !found: warp {warp} loads for instruction {pc}",
    "skip(warp = warp, pc = pc) if request && found: warp {warp} skips the access of instruction {pc}",
    "arrive(warp = warp, pc = pc) if arrived: data of warp {warp} and instruction {pc} come",
    "misuse if request + loaded + opens + forget > 1: two things in one cycle",
    "fault if found && kept: a load is found and kept",
    "fault if under_way && !found: a load is under way that is not found",
]);

monitor!(SkipTable: "skip_table_monitor.v");

#[rtl]
impl SkipTable {
    /// Entries that the load is compared with.
    fn compare() {
        for e in 0..entries {
            is_its[e] = valid[e] & (its_pc[e] == pc);
            agrees[e] = ((request & is_its[e]) & ((its_cta[e] == cta) & (its_section[e] == section)))
                & ((leader[e] != warp) & alike[e]);
        }
    }

    /// The newest entry that agrees, or the oldest whose data come.
    fn choose() {
        found = false;
        under_way = false;
        arrived = false;
        entry = 0;
        came_for = 0;
        for e in 0..entries {
            let candidate: Bit = (loaded & is_its[e]) & (!has_come[e] & (leader[e] == warp));
            comes[e] = candidate & !arrived;
            arrived |= candidate;
            if comes[e] {
                entry = e;
                came_for = following[e];
            }
            if agrees[e] {
                found = true;
                under_way = !has_come[e];
                entry = e;
            }
        }
        for i in 0..warps {
            followers[i] = came_for.get_bit(i);
        }
    }

    /// The entry that makes room.
    fn make_room() {
        any_hole = any(0..entries, |e| !valid[e]);
        hole = first(0..entries, |e| !valid[e]);
        any_loaded = any(0..entries, |e| has_come[e]);
        oldest = first(0..entries, |e| has_come[e]);
        kept = (request & !found) & (any_hole | any_loaded);
        removed = 0;
        if kept {
            removed = if any_hole { hole } else { oldest };
        }
    }

    /// Values that are dropped, and warps that follow.
    fn keep() {
        for e in 0..entries {
            let since: Bits<8> = section - its_section[e];
            drops[e] = (its_cta[e] == cta) & (forget | ((opens & has_come[e]) & (since > 1)));
            joins[e] = (found & under_way) & (entry == e);
        }
    }

    /// Values that are dropped, data that come, and warps that follow.
    fn note() {
        for e in 0..entries {
            if drops[e] {
                valid[e] = false;
                has_come[e] = false;
            } else if comes[e] {
                has_come[e] = true;
            } else if joins[e] {
                following[e] |= (one << warp) & everyone;
            }
        }
    }

    /// Entries behind the one that makes room move up, and the last place is the new one's.
    fn move_up() {
        for e in 0..entries - 1 {
            let moves: Bit = kept & (removed <= e);
            if moves {
                valid[e] = valid[e + 1];
                has_come[e] = has_come[e + 1];
                its_pc[e] = its_pc[e + 1];
                its_cta[e] = its_cta[e + 1];
                its_section[e] = its_section[e + 1];
                leader[e] = leader[e + 1];
                following[e] = following[e + 1];
            }
        }
        for e in entries - 1..entries {
            if kept {
                valid[e] = true;
                has_come[e] = false;
                its_pc[e] = pc;
                its_cta[e] = cta;
                its_section[e] = section;
                leader[e] = warp;
                following[e] = 0;
            }
        }
    }
}
