// SPDX-License-Identifier: Apache-2.0
//! Caching collector unit (CCU): W §3.2 and Fig. 2b, F §III-C and Fig. 5.
//!
//! An operand collector unit whose slots are a cache. The [cache table](cache_table.md) holds values. The
//! [operand collector table](operand_collector_table.md) says which of its entries the slots of the
//! instruction use. [Replacement](replacement.md) chooses which value goes.
//!
//! Port **S** takes a source value from the banks, and **D** one result per cycle. **R** gives warp and near
//! bit to the scheduler and the allocator. An instruction of another warp than the last empties the table.
//! One of the same warp finds its warp's values there.
//!
//! # Timing
//!
//! In the cycle of `issue`, for all sources at once:
//!
//! 1. If the warp differs, or `flush` is high, the table is emptied.
//! 2. The metadata are stored.
//! 3. Every source is looked up, and one that is missing gets an entry.
//! 4. Locks, near bits, the LRU order and the operand collector table are set.
//! 5. The misses are requested.
//!
//! The tables show it in the next cycle.
//!
//! - A value on port S is stored at the end of its cycle; with [two accesses per
//!   cycle](operand_stage.md#two-accesses-per-cycle-accesses2) two are, in two entries (`second_s_valid`). A
//!   result on port D is stored at the end of its cycle.
//! - `ready` is high from the cycle after the last value arrived, under `dispatch_on_arrival` in that cycle,
//!   at the earliest the cycle after issue.
//! - `dispatch` unlocks and frees the unit. The unit can take the next instruction in the same cycle. The
//!   operands can still be read in it. New values overwrite their entries at the clock edge.
//!
//! ```text
//! cycle         0        1     2        3        4     5         6
//! issue         R4 R5    -     -        -        -     R5 R6     -
//! hit           00       ..    ..       ..       ..    10        ..
//! request       11       00    00       00       00    01        00
//! s_valid       0        0     R4       R5       0     0         ...
//! ready         0        0     0        0        1     0         0
//! dispatch      0        0     0        0        1     0         0
//! ```
//!
//! Bits are written in the order of the slots. The second instruction is of the same warp: R5 hits, R6 is
//! requested.
//!
//! # Allocation on arrival (`allocate_on_arrival=true`)
//!
//! F §III-C1 allocates at issue: the entries of all sources that miss are chosen in the cycle of their
//! look-up. That is the collector's longest path. With `allocate_on_arrival` a missing source gets its entry
//! when its value arrives on port S. No cycle is added:
//!
//! | step | at issue (default) | on arrival |
//! |---|---|---|
//! | flush, metadata, look-up, requests | cycle of issue | cycle of issue |
//! | lock, near bit, LRU of what is found | cycle of issue | cycle of issue |
//! | choice of an entry, tag, valid, lock, near bit, LRU of what is missing | cycle of issue, up to seven at once | cycle of arrival, one in a cycle, with the data |
//! | a result on port D | after the sources of an instruction that is issued | after a value that arrives |
//!
//! Until its value arrives, a slot keeps register and near bit of its source. It also keeps the number of the
//! first slot of the same register, which asked for the value. The entry that it will replace can still be
//! found.
//!
//! - The entry is chosen from what is locked at the start of the cycle, so neither look-up nor dispatch is in
//!   the path. An instruction that is dispatched in the cycle still counts as locked.
//! - A result yields. It is not put into the table if its entry goes to the arriving value, or is found by an
//!   instruction that issues. The banks have it.
//! - Under `dispatch_on_arrival` an instruction can enter as the last value of the one before arrives. It
//!   hits in that value, and misses in the value that is replaced. If it is of another warp, the arriving
//!   value is not put into the table.
//! - An entry is always free for a value: at most `slots - 1` others are locked.
//!
//! # Decisions
//!
//! Where the papers are silent:
//!
//! - **A result that is kept out of the table invalidates an entry that holds its register.** This holds for
//!   far results and for those that lose port D. A later read would otherwise hit the old value.
//!   `invalidate=false` follows the papers' text; the [SM's token check](sm.md#token-check) then finds stale
//!   operands.
//! - **All look-ups see the table before replacement**, and a source that is hit is kept, so no source of an
//!   instruction evicts another.
//! - **A register named twice** uses one entry and one request.
//! - **A result that arrives with an instruction's issue comes after it**: it takes no entry that the
//!   instruction uses. If the instruction is of another warp, the result is not put into the table.
//! - **A result's register is never locked.** The scoreboard holds an instruction back until those that read
//!   its destination are dispatched. The unit does not check it.
//! - **A second port D** (`d_ports=2`, ours) may drop its result. It does so where a source or a first result
//!   takes the entry of its register, or where all entries are taken. Eight entries cannot keep seven sources
//!   and two results. No stale value stays, since the entry has another tag by then.
//! - **Allocation at issue is the default**, as in F §III-C1. [On
//!   arrival](#allocation-on-arrival-allocate_on_arrivaltrue) is ours.
//! - An entry that is invalidated in a cycle counts as free from the next cycle on.
//! - `any_near` counts entries as they are at the start of the cycle.
//! - A far result can still be cached by the unit (`d_near` low with `d_valid` high). The
//!   [arbiter](arbiter.md)'s parameter `cache_far` says whether one arrives.
//!
//! # Storage
//!
//! It keeps the cache table `entries × (width + 11 + log2 entries)`, and the operand collector table `slots ×
//! (2 + log2 entries)`. Metadata are 41 bits: owner 1, occupied 1, warp 4, unit 3, payload 32. Together they
//! are 8,380 bits for 8 entries of 1024 bits and 7 slots. With `allocate_on_arrival` each slot has 9 bits
//! more, and with `lru_order=pairs` the order of 8 entries 4 more. The [ocu](ocu.md) has 7,222. Of the 1,158
//! bits between them 1,024 are the eighth data entry and 134 are control.

