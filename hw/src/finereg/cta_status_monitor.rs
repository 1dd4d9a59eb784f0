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

use gpurf_blocks::{Parameters, Tie, FLAG_WORD, MAX_CTAS};
use rust_hdl::prelude::*;

use crate::dialect::{array, rtl, Identity, Module, Register};

/// CTAs that can be updated in one cycle: the two of a switch.
const UPDATES: usize = 2;
/// Words of CTAs: MAX_CTAS / FLAG_WORD.
const MAX_WORDS: usize = MAX_CTAS / FLAG_WORD;

#[derive(LogicBlock, Module)]
pub struct CtaStatusMonitor {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// This CTA's context, registers have a new location. If both updates name a CTA, the second one counts.
    #[port(max = UPDATES)]
    pub update_cta: Vec<Signal<In, Bits<7>>>,
    #[port(max = UPDATES)]
    pub set_context: Vec<Signal<In, Bit>>,
    #[port(max = UPDATES)]
    pub context_location: Vec<Signal<In, Bits<2>>>,
    #[port(max = UPDATES)]
    pub set_registers: Vec<Signal<In, Bit>>,
    #[port(max = UPDATES)]
    pub register_location: Vec<Signal<In, Bits<2>>>,
    /// Bit b of word w: CTA 32 w + b could resume if it were active.
    #[port(max = MAX_WORDS)]
    pub resumable: Vec<Signal<In, Bits<32>>>,
    /// The candidate has been selected: where round robin goes on.
    pub select: Signal<In, Bit>,
    /// The CTA whose fields are shown.
    pub inspect: Signal<In, Bits<7>>,

    /// A pending CTA can resume: this one.
    pub any_candidate: Signal<Out, Bit>,
    pub candidate: Signal<Out, Bits<7>>,
    /// Its registers are in the ACRF still.
    pub candidate_in_acrf: Signal<Out, Bit>,
    /// A CTA number is not in use: the lowest such.
    pub any_unlaunched: Signal<Out, Bit>,
    pub unlaunched: Signal<Out, Bits<7>>,
    pub inspected_context: Signal<Out, Bits<2>>,
    pub inspected_registers: Signal<Out, Bits<2>>,
    pub inspected_active: Signal<Out, Bit>,

    one: Constant<Bits<32>>,
    ones: Constant<Bits<32>>,
    update_bit: Vec<Signal<Local, Bits<32>>>,
    inspect_bit: Signal<Local, Bits<32>>,
    /// Bits of the locations to be changed, and what they change to.
    context_low_new: Vec<Signal<Local, Bits<32>>>,
    context_high_new: Vec<Signal<Local, Bits<32>>>,
    registers_low_new: Vec<Signal<Local, Bits<32>>>,
    registers_high_new: Vec<Signal<Local, Bits<32>>>,
    /// CTAs whose turn comes before the others'.
    turn: Vec<Signal<Local, Bits<32>>>,
    turn_bits: Signal<Local, Bits<32>>,
    /// Candidates by precedence: registers in the ACRF, in turn and any; then in the PCRF; then CTAs that are
    /// not launched.
    level: Vec<Vec<Signal<Local, Bits<32>>>>,
    level_any: Vec<Signal<Local, Bit>>,
    level_word: Vec<Signal<Local, Bits<32>>>,
    level_base: Vec<Signal<Local, Bits<7>>>,
    chosen: Signal<Local, Bits<32>>,
    base: Signal<Local, Bits<7>>,
    place: Signal<Local, Bits<7>>,
    free_place: Signal<Local, Bits<7>>,

    context_low: Vec<Register<Bits<32>>>,
    context_high: Vec<Register<Bits<32>>>,
    registers_low: Vec<Register<Bits<32>>>,
    registers_high: Vec<Register<Bits<32>>>,
    /// The one selected last, if there are turns.
    last: Vec<Register<Bits<7>>>,
    /// CTAs that exist.
    exists: Vec<Constant<Bits<32>>>,
    word_number: Vec<Constant<Bits<7>>>,
    word_base: Vec<Constant<Bits<7>>>,
    identity: Identity,
    _words: usize,
    /// 1 if there are turns, else 0.
    _turns: usize,
}

impl CtaStatusMonitor {
    /// `ctas`: 1 to 128.
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { ctas, tie, .. } = *parameters;
        assert!((1..=MAX_CTAS).contains(&ctas), "{ctas} CTAs");
        let words = ctas.div_ceil(FLAG_WORD);
        let turns = usize::from(tie == Tie::RoundRobin);
        let numbers =
            |step: usize| (0..words).map(|word| Constant::new(((step * word) as u64).into())).collect();
        let exists = |word: usize| {
            let here = (ctas - FLAG_WORD * word).min(FLAG_WORD);
            Constant::new(((1u64 << here) - 1).into())
        };
        CtaStatusMonitor {
            clock: Signal::default(),
            reset: Signal::default(),
            update_cta: array(UPDATES),
            set_context: array(UPDATES),
            context_location: array(UPDATES),
            set_registers: array(UPDATES),
            register_location: array(UPDATES),
            resumable: array(words),
            select: Signal::default(),
            inspect: Signal::default(),
            any_candidate: Signal::default(),
            candidate: Signal::default(),
            candidate_in_acrf: Signal::default(),
            any_unlaunched: Signal::default(),
            unlaunched: Signal::default(),
            inspected_context: Signal::default(),
            inspected_registers: Signal::default(),
            inspected_active: Signal::default(),
            one: Constant::new(1.into()),
            ones: Constant::new(u64::from(u32::MAX).into()),
            update_bit: array(UPDATES),
            inspect_bit: Signal::default(),
            context_low_new: array(words),
            context_high_new: array(words),
            registers_low_new: array(words),
            registers_high_new: array(words),
            turn: array(words),
            turn_bits: Signal::default(),
            level: (0..5).map(|_| array(words)).collect(),
            level_any: array(5),
            level_word: array(5),
            level_base: array(5),
            chosen: Signal::default(),
            base: Signal::default(),
            place: Signal::default(),
            free_place: Signal::default(),
            context_low: array(words),
            context_high: array(words),
            registers_low: array(words),
            registers_high: array(words),
            last: array(turns),
            exists: (0..words).map(exists).collect(),
            word_number: numbers(1),
            word_base: numbers(FLAG_WORD),
            identity: Identity::new(
                "cta_status_monitor",
                "CTA status monitor (R V-B)",
                &[("ctas", ctas), ("tie", tie as usize)],
            ),
            _words: words,
            _turns: turns,
        }
    }
}

