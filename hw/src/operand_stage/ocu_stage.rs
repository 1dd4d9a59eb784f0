//! Operand stage with operand collector units, the baseline: F §II and Fig. 3.
//!
//! The ports that speak of near reuse, of caching, of destinations and of a window are there for
//! [`super::CcuStage`] and [`super::BocStage`], which share them; here they are not used, or zero.

use rust_hdl::prelude::*;

use crate::cells::RoundRobin;
use crate::collector::Ocu;
use crate::dialect::{block, rtl};
use crate::register_file::{Arbiter, Bank};

/// `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[block(
    title = "Operand stage with operand collector units",
    paper = "F §II",
    parameters(width, collectors, slots, banks, rows),
    fixed(destinations = 0, d_ports = 0)
)]
pub struct OcuStage<const W: usize, const C: usize> {
    /// Issue: an instruction enters this collector, which must be free. At most one is high.
    pub issue: In<[Bit; collectors]>,
    /// Warp of the issued instruction, within the sub-core.
    pub warp: In<Bits<3>>,
    /// Execution unit that the instruction needs.
    pub unit: In<Bits<3>>,
    /// What the later pipeline stages need of the instruction; carried through.
    pub payload: In<Bits<32>>,
    /// First row of the warp's registers in every bank.
    pub base: In<Bits<8>>,
    pub source_valid: In<[Bit; slots]>,
    pub source_register: In<[Bits<8>; slots]>,
    /// The operand's next reuse is near (caching collectors only).
    pub source_near: In<[Bit; slots]>,
    /// The instruction's first destinations (bypassing collectors only; the others have no such ports).
    pub destination_valid: In<[Bit; destinations]>,
    pub destination_register: In<[Bits<8>; destinations]>,
    /// With `issue`: a branch has left the window, which is emptied before (bypassing collectors only).
    pub flush: In<Bit>,

    /// Write-back: one result register per bank, always taken. The register must live in that bank.
    pub write_valid: In<[Bit; banks]>,
    pub write_warp: In<[Bits<3>; banks]>,
    pub write_register: In<[Bits<8>; banks]>,
    pub write_base: In<[Bits<8>; banks]>,
    /// The result's next reuse is near (caching collectors only).
    pub write_near: In<[Bit; banks]>,
    pub write_data: In<[Bits<W>; banks]>,

    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: In<Bits<8>>,

    /// Dispatch: the instruction in this collector goes to its unit this cycle. At most one is high.
    /// The fields below are the dispatched instruction's, and zero in a cycle without dispatch.
    pub dispatch: Out<[Bit; collectors]>,
    pub dispatch_warp: Out<Bits<3>>,
    pub dispatch_unit: Out<Bits<3>>,
    pub dispatch_payload: Out<Bits<32>>,
    pub operand_valid: Out<[Bit; slots]>,
    pub operand_data: Out<[Bits<W>; slots]>,

    /// Port R of each collector: an instruction occupies it.
    pub collector_occupied: Out<[Bit; collectors]>,
    /// Warp of its present or last instruction.
    pub collector_warp: Out<[Bits<3>; collectors]>,
    /// It belongs to that warp: one has been issued to it (caching collectors only).
    pub collector_owned: Out<[Bit; collectors]>,
    /// It holds a value whose reuse is near (caching collectors only).
    pub collector_near: Out<[Bit; collectors]>,

    /// Event: this source of the instruction issued this cycle was found in its collector.
    pub hit: Out<[Bit; slots]>,
    /// Event: the bank performs a read this cycle.
    pub bank_read: Out<[Bit; banks]>,
    /// Event: a read waits at the head of the bank's queue and is not granted this cycle.
    pub bank_conflict: Out<[Bit; banks]>,
    /// Event: this bank's write is also written into a collector.
    pub write_cached: Out<[Bit; banks]>,
    /// Event: a collector holds data of this write's warp, and the write is kept out of it.
    pub write_filtered: Out<[Bit; banks]>,

    collectors: [Ocu<W>; collectors],
    can_dispatch: Local<[Bit; collectors]>,
    dispatches: Local<Bit>,
    arbiter: Arbiter<C>,
    banks: [Bank<W, C>; banks],
    #[with(collectors)]
    dispatch_arbiter: RoundRobin,
    #[value(|collector| collector)]
    collector_number: Constant<[Bits<C>; collectors]>,
}

impl<const W: usize, const C: usize> Logic for OcuStage<W, C> {
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

        // Collectors, and the crossbar to their ports S.
        for c in 0..collectors {
            self.collectors[c].issue.next = self.issue[c].val();
            self.collectors[c].warp.next = self.warp.val();
            self.collectors[c].unit.next = self.unit.val();
            self.collectors[c].payload.next = self.payload.val();
            self.arbiter.issue[c].next = self.issue[c].val();
            for s in 0..slots {
                self.collectors[c].source_valid[s].next = self.source_valid[s].val();
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
            self.collector_owned[c].next = false;
            self.collector_near[c].next = false;
        }
        for s in 0..slots {
            self.hit[s].next = false;
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
