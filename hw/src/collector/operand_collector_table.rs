// SPDX-License-Identifier: Apache-2.0
//! Operand collector table (OCT) of the caching collector unit: W §3.2, F §III-C.
//!
//! The table has one slot for each source operand of the instruction: valid, ready, and the index of the
//! cache-table entry that holds the value. A value is stored once, however many slots name it.
//!
//! # Timing
//!
//! `issue` fills all slots at the end of its cycle. A value makes ready, at the end of its cycle, every slot
//! that points to the same entry. Under `dispatch_on_arrival` these slots count as ready in that cycle, and
//! `passes` tells them. A value that arrives with an issue is the leaving instruction's. `s_index` answers in
//! the same cycle. With [two accesses per cycle](operand_stage.md#two-accesses-per-cycle-accesses2) another
//! slot's value arrives beside it; `second_passes` tells which of the two a slot takes.
//!
//! ```text
//! cycle         0        1        2        3
//! issue         R9 R9    -        -        -
//! index         -        4 4      4 4      4 4
//! s_valid       0        0        1        0       (slot 0 asked; slot 1 did not)
//! all_ready     1        0        0        1
//! ```
//!
//! With `allocate_on_arrival` a source that misses has no entry before its value arrives. Its index is the
//! number of the slot that asked for the value: its own, or an earlier one of the same register. The slot
//! keeps register and near bit. The value brings `s_entry`, which all slots that wait for it take. `placed`
//! tells the slots that have an entry.
//!
//! `all_ready` is high after reset: no slot is valid. The collector joins it with its own occupancy.
//!
//! # Decisions
//!
//! - A register named twice is read once, and its one value makes all its slots ready. F §III-C says that
//!   indirect indexing makes redundant values unnecessary, and not what the ready bits do.
//!
//! # Storage
//!
//! It keeps `slots × (2 + log2 entries)` bits: 35 for 7 slots and 8 entries; with `allocate_on_arrival` 9
//! more a slot, 98.

use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `I`: bits of an index.
#[block(
    title = "Operand collector table",
    paper = "W §3.2, F §III-C",
    parameters(entries, slots, accesses, dispatch_on_arrival, allocate_on_arrival)
)]
pub struct OperandCollectorTable<const I: usize> {
    /// An instruction enters: all slots are filled.
    pub issue: In<Bit>,
    /// The slot is used.
    pub source_valid: In<[Bit; slots]>,
    /// Entry that holds, or will hold, the source's value; or the slot that has asked for it.
    pub source_index: In<[Bits<I>; slots]>,
    /// The source is in the cache table already.
    pub source_hit: In<[Bit; slots]>,
    /// Register of the source, while it has no entry.
    #[when(allocate_on_arrival)]
    pub source_register: In<[Bits<8>; slots]>,
    /// The next reuse of the source's value is near.
    #[when(allocate_on_arrival)]
    pub source_near: In<[Bit; slots]>,
    /// A value arrives on port S.
    pub s_valid: In<Bit>,
    /// Slot that asked for the arriving value.
    pub s_slot: In<Bits<3>>,
    /// With two accesses per cycle: another value arrives.
    #[when(accesses == 2)]
    pub second_s_valid: In<Bit>,
    /// Slot that asked for the other arriving value.
    #[when(accesses == 2)]
    pub second_s_slot: In<Bits<3>>,
    /// Entry that is chosen for the arriving value.
    #[when(allocate_on_arrival)]
    pub s_entry: In<Bits<I>>,

    /// Entry that the arriving value fills, if it has one: what the slot that asked for it points to.
    pub s_index: Out<Bits<I>>,
    /// Entry that the other arriving value fills.
    #[when(accesses == 2)]
    pub second_s_index: Out<Bits<I>>,
    /// Register of the arriving value.
    #[when(allocate_on_arrival)]
    pub s_register: Out<Bits<8>>,
    /// The arriving value's next reuse is near.
    #[when(allocate_on_arrival)]
    pub s_near: Out<Bit>,
    /// The slot is used.
    pub valid: Out<[Bit; slots]>,
    /// Entry of the slot's source.
    pub index: Out<[Bits<I>; slots]>,
    /// The source of the slot has an entry.
    pub placed: Out<[Bit; slots]>,
    /// The value on port S fills the slot's entry, and can leave in the same cycle.
    pub passes: Out<[Bit; slots]>,
    /// With `passes`: it is the other arriving value that fills the slot's entry.
    #[when(accesses == 2)]
    pub second_passes: Out<[Bit; slots]>,
    /// Every valid slot is ready.
    pub all_ready: Out<Bit>,

    arrives: Local<[Bit; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    slot_index: Register<[Bits<I>; slots]>,
    #[when(allocate_on_arrival)]
    register_held: Register<[Bits<8>; slots]>,
    #[when(allocate_on_arrival)]
    near_held: Register<[Bit; slots]>,
    #[value(parameters.dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

watch!(OperandCollectorTable<I>: [
    "misuse for s in slot_valid if s_valid && s_slot == s && (!slot_valid[s] || slot_ready[s]): \
        a value arrives for slot {s}, which waits for none",
]);

#[rtl]
impl<const I: usize> OperandCollectorTable<I> {
    fn arrivals() {
        s_index = 0;
        all_ready = true;
        for s in 0..slots {
            if s_slot == s {
                s_index = slot_index[s];
            }
        }
    }

    /// Slots that wait for the value point to its entry, or to the slot that asked for it.
    fn waiting() {
        let asked: Bits<I> = if allocate_on_arrival { bit_cast::<I, 3>(s_slot) } else { s_index };
        if accesses == 2 {
            second_s_index = 0;
            for s in 0..slots {
                if second_s_slot == s {
                    second_s_index = slot_index[s];
                }
            }
            for s in 0..slots {
                let second_arrives: Bit = second_s_valid & (slot_index[s] == second_s_index);
                second_passes[s] = second_arrives & can_pass;
            }
        }
        for s in 0..slots {
            arrives[s] = s_valid & (slot_index[s] == asked);
            if allocate_on_arrival {
                arrives[s] &= slot_valid[s] & !slot_ready[s];
            }
            if accesses == 2 {
                if second_s_valid & (slot_index[s] == second_s_index) {
                    arrives[s] = true;
                }
            }
            passes[s] = arrives[s] & can_pass;

            slot_valid[s].load(issue, source_valid[s]);

            slot_ready[s].load(issue | arrives[s], !issue | source_hit[s]);

            slot_index[s].load(issue, source_index[s]);
            if allocate_on_arrival {
                slot_index[s].enable = issue | arrives[s];
                if !issue {
                    slot_index[s].d = s_entry;
                }
            }

            if slot_valid[s] & (!slot_ready[s] & !passes[s]) {
                all_ready = false;
            }
            valid[s] = slot_valid[s];
            index[s] = slot_index[s];
            placed[s] = if allocate_on_arrival { slot_valid[s] & slot_ready[s] } else { true };
        }
    }

    /// Arriving values without an entry.
    fn unknown() {
        if allocate_on_arrival {
            for s in 0..slots {
                if issue {
                    register_held[s] = source_register[s];
                    near_held[s] = source_near[s];
                }
            }
            s_register = select(0..slots, |s| s_slot == s, |s| register_held[s]);
            s_near = any(0..slots, |s| arrives[s] & near_held[s]);
        }
    }
}
