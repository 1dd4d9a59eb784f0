// SPDX-License-Identifier: Apache-2.0
//! Cache table (CT) of the caching collector unit: W §3.2, F §III-C.
//!
//! The cache of the collector is fully associative. Each entry has valid, tag (register number), lock, near,
//! LRU rank and data.
//!
//! The table keeps and finds values. [Replacement](replacement.md) decides which entry makes room. The
//! [operand collector table](operand_collector_table.md) keeps which slot uses which entry, and the
//! [ccu](ccu.md) connects the three.
//!
//! # Timing
//!
//! Look-ups see the table as it is at the start of the cycle, after `flush`, which empties it before anything
//! else. All changes show in the next cycle. Within a cycle the order is: flush, invalidations (`kill`),
//! source slots (tag, valid, lock, near), results. The second port's result yields to whoever takes its entry
//! in the same cycle. With [two accesses per cycle](operand_stage.md#two-accesses-per-cycle-accesses2) a
//! second value fills another entry (`second_s_valid`).
//!
//! With `allocate_on_arrival` a value on port S takes its entry with tag, valid, lock and near bit, and
//! sources only use what they find. Results yield to both. Under `dispatch_on_arrival` look-ups find the
//! value that arrives, and not what makes room for it.
//!
//! ```text
//! cycle             0            1               2
//! flush             1            0               0
//! source_register   R4 (slot 0)  R4              -
//! source_entry      entry 0      entry 0         -
//! hit_0             0            1               -
//! valid_0           0            1               1
//! lock_0            0            1               1       (until unlock)
//! ```
//!
//! # Decisions
//!
//! - The table has a valid bit per entry. Neither paper names one; without it a flush has to write every tag.
//!   The overhead tables count it apart ([overheads](overheads.md)).
//! - Data stays in an entry that is invalidated; only the valid bit counts. Data registers have no reset.
//! - Tags are compared by `slots + d_ports` comparators per entry and one more per bank: 7 × 8 + 8 + 2 × 8 =
//!   80 comparators of 8 bits. The papers give the look-up of all sources one step and no cost.
//! - The data of an entry can be written by port S or port D. Both in one cycle into one entry cannot happen:
//!   an entry that waits for port S is locked, and no result goes to a locked entry. If it did, D would win.
//!
//! # Storage
//!
//! It keeps `entries × (width + 11)` bits, valid 1, tag 8, lock 1, near 1, and the [LRU order](lru_order.md).
//! 8,304 bits for 8 entries of 1024 bits.

use gpurf_blocks::{Isolation, Storage};
use rust_hdl::prelude::*;

use crate::cells::{Latch, LruOrder};
use crate::dialect::{block, rtl, Register};
use crate::watch;

