// SPDX-License-Identifier: Apache-2.0
//! Operand collector unit (OCU), the baseline: W §2, F §II.
//!
//! Buffers the source operands of one instruction until it is dispatched. Per source slot: a valid bit
//! (the slot is used), a ready bit (the value has arrived) and the data. Metadata: warp, execution
//! unit, payload.
//!
//! Timing: `issue` takes the instruction at the end of its cycle and requests every source in that
//! cycle; a value on port S is stored at the end of its cycle; `ready` is high from the cycle after the
//! last one arrived, under `dispatch_on_arrival` in that cycle, at the earliest the cycle after issue; `dispatch` frees
//! the unit, which can take the next instruction in the same cycle. Storage: `slots × (width + 2) + 40` bits.
//!
//! A register that an instruction names twice takes two slots and two reads: the paper's unit knows no
//! register numbers. The issue stage avoids it by naming each register once.

use gpurf_blocks::{Isolation, Storage};
use rust_hdl::prelude::*;

use super::{stage_parameters, stages, Collector, CollectorPorts};
use crate::catalogue::Naming;
use crate::cells::Latch;
use crate::dialect::{block, rtl, Register};
use crate::monitor;

impl<const W: usize> Collector<W> for Ocu<W> {
    const STAGE: Naming = Naming {
        module: "ocu_stage",
        title: "Operand stage with operand collector units",
        paper: "F §II",
        parameters: stage_parameters!("width", "collectors", "slots", "banks", "rows"; "storage", "isolation"),
    };
    const SUB_CORE: Naming = Naming {
        module: "ocu_sub_core",
        title: "Sub-core with operand collector units",
        paper: "F §II",
        parameters: stage_parameters!(
            "width", "collectors", "slots", "banks", "rows";
            "warps", "scheduling", "occupied", "allocation", "waiting", "choice", "seed", "storage", "isolation"
        ),
    };
}

stages!(Ocu<W>);

/// `W`: data width in bits.
#[block(
    title = "Operand collector unit",
    paper = "W §2, F §II",
    parameters(width, slots, accesses, dispatch_on_arrival, storage, isolation),
    sizes(
        seconds = accesses - 1,
        in_flip_flops = if parameters.storage == Storage::FlipFlops { slots } else { 0 },
        flip_flops = if parameters.storage == Storage::FlipFlops { 1 } else { 0 },
        resting = if parameters.storage == Storage::FlipFlops && parameters.isolation != Isolation::None { 1 } else { 0 },
        in_latches = if parameters.storage == Storage::Latches { slots } else { 0 },
        latches = if parameters.storage == Storage::Latches { 1 } else { 0 },
        latch_seconds = if parameters.storage == Storage::Latches { accesses - 1 } else { 0 },
        resting_slots = if parameters.isolation == Isolation::Operands { slots } else { 0 }
    ),
    fixed(destinations = 0, d_ports = 0, cache_far = false),
    bundle = CollectorPorts<W>
)]
pub struct Ocu<const W: usize> {
    arrives: Local<[Bit; slots]>,
    second_arrives: Local<[[Bit; slots]; seconds]>,
    /// The slot's value arrives, and can leave in the same cycle.
    passes: Local<[Bit; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    slot_data: Register<[Bits<W>; in_flip_flops]>,
    /// In front of latches: what comes, and the slots that it goes to.
    s_data_held: Register<[Bits<W>; latches]>,
    s_slot_held: Register<[Bit; in_latches]>,
    second_s_data_held: Register<[Bits<W>; latch_seconds]>,
    second_s_slot_held: Register<[[Bit; in_latches]; latch_seconds]>,
    written: Local<[Bit; latches]>,
    slot_latch: [Latch<W>; in_latches],
    occupancy: Register<Bit>,
    warp_held: Register<Bits<4>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

monitor!(Ocu<W>: "ocu_monitor.v");

#[rtl]
impl<const W: usize> Ocu<W> {
    /// It belongs to no warp beyond its instruction, and keeps nothing that could be found or be near.
    fn ownership() {
        owned = false;
        any_near = false;
    }

    /// Metadata.
    fn metadata() {
        occupancy.load(issue | dispatch, issue);
        warp_held.load(issue, warp);
        unit_held.load(issue, instruction.unit);
        payload_held.load(issue, instruction.payload);
        held_warp = warp_held;
        held_unit = unit_held;
        held_payload = payload_held;

        occupied = occupancy;
        ready = occupancy;
        for s in 0..slots {
            hit[s] = false;
            request[s] = issue & instruction.source_valid[s];
            arrives[s] = s_valid & (s_slot == slot_number[s]);
            for k in 0..seconds {
                second_arrives[k][s] = second_s_valid[k] & (second_s_slot[k] == slot_number[s]);
                if second_arrives[k][s] {
                    arrives[s] = true;
                }
            }

            slot_valid[s].load(issue, instruction.source_valid[s]);

            // A value that arrives is the leaving instruction's.
            slot_ready[s].load(issue | arrives[s], !issue);

            // Data needs no reset: it is read only after it was written.
            for _f in 0..flip_flops {
                slot_data[s].reset = false;
                slot_data[s].load(arrives[s], s_data);
            }
            for _r in 0..resting {
                if !arrives[s] {
                    slot_data[s].d = 0;
                }
            }
            for _f in 0..flip_flops {
                for k in 0..seconds {
                    if second_arrives[k][s] {
                        slot_data[s].d = second_s_data[k];
                    }
                }
            }

            passes[s] = arrives[s] & can_pass;
            if slot_valid[s] & (!slot_ready[s] & !passes[s]) {
                ready = false;
            }
            operand_valid[s] = slot_valid[s];
            for _f in 0..flip_flops {
                operand_data[s] = slot_data[s];
            }
            for _l in 0..latches {
                operand_data[s] = slot_latch[s].q;
            }
            if passes[s] {
                operand_data[s] = s_data;
                for k in 0..seconds {
                    if second_arrives[k][s] {
                        operand_data[s] = second_s_data[k];
                    }
                }
            }
        }
        for s in 0..resting_slots {
            if !(slot_valid[s] & dispatch) {
                operand_data[s] = 0;
            }
        }
    }

    /// Latches: what is written stands in its port's register while the slot is open. The slot selects its port by registers,
    /// too, and no other port's values reach it.
    fn write_latches() {
        for l in 0..latches {
            written[l] = false;
            for s in 0..in_latches {
                written[l] |= arrives[s];
            }
            s_data_held[l].reset = false;
            s_data_held[l].load(s_valid, s_data);
        }
        for k in 0..latch_seconds {
            second_s_data_held[k].reset = false;
            second_s_data_held[k].load(second_s_valid[k], second_s_data[k]);
        }
        for s in 0..in_latches {
            slot_latch[s].enable = arrives[s];
            slot_latch[s].d = 0;
            for l in 0..latches {
                s_slot_held[s].reset = false;
                s_slot_held[s].load(written[l], arrives[s]);
                for k in 0..latch_seconds {
                    if second_arrives[k][s] {
                        s_slot_held[s].d = false;
                    }
                }
                if s_slot_held[s] {
                    slot_latch[s].d = s_data_held[l];
                }
                for k in 0..latch_seconds {
                    second_s_slot_held[k][s].reset = false;
                    second_s_slot_held[k][s].load(written[l], second_arrives[k][s]);
                    if second_s_slot_held[k][s] {
                        slot_latch[s].d = second_s_data_held[k];
                    }
                }
            }
        }
    }
}
