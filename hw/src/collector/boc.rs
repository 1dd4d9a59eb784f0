// SPDX-License-Identifier: Apache-2.0
//! Bypassing operand collector (BOC) of BOW, a design that the papers compare with: F §VI-B, Fig. 12 to 16.
//!
//! It is private to a warp and keeps the source and destination operands of the warp's last instructions: a
//! sliding window, whose newest instruction is the one that is being collected. A source that the window
//! holds is forwarded into the new instruction's slot and not read from the banks. Results are written
//! through.
//!
//! One instruction of the window is a module of its own, `window_instruction`. The operand stage with these
//! collectors is [`boc_stage`](operand_stage.md).
//!
//! # Timing
//!
//! `issue` does all of this in its cycle, at once for all sources:
//!
//! 1. The window slides: the operands of its oldest instruction leave.
//! 2. The sources are looked up in what stays.
//! 3. Found values are copied; the others are requested.
//!
//! With [two accesses per cycle](operand_stage.md#two-accesses-per-cycle-accesses2) port S takes two values
//! (`second_s_valid`). `ready` is high from the cycle after the last value arrived, under
//! `dispatch_on_arrival` in that cycle, at the earliest the cycle after issue. `dispatch` frees the unit,
//! which can take the next instruction in the same cycle; the operands stay. Results enter at the end of
//! their cycle. Instructions are collected one at a time, from issue to dispatch, as in the [ocu](ocu.md).
//!
//! ```text
//! cycle         0        1     2     3     4     5         6
//! issue         R4>R7    -     -     -     -     R7 R5     -
//! hit           0        .     .     .     .     10        ..
//! request       1        0     0     0     0     01        00
//! s_valid       0        0     R4    0     0     0         ...
//! dispatch      0        0     0     1     0     0         0
//! write         -        -     -     -     R7    -         -
//! cached        0        0     0     0     1     0         0
//! ```
//!
//! R4>R7 reads R4 and writes R7. Bits are written in the order of the slots.
//!
//! # No operand is stale
//!
//! Every valid copy of a register in the window that has its value has the newest one. So any copy may be
//! forwarded, and no copy needs an age.
//!
//! - A source gets its value from the banks or from such a copy.
//! - A result makes every other copy of its register invalid in the cycle in which the banks change.
//! - Between an instruction's issue and its result, older copies and the value in the banks still stand. The
//!   [SM](sm.md)'s scoreboard lets no instruction read the register then, and holds a result's instruction
//!   back until older readers are dispatched.
//! - A destination that waits for its result is found by nobody. If the result never comes (no lane was
//!   active), older copies are still right.
//!
//! # Decisions
//!
//! Where F is silent:
//!
//! - **The window counts the present instruction.** F's storage does (24 registers for 3 instructions: 24 KB
//!   in 8 collectors, 12 times Malekeh's 2 KB). So a value is forwarded over at most two instructions, unless
//!   it is forwarded again. For forwarding over three set `window=4`.
//! - **The operands of the oldest instruction leave before the look-up**, and before results of that cycle: a
//!   result whose slot leaves goes to the banks alone.
//! - **More than `destinations` destinations** (tensor instructions and 128-bit loads write four registers):
//!   the first ones are kept. A result without a slot goes to the banks alone and makes copies of its
//!   register invalid. `destinations=4` keeps all.
//! - **Every result enters**, far ones too, and all of a cycle at once: F's "much bigger crossbar".
//! - **A register named twice** takes two slots and one request.
//! - **`flush`.** The window is to be emptied when a branch leaves it. An instruction is issued with `flush`
//!   unless its address follows that of the warp's last one, or is that of an instruction in the window. So
//!   is a warp's first instruction. A loop that fits into the window does not flush. Values are right without
//!   `flush`; it only decides hits.
//! - **Partial writes.** A result stands for the whole register: lanes that did not execute are merged before
//!   the write port.
//!
//! # Storage
//!
//! It keeps `window × (slots + destinations) × (width + 10) + 42` bits: 27,960 by default, 24,858 with F's 6
//! slots. A sub-core has 8 of them; with 6 slots their data is 24 × 128 B × 8 = 24 KB, as F has it. The 10
//! bits are valid, ready and register. The 42 are occupied 1, unit 3, payload 32, and two places in the
//! window with 3 each. Places are taken in turn; no data moves.

use gpurf_blocks::{Allocation, BOC_WARPS};
use rust_hdl::prelude::*;

use super::{stage_parameters, stages, Collector, CollectorPorts, WindowInstruction};
use crate::catalogue::Naming;
use crate::dialect::{block, rtl, Register};
use crate::{monitor, watch};

impl<const W: usize> Collector<W> for Boc<W> {
    const STAGE: Naming = Naming {
        module: "boc_stage",
        title: "Operand stage with bypassing operand collectors of BOW",
        paper: "F §VI-B",
        parameters: stage_parameters!("width", "window", "slots", "destinations", "banks", "rows";),
    };
    const SUB_CORE: Naming = Naming {
        module: "boc_sub_core",
        title: "Sub-core with bypassing operand collectors",
        paper: "F §VI-B",
        parameters: stage_parameters!(
            "width", "slots", "banks", "rows";
            "window", "destinations", "scheduling", "occupied", "issue_latch", "waiting", "choice", "seed"
        ),
    };
}