use gpurf_blocks::Isolation;
use rust_hdl::prelude::*;

use super::{
    stage_parameters, stages, CacheTable, Collector, CollectorPorts, OperandCollectorTable, Replacement,
};
use crate::catalogue::Naming;
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

impl<const W: usize, const I: usize> Collector<W> for Ccu<W, I> {
    const STAGE: Naming = Naming {
        module: "ccu_stage",
        title: "Operand stage with caching collector units",
        paper: "W §3.1, F §III-B",
        parameters: stage_parameters!(
            "width", "entries", "collectors", "slots", "banks", "rows";
            "replacement", "cache_far", "invalidate", "choice", "d_ports", "lru_order", "allocate_on_arrival",
            "storage", "isolation"
        ),
    };
    const SUB_CORE: Naming = Naming {
        module: "ccu_sub_core",
        title: "Sub-core with caching collector units",
        paper: "F §III, IV",
        parameters: stage_parameters!(
            "width", "entries", "collectors", "slots", "banks", "rows";
            "replacement", "cache_far", "invalidate", "d_ports", "lru_order", "allocate_on_arrival", "warps", "scheduling",
            "occupied", "allocation", "issue_latch", "waiting", "choice", "seed", "storage", "isolation"
        ),
    };
}

stages!(Ccu<W, I>);

/// `W`: data width in bits; `I`: bits of an entry's number, the table has 2^I entries.
#[block(
    title = "Caching collector unit",
    paper = "W §3.2, F §III-C",
    parameters(
        width, entries, slots, banks, accesses, dispatch_on_arrival, replacement, invalidate, d_ports, lru_order,
        allocate_on_arrival, storage, isolation
    ),
    sizes(banks),
    fixed(destinations = 0),
    bundle = CollectorPorts<W>
)]
pub struct Ccu<const W: usize, const I: usize> {
    /// The instruction is of another warp, or says so: what is in the table goes.
    changes_hands: Local<Bit>,
    uses: Local<[Bit; slots]>,
    named: Local<[Bit; slots]>,
    /// `same[s][t]`: slot t comes before slot s and names the same register.
    same: Local<[[Bit; slots]; slots]>,
    repeated: Local<[Bit; slots]>,
    /// Entry of each slot that has one, as the one bit set; and what the slot points to.
    entry: Local<[Bits<16>; slots]>,
    index: Local<[Bits<I>; slots]>,
    d_accepted: Local<[Bit; d_ports]>,
    owner: Register<Bit>,
    occupancy: Register<Bit>,
    warp_held: Register<Bits<4>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    cache_table: CacheTable<W, I>,
    operand_collector_table: OperandCollectorTable<I>,
    replacement: Replacement<I>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    #[value(invalidate)]
    invalidate: Constant<Bit>,
}

