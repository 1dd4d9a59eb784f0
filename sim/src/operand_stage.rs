//! Reference model of the operand stage: F §II, §III-B and §VI-B, W §3.1.

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::{BankId, Choice, Clocked, CollectorId, Data, Parameters, Row, WarpId};
use gpurf_trace::RegisterId;

use crate::cells::{Lfsr, RoundRobin};
use crate::collector::{Collector, Edge, Issue, Placement, Results};
use crate::issue::Holders;
use crate::register_file::{Arbiter, Asked, Bank, Grants};
use crate::sub_core::PortR;

/// Collectors of one kind, arbiter and banks of one sub-core, built from their models.
#[derive(Clone, Debug)]
pub struct OperandStage<D: Data, K> {
    parameters: Parameters,
    collectors: Vec<K>,
    arbiter: Arbiter,
    banks: Vec<Bank<D>>,
    dispatch_turn: RoundRobin,
    lfsr: Lfsr,
    decided: Decided<D>,
}

/// What a cycle's `settle` found out and its clock edge carries through.
#[derive(Clone, Copy, Debug, Default)]
struct Decided<D> {
    /// The collector that an instruction enters, the instruction, what it found, and what it asks of the banks.
    issue: Option<(CollectorId, Issue, Placement)>,
    asked: Asked,
    grants: Grants,
    /// Where a register that leaves is read.
    transfer: Option<(BankId, Row)>,
    dispatch: Option<usize>,
    results: Results<D>,
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
    /// After reset, with these parameters.
    pub fn new(parameters: &Parameters) -> Self {
        OperandStage {
            parameters: *parameters,
            collectors: (0..parameters.collectors).map(|number| K::numbered(parameters, number)).collect(),
            arbiter: Arbiter::new(parameters, K::IS_FILTERED),
            banks: (0..parameters.banks).map(|_| Bank::new(parameters)).collect(),
            dispatch_turn: RoundRobin::new(parameters.collectors),
            lfsr: Lfsr::default(),
            decided: Decided::default(),
        }
    }
}

impl<D: Data, K: Collector<D>> PortR for OperandStage<D, K> {
    fn holders(&mut self, unit_ready: u32) -> Holders {
        self.arrive();
        let leaving = self.leaving(self.dispatched(unit_ready));
        let mut holders = Holders::default();
        for (number, collector) in self.collectors.iter().enumerate() {
            holders.occupied |= ((collector.is_occupied() && leaving != Some(number)) as u8) << number;
            holders.near |= (collector.holds_near() as u8) << number;
            holders.owner[number] = collector.owner();
        }
        holders
    }
}

impl<D: Data, K: Collector<D>> Clocked for OperandStage<D, K> {
    type In = OperandStageIn<D>;
    type Out = OperandStageOut<D>;

    fn settle(&mut self, inputs: &OperandStageIn<D>) -> OperandStageOut<D> {
        let mut out = OperandStageOut::default();
        let results = Results::new(inputs, self.parameters.banks);

        // Dispatch.
        self.arrive();
        let dispatch = self.dispatched(inputs.unit_ready);
        let leaving = self.leaving(dispatch);
        for (number, collector) in self.collectors.iter().enumerate() {
            out.collector_occupied[number] = collector.is_occupied() && leaving != Some(number);
            out.collector_warp[number] = collector.held().0.into();
            out.collector_owned[number] = collector.owner().is_some();
            out.collector_near[number] = collector.holds_near();
        }
        if let Some(number) = dispatch {
            out.dispatch[number] = true;
            for slot in 0..self.parameters.slots {
                let operand = self.collectors[number].operand(slot);
                out.operand_valid[slot] = operand.is_some();
                out.operand_data[slot] = operand.unwrap_or_default();
            }
            let (warp, unit, payload) = self.collectors[number].held();
            (out.dispatch_warp, out.dispatch_unit, out.dispatch_payload) = (warp.into(), unit, payload);
        }

        // Issue.
        let issue = Issue::at_stage(inputs, &self.parameters).map(|(number, issue)| {
            let placement = self.collectors[number.index()].look_up(&issue);
            (number, issue, placement)
        });
        let mut asked = Asked::default();
        if let Some((number, issue, placement)) = &issue {
            let register = |slot: usize| issue.registers[slot];
            asked = self.arbiter.ask(*number, (issue.warp, Row(inputs.base)), placement.request, register);
            for slot in 0..self.parameters.slots {
                out.hit[slot] = placement.hit >> slot & 1 == 1;
            }
        }

        // Banks: writes first, then reads.
        let grants = self.arbiter.grants(results.banks, &asked);
        for bank in 0..self.parameters.banks {
            out.bank_read[bank] = grants.banks >> bank & 1 == 1;
            out.bank_conflict[bank] = grants.conflicts >> bank & 1 == 1;
        }

        // A register that leaves.
        let mut transfer = None;
        if self.parameters.transfer_ports > 0 {
            if inputs.transfer_valid[0] {
                let warp = (WarpId(inputs.transfer_warp[0] as u8), Row(inputs.transfer_base[0]));
                let register = RegisterId(inputs.transfer_register[0] as u8);
                transfer = self.arbiter.transfer(results.banks, &grants, warp, register);
            }
            let leaving = self.banks.iter().find_map(Bank::leaving);
            out.transfer_taken[0] = transfer.is_some();
            out.transfer_arrives[0] = leaving.is_some();
            out.transfer_data[0] = leaving.unwrap_or_default();
        }

        self.decided = Decided { issue, asked, grants, transfer, dispatch, results };
        if results.banks != 0 {
            for number in 0..self.collectors.len() {
                let (cached, filtered) = self.taken(number);
                for bank in results.banks() {
                    out.write_cached[bank] |= cached >> bank & 1 == 1;
                    out.write_filtered[bank] |= filtered >> bank & 1 == 1;
                }
            }
        }
        out
    }

