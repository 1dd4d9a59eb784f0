// SPDX-License-Identifier: Apache-2.0
//! CTA status monitor of FineReg: R §V-B, Table IV.
//!
//! It knows where the context and the registers of each CTA are. It chooses which pending CTA goes on next.
//!
//! | value | context location | register location |
//! |---|---|---|
//! | 0 | CTA not launched | CTA not launched |
//! | 1 | shared memory | PCRF |
//! | 2 | pipeline | ACRF |
//!
//! A CTA is active if both are 2. Of the pending CTAs that could resume, one with context 1 and registers 2
//! goes first, for its registers need not be moved. Then one with both 1 goes.
//!
//! # Timing
//!
//! The outputs are combinational. An update shows in the next cycle. Two updates a cycle: both CTAs of a
//! switch.
//!
//! # Decisions
//!
//! - **Ties**: R does not order equals. The lowest number goes first; with `round_robin` the next one after
//!   the CTA selected last, so that none waits forever while others come and go. After reset that is CTA 0,
//!   so the search begins at CTA 1. `select` without a candidate is ignored.
//! - **Who could resume** is known elsewhere (R: "had become ready to resume") and is an input.
//! - **Not launched** is both fields 0: the monitor also finds a number for a new CTA.
//!
//! # Storage
//!
//! It keeps 4 bits per CTA: 512 bits for 128, the two fields of 256 that R §V-F counts. Round robin adds 7.

use gpurf_blocks::{Tie, FLAG_WORD, STATUS_UPDATES};
use rust_hdl::prelude::*;

use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

#[block(
    title = "CTA status monitor",
    paper = "R §V-B",
    parameters(ctas, tie),
    sizes(words = ctas.div_ceil(FLAG_WORD), turns = usize::from(parameters.tie == Tie::RoundRobin))
)]
pub struct CtaStatusMonitor {
    /// CTA whose context or registers have a new location. If both updates name a CTA, the second one counts.
    pub update_cta: In<[Bits<7>; STATUS_UPDATES]>,
    /// The CTA's context has a new location.
    pub set_context: In<[Bit; STATUS_UPDATES]>,
    /// New location of the CTA's context, 0 to 2.
    pub context_location: In<[Bits<2>; STATUS_UPDATES]>,
    /// The CTA's registers have a new location.
    pub set_registers: In<[Bit; STATUS_UPDATES]>,
    /// New location of the CTA's registers, 0 to 2.
    pub register_location: In<[Bits<2>; STATUS_UPDATES]>,
    /// Bit b of word w: CTA 32 w + b could resume if it were active.
    pub resumable: In<[Bits<32>; words]>,
    /// The candidate has been selected: where round robin goes on.
    pub select: In<Bit>,
    /// The CTA whose fields are shown.
    pub inspect: In<Bits<7>>,

    /// A pending CTA can resume.
    pub any_candidate: Out<Bit>,
    /// The pending CTA that goes on.
    pub candidate: Out<Bits<7>>,
    /// The candidate's registers are in the ACRF still.
    pub candidate_in_acrf: Out<Bit>,
    /// A CTA number is not in use.
    pub any_unlaunched: Out<Bit>,
    /// The lowest CTA number that is not in use.
    pub unlaunched: Out<Bits<7>>,
    /// Location of the inspected CTA's context.
    pub inspected_context: Out<Bits<2>>,
    /// Location of the inspected CTA's registers.
    pub inspected_registers: Out<Bits<2>>,
    /// The inspected CTA is active.
    pub inspected_active: Out<Bit>,

    #[value(1)]
    one: Constant<Bits<32>>,
    #[value(u32::MAX)]
    ones: Constant<Bits<32>>,
    update_bit: Local<[Bits<32>; STATUS_UPDATES]>,
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
    "misuse for u in set_context if set_context[u] && context_location[u] > 2: a context's location \
        is {context_location[u]}",
    "misuse for u in set_registers if set_registers[u] && register_location[u] > 2: the registers' \
        location is {register_location[u]}",
]);

monitor!(CtaStatusMonitor: "cta_status_monitor_monitor.v");

