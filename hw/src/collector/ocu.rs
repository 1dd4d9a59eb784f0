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
    sizes(seconds = accesses - 1),
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

impl<const W: usize> Logic for Ocu<W> {
    #[rtl]
    fn update(&mut self) {
        // It belongs to no warp beyond its instruction, and keeps nothing that could be found or be near.
        self.owned.next = false;
        self.any_near.next = false;

        // Metadata.
        self.occupancy.load(self.issue.val() | self.dispatch.val(), self.issue.val());
        self.warp_held.load(self.issue.val(), self.warp.val());
        self.unit_held.load(self.issue.val(), self.instruction.unit.val());
        self.payload_held.load(self.issue.val(), self.instruction.payload.val());
        self.held_warp.next = self.warp_held.val();
        self.held_unit.next = self.unit_held.val();
        self.held_payload.next = self.payload_held.val();

        self.occupied.next = self.occupancy.val();
        self.ready.next = self.occupancy.val();
        for s in 0..slots {
            self.hit[s].next = false;
            self.request[s].next = self.issue.val() & self.instruction.source_valid[s].val();
            self.arrives[s].next = self.s_valid.val() & (self.s_slot.val() == self.slot_number[s].val());
            for k in 0..seconds {
                self.second_arrives[k][s].next =
                    self.second_s_valid[k].val() & (self.second_s_slot[k].val() == self.slot_number[s].val());
                if self.second_arrives[k][s].val() {
                    self.arrives[s].next = true;
                }
            }

            self.slot_valid[s].load(self.issue.val(), self.instruction.source_valid[s].val());

            // A value that arrives is the leaving instruction's.
            self.slot_ready[s].load(self.issue.val() | self.arrives[s].val(), !self.issue.val());

            // Data needs no reset: it is read only after it was written.
            self.slot_data[s].reset.next = false;
            self.slot_data[s].load(self.arrives[s].val(), self.s_data.val());
            for k in 0..seconds {
                if self.second_arrives[k][s].val() {
                    self.slot_data[s].d.next = self.second_s_data[k].val();
                }
            }

            self.passes[s].next = self.arrives[s].val() & self.can_pass.val();
            if self.slot_valid[s].val() & (!self.slot_ready[s].val() & !self.passes[s].val()) {
                self.ready.next = false;
            }
            self.operand_valid[s].next = self.slot_valid[s].val();
            self.operand_data[s].next = self.slot_data[s].val();
            if self.passes[s].val() {
                self.operand_data[s].next = self.s_data.val();
                for k in 0..seconds {
                    if self.second_arrives[k][s].val() {
                        self.operand_data[s].next = self.second_s_data[k].val();
                    }
                }
            }
        }
    }
}
