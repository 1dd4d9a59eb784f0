// SPDX-License-Identifier: Apache-2.0
//! Bypassing operand collector (BOC) of BOW, a compared design: F §VI-B.
//!
//! Private to a warp. It keeps the source and destination operands of the warp's last instructions, a
//! sliding window with the instruction that is being collected as its newest. A source that the window
//! holds is forwarded into the slot of the new instruction; the others are read from the banks. Results
//! are written through: to the banks, and into the destination's slot while that is in the window.
//!
//! Timing. `issue` does all of this in its cycle: the window slides, so that the operands of its oldest
//! instruction leave; the sources are looked up in what stays; values that are found are copied;
//! requests for the others. A value on port S is stored at the end of its cycle. `ready` is high from the
//! cycle after the last value arrived, under `dispatch_on_arrival` in that cycle, at the earliest the cycle
//! after issue. `dispatch` frees the unit, which can take the next instruction in the same cycle; the
//! operands stay in the window. Any number of results enter at the end of their cycle, after an instruction
//! that is issued in it.
//!
//! **No operand is stale.** The window follows the program's order of one warp, and a result
//! that passes makes every other copy of its register invalid. So all valid copies of a register that
//! have their value are its newest value, and it does not matter which one is forwarded. Between the issue
//! of an instruction and its result the older copies still stand, as the value in the banks does; the
//! scoreboard lets no instruction read the register then, nor the result pass before older readers are
//! dispatched.
//!
//! Where the papers are silent, we decided:
//!
//! * The window of `window` instructions counts the new one, as the papers' storage does: a value is
//!   forwarded over at most `window - 1` instructions.
//! * `flush` with an issue empties the window before the instruction enters. It is to be set when a branch
//!   has left the window: the instruction's address is neither the one after the last issued
//!   instruction's nor that of an instruction in the window. Values would be right without it.
//! * An instruction with more than `destinations` destinations keeps the first ones. A result without a
//!   slot goes to the banks alone, and makes copies of its register invalid.
//! * A register that an instruction names twice takes two slots and one request.
//! * A destination whose result never comes, of an instruction without active lanes, is found by nobody.
//!
//! Storage: `window × (slots + destinations) × (width + 10) + 42` bits.

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
            "window", "destinations", "scheduling", "occupied", "waiting", "choice", "seed"
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
