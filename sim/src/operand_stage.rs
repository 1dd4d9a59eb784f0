// SPDX-License-Identifier: Apache-2.0
//! Reference model of the operand stage: F §II, §III-B and §VI-B, W §3.1.

use borsh::{BorshDeserialize, BorshSerialize};
use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::{BankId, Choice, Clocked, CollectorId, Data, Parameters, Row, WarpId, MAX_COLLECTORS};

use crate::bits::{all, flags, mask, members, set};
use crate::cells::{Lfsr, RoundRobin};
use crate::checkpoint::model_state;
use crate::collector::{Collector, Edge, Issue, Placement, WrittenResults};
use crate::issue::Holders;
use crate::register_file::{Arbiter, Asked, Bank, Grants};
use crate::sub_core::Behind;
use crate::words::{leaver, results, show_stage, CycleIn, CycleOut, Leaver};

/// Collectors of one kind, arbiter and banks of one sub-core, built from their models.
#[derive(Clone, Debug, BorshSerialize, BorshDeserialize)]
pub struct OperandStage<D: Data, K> {
    parameters: Parameters,
    collectors: Vec<K>,
    /// The ones that hold an instruction, a bit each.
    occupied: u8,
    /// The ones of them that have all its operands.
    complete: u8,
    /// The collectors' contents as the issue stage sees them, in the present cycle.
    holders: Holders,
    arbiter: Arbiter,
    banks: Vec<Bank<D>>,
    /// The ones whose data, read in the last cycle, cross to a collector; a bit each.
    crossing: u8,
    /// The same of second accesses.
    second_crossing: u8,
    dispatch_turn: RoundRobin,
    lfsr: Lfsr,
    decided: Decided<D>,
}

/// Findings of a cycle's `settle` that its clock edge carries through.
#[derive(Clone, Debug, Default, BorshSerialize, BorshDeserialize)]
struct Decided<D> {
    /// The collector that an instruction enters. If one does: the instruction, and what it found.
    entering: Option<CollectorId>,
    issue: Issue,
    placement: Placement,
    /// Reads that it asks of the banks.
    asked: Asked,
    grants: Grants,
    /// Where a register that leaves is read.
    transfer: Option<(BankId, Row)>,
    dispatch: Option<CollectorId>,
    results: WrittenResults<D>,
    /// Collectors that results concern, a bit each; and those that enter each, and that are kept out of it, a
    /// bit per bank. Without results, of an earlier cycle.
    takers: u8,
    taken: [(u8, u8); MAX_COLLECTORS],
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        let collectors: Vec<K> =
            (0..parameters.collectors).map(|number| K::numbered(parameters, number)).collect();
        let mut holders = Holders::default();
        collectors.iter().enumerate().for_each(|(number, collector)| note(&mut holders, number, collector));
        OperandStage {
            parameters: *parameters,
            collectors,
            occupied: 0,
            complete: 0,
            holders,
            arbiter: Arbiter::new(parameters, K::IS_FILTERED),
            banks: (0..parameters.banks).map(|_| Bank::new(parameters)).collect(),
            crossing: 0,
            second_crossing: 0,
            dispatch_turn: RoundRobin::new(parameters.collectors),
            lfsr: Lfsr::default(),
            decided: Decided::default(),
        }
    }
}

/// Notes how the issue stage sees a collector that may have changed, its occupation aside.
#[inline]
fn note<D: Data>(holders: &mut Holders, number: usize, collector: &impl Collector<D>) {
    set(&mut holders.near, number, collector.holds_near());
    set(&mut holders.owned, number, collector.owner().is_some());
    holders.owner[number] = collector.owner().unwrap_or_default();
}

impl<D: Data, K: Collector<D>> Behind<D> for OperandStage<D, K> {
    // See [`crate::sub_core::SubCore::decide`].
    #[inline(always)]
    fn holders(&mut self, unit_ready: u32) -> &Holders {
        self.begin(unit_ready);
        &self.holders
    }

    #[inline(always)]
    fn follow(
        &mut self,
        inputs: &CycleIn<D>,
        entering: Option<(CollectorId, &Issue)>,
        outputs: &mut CycleOut<D>,
    ) {
        self.decided.entering = entering.map(|(collector, _)| collector);
        if let Some((_, issue)) = entering {
            self.decided.issue = *issue;
        }
        self.go_on(&inputs.results, inputs.leaves.then_some(inputs.leaver));
        self.show(outputs);
    }

    #[inline(always)]
    fn edge(&mut self) {
        self.tick();
    }

    model_state!();
}

