// SPDX-License-Identifier: Apache-2.0
//! Renaming table of DARSIE: I §5.2.2.
//!
//! A warp that skips a load has no copy of what was loaded. It reads the row of the bank in which the leader
//! has it. Each register of a warp has a row of its own from the start, its home. The table keeps, for the
//! registers that some warp has elsewhere, in whose home the value of each warp lies. All others lie at home,
//! and have no entry.
//!
//! # Timing
//!
//! Sources are looked up at any time. Beside that the table does one thing in a cycle, and answers in the
//! same:
//!
//! | in this cycle | what happens |
//! |---|---|
//! | `skip` | `register` of `warp` lies in the home of `leader` from the next cycle on |
//! | `write` | `register` of `warp` gets a value, in the home of warp `row` |
//! | `forget` | warps leave with their CTA: their registers lie at home |
//!
//! # Decisions
//!
//! I says that a later load "is guided to the RF instead of SMEM using a proper register renaming technique",
//! and no more of it. The rest is our reconstruction:
//!
//! - **The homes of a CTA's warps are the physical registers.** There are no others, and no list of free
//!   ones. Who renames a register only exchanges homes of that register among the warps of its CTA.
//! - **Writes go to a home from which no warp of the CTA reads**: the next one behind the present, in turn.
//!   So a leader overwrites nothing that a follower still reads. Neither waits, and nothing is copied. If
//!   there is no such home, each warp has one to itself, and the write stays where the last one was.
//! - **In turn**, because a value that nobody reads may still be skipped to. It stays as long as there are
//!   others.
//! - **Older reads have been performed.** The scoreboard lets a warp write a register when its own older
//!   instructions have read it. So a home that no warp names is not read any more.
//! - **Some lanes.** A write of some lanes of a register that moves would have to read the others first. The
//!   SM leaves this read out. A load with inactive lanes is not skipped to.
//! - **An entry is a register of the sub-core**, with a field for each warp. It is free again when all
//!   warps are at home. If none is free the load is performed, or its value written as any load's.
//! - **One register in a cycle.** A load of four registers takes four cycles. In the [SM](sm.md) the table
//!   has as many cycles as it needs, as the [skip table](skip_table.md) has.
//!
//! # Storage
//!
//! An entry has a bit that says it is valid, 8 bits of register and 4 for each warp. The table has 32, with 8
//! warps 1,312 bits.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(title = "Renaming table of DARSIE", paper = "I §5.2.2", parameters(warps, slots, renaming_entries))]
pub struct RenamingTable {
    /// Warp of the sources, and of the register that is written or skipped to.
    pub warp: In<Bits<4>>,
    /// Registers of the warp that an instruction reads.
    pub source_register: In<[Bits<8>; slots]>,
    /// A register of the warp gets a value. At most one of `write`, `skip` and `forget` is used in a cycle.
    pub write: In<Bit>,
    /// The warp skips a load.
    pub skip: In<Bit>,
    /// The register that is written, or that the load skipped has loaded.
    pub register: In<Bits<8>>,
    /// With `skip`: the warp in whose home the value lies.
    pub leader: In<Bits<4>>,
    /// With `write`: the warps of the writer's CTA, its own among them.
    pub peers: In<[Bit; warps]>,
    /// The warp leaves with its CTA, all of whose warps leave in this cycle.
    pub forget: In<[Bit; warps]>,

    /// The source lies in another warp's home.
    pub lent: Out<[Bit; slots]>,
    /// The warp in whose home the source lies.
    pub lender: Out<[Bits<4>; slots]>,
    /// With `write`: the warp in whose home the value goes.
    pub row: Out<Bits<4>>,
    /// Entries that are free.
    pub free: Out<Bits<7>>,

    /// The entry has the register that is written or skipped to.
    hits: Local<[Bit; renaming_entries]>,
    known: Local<Bit>,
    /// In whose home each warp's value of that register lies.
    homes: Local<[Bits<4>; warps]>,
    present: Local<Bits<4>>,
    /// No warp of the CTA reads this home.
    is_free: Local<[Bit; warps]>,
    /// The same, behind the writer's present one.
    is_behind: Local<[Bit; warps]>,
    /// In whose home the entry's register of the warp at the ports lies.
    its: Local<[Bits<4>; renaming_entries]>,
    reads: Local<[[Bit; renaming_entries]; slots]>,
    takes: Local<[Bit; renaming_entries]>,
    next: Local<[[Bits<4>; warps]; renaming_entries]>,