stages!(Boc<W>);

/// `W`: data width in bits.
#[block(
    title = "Bypassing operand collector of BOW",
    paper = "F §VI-B",
    parameters(width, window, slots, destinations, banks, accesses, dispatch_on_arrival),
    sizes(banks, destinations),
    fixed(d_ports = 0, cache_far = false, warps = BOC_WARPS, collectors = BOC_WARPS, allocation = Allocation::Private),
    bundle = CollectorPorts<W>
)]
pub struct Boc<const W: usize> {
    named: Local<[Bit; slots]>,
    repeated: Local<[Bit; slots]>,
    found: Local<[Bit; slots]>,
    found_data: Local<[Bits<W>; slots]>,
    enters: Local<[Bit; window]>,
    presents: Local<[Bit; window]>,
    all_ready: Local<Bit>,
    /// Place of the oldest instruction, which the next one takes.
    oldest: Register<Bits<3>>,
    /// Place of the present or last instruction.
    newest: Register<Bits<3>>,
    occupancy: Register<Bit>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    instructions: [WindowInstruction<W>; window],
    #[value(window - 1)]
    last_place: Constant<Bits<3>>,
}

watch!(Boc<W>: [
    "hit(register = source_register[s], warp = number, instruction = payload) for s in hit if hit[s]: hit R{register}",
    "miss(register = source_register[s], warp = number, instruction = payload) for s in request if request[s]: \
        miss R{register}",
    "flush(warp = number) if flushes: flush",
]);

monitor!(Boc<W>: "boc_monitor.v");

#[rtl]
impl<const W: usize> Boc<W> {
    /// It always belongs to the warp of its number, and knows nothing of near reuse.
    fn ownership() {
        owned = true;
        held_warp = number;
        any_near = false;
    }

    /// Metadata.
    fn metadata() {
        occupancy.load(issue | dispatch, issue);
        if issue {
            unit_held = instruction.unit;
            payload_held = instruction.payload;
        }
        occupied = occupancy;
        held_unit = unit_held;
        held_payload = payload_held;
    }

    /// The window slides: places are taken in turn, and no data moves.
    fn slide() {
        if issue {
            newest = oldest;
            oldest = if oldest == last_place { 0 } else { oldest + 1 };
        }
        let flushes: Bit = issue & flush;
        for p in 0..window {
            enters[p] = issue & (oldest == p);
            presents[p] = newest == p;
            instructions[p].enter = enters[p];
            instructions[p].clear = flushes;
        }
    }

    /// Look-up in what stays in the window.
    fn look_up() {
        for s in 0..slots {
            found[s] = false;
            found_data[s] = 0;
            for p in 0..window {
                if !enters[p] & instructions[p].found[s] {
                    found[s] = true;
                    found_data[s] |= instructions[p].found_data[s];
                }
            }
        }
    }

    /// A slot repeats another if an earlier one names the same register; it needs no request.
    fn requests() {
        for s in 0..slots {
            named[s] = false;
        }
        for s in 0..slots {
            let uses: Bit = issue & instruction.source_valid[s];
            repeated[s] = false;
            for t in 0..slots {
                if named[t] & (instruction.source_register[t] == instruction.source_register[s]) {
                    repeated[s] = true;
                }
            }
            named[s] = uses;
            hit[s] = (uses & found[s]) & !flush;
            request[s] = (uses & !hit[s]) & !repeated[s];
        }
    }

    /// Operands and results reach every instruction of the window.
    fn deliver() {
        for b in 0..banks {
            cached[b] = false;
        }
        for p in 0..window {
            for s in 0..slots {
                instructions[p].source_valid[s] = instruction.source_valid[s];
                instructions[p].source_register[s] = instruction.source_register[s];
                instructions[p].forwarded[s] = hit[s];
                instructions[p].forwarded_data[s] = found_data[s];
            }
            for k in 0..destinations {
                instructions[p].destination_valid[k] = instruction.destination_valid[k];
                instructions[p].destination_register[k] = instruction.destination_register[k];
            }
            instructions[p].s_valid = s_valid & presents[p];
            instructions[p].s_slot = s_slot;
            instructions[p].s_data = s_data;
            if accesses == 2 {
                instructions[p].second_s_valid = second_s_valid & presents[p];
                instructions[p].second_s_slot = second_s_slot;
                instructions[p].second_s_data = second_s_data;
            }
            for b in 0..banks {
                instructions[p].write_valid[b] = write_valid[b];
                instructions[p].write_register[b] = write_register[b];
                instructions[p].write_data[b] = write_data[b];
                if instructions[p].cached[b] {
                    cached[b] = true;
                }
            }
        }
    }

    /// Operands of the present instruction.
    fn operands() {
        all_ready = false;
        for s in 0..slots {
            operand_valid[s] = false;
            operand_data[s] = 0;
        }
        for p in 0..window {
            if presents[p] {
                all_ready = instructions[p].all_ready;
                for s in 0..slots {
                    operand_valid[s] = instructions[p].operand_valid[s];
                    if instructions[p].operand_ready[s] {
                        operand_data[s] |= instructions[p].operand_data[s];
                    }
                }
            }
        }
        ready = occupancy & all_ready;
    }
}
