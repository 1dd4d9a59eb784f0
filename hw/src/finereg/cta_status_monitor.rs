//! CTA status monitor: R §V-B, Table IV. Where the context and the registers of each CTA are, and which
//! pending CTA goes on next.
//!
//! Two fields of 2 bits for each CTA:
//!
//! | value | context location | register location |
//! |---|---|---|
//! | 0 | CTA not launched | CTA not launched |
//! | 1 | shared memory | PCRF |
//! | 2 | pipeline | ACRF |
//!
//! A CTA is active if both are 2. Of the pending CTAs that could resume, which others must say (`resumable`),
//! one whose context is 1 and whose registers are 2 goes first: its registers need not be moved. Then one with
//! both 1. R does not order equals: the lowest number goes first, or, with [`Tie::RoundRobin`], the next one
//! after the one selected last, so that none waits for ever.
//!
//! Timing: combinational outputs; an update shows in the next cycle.

use gpurf_blocks::{Tie, FLAG_WORD, STATUS_UPDATES};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::watch;

#[block(
    title = "CTA status monitor",
    paper = "R §V-B",
    parameters(ctas, tie),
    sizes(words = ctas.div_ceil(FLAG_WORD), turns = usize::from(parameters.tie == Tie::RoundRobin))
)]
pub struct CtaStatusMonitor {
    /// This CTA's context, registers have a new location. If both updates name a CTA, the second one counts.
    pub update_cta: In<[Bits<7>; STATUS_UPDATES]>,
    /// Its context's new location, 0 to 2.
    pub set_context: In<[Bit; STATUS_UPDATES]>,
    /// Its context's new location, 0 to 2.
    pub context_location: In<[Bits<2>; STATUS_UPDATES]>,
    /// Its registers' new location, 0 to 2.
    pub set_registers: In<[Bit; STATUS_UPDATES]>,
    /// Its registers' new location, 0 to 2.
    pub register_location: In<[Bits<2>; STATUS_UPDATES]>,
    /// Bit b of word w: CTA 32 w + b could resume if it were active.
    pub resumable: In<[Bits<32>; words]>,
    /// The candidate has been selected: where round robin goes on.
    pub select: In<Bit>,
    /// The CTA whose fields are shown.
    pub inspect: In<Bits<7>>,

    /// A pending CTA can resume: this one.
    pub any_candidate: Out<Bit>,
    /// The pending CTA that goes on.
    pub candidate: Out<Bits<7>>,
    /// Its registers are in the ACRF still.
    pub candidate_in_acrf: Out<Bit>,
    /// A CTA number is not in use: the lowest such.
    pub any_unlaunched: Out<Bit>,
    /// The lowest CTA number that is not in use.
    pub unlaunched: Out<Bits<7>>,
    /// Fields of the inspected CTA.
    pub inspected_context: Out<Bits<2>>,
    /// Fields of the inspected CTA.
    pub inspected_registers: Out<Bits<2>>,
    /// Fields of the inspected CTA.
    pub inspected_active: Out<Bit>,

    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(u32::MAX)]
    ones: Constant<Bits<32>>,
    update_bit: Local<[Bits<32>; STATUS_UPDATES]>,
    inspect_bit: Local<Bits<32>>,
    /// Bits of the locations to be changed, and what they change to.
    context_low_new: Local<[Bits<32>; words]>,
    context_high_new: Local<[Bits<32>; words]>,
    registers_low_new: Local<[Bits<32>; words]>,
    registers_high_new: Local<[Bits<32>; words]>,
    /// CTAs whose turn comes before the others'.
    turn: Local<[Bits<32>; words]>,
    turn_bits: Local<Bits<32>>,
    /// Candidates by precedence: registers in the ACRF, in turn and any; then in the PCRF; then CTAs that are
    /// not launched.
    level: Local<[[Bits<32>; words]; 5]>,
    level_any: Local<[Bit; 5]>,
    level_word: Local<[Bits<32>; 5]>,
    level_base: Local<[Bits<7>; 5]>,
    chosen: Local<Bits<32>>,
    base: Local<Bits<7>>,
    place: Local<Bits<7>>,
    free_place: Local<Bits<7>>,

    context_low: Register<[Bits<32>; words]>,
    context_high: Register<[Bits<32>; words]>,
    registers_low: Register<[Bits<32>; words]>,
    registers_high: Register<[Bits<32>; words]>,
    /// The one selected last, if there are turns.
    last: Register<[Bits<7>; turns]>,
    /// CTAs that exist.
    #[value(|word| (1u64 << (ctas - FLAG_WORD * word).min(FLAG_WORD)) - 1)]
    exists: Constant<[Bits<32>; words]>,
    #[value(|word| word)]
    word_number: Constant<[Bits<7>; words]>,
    #[value(|word| FLAG_WORD * word)]
    word_base: Constant<[Bits<7>; words]>,
}

watch!(CtaStatusMonitor: [
    "select(to = candidate) if select && any_candidate: select block {to} with registers in the {candidate_in_acrf:PCRF,ACRF}",
    "valid candidate candidate_in_acrf if any_candidate",
    "valid unlaunched if any_unlaunched",
]);