    fn tick(&mut self) {
        let Decided { issue, asked, grants, transfer, dispatch, results } = self.decided;
        if !self.parameters.dispatch_on_arrival {
            self.receive();
        }

        // Dispatch.
        if let Some(number) = dispatch {
            self.dispatch_turn.advance(number);
            self.collectors[number].dispatch();
        }

        // Banks.
        for bank in 0..self.parameters.banks {
            let write = (results.banks >> bank & 1 == 1).then(|| {
                let (base, register) = (Row(results.base[bank]), RegisterId(results.register[bank] as u8));
                (self.arbiter.home(WarpId(0), base, register).1, results.data[bank])
            });
            let read = (grants.banks >> bank & 1 == 1).then(|| grants.reads[bank]);
            let leaves = transfer.filter(|(of, _)| of.index() == bank).map(|(_, row)| row);
            self.banks[bank].edge(write, read, leaves);
        }
        self.arbiter.take(&grants, &asked);

        // Allocation, and results.
        if issue.is_some() || results.banks != 0 {
            let random = self.lfsr.value() as u32;
            for number in 0..self.collectors.len() {
                let (cached, filtered) = self.taken(number);
                let entering = issue.as_ref().filter(|(collector, ..)| collector.index() == number);
                let issue = entering.map(|(_, issue, placement)| (issue, *placement));
                let edge = Edge { issue, results: &results, cached, filtered, random };
                self.collectors[number].update(&edge);
            }
        }
        if issue.is_some() && self.parameters.choice == Choice::Random {
            self.lfsr.advance();
        }
    }
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
    /// Port S: what the banks have read crosses to the collectors.
    fn receive(&mut self) {
        for bank in &self.banks {
            if let Some(data) = bank.arriving() {
                self.collectors[bank.collector.index()].receive(bank.slot as usize, data);
            }
        }
    }

    /// Under `dispatch_on_arrival` what arrives counts in its cycle. It comes from a register, whatever the inputs are,
    /// so that it may be received at once, and more than once.
    fn arrive(&mut self) {
        if self.parameters.dispatch_on_arrival {
            self.receive();
        }
    }

    /// The collector that is dispatched: those that are ready, and whose unit takes an instruction, take turns.
    fn dispatched(&self, unit_ready: u32) -> Option<usize> {
        let mut ready = 0;
        for (number, collector) in self.collectors.iter().enumerate() {
            let unit = collector.held().1;
            ready |= ((collector.is_ready() && unit_ready >> unit & 1 == 1) as u32) << number;
        }
        self.dispatch_turn.grant(ready)
    }

    /// The collector that can take an instruction in the cycle of its dispatch.
    fn leaving(&self, dispatched: Option<usize>) -> Option<usize> {
        dispatched.filter(|_| self.parameters.issue_on_dispatch)
    }

    /// Results of this cycle that enter a collector, and that are kept out of it; a bit per bank each.
    fn taken(&self, number: usize) -> (u8, u8) {
        let Decided { issue, results, .. } = &self.decided;
        if results.banks == 0 {
            return (0, 0);
        }
        let issue =
            issue.as_ref().filter(|(collector, ..)| collector.index() == number).map(|(_, issue, _)| issue);
        self.collectors[number].takes(issue, results, |of_warp| self.arbiter.filter(of_warp, results.near))
    }
}