    valid: Register<[Bit; renaming_entries]>,
    its_register: Register<[Bits<8>; renaming_entries]>,
    home: Register<[[Bits<4>; warps]; renaming_entries]>,
    #[value(|warp| warp)]
    number: Constant<[Bits<4>; warps]>,
}

watch!(RenamingTable: [
    "skip(warp = warp, register = register) if skip: warp {warp} reads R{register} in the home of warp {leader}",
    "move(warp = warp, register = register) if write && row != warp: warp {warp} writes R{register} into the \
        home of warp {row}",
    "misuse if write && skip: a register is written and skipped to at once",
    "misuse for w in forget if forget[w] && (write || skip): warp {w} leaves while a register is renamed",
    "misuse for w in peers if write && warp == w && !peers[w]: warp {w} is not of its own CTA",
    "misuse if skip && free == 0: a load is skipped, and no entry is free",
    "fault for s in lent if lent[s] && lender[s] == warp: slot {s} lies at home and elsewhere",
]);

monitor!(RenamingTable: "renaming_table_monitor.v");

#[rtl]
impl RenamingTable {
    /// Sources of an instruction.
    fn look_up() {
        for e in 0..renaming_entries {
            its[e] = select(0..warps, |w| warp == w, |w| home[e][w]);
        }
        for s in 0..slots {
            for e in 0..renaming_entries {
                reads[s][e] = valid[e] & (its_register[e] == source_register[s]);
            }
            let listed: Bit = any(0..renaming_entries, |e| reads[s][e]);
            let elsewhere: Bits<4> = select(0..renaming_entries, |e| reads[s][e], |e| its[e]);
            lender[s] = if listed { elsewhere } else { warp };
            lent[s] = listed & (elsewhere != warp);
        }
    }

    /// The entry of the register that is written or skipped to.
    fn find() {
        for e in 0..renaming_entries {
            hits[e] = valid[e] & (its_register[e] == register);
        }
        known = any(0..renaming_entries, |e| hits[e]);
        for w in 0..warps {
            homes[w] = number[w];
            if known {
                homes[w] = select(0..renaming_entries, |e| hits[e], |e| home[e][w]);
            }
        }
        present = select(0..warps, |w| warp == w, |w| homes[w]);
        free = count(0..renaming_entries, |e| !valid[e]);
    }

    /// The home that a write goes to.
    fn place() {
        for u in 0..warps {
            let is_named: Bit = any(0..warps, |w| peers[w] & (homes[w] == u));
            is_free[u] = peers[u] & !is_named;
            is_behind[u] = is_free[u] & (present < u);
        }
        let any_behind: Bit = any(0..warps, |u| is_behind[u]);
        let any_free: Bit = any(0..warps, |u| is_free[u]);
        let behind: Bits<4> = first(0..warps, |u| is_behind[u]);
        let lowest: Bits<4> = first(0..warps, |u| is_free[u]);
        row = present;
        if any_behind {
            row = behind;
        } else if any_free {
            row = lowest;
        }
    }

    /// Entries that are taken, changed and freed.
    fn keep() {
        let hole: Bits<6> = first(0..renaming_entries, |e| !valid[e]);
        for e in 0..renaming_entries {
            takes[e] = (skip & !known) & (!valid[e] & (hole == e));
            let changes: Bit = ((write | skip) & hits[e]) | takes[e];
            for w in 0..warps {
                let is_its: Bit = changes & (warp == w);
                next[e][w] = if valid[e] { home[e][w] } else { number[w] };
                if forget[w] {
                    next[e][w] = number[w];
                } else if is_its {
                    next[e][w] = if skip { leader } else { row };
                }
                home[e][w] = next[e][w];
            }
            let is_used: Bit = any(0..warps, |w| next[e][w] != w);
            valid[e] = (valid[e] | takes[e]) & is_used;
            its_register[e].load(takes[e], register);
        }
    }
}