impl Logic for CtaStatusMonitor {
    #[rtl]
    fn update(&mut self) {
        // Updates.
        for u in 0..2 {
            self.update_bit[u].next = self.one.val() << self.update_cta[u].val().get_bits::<5>(0);
        }
        for w in 0..self._words {
            self.context_low_new[w].next = self.context_low[w].q.val();
            self.context_high_new[w].next = self.context_high[w].q.val();
            self.registers_low_new[w].next = self.registers_low[w].q.val();
            self.registers_high_new[w].next = self.registers_high[w].q.val();
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
            self.context_low[w].clock.next = self.clock.val();
            self.context_low[w].reset.next = self.reset.val();
            self.context_low[w].enable.next = true;
            self.context_low[w].d.next = self.context_low_new[w].val();
            self.context_high[w].clock.next = self.clock.val();
            self.context_high[w].reset.next = self.reset.val();
            self.context_high[w].enable.next = true;
            self.context_high[w].d.next = self.context_high_new[w].val();
            self.registers_low[w].clock.next = self.clock.val();
            self.registers_low[w].reset.next = self.reset.val();
            self.registers_low[w].enable.next = true;
            self.registers_low[w].d.next = self.registers_low_new[w].val();
            self.registers_high[w].clock.next = self.clock.val();
            self.registers_high[w].reset.next = self.reset.val();
            self.registers_high[w].enable.next = true;
            self.registers_high[w].d.next = self.registers_high_new[w].val();
        }

        // Those after the one selected last.
        self.turn_bits.next = 0.into();
        for w in 0..self._words {
            self.turn[w].next = 0.into();
        }
        for t in 0..self._turns {
            self.turn_bits.next = (self.ones.val() << self.last[t].q.val().get_bits::<5>(0)) << 1;
            for w in 0..self._words {
                if self.word_number[w].val() > (self.last[t].q.val() >> 5) {
                    self.turn[w].next = self.ones.val();
                } else if self.word_number[w].val() == (self.last[t].q.val() >> 5) {
                    self.turn[w].next = self.turn_bits.val();
                }
            }
        }
        for w in 0..self._words {
            self.level[1][w].next = (self.resumable[w].val() & self.exists[w].val())
                & ((self.context_low[w].q.val() & !self.context_high[w].q.val())
                    & (self.registers_high[w].q.val() & !self.registers_low[w].q.val()));
            self.level[3][w].next = (self.resumable[w].val() & self.exists[w].val())
                & ((self.context_low[w].q.val() & !self.context_high[w].q.val())
                    & (self.registers_low[w].q.val() & !self.registers_high[w].q.val()));
            self.level[0][w].next = self.level[1][w].val() & self.turn[w].val();
            self.level[2][w].next = self.level[3][w].val() & self.turn[w].val();
            self.level[4][w].next = self.exists[w].val()
                & !((self.context_low[w].q.val() | self.context_high[w].q.val())
                    | (self.registers_low[w].q.val() | self.registers_high[w].q.val()));
        }

        // The first of each level.
        for k in 0..5 {
            self.level_any[k].next = false;
            self.level_word[k].next = 0.into();
            self.level_base[k].next = 0.into();
            for w in 0..self._words {
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
        for t in 0..self._turns {
            self.last[t].clock.next = self.clock.val();
            self.last[t].reset.next = self.reset.val();
            self.last[t].enable.next = self.select.val() & self.any_candidate.val();
            self.last[t].d.next = self.candidate.val();
        }

        self.inspect_bit.next = self.one.val() << self.inspect.val().get_bits::<5>(0);
        self.inspected_context.next = 0.into();
        self.inspected_registers.next = 0.into();
        for w in 0..self._words {
            if (self.inspect.val() >> 5) == self.word_number[w].val() {
                self.inspected_context.next = self
                    .inspected_context
                    .val()
                    .replace_bit(0, (self.context_low[w].q.val() & self.inspect_bit.val()).any());
                self.inspected_context.next = self
                    .inspected_context
                    .val()
                    .replace_bit(1, (self.context_high[w].q.val() & self.inspect_bit.val()).any());
                self.inspected_registers.next = self
                    .inspected_registers
                    .val()
                    .replace_bit(0, (self.registers_low[w].q.val() & self.inspect_bit.val()).any());
                self.inspected_registers.next = self
                    .inspected_registers
                    .val()
                    .replace_bit(1, (self.registers_high[w].q.val() & self.inspect_bit.val()).any());
            }
        }
        self.inspected_active.next =
            (self.inspected_context.val() == bits::<2>(2)) & (self.inspected_registers.val() == bits::<2>(2));
    }
}
