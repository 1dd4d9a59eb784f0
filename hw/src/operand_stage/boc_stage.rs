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

use gpurf_blocks::Parameters;
use rust_hdl::prelude::*;

use super::{OperandStageIn, OperandStageOut};
use crate::cells::RoundRobin;
use crate::collector::Boc;
use crate::dialect::{array, rtl, Identity, Module};
use crate::register_file::{Arbiter, Bank};

/// `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[derive(LogicBlock, Module)]
#[ports(OperandStageIn, OperandStageOut)]
pub struct BocStage<const W: usize, const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    #[port(max = MAX_COLLECTORS)]
    pub issue: Vec<Signal<In, Bit>>,
    pub warp: Signal<In, Bits<3>>,
    pub unit: Signal<In, Bits<3>>,
    pub payload: Signal<In, Bits<32>>,
    pub base: Signal<In, Bits<8>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_SLOTS)]
    pub source_near: Vec<Signal<In, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_register: Vec<Signal<In, Bits<8>>>,
    pub flush: Signal<In, Bit>,
    #[port(max = MAX_BANKS)]
    pub write_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_warp: Vec<Signal<In, Bits<3>>>,
    #[port(max = MAX_BANKS)]
    pub write_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_base: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_near: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_data: Vec<Signal<In, Bits<W>>>,
    pub unit_ready: Signal<In, Bits<8>>,
    #[port(max = MAX_COLLECTORS)]
    pub dispatch: Vec<Signal<Out, Bit>>,
    pub dispatch_warp: Signal<Out, Bits<3>>,
    pub dispatch_unit: Signal<Out, Bits<3>>,
    pub dispatch_payload: Signal<Out, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,
    #[port(max = MAX_COLLECTORS)]
    pub collector_occupied: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub collector_warp: Vec<Signal<Out, Bits<3>>>,
    #[port(max = MAX_COLLECTORS)]
    pub collector_owned: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_COLLECTORS)]
    pub collector_near: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub hit: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_BANKS)]
    pub bank_read: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_BANKS)]
    pub bank_conflict: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_cached: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_filtered: Vec<Signal<Out, Bit>>,

    collectors: Vec<Boc<W>>,
    belongs: Vec<Vec<Signal<Local, Bit>>>,
    can_dispatch: Vec<Signal<Local, Bit>>,
    dispatches: Signal<Local, Bit>,
    arbiter: Arbiter<C>,
    banks: Vec<Bank<W, C>>,
    dispatch_arbiter: RoundRobin,
    collector_number: Vec<Constant<Bits<C>>>,
    warp_number: Vec<Constant<Bits<3>>>,
    identity: Identity,
    _collectors: usize,
    _banks: usize,
    _slots: usize,
    _destinations: usize,
}

impl<const W: usize, const C: usize> BocStage<W, C> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, banks, rows, window, destinations, .. } = *parameters;
        BocStage {
            clock: Signal::default(),
            reset: Signal::default(),
            issue: array(collectors),
            warp: Signal::default(),
            unit: Signal::default(),
            payload: Signal::default(),
            base: Signal::default(),
            source_valid: array(slots),
            source_register: array(slots),
            source_near: array(slots),
            destination_valid: array(destinations),
            destination_register: array(destinations),
            flush: Signal::default(),
            write_valid: array(banks),
            write_warp: array(banks),
            write_register: array(banks),
            write_base: array(banks),
            write_near: array(banks),
            write_data: array(banks),
            unit_ready: Signal::default(),
            dispatch: array(collectors),
            dispatch_warp: Signal::default(),
            dispatch_unit: Signal::default(),
            dispatch_payload: Signal::default(),
            operand_valid: array(slots),
            operand_data: array(slots),
            collector_occupied: array(collectors),
            collector_warp: array(collectors),
            collector_owned: array(collectors),
            collector_near: array(collectors),
            hit: array(slots),
            bank_read: array(banks),
            bank_conflict: array(banks),
            write_cached: array(banks),
            write_filtered: array(banks),
            collectors: (0..collectors).map(|_| Boc::new(parameters)).collect(),
            belongs: (0..collectors).map(|_| array(banks)).collect(),
            can_dispatch: array(collectors),
            dispatches: Signal::default(),
            arbiter: Arbiter::new(parameters, false),
            banks: (0..banks).map(|_| Bank::new(parameters)).collect(),
            dispatch_arbiter: RoundRobin::new(collectors),
            collector_number: (0..collectors)
                .map(|collector| Constant::new((collector as u64).into()))
                .collect(),
            warp_number: (0..collectors).map(|warp| Constant::new((warp as u64).into())).collect(),
            identity: Identity::new(
                "boc_stage",
                "Operand stage with bypassing operand collectors of BOW (F VI-B)",
                &[
                    ("w", W),
                    ("collectors", collectors),
                    ("window", window),
                    ("slots", slots),
                    ("destinations", destinations),
                    ("banks", banks),
                    ("rows", rows),
                ],
            ),
            _collectors: collectors,
            _banks: banks,
            _slots: slots,
            _destinations: destinations,
        }
    }
}

