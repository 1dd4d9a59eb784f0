// SPDX-License-Identifier: Apache-2.0
//! Operand collector unit (OCU), the baseline: W §2, F §II.
//!
//! It buffers the source operands of one instruction until the instruction is dispatched. Each source slot
//! has a valid bit (the slot is used), a ready bit (the value has arrived) and the data. Beside them the unit
//! keeps the instruction's warp, execution unit and payload.
//!
//! # Timing
//!
//! `issue` takes the instruction at the end of its cycle and requests every source in that cycle. A value on
//! port S is stored at the end of its cycle. `ready` is high from the cycle after the last value arrived, at
//! the earliest the cycle after issue. Under `dispatch_on_arrival` it is high in the cycle of the value,
//! which is handed on. `dispatch` frees the unit, which can take the next instruction in the same cycle. With
//! [two accesses per cycle](operand_stage.md#two-accesses-per-cycle-accesses2) port S takes two values, for
//! two slots (`second_s_valid`).
//!
//! ```text
//! cycle         0     1     2     3     4     5
//! issue         1     0     0     0     0     1
//! request       11    00    00    00    00    ..
//! s_valid       0     0     1     1     0     0
//! occupied      0     1     1     1     1     0
//! ready         0     0     0     0     1     0
//! dispatch      0     0     0     0     1     0
//! ```
//!
//! # Decisions
//!
//! - A register that an instruction names twice takes two slots and two reads: the paper's unit knows no
//!   register numbers. The issue stage around it names each register once.
//! - 32 bits of payload stand for what the later stages need. The papers' "metadata" has no width. OCU and
//!   CCU carry the same payload, so it cancels in the difference.
//!
//! # Storage
//!
//! It keeps `slots × (width + 2) + 40` bits: 7,222 for 7 slots of 1024 bits. The 40 are occupied 1, warp 4,
//! unit 3, payload 32.

use gpurf_blocks::{Isolation, Storage};
use rust_hdl::prelude::*;

use super::{stage_parameters, stages, Collector, CollectorPorts};
use crate::catalogue::Naming;
use crate::cells::Latch;
use crate::dialect::{block, rtl, Register};
use crate::monitor;
use crate::operand_stage::OperandStage;

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
            "warps", "scheduling", "occupied", "allocation", "issue_latch", "waiting", "choice", "seed", "storage", "isolation"
        ),
    };
}

stages!(Ocu<W>);

/// `W`: data width in bits.
#[block(
    title = "Operand collector unit",
    paper = "W §2, F §II",
    parameters(width, slots, accesses, dispatch_on_arrival, storage, isolation),
    fixed(destinations = 0, d_ports = 0, cache_far = false),
    bundle = CollectorPorts<W>
)]
pub struct Ocu<const W: usize> {
    arrives: Local<[Bit; slots]>,
    #[when(accesses == 2)]
    second_arrives: Local<[Bit; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    #[when(storage == Storage::FlipFlops)]
    slot_data: Register<[Bits<W>; slots]>,
    /// In front of latches: what comes, and the slots that it goes to.
    #[when(storage == Storage::Latches)]
    s_data_held: Register<Bits<W>>,
    #[when(storage == Storage::Latches)]
    s_slot_held: Register<[Bit; slots]>,
    #[when((storage == Storage::Latches) & (accesses == 2))]
    second_s_data_held: Register<Bits<W>>,
    #[when((storage == Storage::Latches) & (accesses == 2))]
    second_s_slot_held: Register<[Bit; slots]>,
    #[when(storage == Storage::Latches)]
    written: Local<Bit>,
    #[when(storage == Storage::Latches)]
    slot_latch: [Latch<W>; slots],
    occupancy: Register<Bit>,
    warp_held: Register<Bits<4>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

monitor!(Ocu<W>: "ocu_monitor.v");
monitor!(OperandStage<Ocu<W>, W, C>: "ocu_stage_monitor.v", "../operand_stage_monitor.v");

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
        if issue {
            warp_held = warp;
            unit_held = instruction.unit;
            payload_held = instruction.payload;
        }
        held_warp = warp_held;
        held_unit = unit_held;
        held_payload = payload_held;

        occupied = occupancy;
    }

    /// Slots: what arrives, and what is held.
    fn arrivals() {
        for s in 0..slots {
            hit[s] = false;
            request[s] = issue & instruction.source_valid[s];
            arrives[s] = s_valid & (s_slot == s);
            if accesses == 2 {
                second_arrives[s] = second_s_valid & (second_s_slot == s);
                if second_arrives[s] {
                    arrives[s] = true;
                }
            }
            slot_valid[s].load(issue, instruction.source_valid[s]);
            // A value that arrives is the leaving instruction's.
            slot_ready[s].load(issue | arrives[s], !issue);
        }
    }

    /// Data in flip-flops. It needs no reset: it is read only after it was written.
    fn write_flip_flops() {
        if storage == Storage::FlipFlops {
            for s in 0..slots {
                slot_data[s].reset = false;
                slot_data[s].load(arrives[s], s_data);
                if isolation != Isolation::None {
                    if !arrives[s] {
                        slot_data[s].d = 0;
                    }
                }
                if accesses == 2 {
                    if second_arrives[s] {
                        slot_data[s].d = second_s_data;
                    }
                }
            }
        }
    }

    /// The instruction that leaves.
    fn operands() {
        ready = occupancy;
        for s in 0..slots {
            /// The slot's value arrives, and can leave in the same cycle.
            let passes: Bit = arrives[s] & can_pass;
            if slot_valid[s] & (!slot_ready[s] & !passes) {
                ready = false;
            }
            operand_valid[s] = slot_valid[s];
            if storage == Storage::FlipFlops {
                operand_data[s] = slot_data[s];
            } else {
                operand_data[s] = slot_latch[s].q;
            }
            if passes {
                operand_data[s] = s_data;
                if accesses == 2 {
                    if second_arrives[s] {
                        operand_data[s] = second_s_data;
                    }
                }
            }
            if isolation == Isolation::Operands {
                if !(slot_valid[s] & dispatch) {
                    operand_data[s] = 0;
                }
            }
        }
    }

    /// Latches: what is written stands in its port's register while the slot is open. The slot selects its
    /// port by registers, too, and no other port's values reach it.
    fn write_latches() {
        if storage == Storage::Latches {
            written = false;
            for s in 0..slots {
                written |= arrives[s];
            }
            s_data_held.reset = false;
            s_data_held.load(s_valid, s_data);
            if accesses == 2 {
                second_s_data_held.reset = false;
                second_s_data_held.load(second_s_valid, second_s_data);
            }
            for s in 0..slots {
                slot_latch[s].enable = arrives[s];
                slot_latch[s].d = 0;
                s_slot_held[s].reset = false;
                s_slot_held[s].load(written, arrives[s]);
                if s_slot_held[s] {
                    slot_latch[s].d = s_data_held;
                }
                if accesses == 2 {
                    if second_arrives[s] {
                        s_slot_held[s].d = false;
                    }
                    second_s_slot_held[s].reset = false;
                    second_s_slot_held[s].load(written, second_arrives[s]);
                    if second_s_slot_held[s] {
                        slot_latch[s].d = second_s_data_held;
                    }
                }
            }
        }
    }
}
