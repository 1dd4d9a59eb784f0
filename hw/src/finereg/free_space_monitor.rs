//! Free space monitor: R §V-C. Which PCRF entries are occupied, how many are free, and which one is next.
//!
//! A flag per entry, 1 where it is occupied. The paper counts the zeros whenever it needs to know; here the
//! number of occupied entries is a register beside the flags. The entry offered is the free one with the
//! lowest number (the paper does not say which), found in two steps: the first word of 32 flags with a zero,
//! then the first zero in it. A flag is also the valid bit of its PCRF tag, see [`super::Pcrf`].
//!
//! Timing: combinational outputs; what `take` and `free` do shows in the next cycle. An entry can be
//! taken and another released in one cycle.

use gpurf_blocks::{Parameters, FLAG_WORD, MAX_PCRF_ENTRIES};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// Most words of flags.
const MAX_WORDS: usize = MAX_PCRF_ENTRIES / FLAG_WORD;

/// `P`: bits of an entry's number.
#[derive(LogicBlock, Module)]
pub struct FreeSpaceMonitor<const P: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    /// The offered entry is taken; only while there is one.
    pub take: Signal<In, Bit>,
    /// This entry becomes free; it must be occupied.
    pub free: Signal<In, Bit>,
    pub free_entry: Signal<In, Bits<P>>,

    pub any_free: Signal<Out, Bit>,
    /// The first free entry; zero if there is none.
    pub first_free: Signal<Out, Bits<P>>,
    pub free_count: Signal<Out, Bits<12>>,
    /// The flags, bit b of word w for entry 32 w + b.
    #[port(max = MAX_WORDS)]
    pub occupied: Vec<Signal<Out, Bits<32>>>,

    /// The first word with a free entry.
    word: Signal<Local, Bits<32>>,
    base: Signal<Local, Bits<P>>,
    place: Signal<Local, Bits<P>>,
    take_bit: Signal<Local, Bits<32>>,
    free_bit: Signal<Local, Bits<32>>,
    taken: Vec<Signal<Local, Bits<32>>>,
    freed: Vec<Signal<Local, Bits<32>>>,
    flags: Vec<Register<Bits<32>>>,
    used: Register<Bits<12>>,
    total: Constant<Bits<12>>,
    one: Constant<Bits<32>>,
    /// Number of a word, the entry it begins with, and places in it.
    word_number: Vec<Constant<Bits<P>>>,
    word_base: Vec<Constant<Bits<P>>>,
    number: Vec<Constant<Bits<P>>>,
    identity: Identity,
    _words: usize,
}

impl<const P: usize> FreeSpaceMonitor<P> {
    /// `entries`: a multiple of 32, 64 to 2048 and at most 2^`P`.
    pub fn new(parameters: &Parameters) -> Self {
        let entries = parameters.pcrf_entries;
        assert!(
            entries % FLAG_WORD == 0 && entries <= MAX_PCRF_ENTRIES && entries <= 1 << P,
            "{entries} entries"
        );
        let words = entries / FLAG_WORD;
        let numbers = |step: usize, count: usize| {
            (0..count).map(|number| Constant::new(((step * number) as u64).into())).collect()
        };
        FreeSpaceMonitor {
            clock: Signal::default(),
            reset: Signal::default(),
            take: Signal::default(),
            free: Signal::default(),
            free_entry: Signal::default(),
            any_free: Signal::default(),
            first_free: Signal::default(),
            free_count: Signal::default(),
            occupied: array(words),
            word: Signal::default(),
            base: Signal::default(),
            place: Signal::default(),
            take_bit: Signal::default(),
            free_bit: Signal::default(),
            taken: array(words),
            freed: array(words),
            flags: array(words),
            used: Register::default(),
            total: Constant::new((entries as u64).into()),
            one: Constant::new(1.into()),
            word_number: numbers(1, words),
            word_base: numbers(FLAG_WORD, words),
            number: numbers(1, FLAG_WORD),
            identity: Identity::new(
                "free_space_monitor",
                "Free space monitor of the PCRF (R V-C)",
                &[("entries", entries)],
            ),
            _words: words,
        }
    }
}

impl<const P: usize> Logic for FreeSpaceMonitor<P> {
    #[rtl]
    fn update(&mut self) {
        // The first word with a zero, and the first zero in it.
        self.any_free.next = false;
        self.word.next = 0.into();
        self.base.next = 0.into();
        for w in 0..self._words {
            if !self.any_free.val() & !self.flags[w].q.val().all() {
                self.any_free.next = true;
                self.word.next = self.flags[w].q.val();
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
        self.free_count.next = self.total.val() - self.used.q.val();

        self.take_bit.next = self.one.val() << self.first_free.val().get_bits::<5>(0);
        self.free_bit.next = self.one.val() << self.free_entry.val().get_bits::<5>(0);
        for w in 0..self._words {
            self.taken[w].next = 0.into();
            if self.take.val() & ((self.first_free.val() >> 5) == self.word_number[w].val()) {
                self.taken[w].next = self.take_bit.val();
            }
            self.freed[w].next = 0.into();
            if self.free.val() & ((self.free_entry.val() >> 5) == self.word_number[w].val()) {
                self.freed[w].next = self.free_bit.val();
            }
            self.flags[w].clock.next = self.clock.val();
            self.flags[w].reset.next = self.reset.val();
            self.flags[w].enable.next = self.taken[w].val().any() | self.freed[w].val().any();
            self.flags[w].d.next = (self.flags[w].q.val() | self.taken[w].val()) & !self.freed[w].val();
            self.occupied[w].next = self.flags[w].q.val();
        }

        self.used.clock.next = self.clock.val();
        self.used.reset.next = self.reset.val();
        self.used.enable.next = self.take.val() ^ self.free.val();
        self.used.d.next = self.used.q.val() + 1;
        if self.free.val() {
            self.used.d.next = self.used.q.val() - 1;
        }
    }
}
