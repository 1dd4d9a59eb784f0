//! Operand stage with operand collector units, the baseline: F §II and Fig. 3.
//!
//! The ports that speak of near reuse, of caching, of destinations and of a window are there for
//! [`super::CcuStage`] and [`super::BocStage`], which share them; here they are not used, or zero.

use gpurf_blocks::{Parameters, MAX_BANKS, MAX_COLLECTORS, MAX_DESTINATIONS, MAX_SLOTS};
use rust_hdl::prelude::*;

use crate::cells::RoundRobin;
use crate::collector::Ocu;
use crate::dialect::{array, rtl, Identity, Module};
use crate::register_file::{Arbiter, Bank};

/// `W`: data width in bits; `C`: bits of a collector's number, at least one.
#[derive(LogicBlock, Module)]
pub struct OcuStage<const W: usize, const C: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,

    /// Issue: an instruction enters this collector, which must be free. At most one is high.
    #[port(max = MAX_COLLECTORS)]
    pub issue: Vec<Signal<In, Bit>>,
    /// Warp of the issued instruction, within the sub-core.
    pub warp: Signal<In, Bits<3>>,
    /// Execution unit that the instruction needs.
    pub unit: Signal<In, Bits<3>>,
    /// What the later pipeline stages need of the instruction; carried through.
    pub payload: Signal<In, Bits<32>>,
    /// First row of the warp's registers in every bank.
    pub base: Signal<In, Bits<8>>,
    #[port(max = MAX_SLOTS)]
    pub source_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub source_register: Vec<Signal<In, Bits<8>>>,
    /// The operand's next reuse is near (caching collectors only).
    #[port(max = MAX_SLOTS)]
    pub source_near: Vec<Signal<In, Bit>>,
    /// The instruction's first destinations (bypassing collectors only; the others have no such ports).
    #[port(max = MAX_DESTINATIONS)]
    pub destination_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_DESTINATIONS)]
    pub destination_register: Vec<Signal<In, Bits<8>>>,
    /// With `issue`: a branch has left the window, which is emptied before (bypassing collectors only).
    pub flush: Signal<In, Bit>,

    /// Write-back: one result register per bank, always taken. The register must live in that bank.
    #[port(max = MAX_BANKS)]
    pub write_valid: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_warp: Vec<Signal<In, Bits<3>>>,
    #[port(max = MAX_BANKS)]
    pub write_register: Vec<Signal<In, Bits<8>>>,
    #[port(max = MAX_BANKS)]
    pub write_base: Vec<Signal<In, Bits<8>>>,
    /// The result's next reuse is near (caching collectors only).
    #[port(max = MAX_BANKS)]
    pub write_near: Vec<Signal<In, Bit>>,
    #[port(max = MAX_BANKS)]
    pub write_data: Vec<Signal<In, Bits<W>>>,

    /// Bit u: execution unit u takes an instruction this cycle.
    pub unit_ready: Signal<In, Bits<8>>,

    /// Dispatch: the instruction in this collector goes to its unit this cycle. At most one is high.
    /// The fields below are the dispatched instruction's, and zero in a cycle without dispatch.
    #[port(max = MAX_COLLECTORS)]
    pub dispatch: Vec<Signal<Out, Bit>>,
    pub dispatch_warp: Signal<Out, Bits<3>>,
    pub dispatch_unit: Signal<Out, Bits<3>>,
    pub dispatch_payload: Signal<Out, Bits<32>>,
    #[port(max = MAX_SLOTS)]
    pub operand_valid: Vec<Signal<Out, Bit>>,
    #[port(max = MAX_SLOTS)]
    pub operand_data: Vec<Signal<Out, Bits<W>>>,

    /// Port R of each collector: an instruction occupies it.
    #[port(max = MAX_COLLECTORS)]
    pub collector_occupied: Vec<Signal<Out, Bit>>,
    /// Warp of its present or last instruction.
    #[port(max = MAX_COLLECTORS)]
    pub collector_warp: Vec<Signal<Out, Bits<3>>>,
    /// It belongs to that warp: one has been issued to it (caching collectors only).
    #[port(max = MAX_COLLECTORS)]
    pub collector_owned: Vec<Signal<Out, Bit>>,
    /// It holds a value whose reuse is near (caching collectors only).
    #[port(max = MAX_COLLECTORS)]
    pub collector_near: Vec<Signal<Out, Bit>>,

    /// Event: this source of the instruction issued this cycle was found in its collector.
    #[port(max = MAX_SLOTS)]
    pub hit: Vec<Signal<Out, Bit>>,
    /// Event: the bank performs a read this cycle.
    #[port(max = MAX_BANKS)]
    pub bank_read: Vec<Signal<Out, Bit>>,
    /// Event: a read waits at the head of the bank's queue and is not granted this cycle.
    #[port(max = MAX_BANKS)]
    pub bank_conflict: Vec<Signal<Out, Bit>>,
    /// Event: this bank's write is also written into a collector.
    #[port(max = MAX_BANKS)]
    pub write_cached: Vec<Signal<Out, Bit>>,
    /// Event: a collector holds data of this write's warp, and the write is kept out of it.
    #[port(max = MAX_BANKS)]
    pub write_filtered: Vec<Signal<Out, Bit>>,

    collectors: Vec<Ocu<W>>,
    can_dispatch: Vec<Signal<Local, Bit>>,
    dispatches: Signal<Local, Bit>,
    arbiter: Arbiter<C>,
    banks: Vec<Bank<W, C>>,
    dispatch_arbiter: RoundRobin,
    collector_number: Vec<Constant<Bits<C>>>,
    identity: Identity,
    _collectors: usize,
    _banks: usize,
    _slots: usize,
}

impl<const W: usize, const C: usize> OcuStage<W, C> {
    pub fn new(parameters: &Parameters) -> Self {
        let Parameters { collectors, slots, banks, rows, .. } = *parameters;
        OcuStage {
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
            destination_valid: array(0),
            destination_register: array(0),
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
            collectors: (0..collectors).map(|_| Ocu::new(parameters)).collect(),
            can_dispatch: array(collectors),
            dispatches: Signal::default(),
            arbiter: Arbiter::new(parameters, false),
            banks: (0..banks).map(|_| Bank::new(parameters)).collect(),
            dispatch_arbiter: RoundRobin::new(collectors),
            collector_number: (0..collectors)
                .map(|collector| Constant::new((collector as u64).into()))
                .collect(),
            identity: Identity::new(
                "ocu_stage",
                "Operand stage with operand collector units (F II)",
                &[("w", W), ("collectors", collectors), ("slots", slots), ("banks", banks), ("rows", rows)],
            ),
            _collectors: collectors,
            _banks: banks,
            _slots: slots,
        }
    }
}

impl<const W: usize, const C: usize> Logic for OcuStage<W, C> {
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
            self.write_cached[b].next = self.arbiter.write_cached[b].val();
            self.write_filtered[b].next = self.arbiter.write_filtered[b].val();
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
            self.collectors[c].warp.next = self.warp.val();
            self.collectors[c].unit.next = self.unit.val();
            self.collectors[c].payload.next = self.payload.val();
            self.arbiter.issue[c].next = self.issue[c].val();
            for s in 0..self._slots {
                self.collectors[c].source_valid[s].next = self.source_valid[s].val();
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
            self.collector_warp[c].next = self.collectors[c].held_warp.val();
            self.collector_owned[c].next = false;
            self.collector_near[c].next = false;
        }
        for s in 0..self._slots {
            self.hit[s].next = false;
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
                self.dispatch_warp.next = self.collectors[c].held_warp.val();
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
