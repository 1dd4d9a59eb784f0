// SPDX-License-Identifier: Apache-2.0
//! Replacement of cache-table entries: W §4.1, F §IV-A1. Combinational.
//!
//! Each source that misses gets an entry, and so does each result that misses. All are chosen in one cycle.
//! An entry is never chosen if it is locked, if a source of this instruction hits it, or if the first result
//! updates it. The choice among the others is
//!
//! 1. a free entry, the lowest-numbered;
//! 2. else, under the policy `malekeh`, a random far one: the first at or after `random`, around the table;
//! 3. else the least recently used.
//!
//! Under the policy `lru` (the "traditional" design of F §VI-C) step 2 is left out.
//!
//! # Timing
//!
//! Replacement is combinational. Every entry counts how many go before it, and the k-th in need takes the
//! entry with k before it. So eight choices do not follow each other in the path.
//!
//! With `allocate_on_arrival` one source at most needs an entry in a cycle. The entries that go first and
//! second are found from registers alone, before it is known who needs one.
//!
//! With allocation at issue the path is the longest of the collector: look-up, replacement and the table's
//! update follow each other in one cycle. See the cost of the [ccu](ccu.md#cost).
//!
//! # Decisions
//!
//! - **Free entries first.** The papers leave free entries out.
//! - **Many victims in one cycle.** The papers choose one at a time and do not say how seven are chosen at
//!   once. Here slots take turns in their order, results come last, and nobody takes what another took.
//! - **One random number a cycle.** With several victims the later ones are the next far entries after the
//!   first. Independent numbers per slot cost an LFSR each.
//! - The random choice is the first far entry at or after a random start. Where far entries lie unevenly,
//!   those after a gap are chosen more often. An even choice needs a count and a division.
//! - With more entries than slots something can always be chosen for slots and first result. A second result
//!   may find nothing (`d_victim` zero). A parameter combination that breaks this is refused.
//!
//! # Storage
//!
//! It stores nothing.

use gpurf_blocks::ReplacementPolicy;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl};
use crate::monitor;

/// `I`: bits of an entry's number.
#[block(
    title = "Replacement",
    paper = "W §4.1, F §IV-A1",
    parameters(entries, slots, replacement, d_ports, allocate_on_arrival),
    sizes(sources = if parameters.allocate_on_arrival { 1 } else { slots }, turns = 1 + d_ports),
    combinational
)]
pub struct Replacement<const I: usize> {
    /// The entry holds a value.
    pub valid: In<[Bit; entries]>,
    /// The next reuse of the entry's value is near.
    pub near: In<[Bit; entries]>,
    /// The entry must stay.
    pub keep: In<[Bit; entries]>,
    /// Bit t: entry t was used more recently than this one.
    pub newer: In<[Bits<16>; entries]>,
    /// Where the search for a far entry starts.
    pub random: In<Bits<I>>,
    /// The source needs an entry: of every slot, or the one whose value arrives.
    pub miss: In<[Bit; sources]>,
    /// The result at this port D needs an entry.
    pub d_miss: In<[Bit; d_ports]>,

    /// Entry for each source with `miss` high, as the one bit set; zero for the others.
    pub victim: Out<[Bits<16>; sources]>,
    /// Entry for each result with `d_miss` high, if there is one, as the one bit set.
    pub d_victim: Out<[Bits<16>; d_ports]>,

    eligible: Local<[Bit; entries]>,
    /// It goes before near ones, in the order of the distance from where the search starts.
    far: Local<[Bit; entries]>,
    distance: Local<[Bits<I>; entries]>,
    /// `precedes[e][t]`: entry t can be chosen, and goes before entry e.
    precedes: Local<[[Bit; entries]; entries]>,
    /// Eligible entries that go before this one.
    #[when(!allocate_on_arrival)]
    place: Local<[Bits<I>; entries]>,
    /// `ahead[e][k]`: more than k entries go before entry e. `chosen[k]`: the entry before which k go.
    #[when(allocate_on_arrival)]
    ahead: Local<[[Bit; turns]; entries]>,
    #[when(allocate_on_arrival)]
    chosen: Local<[Bits<16>; turns]>,
    #[when(allocate_on_arrival)]
    carry: Local<Bit>,
    #[when(allocate_on_arrival)]
    both: Local<[Bit; turns]>,
    /// Sources and results that have been served, modulo the entries; all entries are taken.
    turn: Local<Bits<I>>,
    exhausted: Local<Bit>,
    #[value(|entry| entry)]
    number: Constant<[Bits<I>; entries]>,
    #[value(|entry| 1 << entry)]
    alone: Constant<[Bits<16>; entries]>,
    #[value(entries - 1)]
    last: Constant<Bits<I>>,
    #[value(replacement == ReplacementPolicy::Malekeh)]
    far_first: Constant<Bit>,
}

monitor!(Replacement<I>: "replacement_monitor.v");

#[rtl]
impl<const I: usize> Replacement<I> {
    /// All entries in the order in which they make room.
    fn order() {
        for e in 0..entries {
            eligible[e] = !keep[e];
            distance[e] = number[e] - random;
            far[e] = !near[e] & far_first;
        }
        for e in 0..entries {
            for t in 0..entries {
                precedes[e][t] = if far[t] {
                    !far[e] | (distance[t] < distance[e])
                } else {
                    !far[e] & newer[t].get_bit(e)
                };
                if !valid[e] {
                    precedes[e][t] = false;
                }
                if !valid[t] {
                    precedes[e][t] = valid[e] | (number[t] < number[e]);
                }
                if !eligible[t] {
                    precedes[e][t] = false;
                }
            }
        }
    }

    /// All are counted where any number of them may be needed, else those that go first are found.
    fn candidates() {
        if allocate_on_arrival {
            for k in 0..turns {
                chosen[k] = 0;
            }
            for e in 0..entries {
                for k in 0..turns {
                    ahead[e][k] = false;
                }
                for t in 0..entries {
                    carry = precedes[e][t];
                    for k in 0..turns {
                        both[k] = ahead[e][k] & carry;
                        ahead[e][k] |= carry;
                        carry = both[k];
                    }
                }
                carry = eligible[e];
                for k in 0..turns {
                    if carry & !ahead[e][k] {
                        chosen[k] |= alone[e];
                    }
                    carry &= ahead[e][k];
                }
            }
        } else {
            for e in 0..entries {
                place[e] = 0;
                for t in 0..entries {
                    if precedes[e][t] {
                        place[e] += 1;
                    }
                }
            }
        }
    }

    /// Sources are served in the order of their slots.
    fn serve() {
        turn = 0;
        for s in 0..sources {
            victim[s] = 0;
            if miss[s] {
                if allocate_on_arrival {
                    for k in 0..turns {
                        if turn == number[k] {
                            victim[s] = chosen[k];
                        }
                    }
                } else {
                    for e in 0..entries {
                        if eligible[e] & (place[e] == turn) {
                            victim[s] = alone[e];
                        }
                    }
                }
                turn += 1;
            }
        }
    }

    /// Results are served behind the sources, while there are entries.
    fn serve_results() {
        exhausted = false;
        for p in 0..d_ports {
            d_victim[p] = 0;
            if d_miss[p] & !exhausted {
                if allocate_on_arrival {
                    for k in 0..turns {
                        if turn == number[k] {
                            d_victim[p] = chosen[k];
                        }
                    }
                } else {
                    for e in 0..entries {
                        if eligible[e] & (place[e] == turn) {
                            d_victim[p] = alone[e];
                        }
                    }
                }
                exhausted = turn == last;
                turn += 1;
            }
        }
    }
}