watch!(Ccu<W, I>: [
    "hit(register = source_register[s], warp = warp, instruction = payload) for s in hit if hit[s]: hit R{register}",
    "miss(register = source_register[s], warp = warp, instruction = payload) for s in request if request[s]: \
        miss R{register}",
    // Of a source: at issue, or when its value arrives.
    "replacement(register = cache_table.entry_tag[e], near = cache_table.entry_near[e], source = source_register[s], \
        warp = warp, instruction = payload) for s in request if request[s] for e in cache_table.entry_valid \
        if cache_table.valid[e] && cache_table.source_entry[s][e]: evict R{register} ({near:far,near}) for R{source}",
    "replacement(register = cache_table.entry_tag[e], near = cache_table.entry_near[e], \
        source = cache_table.s_register[a], warp = held_warp) for a in cache_table.s_register? \
        if cache_table.s_valid for e in cache_table.entry_valid \
        if cache_table.valid[e] && cache_table.s_entry[e]: evict R{register} ({near:far,near}) for R{source}",
    // Of a result.
    "replacement(register = cache_table.entry_tag[e], near = cache_table.entry_near[e], source = d_register[p], \
        warp = held_warp) for p in d_valid for e in cache_table.entry_valid \
        if cache_table.d_here[p * #cache_table.entry_valid + e] && cache_table.valid[e] \
        && cache_table.entry_tag[e] != d_register[p]: evict R{register} ({near:far,near}) for result R{source}",
    "filter(register = filtered_register[b], warp = held_warp) for b in filtered if filtered[b]: filter R{register}",
    "flush(warp = warp, from = held_warp) if changes_hands && owned: flush warp {from}->{warp}",
    "show d_valid d_near random cache_table.entry_valid cache_table.entry_lock",
    "misuse if d_valid[1] && !d_valid[0]: a second result without a first",
    "misuse if d_valid[0] && d_valid[1] && d_register[0] == d_register[1]: two results of one register",
    "fault for a in cache_table.entry_valid for b in cache_table.entry_valid if a < b && \
        cache_table.entry_valid[a] && cache_table.entry_valid[b] && cache_table.entry_tag[a] == cache_table.entry_tag[b]: entries {a} and {b} hold one register",
]);

monitor!(Ccu<W, I>: "ccu_monitor.v");

#[rtl]
impl<const W: usize, const I: usize> Ccu<W, I> {
    /// Metadata.
    fn metadata() {
        owner.load(issue, true);
        occupancy.load(issue | dispatch, issue);
        if issue {
            warp_held = warp;
            unit_held = instruction.unit;
            payload_held = instruction.payload;
        }
        owned = owner;
        occupied = occupancy;
        held_warp = warp_held;
        held_unit = unit_held;
        held_payload = payload_held;
    }

    /// Look-up.
    fn look_up() {
        changes_hands = issue & ((!owner | (warp != warp_held)) | flush);
        cache_table.flush = changes_hands;
        cache_table.unlock = dispatch;
        for s in 0..slots {
            uses[s] = issue & instruction.source_valid[s];
            cache_table.source_valid[s] = uses[s];
            cache_table.source_register[s] = instruction.source_register[s];
            cache_table.source_near[s] = instruction.source_near[s];
            cache_table.source_entry[s] = entry[s];
        }
    }

    /// A slot repeats another if an earlier one names the same register.
    fn repetitions() {
        for s in 0..slots {
            named[s] = false;
        }
        for s in 0..slots {
            repeated[s] = false;
            for t in 0..slots {
                same[s][t] =
                    (uses[s] & named[t]) & (instruction.source_register[t] == instruction.source_register[s]);
                if same[s][t] {
                    repeated[s] = true;
                }
            }
            named[s] = uses[s];
        }
    }

    /// Replacement.
    fn replace() {
        replacement.random = bit_cast::<I, 8>(random);
        for p in 0..d_ports {
            d_accepted[p] = d_valid[p] & !changes_hands;
            replacement.d_miss[p] = d_accepted[p] & !cache_table.d_hit[p];
        }
        for s in 0..slots {
            hit[s] = cache_table.hit[s];
            request[s] = (uses[s] & !cache_table.hit[s]) & !repeated[s];
        }
        if !allocate_on_arrival {
            for s in 0..slots {
                replacement.miss[s] = request[s];
            }
        }
        if allocate_on_arrival {
            replacement.miss[0] = s_valid;
        }
        for e in 0..entries {
            // On arrival, what the next instruction brings or takes away does not reach the choice.
            replacement.valid[e] =
                if allocate_on_arrival { cache_table.was_valid[e] } else { cache_table.valid[e] };
            replacement.near[e] = cache_table.near[e];
            replacement.newer[e] = cache_table.newer[e];
            replacement.keep[e] = if allocate_on_arrival {
                cache_table.lock[e]
            } else {
                (cache_table.lock[e] & !dispatch)
                    | (cache_table.entry_hit[e] | (d_accepted[0] & cache_table.d_hit_entry[0].get_bit(e)))
            };
        }
    }