/// `W`: data width in bits; `I`: bits of an entry's number.
#[block(
    title = "Cache table",
    paper = "W §3.2, F §III-C",
    parameters(
        width,
        entries,
        slots,
        banks,
        accesses,
        d_ports,
        lru_order,
        dispatch_on_arrival,
        allocate_on_arrival,
        storage,
        isolation
    )
)]
pub struct CacheTable<const W: usize, const I: usize> {
    /// The table changes hands: nothing in it is valid from this cycle's look-ups on.
    pub flush: In<Bit>,
    /// The slot is used by an instruction issued in this cycle, and its register looked up.
    pub source_valid: In<[Bit; slots]>,
    /// Register to look up.
    pub source_register: In<[Bits<8>; slots]>,
    /// The operand's next reuse is near.
    pub source_near: In<[Bit; slots]>,
    /// Entry of each used slot: where it was found, or the one allocated. Zero for a slot that has none.
    pub source_entry: In<[Bits<16>; slots]>,
    /// Unlock all entries: the instruction is dispatched.
    pub unlock: In<Bit>,
    /// Port S: a value fills an entry.
    pub s_valid: In<Bit>,
    /// Entry that the value on port S fills.
    pub s_entry: In<Bits<16>>,
    /// The value on port S.
    pub s_data: In<Bits<W>>,
    /// With two accesses per cycle: another value fills an entry.
    #[when(accesses == 2)]
    pub second_s_valid: In<Bit>,
    /// Entry that the other value fills.
    #[when(accesses == 2)]
    pub second_s_entry: In<Bits<16>>,
    /// The other value that fills an entry.
    #[when(accesses == 2)]
    pub second_s_data: In<Bits<W>>,
    /// Register of the value on port S, which its entry does not have yet.
    #[when(allocate_on_arrival)]
    pub s_register: In<Bits<8>>,
    /// The next reuse of the value on port S is near.
    #[when(allocate_on_arrival)]
    pub s_near: In<Bit>,
    /// Ports D: a result is put into an entry.
    pub d_valid: In<[Bit; d_ports]>,
    /// Register of the result; it is looked up in any case.
    pub d_register: In<[Bits<8>; d_ports]>,
    /// The result's next reuse is near.
    pub d_near: In<[Bit; d_ports]>,
    /// Entry that the result goes to; zero if there is none.
    pub d_entry: In<[Bits<16>; d_ports]>,
    /// Value of the result.
    pub d_data: In<[Bits<W>; d_ports]>,
    /// A register changes its value elsewhere: an entry that holds it is no longer valid.
    pub kill: In<[Bit; banks]>,
    /// Register that changes its value elsewhere.
    pub kill_register: In<[Bits<8>; banks]>,

    /// The slot's register is there.
    pub hit: Out<[Bit; slots]>,
    /// Entry in which the slot's register was found, as the one bit set.
    pub hit_entry: Out<[Bits<16>; slots]>,
    /// The entry is hit by a used source slot.
    pub entry_hit: Out<[Bit; entries]>,
    /// The result's register is there.
    pub d_hit: Out<[Bit; d_ports]>,
    /// Entry in which the result's register was found, as the one bit set.
    pub d_hit_entry: Out<[Bits<16>; d_ports]>,
    /// The entry holds a value, before the flush.
    pub was_valid: Out<[Bit; entries]>,
    /// The entry holds a value, after the flush.
    pub valid: Out<[Bit; entries]>,
    /// An instruction waits with the entry.
    pub lock: Out<[Bit; entries]>,
    /// The next reuse of the entry's value is near.
    pub near: Out<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: Out<[Bits<16>; entries]>,
    /// Value of the entry.
    pub data: Out<[Bits<W>; entries]>,
    /// Some valid entry is near; as of the start of the cycle.
    pub any_near: Out<Bit>,

    /// The entry can be found: it does not make room for the value on port S.
    visible: Local<[Bit; entries]>,
    killed: Local<[Bit; entries]>,
    used: Local<[Bit; entries]>,
    near_source: Local<[Bit; entries]>,
    /// `taken[e]`: a source or an earlier port D takes entry e. `d_here[p][e]`: port p does.
    taken: Local<[Bit; entries]>,
    d_here: Local<[[Bit; entries]; d_ports]>,
    d_some: Local<[Bit; entries]>,
    d_makes_near: Local<[Bit; entries]>,
    /// The value on port S goes into the entry, and takes it only now.
    s_here: Local<[Bit; entries]>,
    #[when(accesses == 2)]
    second_s_here: Local<[Bit; entries]>,
    filled: Local<[Bit; entries]>,
    near_filled: Local<[Bit; entries]>,
    entry_valid: Register<[Bit; entries]>,
    entry_tag: Register<[Bits<8>; entries]>,
    entry_lock: Register<[Bit; entries]>,
    entry_near: Register<[Bit; entries]>,
    #[when(storage == Storage::FlipFlops)]
    entry_data: Register<[Bits<W>; entries]>,
    /// In front of latches: what comes through each port, and the entries that it goes to.
    #[when(storage == Storage::Latches)]
    s_data_held: Register<Bits<W>>,
    #[when(storage == Storage::Latches)]
    s_entry_held: Register<[Bit; entries]>,
    #[when((storage == Storage::Latches) & (accesses == 2))]
    second_s_data_held: Register<Bits<W>>,
    #[when((storage == Storage::Latches) & (accesses == 2))]
    second_s_entry_held: Register<[Bit; entries]>,
    #[when(storage == Storage::Latches)]
    d_data_held: Register<[Bits<W>; d_ports]>,
    #[when(storage == Storage::Latches)]
    d_entry_held: Register<[[Bit; entries]; d_ports]>,
    #[when(storage == Storage::Latches)]
    written: Local<Bit>,
    #[when(storage == Storage::Latches)]
    entry_written: Local<[Bit; entries]>,
    #[when(storage == Storage::Latches)]
    entry_latch: [Latch<W>; entries],
    order: LruOrder<I>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    /// There is more than one port D.
    #[value(d_ports > 1)]
    several: Constant<Bit>,
}