impl<D: Data, K: Collector<D>> Clocked for OperandStage<D, K> {
    type In = OperandStageIn<D>;
    type Out = OperandStageOut<D>;

    fn settle(&mut self, inputs: &OperandStageIn<D>) -> OperandStageOut<D> {
        self.begin(inputs.unit_ready);
        self.decided.entering = CollectorId::first_of(mask(&inputs.issue));
        if self.decided.entering.is_some() {
            self.decided.issue = Issue::at_stage(inputs, &self.parameters);
        }
        self.go_on(&results!(inputs), inputs.transfer_valid[0].then(|| leaver!(inputs)));
        let mut words = CycleOut::default();
        self.show(&mut words);
        let mut out = OperandStageOut::default();
        show_stage!(words => &mut out);
        for (number, collector) in self.collectors.iter().enumerate() {
            out.collector_warp[number] = collector.held().0.into();
            out.collector_owned[number] = collector.owner().is_some();
            out.collector_near[number] = collector.holds_near();
        }
        out
    }

    #[inline(always)]
    fn tick(&mut self) {
        if !self.parameters.dispatch_on_arrival {
            self.receive();
        }
        let changed = self.changed();
        let OperandStage { collectors, holders, arbiter, banks, decided, .. } = self;
        let Decided { entering, issue, placement, asked, grants, transfer, dispatch, results, takers, taken } =
            decided;

        // Dispatch.
        if let Some(collector) = *dispatch {
            self.dispatch_turn.advance(collector.index());
            collectors[collector.index()].dispatch();
            self.occupied &= !collector.bit();
            self.complete &= !collector.bit();
        }

        // Banks.
        for bank in members(grants.second_banks) {
            banks[bank].read(1, grants.second_reads[bank]);
        }
        for bank in members(results.banks) {
            let (_, row) = arbiter.home(WarpId(0), results.base[bank], results.register[bank]);
            banks[bank].write(row, results.data[bank]);
        }
        for bank in members(grants.banks) {
            banks[bank].read(0, grants.reads[bank]);
        }
        (self.crossing, self.second_crossing) = (grants.banks, grants.second_banks);
        if self.parameters.transfer_ports > 0 {
            for (bank, number) in banks.iter_mut().zip(0..) {
                bank.transfer(transfer.filter(|(of, _)| of.0 == number).map(|(_, row)| row));
            }
        }
        arbiter.take(grants, asked);

        // Allocation, and results.
        let enters = entering.map_or(0, CollectorId::bit);
        let takers = if results.banks != 0 { *takers } else { 0 };
        for number in members(enters | changed | takers) {
            let (cached, filtered) = if takers >> number & 1 == 1 { taken[number] } else { (0, 0) };
            let issue = (enters >> number & 1 == 1).then_some((&*issue, &*placement));
            let random = self.lfsr.value() as u32;
            collectors[number].update(&Edge { issue, results, cached, filtered, random });
            note(holders, number, &collectors[number]);
            set(&mut self.complete, number, collectors[number].is_ready());
        }
        if let Some(collector) = entering {
            self.occupied |= collector.bit();
            if self.parameters.choice == Choice::Random {
                self.lfsr.advance();
            }
        }
    }
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
    /// A cycle begins in which these units, a bit each, take instructions: what arrives, and dispatch, depend
    /// on nothing else.
    #[inline(always)]
    fn begin(&mut self, unit_ready: u32) {
        self.arrive();
        self.decided.dispatch = self.dispatched(unit_ready);
        self.holders.occupied = match self.decided.dispatch {
            // It can take an instruction in the cycle of its dispatch.
            Some(leaving) if self.parameters.issue_on_dispatch => self.occupied & !leaving.bit(),
            _ => self.occupied,
        };
    }

    /// The rest of a cycle: with what is written, and the register that is to leave.
    #[inline(always)]
    fn go_on(&mut self, written: &WrittenResults<D>, leaver: Option<Leaver>) {
        self.decided.results.banks = 0;
        if written.banks != 0 {
            self.decided.results = *written;
            self.decided.results.banks &= all(self.parameters.banks);
        }
        let OperandStage { parameters, collectors, holders, arbiter, decided, .. } = self;
        let Decided { entering, issue, placement, asked, grants, transfer, results, takers, taken, .. } =
            decided;

        // Issue.
        asked.clear();
        if let Some(number) = *entering {
            *placement = collectors[number.index()].look_up(issue);
            let place = |slot: usize| (issue.lender(slot), issue.registers[slot]);
            arbiter.ask(number, placement.request, place, asked);
        }

        // Banks: writes first, then reads, then a register that leaves.
        arbiter.grants(results.banks, asked, grants);
        if parameters.transfer_ports > 0 {
            *transfer = leaver.and_then(|Leaver { warp, register, base }| {
                arbiter.transfer(results.banks, grants, (warp, base), register)
            });
        }

        if results.banks != 0 {
            *takers = 0;
            for number in members(holders.owned) {
                let enters = entering.is_some_and(|collector| collector.index() == number);
                let filter = |of_warp| arbiter.filter(of_warp, results.near);
                taken[number] = collectors[number].takes(enters.then_some(&*issue), results, filter);
                set(takers, number, taken[number] != (0, 0));
            }
        }
    }

