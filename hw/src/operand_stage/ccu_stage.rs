//! Operand stage with caching collector units: W §3.1, F §III-B and Fig. 4.
//!
//! Beside the baseline's wires, results reach the collectors' ports D through the write filter, and
//! one shift register per sub-core gives the random choices of replacement; it steps with each issue.
//!
//! Ports as of [`super::OcuStage`].

use gpurf_blocks::Choice;
use rust_hdl::prelude::*;

use super::{OperandStageIn, OperandStageOut};
use crate::cells::{Lfsr, RoundRobin};
use crate::collector::Ccu;
use crate::dialect::{block, rtl};
use crate::register_file::{Arbiter, Bank};

/// `W`: data width in bits; `I`: bits of a cache-table entry's number; `C`: bits of a collector's
/// number, at least one.
#[block(
    title = "Operand stage with caching collector units",
    paper = "W §3.1, F §III-B",
    parameters(
        width,
        entries,
        collectors,
        slots,
        banks,
        rows,
        replacement,
        cache_far,
        invalidate,
        choice,
        d_ports
    ),
    fixed(destinations = 0),
    ports(OperandStageIn, OperandStageOut)
)]
pub struct CcuStage<const W: usize, const I: usize, const C: usize> {
    pub issue: In<[Bit; collectors]>,
    pub warp: In<Bits<3>>,
    pub unit: In<Bits<3>>,
    pub payload: In<Bits<32>>,
    pub base: In<Bits<8>>,
    pub source_valid: In<[Bit; slots]>,
    pub source_register: In<[Bits<8>; slots]>,
    pub source_near: In<[Bit; slots]>,
    pub destination_valid: In<[Bit; destinations]>,
    pub destination_register: In<[Bits<8>; destinations]>,
    pub flush: In<Bit>,
    pub write_valid: In<[Bit; banks]>,
    pub write_warp: In<[Bits<3>; banks]>,
    pub write_register: In<[Bits<8>; banks]>,
    pub write_base: In<[Bits<8>; banks]>,
    pub write_near: In<[Bit; banks]>,
    pub write_data: In<[Bits<W>; banks]>,
    pub unit_ready: In<Bits<8>>,
    pub dispatch: Out<[Bit; collectors]>,
    pub dispatch_warp: Out<Bits<3>>,
    pub dispatch_unit: Out<Bits<3>>,
    pub dispatch_payload: Out<Bits<32>>,
    pub operand_valid: Out<[Bit; slots]>,
    pub operand_data: Out<[Bits<W>; slots]>,
    pub collector_occupied: Out<[Bit; collectors]>,
    pub collector_warp: Out<[Bits<3>; collectors]>,
    pub collector_owned: Out<[Bit; collectors]>,
    pub collector_near: Out<[Bit; collectors]>,
    pub hit: Out<[Bit; slots]>,
    pub bank_read: Out<[Bit; banks]>,
    pub bank_conflict: Out<[Bit; banks]>,
    pub write_cached: Out<[Bit; banks]>,
    pub write_filtered: Out<[Bit; banks]>,

    issues: Local<Bit>,
    random: Local<Bits<8>>,
    /// Port D of the collector has a result.
    d_taken: Local<[Bit; collectors]>,
    collectors: [Ccu<W, I>; collectors],
    lfsr: Lfsr,
    can_dispatch: Local<[Bit; collectors]>,
    dispatches: Local<Bit>,
    arbiter: Arbiter<C>,
    banks: [Bank<W, C>; banks],
    #[with(collectors)]
    dispatch_arbiter: RoundRobin,
    #[value(|collector| collector)]
    collector_number: Constant<[Bits<C>; collectors]>,
    #[value(choice == Choice::Random)]
    is_random: Constant<Bit>,
    /// There is more than one port D; the port is not the first.
    #[value(d_ports > 1)]
    several: Constant<Bit>,
    #[value(|port| port > 0)]
    is_second: Constant<[Bit; d_ports]>,
}