watch!(CacheTable<W, I>: ["valid entry_tag entry_near entry_data if entry_valid[i]"]);

#[rtl]
impl<const W: usize, const I: usize> CacheTable<W, I> {
    /// The contents of the entries, and those that can be found.
    fn entries() {
        any_near = false;
        for e in 0..entries {
            s_here[e] = s_valid & s_entry.get_bit(e);
            was_valid[e] = entry_valid[e];
            valid[e] = entry_valid[e] & !flush;
            lock[e] = entry_lock[e];
            near[e] = entry_near[e];
            newer[e] = order.newer[e];
            if storage == Storage::FlipFlops {
                data[e] = entry_data[e];
            } else {
                data[e] = entry_latch[e].q;
            }
            any_near |= (entry_valid[e] & entry_near[e]);
            visible[e] =
                if allocate_on_arrival & dispatch_on_arrival { valid[e] & !s_here[e] } else { valid[e] };
        }
    }

    /// Look-up of sources.
    fn look_up() {
        for e in 0..entries {
            entry_hit[e] = false;
        }
        for s in 0..slots {
            hit[s] = false;
            hit_entry[s] = 0;
            if source_valid[s] {
                for e in 0..entries {
                    if visible[e] & (entry_tag[e] == source_register[s]) {
                        hit[s] = true;
                        hit_entry[s] |= alone[e];
                        entry_hit[e] = true;
                    }
                }
                if allocate_on_arrival & dispatch_on_arrival {
                    if s_valid & (s_register == source_register[s]) {
                        hit[s] = true;
                        hit_entry[s] = s_entry;
                        for e in 0..entries {
                            if s_here[e] {
                                entry_hit[e] = true;
                            }
                        }
                    }
                }
            }
        }
    }

    /// Look-up of results.
    fn look_up_results() {
        for p in 0..d_ports {
            d_hit[p] = false;
            d_hit_entry[p] = 0;
            for e in 0..entries {
                if valid[e] & (entry_tag[e] == d_register[p]) {
                    d_hit[p] = true;
                    d_hit_entry[p] |= alone[e];
                }
            }
        }
    }

    /// Sources and the value on port S take entries.
    fn take() {
        for e in 0..entries {
            killed[e] = false;
            for b in 0..banks {
                if kill[b] & (entry_tag[e] == kill_register[b]) {
                    killed[e] = true;
                }
            }
            used[e] = false;
            near_source[e] = false;
            entry_tag[e].d = d_register[0];
            for s in 0..slots {
                if source_entry[s].get_bit(e) {
                    used[e] = true;
                    near_source[e] |= source_near[s];
                }
            }
            if !allocate_on_arrival {
                for s in 0..slots {
                    if source_entry[s].get_bit(e) {
                        entry_tag[e].d = source_register[s];
                    }
                }
            }
            filled[e] = false;
            near_filled[e] = false;
            if allocate_on_arrival {
                filled[e] = s_here[e];
                near_filled[e] = s_near;
            }
        }
    }