impl<const W: usize, const C: usize> Logic for BocStage<W, C> {
    #[rtl]
    fn update(&mut self) {
        // Arbiter.
        self.arbiter.clock.next = self.clock.val();
        self.arbiter.reset.next = self.reset.val();
        self.arbiter.warp.next = self.warp.val();
        self.arbiter.base.next = self.base.val();
        for s in 0..self._slots {
            self.arbiter.source_register[s].next = self.source_register[s].val();
            self.arbiter.request[s].next = false;
            for c in 0..self._collectors {
                if self.collectors[c].request[s].val() {
                    self.arbiter.request[s].next = true;
                }
            }
        }
        for b in 0..self._banks {
            self.arbiter.write_valid[b].next = self.write_valid[b].val();
            self.arbiter.write_warp[b].next = self.write_warp[b].val();
            self.arbiter.write_register[b].next = self.write_register[b].val();
            self.arbiter.write_base[b].next = self.write_base[b].val();
            self.arbiter.write_near[b].next = self.write_near[b].val();
            self.bank_read[b].next = self.arbiter.bank_read[b].val();
            self.bank_conflict[b].next = self.arbiter.bank_conflict[b].val();
        }

        // Banks.
        for b in 0..self._banks {
            self.banks[b].clock.next = self.clock.val();
            self.banks[b].reset.next = self.reset.val();
            self.banks[b].read.next = self.arbiter.bank_read[b].val();
            self.banks[b].write.next = self.write_valid[b].val();
            self.banks[b].row.next = self.arbiter.bank_row[b].val();
            self.banks[b].write_data.next = self.write_data[b].val();
            self.banks[b].collector.next = self.arbiter.bank_collector[b].val();
            self.banks[b].slot.next = self.arbiter.bank_slot[b].val();
        }

        // Collectors, and the crossbar to their ports S.
        for c in 0..self._collectors {
            self.collectors[c].clock.next = self.clock.val();
            self.collectors[c].reset.next = self.reset.val();
            self.collectors[c].issue.next = self.issue[c].val();
            self.collectors[c].flush.next = self.flush.val();
            self.collectors[c].unit.next = self.unit.val();
            self.collectors[c].payload.next = self.payload.val();
            self.arbiter.issue[c].next = self.issue[c].val();
            for s in 0..self._slots {
                self.collectors[c].source_valid[s].next = self.source_valid[s].val();
                self.collectors[c].source_register[s].next = self.source_register[s].val();
            }
            for k in 0..self._destinations {
                self.collectors[c].destination_valid[k].next = self.destination_valid[k].val();
                self.collectors[c].destination_register[k].next = self.destination_register[k].val();
            }
            self.collectors[c].s_valid.next = false;
            self.collectors[c].s_slot.next = 0.into();
            self.collectors[c].s_data.next = self.banks[0].data.val();
            for b in 0..self._banks {
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
        for s in 0..self._slots {
            self.hit[s].next = false;
            for c in 0..self._collectors {
                if self.collectors[c].hit[s].val() {
                    self.hit[s].next = true;
                }
            }
        }

        // Results, and their crossbar to the collectors.
        for b in 0..self._banks {
            self.write_cached[b].next = false;
            self.write_filtered[b].next = false;
        }
        for c in 0..self._collectors {
            for b in 0..self._banks {
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
        self.dispatch_arbiter.clock.next = self.clock.val();
        self.dispatch_arbiter.reset.next = self.reset.val();
        self.dispatches.next = false;
        for c in 0..self._collectors {
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
        for s in 0..self._slots {
            self.operand_valid[s].next = false;
            self.operand_data[s].next = 0.into();
        }
        for c in 0..self._collectors {
            if self.dispatch_arbiter.grant[c].val() {
                self.dispatch_warp.next = self.warp_number[c].val();
                self.dispatch_unit.next = self.collectors[c].held_unit.val();
                self.dispatch_payload.next = self.collectors[c].held_payload.val();
                for s in 0..self._slots {
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