impl<const W: usize, const I: usize, const C: usize> Logic for CcuStage<W, I, C> {
    #[rtl]
    fn update(&mut self) {
        // Arbiter.
        self.arbiter.warp.next = self.warp.val();
        self.arbiter.base.next = self.base.val();
        for s in 0..slots {
            self.arbiter.source_register[s].next = self.source_register[s].val();
            self.arbiter.request[s].next = false;
            for c in 0..collectors {
                if self.collectors[c].request[s].val() {
                    self.arbiter.request[s].next = true;
                }
            }
        }
        for b in 0..banks {
            self.arbiter.write_valid[b].next = self.write_valid[b].val();
            self.arbiter.write_warp[b].next = self.write_warp[b].val();
            self.arbiter.write_register[b].next = self.write_register[b].val();
            self.arbiter.write_base[b].next = self.write_base[b].val();
            self.arbiter.write_near[b].next = self.write_near[b].val();
            self.bank_read[b].next = self.arbiter.bank_read[b].val();
            self.bank_conflict[b].next = self.arbiter.bank_conflict[b].val();
            self.write_cached[b].next = self.arbiter.write_cached[b].val();
            self.write_filtered[b].next = self.arbiter.write_filtered[b].val();
        }

        // Banks.
        for b in 0..banks {
            self.banks[b].read.next = self.arbiter.bank_read[b].val();
            self.banks[b].write.next = self.write_valid[b].val();
            self.banks[b].row.next = self.arbiter.bank_row[b].val();
            self.banks[b].write_data.next = self.write_data[b].val();
            self.banks[b].collector.next = self.arbiter.bank_collector[b].val();
            self.banks[b].slot.next = self.arbiter.bank_slot[b].val();
        }

        // Random choices.
        self.issues.next = false;
        for c in 0..collectors {
            self.issues.next = self.issues.val() | self.issue[c].val();
        }
        self.lfsr.step.next = self.issues.val() & self.is_random.val();
        self.random.next = self.lfsr.value.val();

        // Collectors, and the crossbar to their ports S.
        for c in 0..collectors {
            self.collectors[c].issue.next = self.issue[c].val();
            self.collectors[c].warp.next = self.warp.val();
            self.collectors[c].unit.next = self.unit.val();
            self.collectors[c].payload.next = self.payload.val();
            self.arbiter.issue[c].next = self.issue[c].val();
            for s in 0..slots {
                self.collectors[c].source_valid[s].next = self.source_valid[s].val();
                self.collectors[c].source_register[s].next = self.source_register[s].val();
                self.collectors[c].source_near[s].next = self.source_near[s].val();
            }
            self.collectors[c].s_valid.next = false;
            self.collectors[c].s_slot.next = 0.into();
            self.collectors[c].s_data.next = self.banks[0].data.val();
            for b in 0..banks {
                if self.banks[b].data_valid.val()
                    & (self.banks[b].data_collector.val() == self.collector_number[c].val())
                {
                    self.collectors[c].s_valid.next = true;
                    self.collectors[c].s_slot.next = self.banks[b].data_slot.val();
                    self.collectors[c].s_data.next = self.banks[b].data.val();
                }
            }
            self.collector_occupied[c].next = self.collectors[c].occupied.val();
            self.collector_warp[c].next = self.collectors[c].held_warp.val();
            self.collector_owned[c].next = self.collectors[c].owned.val();
            self.collector_near[c].next = self.collectors[c].any_near.val();
            self.collectors[c].random.next = bit_cast::<I, 8>(self.random.val());
        }
        for s in 0..slots {
            self.hit[s].next = false;
            for c in 0..collectors {
                if self.collectors[c].hit[s].val() {
                    self.hit[s].next = true;
                }
            }
        }

        // Results, and the crossbar to the ports D.
        for c in 0..collectors {
            self.arbiter.owned[c].next = self.collectors[c].owned.val();
            self.arbiter.held_warp[c].next = self.collectors[c].held_warp.val();
            for p in 0..d_ports {
                self.collectors[c].d_valid[p].next = false;
                self.collectors[c].d_register[p].next = self.write_register[0].val();
                self.collectors[c].d_near[p].next = self.write_near[0].val();
                self.collectors[c].d_data[p].next = self.write_data[0].val();
            }
            self.d_taken[c].next = false;
            for b in 0..banks {
                if self.arbiter.d_bank[c].val().get_bit(b) {
                    for p in 0..d_ports {
                        if self.d_taken[c].val() == self.is_second[p].val() {
                            self.collectors[c].d_valid[p].next = true;
                            self.collectors[c].d_register[p].next = self.write_register[b].val();
                            self.collectors[c].d_near[p].next = self.write_near[b].val();
                            self.collectors[c].d_data[p].next = self.write_data[b].val();
                        }
                    }
                    self.d_taken[c].next = self.several.val();
                }
                self.collectors[c].filtered[b].next = self.arbiter.filtered_bank[c].val().get_bit(b);
                self.collectors[c].filtered_register[b].next = self.write_register[b].val();
            }
        }

        // Dispatch selection.
        self.dispatches.next = false;
        for c in 0..collectors {
            self.can_dispatch[c].next = self.collectors[c].ready.val()
                & self.unit_ready.val().get_bit(self.collectors[c].held_unit.val().index());
            self.dispatch_arbiter.request[c].next = self.can_dispatch[c].val();
            self.dispatches.next = self.dispatches.val() | self.can_dispatch[c].val();
            self.collectors[c].dispatch.next = self.dispatch_arbiter.grant[c].val();
            self.dispatch[c].next = self.dispatch_arbiter.grant[c].val();
        }
        self.dispatch_arbiter.advance.next = self.dispatches.val();
        self.dispatch_warp.next = 0.into();
        self.dispatch_unit.next = 0.into();
        self.dispatch_payload.next = 0.into();
        for s in 0..slots {
            self.operand_valid[s].next = false;
            self.operand_data[s].next = 0.into();
        }
        for c in 0..collectors {
            if self.dispatch_arbiter.grant[c].val() {
                self.dispatch_warp.next = self.collectors[c].held_warp.val();
                self.dispatch_unit.next = self.collectors[c].held_unit.val();
                self.dispatch_payload.next = self.collectors[c].held_payload.val();
                for s in 0..slots {
                    self.operand_valid[s].next = self.collectors[c].operand_valid[s].val();
                    if self.collectors[c].operand_valid[s].val() {
                        self.operand_data[s].next =
                            self.operand_data[s].val() | self.collectors[c].operand_data[s].val();
                    }
                }
            }
        }
    }
}