    /// Results take entries.
    fn take_results() {
        for e in 0..entries {
            if accesses == 2 {
                second_s_here[e] = second_s_valid & second_s_entry.get_bit(e);
            }
            taken[e] = if allocate_on_arrival { used[e] | filled[e] } else { false };
            d_some[e] = false;
            d_makes_near[e] = false;
            for p in 0..d_ports {
                d_here[p][e] = (d_valid[p] & d_entry[p].get_bit(e)) & !taken[e];
                if d_here[p][e] {
                    d_some[e] = true;
                    d_makes_near[e] = d_near[p];
                }
                taken[e] = ((used[e] | filled[e]) | d_here[p][e]) & several;
            }
            for p in 0..d_ports {
                if d_here[p][e] & several {
                    entry_tag[e].d = d_register[p];
                }
            }
            if allocate_on_arrival {
                if s_here[e] {
                    entry_tag[e].d = s_register;
                }
            }
        }
    }

    /// Data in flip-flops. It needs no reset: it is read only after it was written.
    fn write_flip_flops() {
        if storage == Storage::FlipFlops {
            for e in 0..entries {
                entry_data[e].reset = false;
                entry_data[e].load(s_here[e] | d_some[e], s_data);
                if isolation != Isolation::None {
                    if !s_here[e] {
                        entry_data[e].d = 0;
                    }
                }
                if accesses == 2 {
                    if second_s_here[e] {
                        entry_data[e].enable = true;
                        entry_data[e].d = second_s_data;
                    }
                }
                for p in 0..d_ports {
                    if d_here[p][e] {
                        entry_data[e].d = d_data[p];
                    }
                }
            }
        }
    }

    /// Update.
    fn change() {
        for e in 0..entries {
            order.touch[e] = (used[e] | filled[e]) | d_some[e];

            entry_valid[e] = ((used[e] | filled[e]) | d_some[e]) | (valid[e] & !killed[e]);

            entry_tag[e].enable =
                if allocate_on_arrival { filled[e] | d_some[e] } else { used[e] | d_some[e] };

            entry_lock[e].load((used[e] | filled[e]) | unlock, used[e] | (filled[e] & !unlock));

            entry_near[e].load(
                (used[e] | filled[e]) | d_some[e],
                (near_source[e] | ((filled[e] & near_filled[e]) & !used[e])) | d_makes_near[e],
            );
        }
    }

    /// Latches: what is written stands in its port's register while the entry is open.
    fn write_ports() {
        if storage == Storage::Latches {
            written = false;
            for e in 0..entries {
                entry_written[e] = s_here[e] | d_some[e];
                if accesses == 2 {
                    entry_written[e] |= second_s_here[e];
                }
                written |= entry_written[e];
            }
            s_data_held.reset = false;
            s_data_held.load(s_valid, s_data);
            if accesses == 2 {
                second_s_data_held.reset = false;
                second_s_data_held.load(second_s_valid, second_s_data);
            }
            for p in 0..d_ports {
                d_data_held[p].reset = false;
                d_data_held[p].load(d_valid[p], d_data[p]);
            }
        }
    }

    /// The entry selects its port by registers, too, and no other port's values reach it. The last port of
    /// those that write one entry wins. As data, what is written in a cycle of reset counts.
    fn write_latches() {
        if storage == Storage::Latches {
            for e in 0..entries {
                entry_latch[e].enable = entry_written[e];
                entry_latch[e].d = 0;
                s_entry_held[e].reset = false;
                s_entry_held[e].load(written, s_here[e] & !d_some[e]);
                if s_entry_held[e] {
                    entry_latch[e].d = s_data_held;
                }
                if accesses == 2 {
                    if second_s_here[e] {
                        s_entry_held[e].d = false;
                    }
                    second_s_entry_held[e].reset = false;
                    second_s_entry_held[e].load(written, second_s_here[e] & !d_some[e]);
                    if second_s_entry_held[e] {
                        entry_latch[e].d = second_s_data_held;
                    }
                }
                for p in 0..d_ports {
                    d_entry_held[p][e].reset = false;
                    d_entry_held[p][e].load(written, d_here[p][e]);
                    if d_entry_held[p][e] {
                        entry_latch[e].d = d_data_held[p];
                    }
                }
            }
        }
    }
}