    /// Entry of each slot: where it hits, or the one allocated to the first slot of its register.
    fn point_to_entries() {
        for s in 0..slots {
            entry[s] = cache_table.hit_entry[s];
        }
        if !allocate_on_arrival {
            for s in 0..slots {
                entry[s] |= replacement.victim[s];
                for t in 0..slots {
                    if same[s][t] & !repeated[t] {
                        entry[s] |= replacement.victim[t];
                    }
                }
            }
        }
        for s in 0..slots {
            index[s] = 0;
            for e in 0..entries {
                if entry[s].get_bit(e) {
                    index[s] |= e;
                }
            }
        }
    }

    /// Without one it points to the first slot of its register, which asks for the value.
    fn point_to_slots() {
        if allocate_on_arrival {
            for s in 0..slots {
                if !cache_table.hit[s] {
                    index[s] = s;
                    for t in 0..slots {
                        if same[s][t] & !repeated[t] {
                            index[s] = t;
                        }
                    }
                }
            }
        }
    }

    /// Port S: what arrives with the issue of another warp's instruction leaves with its own.
    fn port_s() {
        cache_table.s_valid = if allocate_on_arrival { s_valid & !changes_hands } else { s_valid };
        cache_table.s_data = s_data;
        cache_table.s_entry = one_hot(0..entries, operand_collector_table.s_index);
        if accesses == 2 {
            cache_table.second_s_valid = second_s_valid;
            cache_table.second_s_data = second_s_data;
            cache_table.second_s_entry = one_hot(0..entries, operand_collector_table.second_s_index);
        }
        if allocate_on_arrival {
            connect!(cache_table {
                s_entry: replacement.victim[0],
                s_register: operand_collector_table.s_register,
                s_near: operand_collector_table.s_near,
            });
            operand_collector_table.s_entry = position(0..entries, |e| replacement.victim[0].get_bit(e));
        }
    }

    /// Port D.
    fn ports_d() {
        for p in 0..d_ports {
            cache_table.d_valid[p] = d_accepted[p];
            cache_table.d_register[p] = d_register[p];
            cache_table.d_near[p] = d_near[p];
            cache_table.d_entry[p] = cache_table.d_hit_entry[p] | replacement.d_victim[p];
            cache_table.d_data[p] = d_data[p];
        }
        for b in 0..banks {
            cache_table.kill[b] = filtered[b] & invalidate;
            cache_table.kill_register[b] = filtered_register[b];
        }
    }

    /// Operand collector table.
    fn index_slots() {
        connect!(operand_collector_table { issue, s_valid, s_slot });
        if accesses == 2 {
            operand_collector_table.second_s_valid = second_s_valid;
            operand_collector_table.second_s_slot = second_s_slot;
        }
        if allocate_on_arrival {
            for s in 0..slots {
                operand_collector_table.source_register[s] = instruction.source_register[s];
                operand_collector_table.source_near[s] = instruction.source_near[s];
            }
        }
        for s in 0..slots {
            operand_collector_table.source_valid[s] = instruction.source_valid[s];
            operand_collector_table.source_index[s] = index[s];
            operand_collector_table.source_hit[s] = cache_table.hit[s];
        }
        ready = occupancy & operand_collector_table.all_ready;
        any_near = cache_table.any_near;
    }

    /// Operand multiplexers.
    fn operands() {
        for s in 0..slots {
            operand_valid[s] = operand_collector_table.valid[s];
            // As a sum of products, which takes fewer gates than a chain of choices.
            operand_data[s] = 0;
            for e in 0..entries {
                if isolation == Isolation::Operands {
                    if (operand_collector_table.index[s] == e)
                        & (operand_collector_table.placed[s] & dispatch)
                    {
                        operand_data[s] |= cache_table.data[e];
                    }
                } else {
                    if (operand_collector_table.index[s] == e) & operand_collector_table.placed[s] {
                        operand_data[s] |= cache_table.data[e];
                    }
                }
            }
            if operand_collector_table.passes[s] {
                operand_data[s] = s_data;
            }
        }
        if accesses == 2 {
            for s in 0..slots {
                if operand_collector_table.second_passes[s] {
                    operand_data[s] = second_s_data;
                }
            }
        }
        if isolation == Isolation::Operands {
            for s in 0..slots {
                // Of what passes, and of a slot that is not used.
                if !(operand_collector_table.valid[s] & dispatch) {
                    operand_data[s] = 0;
                }
            }
        }
    }
}
