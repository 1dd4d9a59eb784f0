//! Reference model of the operand stage: F §II, §III-B and §VI-B, W §3.1.

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::{Choice, Clocked, Data, Parameters};

use crate::bits::members;
use crate::cells::{Lfsr, RoundRobin};
use crate::collector::{Collector, Edge, Issue, Placement, Results};
use crate::issue::Holders;
use crate::register_file::{Arbiter, Bank, Grants};
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
    /// The collector that an instruction enters, the instruction, what it found, and its warp's first row.
    issue: Option<(usize, Issue, Placement, u32)>,
    grants: Grants,
    dispatch: Option<usize>,
    results: Results<D>,
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
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
    fn holders(&self) -> Holders {
        let mut holders = Holders::default();
        for (number, collector) in self.collectors.iter().enumerate() {
            holders.occupied |= (collector.is_occupied() as u8) << number;
            holders.near |= (collector.holds_near() as u8) << number;
            holders.owner[number] = collector.owner().map(|warp| warp as u8);
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

        // Dispatch: the ready ones whose unit is free take turns.
        let mut ready = 0;
        for (number, collector) in self.collectors.iter().enumerate() {
            let (warp, unit, _) = collector.held();
            out.collector_occupied[number] = collector.is_occupied();
            out.collector_warp[number] = warp;
            out.collector_owned[number] = collector.owner().is_some();
            out.collector_near[number] = collector.holds_near();
            ready |= ((collector.is_ready() && inputs.unit_ready >> unit & 1 == 1) as u32) << number;
        }
        let dispatch = self.dispatch_turn.grant(ready);
        if let Some(number) = dispatch {
            out.dispatch[number] = true;
            for slot in 0..self.parameters.slots {
                let operand = self.collectors[number].operand(slot);
                out.operand_valid[slot] = operand.is_some();
                out.operand_data[slot] = operand.unwrap_or_default();
            }
            (out.dispatch_warp, out.dispatch_unit, out.dispatch_payload) = self.collectors[number].held();
        }

        // Banks: writes first, then the queues.
        let grants = self.arbiter.grants(results.banks);
        for bank in 0..self.parameters.banks {
            out.bank_read[bank] = grants.banks >> bank & 1 == 1;
            out.bank_conflict[bank] = !out.bank_read[bank] && !self.arbiter.queues[bank].waiting.is_empty();
        }

        let issue = Issue::at_stage(inputs, &self.parameters).map(|(number, issue)| {
            let placement = self.collectors[number].look_up(&issue);
            (number, issue, placement, inputs.base)
        });
        if let Some((_, _, placement, _)) = &issue {
            for slot in 0..self.parameters.slots {
                out.hit[slot] = placement.hit >> slot & 1 == 1;
            }
        }
        self.decided = Decided { issue, grants, dispatch, results };
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
        let Decided { issue, grants, dispatch, results } = self.decided;

        // Port S.
        for bank in &self.banks {
            if let Some(data) = bank.arriving() {
                self.collectors[bank.collector as usize].receive(bank.slot as usize, data);
            }
        }

        // Banks.
        for bank in 0..self.parameters.banks {
            let write = (results.banks >> bank & 1 == 1).then(|| {
                let row = self.arbiter.home(0, results.base[bank], results.register[bank]).1;
                (row as usize, results.data[bank])
            });
            let read = (grants.banks >> bank & 1 == 1).then(|| {
                let head = self.arbiter.queues[bank].waiting[0];
                (head.row as usize, head.collector, head.slot)
            });
            self.banks[bank].edge(write, read);
        }
        self.arbiter.take(&grants);

        // Allocation, and results.
        if issue.is_some() || results.banks != 0 {
            let random = self.lfsr.value() as u32;
            for number in 0..self.collectors.len() {
                let (cached, filtered) = self.taken(number);
                let entering = issue.as_ref().filter(|(collector, ..)| *collector == number);
                let issue = entering.map(|(_, issue, placement, _)| (issue, *placement));
                let edge = Edge { issue, results: &results, cached, filtered, random };
                self.collectors[number].update(&edge);
            }
        }
        if let Some((number, issue, placement, base)) = &issue {
            if self.parameters.choice == Choice::Random {
                self.lfsr.advance();
            }
            for slot in members(placement.request) {
                self.arbiter.request(*number, slot, issue.warp, *base, issue.registers[slot].into());
            }
        }

        // Dispatch.
        if let Some(number) = dispatch {
            self.dispatch_turn.advance(number);
            self.collectors[number].dispatch();
        }
    }
}

impl<D: Data, K: Collector<D>> OperandStage<D, K> {
    /// Results of this cycle that enter a collector, and that are kept out of it; a bit per bank each.
    fn taken(&self, number: usize) -> (u8, u8) {
        let Decided { issue, results, .. } = &self.decided;
        if results.banks == 0 {
            return (0, 0);
        }
        let issue = issue.as_ref().filter(|(collector, ..)| *collector == number).map(|(_, issue, ..)| issue);
        self.collectors[number].takes(issue, results, |of_warp| self.arbiter.filter(of_warp, results.near))
    }
}
