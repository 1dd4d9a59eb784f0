//! Operand stage with bypassing operand collectors, BOW's design: F §VI-B.
//!
//! Warp w has collector w to itself, and issues to no other. Beside the baseline's wires, all results of
//! a cycle reach the collector of their warp, near and far ones alike: the crossbar for writes has as
//! many lanes to each collector as there are banks.
//!
//! `write_cached` tells a result that also enters a window; `write_filtered` one that goes to the bank
//! alone, as its instruction has slid out or has more destinations than are kept.
//!
//! The SM sets `flush` with the first instruction of a warp, and when a branch has left the window, as
//! [`crate::collector::Boc`] says.
//!
//! Ports as of [`super::OcuStage`].

use gpurf_blocks::{Allocation, WARPS};
use rust_hdl::prelude::*;

use super::{OperandStageIn, OperandStageOut};
use crate::cells::RoundRobin;
use crate::collector::Boc;
use crate::dialect::{block, rtl};
use crate::register_file::{Arbiter, Bank};

/// `W`: data width in bits.
#[block(
    title = "Operand stage with bypassing operand collectors of BOW",
    paper = "F §VI-B",
    parameters(width, window, slots, destinations, banks, rows),
    fixed(d_ports = 0, collectors = WARPS, allocation = Allocation::Private),
    ports(OperandStageIn, OperandStageOut)
)]
pub struct BocStage<const W: usize> {
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

    collectors: [Boc<W>; collectors],
    belongs: Local<[[Bit; banks]; collectors]>,
    can_dispatch: Local<[Bit; collectors]>,
    dispatches: Local<Bit>,
    arbiter: Arbiter<3>,
    banks: [Bank<W, 3>; banks],
    #[with(collectors)]
    dispatch_arbiter: RoundRobin,
    #[value(|collector| collector)]
    collector_number: Constant<[Bits<3>; collectors]>,
    #[value(|warp| warp)]
    warp_number: Constant<[Bits<3>; collectors]>,
}

impl<const W: usize> Logic for BocStage<W> {
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

        // Collectors, and the crossbar to their ports S.
        for c in 0..collectors {
            self.collectors[c].issue.next = self.issue[c].val();
            self.collectors[c].flush.next = self.flush.val();
            self.collectors[c].unit.next = self.unit.val();
            self.collectors[c].payload.next = self.payload.val();
            self.arbiter.issue[c].next = self.issue[c].val();
            for s in 0..slots {
                self.collectors[c].source_valid[s].next = self.source_valid[s].val();
                self.collectors[c].source_register[s].next = self.source_register[s].val();
            }
            for k in 0..destinations {
                self.collectors[c].destination_valid[k].next = self.destination_valid[k].val();
                self.collectors[c].destination_register[k].next = self.destination_register[k].val();
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
            self.collector_warp[c].next = self.warp_number[c].val();
            self.collector_owned[c].next = true;
            self.collector_near[c].next = false;
        }
        for s in 0..slots {
            self.hit[s].next = false;
            for c in 0..collectors {
                if self.collectors[c].hit[s].val() {
                    self.hit[s].next = true;
                }
            }
        }

        // Results, and their crossbar to the collectors.
        for b in 0..banks {
            self.write_cached[b].next = false;
            self.write_filtered[b].next = false;
        }
        for c in 0..collectors {
            for b in 0..banks {
                self.belongs[c][b].next =
                    self.write_valid[b].val() & (self.write_warp[b].val() == self.warp_number[c].val());
                self.collectors[c].write_valid[b].next = self.belongs[c][b].val();
                self.collectors[c].write_register[b].next = self.write_register[b].val();
                self.collectors[c].write_data[b].next = self.write_data[b].val();
                if self.belongs[c][b].val() {
                    self.write_cached[b].next = self.collectors[c].cached[b].val();
                    self.write_filtered[b].next = !self.collectors[c].cached[b].val();
                }
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
                self.dispatch_warp.next = self.warp_number[c].val();
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
