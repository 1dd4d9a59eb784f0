//! Free space monitor: R §V-C. Which PCRF entries are occupied, how many are free, and which one is next.
//!
//! A flag per entry, 1 where it is occupied. The paper counts the zeros whenever it needs to know; here the
//! number of occupied entries is a register beside the flags. The entry offered is the free one with the
//! lowest number (the paper does not say which), found in two steps: the first word of 32 flags with a zero,
//! then the first zero in it. A flag is also the valid bit of its PCRF tag, see [`super::Pcrf`].
//!
//! Timing: combinational outputs; what `take` and `free` do shows in the next cycle. An entry can be
//! taken and another released in one cycle.

use gpurf_blocks::FLAG_WORD;
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};

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
    /// This entry becomes free; it must be occupied.
    pub free: In<Bit>,
    /// This entry becomes free; it must be occupied.
    pub free_entry: In<Bits<P>>,

    /// The free entry with the lowest number; zero if there is none.
    pub any_free: Out<Bit>,
    /// The first free entry; zero if there is none.
    pub first_free: Out<Bits<P>>,
    /// Free entries.
    pub free_count: Out<Bits<12>>,
    /// The flags, bit b of word w for entry 32 w + b.
    pub occupied: Out<[Bits<32>; words]>,

    /// The first word with a free entry.
    word: Local<Bits<32>>,
    base: Local<Bits<P>>,
    place: Local<Bits<P>>,
    take_bit: Local<Bits<32>>,
    free_bit: Local<Bits<32>>,
    taken: Local<[Bits<32>; words]>,
    freed: Local<[Bits<32>; words]>,
    flags: Register<[Bits<32>; words]>,
    used: Register<Bits<12>>,
    #[value(pcrf_entries)]
    total: Constant<Bits<12>>,
    #[value(1)]
    one: Constant<Bits<32>>,
    /// Number of a word, the entry it begins with, and places in it.
    #[value(|word| word)]
    word_number: Constant<[Bits<P>; words]>,
    #[value(|word| FLAG_WORD * word)]
    word_base: Constant<[Bits<P>; words]>,
    #[value(|number| number)]
    number: Constant<[Bits<P>; FLAG_WORD]>,
}

impl<const P: usize> Logic for FreeSpaceMonitor<P> {
    #[rtl]
    fn update(&mut self) {
        // The first word with a zero, and the first zero in it.
        self.any_free.next = false;
        self.word.next = 0.into();
        self.base.next = 0.into();
        for w in 0..words {
            if !self.any_free.val() & !self.flags[w].val().all() {
                self.any_free.next = true;
                self.word.next = self.flags[w].val();
                self.base.next = self.word_base[w].val();
            }
        }
        self.place.next = 0.into();
        for b in 0..32 {
            if !self.word.val().get_bit(31 - b) {
                self.place.next = self.number[31 - b].val();
            }
        }
        self.first_free.next = self.base.val() | self.place.val();
        self.free_count.next = self.total.val() - self.used.val();

        self.take_bit.next = self.one.val() << self.first_free.val().get_bits::<5>(0);
        self.free_bit.next = self.one.val() << self.free_entry.val().get_bits::<5>(0);
        for w in 0..words {
            self.taken[w].next = 0.into();
            if self.take.val() & ((self.first_free.val() >> 5) == self.word_number[w].val()) {
                self.taken[w].next = self.take_bit.val();
            }
            self.freed[w].next = 0.into();
            if self.free.val() & ((self.free_entry.val() >> 5) == self.word_number[w].val()) {
                self.freed[w].next = self.free_bit.val();
            }
            self.flags[w].load(
                self.taken[w].val().any() | self.freed[w].val().any(),
                (self.flags[w].val() | self.taken[w].val()) & !self.freed[w].val(),
            );
            self.occupied[w].next = self.flags[w].val();
        }

        self.used.load(self.take.val() ^ self.free.val(), self.used.val() + 1);
        if self.free.val() {
            self.used.d.next = self.used.val() - 1;
        }
    }
}