    /// Shows on the sub-core's outputs the decisions of the stage; they are zero before.
    #[inline(always)]
    fn show(&self, out: &mut CycleOut<D>) {
        let Decided { entering, placement, grants, transfer, dispatch, results, takers, taken, .. } =
            &self.decided;
        out.collector_occupied = self.holders.occupied;
        if let Some(number) = *dispatch {
            let collector = &self.collectors[number.index()];
            (out.dispatch, out.operand_valid) = (number.bit(), collector.used());
            for slot in members(collector.used()) {
                out.operand_data[slot] = collector.operand(slot);
            }
            let (warp, unit, payload) = collector.held();
            (out.dispatch_warp, out.dispatch_unit, out.dispatch_payload) = (warp.into(), unit, payload);
        }
        if entering.is_some() {
            out.hit = placement.hit;
        }
        (out.bank_read, out.bank_conflict) = (grants.banks, grants.conflicts);
        if self.parameters.accesses > 1 {
            out.second_read = grants.second_banks;
        }
        if self.parameters.transfer_ports > 0 {
            let leaving = self.banks.iter().find_map(Bank::leaving);
            out.transfer_taken = transfer.is_some();
            out.transfer_arrives = leaving.is_some();
            out.transfer_data = leaving.unwrap_or_default();
        }
        if results.banks != 0 {
            let all = |one: (u8, u8), other: &(u8, u8)| (one.0 | other.0, one.1 | other.1);
            let taken = members(*takers).map(|number| &taken[number]);
            (out.write_cached, out.write_filtered) = taken.fold((0, 0), all);
        }
    }

    /// Port S: what the banks have read crosses to the collectors.
    #[inline]
    fn receive(&mut self) {
        if self.crossing | self.second_crossing != 0 {
            self.cross();
        }
    }

    #[inline(always)]
    fn cross(&mut self) {
        for bank in members(self.crossing) {
            self.cross_from(bank, 0);
        }
        for bank in members(self.second_crossing) {
            self.cross_from(bank, 1);
        }
    }

    /// Hands the value that an access of a bank has read to its collector.
    #[inline]
    fn cross_from(&mut self, bank: usize, access: usize) {
        let (collector, slot, data) = self.banks[bank].last(access);
        let number = collector.index();
        let collector = &mut self.collectors[number];
        collector.receive(slot.into(), data, self.lfsr.value().into());
        // One more of its operands is there.
        self.complete |= u8::from(collector.is_ready()) << number;
    }

    /// Collectors in which a value takes its entry only now, or whose instruction leaves: their tables change
    /// at the clock edge, whatever else happens.
    #[inline]
    fn changed(&self) -> u8 {
        if !self.parameters.allocate_on_arrival {
            return 0;
        }
        let arrives = members(self.crossing).map(|bank| self.banks[bank].last(0));
        let left = self.decided.dispatch.map_or(0, CollectorId::bit);
        arrives.fold(left, |all, (collector, ..)| all | collector.bit())
    }

    /// Under `dispatch_on_arrival` what arrives counts in its cycle. It comes from a register, whatever the
    /// inputs are, so that it may be received at once, and more than once.
    #[inline]
    fn arrive(&mut self) {
        if self.parameters.dispatch_on_arrival {
            self.receive();
        }
    }

    /// The collector that is dispatched: those that are ready, and whose unit takes an instruction, take
    /// turns.
    #[inline]
    fn dispatched(&self, unit_ready: u32) -> Option<CollectorId> {
        if self.complete == 0 {
            return None;
        }
        let mut ready = 0;
        for number in members(self.complete) {
            let unit = self.collectors[number].held().1;
            ready |= (unit_ready >> unit & 1) << number;
        }
        self.dispatch_turn.grant(ready).map(|number| CollectorId(number as u8))
    }
}
