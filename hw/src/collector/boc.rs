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
//! cycle after the last value arrived, under `dispatch_on_arrival` in that cycle, at the earliest the cycle after issue.
//! `dispatch` frees the unit, which can take the next instruction in the same cycle; the operands stay in the window.
//! Any number of results enter at the end of their cycle, after an instruction that is issued in it.
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
use crate::watch;

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
    sizes(banks, destinations, seconds = accesses - 1),
    fixed(d_ports = 0, cache_far = false, warps = BOC_WARPS, collectors = BOC_WARPS, allocation = Allocation::Private),
    bundle = CollectorPorts<W>
)]
pub struct Boc<const W: usize> {
    uses: Local<[Bit; slots]>,
    named: Local<[Bit; slots]>,
    repeated: Local<[Bit; slots]>,
    flushes: Local<Bit>,
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
    #[value(|place| place)]
    place: Constant<[Bits<3>; window]>,
    #[value(window - 1)]
    last_place: Constant<Bits<3>>,
}

watch!(Boc<W>: [
    "hit(register = source_register[s], warp = number, instruction = payload) for s in hit if hit[s]: hit R{register}",
    "miss(register = source_register[s], warp = number, instruction = payload) for s in request if request[s]: \
        miss R{register}",
    "flush(warp = number) if flushes: flush",
]);

impl<const W: usize> Logic for Boc<W> {
    #[rtl]
    fn update(&mut self) {
        // It always belongs to the warp of its number, and knows nothing of near reuse.
        self.owned.next = true;
        self.held_warp.next = self.number.val();
        self.any_near.next = false;

        // Metadata.
        self.occupancy.load(self.issue.val() | self.dispatch.val(), self.issue.val());
        self.unit_held.load(self.issue.val(), self.instruction.unit.val());
        self.payload_held.load(self.issue.val(), self.instruction.payload.val());
        self.occupied.next = self.occupancy.val();
        self.held_unit.next = self.unit_held.val();
        self.held_payload.next = self.payload_held.val();

        // The window slides: places are taken in turn, and no data moves.
        self.oldest.load(self.issue.val(), self.oldest.val() + 1);
        if self.oldest.val() == self.last_place.val() {
            self.oldest.d.next = 0.into();
        }
        self.newest.load(self.issue.val(), self.oldest.val());
        self.flushes.next = self.issue.val() & self.flush.val();
        for p in 0..window {
            self.enters[p].next = self.issue.val() & (self.oldest.val() == self.place[p].val());
            self.presents[p].next = self.newest.val() == self.place[p].val();
            self.instructions[p].enter.next = self.enters[p].val();
            self.instructions[p].clear.next = self.flushes.val();
        }

        // Look-up in what stays in the window.
        for s in 0..slots {
            self.found[s].next = false;
            self.found_data[s].next = 0.into();
            for p in 0..window {
                if !self.enters[p].val() & self.instructions[p].found[s].val() {
                    self.found[s].next = true;
                    self.found_data[s].next =
                        self.found_data[s].val() | self.instructions[p].found_data[s].val();
                }
            }
        }

        // A slot repeats another if an earlier one names the same register; it needs no request.
        for s in 0..slots {
            self.named[s].next = false;
        }
        for s in 0..slots {
            self.uses[s].next = self.issue.val() & self.instruction.source_valid[s].val();
            self.repeated[s].next = false;
            for t in 0..slots {
                if self.named[t].val()
                    & (self.instruction.source_register[t].val() == self.instruction.source_register[s].val())
                {
                    self.repeated[s].next = true;
                }
            }
            self.named[s].next = self.uses[s].val();
            self.hit[s].next = (self.uses[s].val() & self.found[s].val()) & !self.flush.val();
            self.request[s].next = (self.uses[s].val() & !self.hit[s].val()) & !self.repeated[s].val();
        }

        // Operands and results reach every instruction of the window.
        for b in 0..banks {
            self.cached[b].next = false;
        }
        for p in 0..window {
            for s in 0..slots {
                self.instructions[p].source_valid[s].next = self.instruction.source_valid[s].val();
                self.instructions[p].source_register[s].next = self.instruction.source_register[s].val();
                self.instructions[p].forwarded[s].next = self.hit[s].val();
                self.instructions[p].forwarded_data[s].next = self.found_data[s].val();
            }
            for k in 0..destinations {
                self.instructions[p].destination_valid[k].next = self.instruction.destination_valid[k].val();
                self.instructions[p].destination_register[k].next =
                    self.instruction.destination_register[k].val();
            }
            self.instructions[p].s_valid.next = self.s_valid.val() & self.presents[p].val();
            self.instructions[p].s_slot.next = self.s_slot.val();
            self.instructions[p].s_data.next = self.s_data.val();
            for k in 0..seconds {
                self.instructions[p].second_s_valid[k].next =
                    self.second_s_valid[k].val() & self.presents[p].val();
                self.instructions[p].second_s_slot[k].next = self.second_s_slot[k].val();
                self.instructions[p].second_s_data[k].next = self.second_s_data[k].val();
            }
            for b in 0..banks {
                self.instructions[p].write_valid[b].next = self.write_valid[b].val();
                self.instructions[p].write_register[b].next = self.write_register[b].val();
                self.instructions[p].write_data[b].next = self.write_data[b].val();
                if self.instructions[p].cached[b].val() {
                    self.cached[b].next = true;
                }
            }
        }

        // Operands of the present instruction.
        self.all_ready.next = false;
        for s in 0..slots {
            self.operand_valid[s].next = false;
            self.operand_data[s].next = 0.into();
        }
        for p in 0..window {
            if self.presents[p].val() {
                self.all_ready.next = self.instructions[p].all_ready.val();
                for s in 0..slots {
                    self.operand_valid[s].next = self.instructions[p].operand_valid[s].val();
                    if self.instructions[p].operand_ready[s].val() {
                        self.operand_data[s].next =
                            self.operand_data[s].val() | self.instructions[p].operand_data[s].val();
                    }
                }
            }
        }
        self.ready.next = self.occupancy.val() & self.all_ready.val();
    }
}
