// SPDX-License-Identifier: Apache-2.0
//! Free space monitor of FineReg: R §V-C.
//!
//! It knows which entries of the [pcrf](pcrf.md) are occupied, how many are free, and which one is taken
//! next.
//!
//! # Timing
//!
//! The outputs are combinational. `take` and `free` show in the next cycle, and can come in the same.
//!
//! # Decisions
//!
//! - **A register counts the occupied entries.** R §V-E aggregates the zeros of the array when it needs to
//!   know: an adder of 1,024 inputs instead of 12 bits.
//! - **First free, in two steps**: the first word of 32 flags with a zero, then the first zero in it. R does
//!   not say which.
//! - **The flags are registers**: a choice among all of them in one cycle needs them at once.
//!
//! # Storage
//!
//! It keeps a bit for each entry and 12 bits of count. R §V-F does not count them.

use gpurf_blocks::FLAG_WORD;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

/// `P`: bits of an entry's number.
#[block(
    title = "Free space monitor of the PCRF",
    paper = "R §V-C",
    parameters(pcrf_entries),
    sizes(words = pcrf_entries / FLAG_WORD)
)]
pub struct FreeSpaceMonitor<const P: usize> {
    /// The offered entry is taken; only while there is one.
    pub take: In<Bit>,
    /// An entry becomes free.
    pub free: In<Bit>,
    /// Entry that becomes free; it must be occupied.
    pub free_entry: In<Bits<P>>,

    /// An entry is free.
    pub any_free: Out<Bit>,
    /// Free entry with the lowest number; zero if there is none.
    pub first_free: Out<Bits<P>>,
    /// Number of free entries.
    pub free_count: Out<Bits<12>>,
    /// The flags, bit b of word w for entry 32 w + b.
    pub occupied: Out<Register<[Bits<32>; words]>>,

    /// The first word with a free entry.
    word: Local<Bits<32>>,
    base: Local<Bits<P>>,
    place: Local<Bits<P>>,
    used: Register<Bits<12>>,
    #[value(pcrf_entries)]
    total: Constant<Bits<12>>,
    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(|word| FLAG_WORD * word)]
    word_base: Constant<[Bits<P>; words]>,
    #[value(|number| number)]
    number: Constant<[Bits<P>; FLAG_WORD]>,
}

watch!(FreeSpaceMonitor<P>: [
    "take(entry = first_free) if take && any_free: take entry {entry}",
    "free(entry = free_entry) if free: free entry {entry}",
    "misuse if take && !any_free: an entry is taken, and none is free",
    "misuse if free && !occupied[free_entry >> 5][free_entry & 31]: entry {free_entry} becomes free, \
        and is",
    "fault if any_free && occupied[first_free >> 5][first_free & 31]: entry {first_free} is offered, \
        and occupied",
]);

monitor!(FreeSpaceMonitor<P>: "free_space_monitor_monitor.v");

#[rtl]
impl<const P: usize> FreeSpaceMonitor<P> {
    /// The first word with a zero, and the first zero in it.
    fn first_free() {
        any_free = false;
        word = 0;
        base = 0;
        for w in 0..words {
            if !any_free & !occupied[w].all() {
                any_free = true;
                word = occupied[w];
                base = word_base[w];
            }
        }
        place = first(0..32, |b| !word.get_bit(b));
        first_free = base | place;
        free_count = total - used;

        let take_bit: Bits<32> = one << first_free.get_bits::<5>(0);
        let free_bit: Bits<32> = one << free_entry.get_bits::<5>(0);
        for w in 0..words {
            let taken: Bits<32> = if take & ((first_free >> 5) == w) { take_bit } else { 0 };
            let freed: Bits<32> = if free & ((free_entry >> 5) == w) { free_bit } else { 0 };
            occupied[w].load(taken.any() | freed.any(), (occupied[w] | taken) & !freed);
        }

        if take ^ free {
            used = if free { used - 1 } else { used + 1 };
        }
    }
}
