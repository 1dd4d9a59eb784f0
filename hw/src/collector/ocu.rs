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

use rust_hdl::prelude::*;

use super::{stage_parameters, stages, Collector, CollectorPorts};
use crate::catalogue::Naming;
use crate::dialect::{block, rtl, Register};

impl<const W: usize> Collector<W> for Ocu<W> {
    const STAGE: Naming = Naming {
        module: "ocu_stage",
        title: "Operand stage with operand collector units",
        paper: "F §II",
        parameters: stage_parameters!("width", "collectors", "slots", "banks", "rows";),
    };
    const SUB_CORE: Naming = Naming {
        module: "ocu_sub_core",
        title: "Sub-core with operand collector units",
        paper: "F §II",
        parameters: stage_parameters!(
            "width", "collectors", "slots", "banks", "rows";
            "warps", "scheduling", "occupied", "allocation", "waiting", "choice", "seed"
        ),
    };
}

stages!(Ocu<W>);

/// `W`: data width in bits.
#[block(
    title = "Operand collector unit",
    paper = "W §2, F §II",
    parameters(width, slots, accesses, dispatch_on_arrival),
    fixed(destinations = 0, d_ports = 0, cache_far = false),
    bundle = CollectorPorts<W>
)]
pub struct Ocu<const W: usize> {
    arrives: Local<[Bit; slots]>,
    #[when(accesses == 2)]
    second_arrives: Local<[Bit; slots]>,
    /// The slot's value arrives, and can leave in the same cycle.
    passes: Local<[Bit; slots]>,
    slot_valid: Register<[Bit; slots]>,
    slot_ready: Register<[Bit; slots]>,
    slot_data: Register<[Bits<W>; slots]>,
    occupancy: Register<Bit>,
    warp_held: Register<Bits<4>>,
    unit_held: Register<Bits<3>>,
    payload_held: Register<Bits<32>>,
    #[value(|slot| slot)]
    slot_number: Constant<[Bits<3>; slots]>,
    #[value(dispatch_on_arrival)]
    can_pass: Constant<Bit>,
}

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
    }

    /// Slots: what arrives, what is held, what leaves.
    fn sources() {
        ready = occupancy;
        for s in 0..slots {
            hit[s] = false;
            request[s] = issue & instruction.source_valid[s];
            arrives[s] = s_valid & (s_slot == slot_number[s]);
            if accesses == 2 {
                second_arrives[s] = second_s_valid & (second_s_slot == slot_number[s]);
                if second_arrives[s] {
                    arrives[s] = true;
                }
            }

            slot_valid[s].load(issue, instruction.source_valid[s]);

            // A value that arrives is the leaving instruction's.
            slot_ready[s].load(issue | arrives[s], !issue);

            // Data needs no reset: it is read only after it was written.
            slot_data[s].reset = false;
            slot_data[s].load(arrives[s], s_data);
            if accesses == 2 {
                if second_arrives[s] {
                    slot_data[s].d = second_s_data;
                }
            }

            passes[s] = arrives[s] & can_pass;
            if slot_valid[s] & (!slot_ready[s] & !passes[s]) {
                ready = false;
            }
            operand_valid[s] = slot_valid[s];
            operand_data[s] = slot_data[s];
            if passes[s] {
                operand_data[s] = s_data;
                if accesses == 2 {
                    if second_arrives[s] {
                        operand_data[s] = second_s_data;
                    }
                }
            }
        }
    }
}