impl Logic for CtaStatusMonitor {
    #[rtl]
    fn update(&mut self) {
        // Updates.
        for u in 0..2 {
            self.update_bit[u].next = self.one.val() << self.update_cta[u].val().get_bits::<5>(0);
        }
        for w in 0..words {
            self.context_low_new[w].next = self.context_low[w].val();
            self.context_high_new[w].next = self.context_high[w].val();
            self.registers_low_new[w].next = self.registers_low[w].val();
            self.registers_high_new[w].next = self.registers_high[w].val();
            for u in 0..2 {
                if (self.update_cta[u].val() >> 5) == self.word_number[w].val() {
                    if self.set_context[u].val() {
                        self.context_low_new[w].next =
                            self.context_low_new[w].val() & !self.update_bit[u].val();
                        self.context_high_new[w].next =
                            self.context_high_new[w].val() & !self.update_bit[u].val();
                        if self.context_location[u].val().get_bit(0) {
                            self.context_low_new[w].next =
                                self.context_low_new[w].val() | self.update_bit[u].val();
                        }
                        if self.context_location[u].val().get_bit(1) {
                            self.context_high_new[w].next =
                                self.context_high_new[w].val() | self.update_bit[u].val();
                        }
                    }
                    if self.set_registers[u].val() {
                        self.registers_low_new[w].next =
                            self.registers_low_new[w].val() & !self.update_bit[u].val();
                        self.registers_high_new[w].next =
                            self.registers_high_new[w].val() & !self.update_bit[u].val();
                        if self.register_location[u].val().get_bit(0) {
                            self.registers_low_new[w].next =
                                self.registers_low_new[w].val() | self.update_bit[u].val();
                        }
                        if self.register_location[u].val().get_bit(1) {
                            self.registers_high_new[w].next =
                                self.registers_high_new[w].val() | self.update_bit[u].val();
                        }
                    }
                }
            }
            self.context_low[w].load(true, self.context_low_new[w].val());
            self.context_high[w].load(true, self.context_high_new[w].val());
            self.registers_low[w].load(true, self.registers_low_new[w].val());
            self.registers_high[w].load(true, self.registers_high_new[w].val());
        }

        // Those after the one selected last.
        self.turn_bits.next = 0.into();
        for w in 0..words {
            self.turn[w].next = 0.into();
        }
        for t in 0..turns {
            self.turn_bits.next = (self.ones.val() << self.last[t].val().get_bits::<5>(0)) << 1;
            for w in 0..words {
                if self.word_number[w].val() > (self.last[t].val() >> 5) {
                    self.turn[w].next = self.ones.val();
                } else if self.word_number[w].val() == (self.last[t].val() >> 5) {
                    self.turn[w].next = self.turn_bits.val();
                }
            }
        }
        for w in 0..words {
            self.level[1][w].next = (self.resumable[w].val() & self.exists[w].val())
                & ((self.context_low[w].val() & !self.context_high[w].val())
                    & (self.registers_high[w].val() & !self.registers_low[w].val()));
            self.level[3][w].next = (self.resumable[w].val() & self.exists[w].val())
                & ((self.context_low[w].val() & !self.context_high[w].val())
                    & (self.registers_low[w].val() & !self.registers_high[w].val()));
            self.level[0][w].next = self.level[1][w].val() & self.turn[w].val();
            self.level[2][w].next = self.level[3][w].val() & self.turn[w].val();
            self.level[4][w].next = self.exists[w].val()
                & !((self.context_low[w].val() | self.context_high[w].val())
                    | (self.registers_low[w].val() | self.registers_high[w].val()));
        }

        // The first of each level.
        for k in 0..5 {
            self.level_any[k].next = false;
            self.level_word[k].next = 0.into();
            self.level_base[k].next = 0.into();
            for w in 0..words {
                if !self.level_any[k].val() & self.level[k][w].val().any() {
                    self.level_any[k].next = true;
                    self.level_word[k].next = self.level[k][w].val();
                    self.level_base[k].next = self.word_base[w].val();
                }
            }
        }
        self.chosen.next = 0.into();
        self.base.next = 0.into();
        self.any_candidate.next = false;
        for k in 0..4 {
            if self.level_any[3 - k].val() {
                self.chosen.next = self.level_word[3 - k].val();
                self.base.next = self.level_base[3 - k].val();
                self.any_candidate.next = true;
            }
        }
        self.place.next = 0.into();
        self.free_place.next = 0.into();
        for b in 0..32 {
            if self.chosen.val().get_bit(31 - b) {
                self.place.next = (31 - b).to_bits::<7>();
            }
            if self.level_word[4].val().get_bit(31 - b) {
                self.free_place.next = (31 - b).to_bits::<7>();
            }
        }
        self.candidate.next = self.base.val() | self.place.val();
        self.candidate_in_acrf.next = self.level_any[1].val();
        self.any_unlaunched.next = self.level_any[4].val();
        self.unlaunched.next = self.level_base[4].val() | self.free_place.val();
        for t in 0..turns {
            self.last[t].load(self.select.val() & self.any_candidate.val(), self.candidate.val());
        }

        self.inspect_bit.next = self.one.val() << self.inspect.val().get_bits::<5>(0);
        self.inspected_context.next = 0.into();
        self.inspected_registers.next = 0.into();
        for w in 0..words {
            if (self.inspect.val() >> 5) == self.word_number[w].val() {
                self.inspected_context.next = self
                    .inspected_context
                    .val()
                    .replace_bit(0, (self.context_low[w].val() & self.inspect_bit.val()).any());
                self.inspected_context.next = self
                    .inspected_context
                    .val()
                    .replace_bit(1, (self.context_high[w].val() & self.inspect_bit.val()).any());
                self.inspected_registers.next = self
                    .inspected_registers
                    .val()
                    .replace_bit(0, (self.registers_low[w].val() & self.inspect_bit.val()).any());
                self.inspected_registers.next = self
                    .inspected_registers
                    .val()
                    .replace_bit(1, (self.registers_high[w].val() & self.inspect_bit.val()).any());
            }
        }
        self.inspected_active.next =
            (self.inspected_context.val() == bits::<2>(2)) & (self.inspected_registers.val() == bits::<2>(2));
    }
}