#[rtl]
impl CtaStatusMonitor {
    /// Updates.
    fn updates() {
        for u in 0..2 {
            update_bit[u] = one << update_cta[u].get_bits::<5>(0);
        }
        for w in 0..words {
            context_low_new[w] = context_low[w];
            context_high_new[w] = context_high[w];
            registers_low_new[w] = registers_low[w];
            registers_high_new[w] = registers_high[w];
            for u in 0..2 {
                if (update_cta[u] >> 5) == word_number[w] {
                    if set_context[u] {
                        context_low_new[w] &= !update_bit[u];
                        context_high_new[w] &= !update_bit[u];
                        if context_location[u].get_bit(0) {
                            context_low_new[w] |= update_bit[u];
                        }
                        if context_location[u].get_bit(1) {
                            context_high_new[w] |= update_bit[u];
                        }
                    }
                    if set_registers[u] {
                        registers_low_new[w] &= !update_bit[u];
                        registers_high_new[w] &= !update_bit[u];
                        if register_location[u].get_bit(0) {
                            registers_low_new[w] |= update_bit[u];
                        }
                        if register_location[u].get_bit(1) {
                            registers_high_new[w] |= update_bit[u];
                        }
                    }
                }
            }
            context_low[w] = context_low_new[w];
            context_high[w] = context_high_new[w];
            registers_low[w] = registers_low_new[w];
            registers_high[w] = registers_high_new[w];
        }
    }

    /// Marks the CTAs after the one selected last.
    fn turn() {
        turn_bits = 0;
        for w in 0..words {
            turn[w] = 0;
        }
        for t in 0..turns {
            turn_bits = (ones << last[t].get_bits::<5>(0)) << 1;
            for w in 0..words {
                if word_number[w] > (last[t] >> 5) {
                    turn[w] = ones;
                } else if word_number[w] == (last[t] >> 5) {
                    turn[w] = turn_bits;
                }
            }
        }
        for w in 0..words {
            level[1][w] = (resumable[w] & exists[w])
                & ((context_low[w] & !context_high[w]) & (registers_high[w] & !registers_low[w]));
            level[3][w] = (resumable[w] & exists[w])
                & ((context_low[w] & !context_high[w]) & (registers_low[w] & !registers_high[w]));
            level[0][w] = level[1][w] & turn[w];
            level[2][w] = level[3][w] & turn[w];
            level[4][w] =
                exists[w] & !((context_low[w] | context_high[w]) | (registers_low[w] | registers_high[w]));
        }
    }

    /// The first of each level.
    fn select() {
        for k in 0..5 {
            level_any[k] = false;
            level_word[k] = 0;
            level_base[k] = 0;
            for w in 0..words {
                if !level_any[k] & level[k][w].any() {
                    level_any[k] = true;
                    level_word[k] = level[k][w];
                    level_base[k] = word_base[w];
                }
            }
        }
        chosen = 0;
        base = 0;
        any_candidate = false;
        for k in 0..4 {
            if level_any[3 - k] {
                chosen = level_word[3 - k];
                base = level_base[3 - k];
                any_candidate = true;
            }
        }
        place = 0;
        free_place = 0;
        for b in 0..32 {
            if chosen.get_bit(31 - b) {
                place = (31 - b).to_bits::<7>();
            }
            if level_word[4].get_bit(31 - b) {
                free_place = (31 - b).to_bits::<7>();
            }
        }
        candidate = base | place;
        candidate_in_acrf = level_any[1];
        any_unlaunched = level_any[4];
        unlaunched = level_base[4] | free_place;
        for t in 0..turns {
            last[t].load(select & any_candidate, candidate);
        }
    }

    /// Fields of one CTA are shown.
    fn inspect_fields() {
        let inspect_bit: Bits<32> = one << inspect.get_bits::<5>(0);
        inspected_context = 0;
        inspected_registers = 0;
        for w in 0..words {
            if (inspect >> 5) == word_number[w] {
                inspected_context = inspected_context.replace_bit(0, (context_low[w] & inspect_bit).any());
                inspected_context = inspected_context.replace_bit(1, (context_high[w] & inspect_bit).any());
                inspected_registers =
                    inspected_registers.replace_bit(0, (registers_low[w] & inspect_bit).any());
                inspected_registers =
                    inspected_registers.replace_bit(1, (registers_high[w] & inspect_bit).any());
            }
        }
        inspected_active = (inspected_context == bits::<2>(2)) & (inspected_registers == bits::<2>(2));
    }
}
