//! Reference model of the operand stage: F §II, §III-B and §VI-B, W §3.1.

use gpurf_hw::cells::Choice;
use gpurf_hw::dialect::{Clocked, Data};
use gpurf_hw::operand_stage::{OperandStageIn, OperandStageOut, OperandStageParameters, MAX_BANKS};
use gpurf_hw::register_file::ArbiterParameters;

use crate::cells::{Lfsr, RoundRobin};
use crate::collector::{Boc, BocIssue, Ccu, CcuIssue, DWrite, Ocu, Placement};
use crate::issue::Holders;
use crate::register_file::{Arbiter, Bank, Grants};
use crate::sub_core::PortR;

/// The collectors of a sub-core are all of one kind.
#[derive(Clone, Debug)]
enum Collectors<D: Data> {
    Ocu(Vec<Ocu<D>>),
    Ccu(Vec<Ccu<D>>),
    /// Warp w has collector w.
    Boc(Vec<Boc<D>>),
}

/// Collectors, arbiter and banks of one sub-core, built from their models.
#[derive(Clone, Debug)]
pub struct OperandStage<D: Data> {
    parameters: OperandStageParameters,
    collectors: Collectors<D>,
    arbiter: Arbiter,
    banks: Vec<Bank<D>>,
    dispatch_turn: RoundRobin,
    lfsr: Lfsr,
    /// Table entries of a caching collector, less one.
    entry_mask: u32,
    inputs: OperandStageIn<D>,
    decided: Decided,
}

/// What a cycle's `settle` found out and its clock edge carries through.
#[derive(Clone, Copy, Debug, Default)]
struct Decided {
    issue: Option<(usize, CcuIssue)>,
    /// Where a caching collector has the instruction's sources.
    placement: Placement,
    /// The instruction as a bypassing collector sees it, and which sources it has to read.
    bypassing: Option<(BocIssue, u8)>,
    grants: Grants,
    dispatch: Option<usize>,
    writes: u8,
}

impl<D: Data> OperandStage<D> {
    /// With operand collector units.
    pub fn baseline(parameters: OperandStageParameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Ocu::new(parameters.slots));
        Self::new(parameters, Collectors::Ocu(units.collect()), 1)
    }

    /// With caching collector units of 4, 8 or 16 entries.
    pub fn caching(entries: usize, parameters: OperandStageParameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Ccu::new(entries, parameters.ccu()));
        Self::new(parameters, Collectors::Ccu(units.collect()), entries)
    }

    /// With bypassing operand collectors, one for each warp.
    pub fn bypassing(parameters: OperandStageParameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Boc::new(parameters.boc()));
        Self::new(parameters, Collectors::Boc(units.collect()), 1)
    }

    fn new(parameters: OperandStageParameters, collectors: Collectors<D>, entries: usize) -> Self {
        let caching = matches!(collectors, Collectors::Ccu(_));
        let arbiter: ArbiterParameters = parameters.arbiter(caching);
        OperandStage {
            parameters,
            collectors,
            arbiter: Arbiter::new(arbiter),
            banks: (0..parameters.banks).map(|_| Bank::new(parameters.rows)).collect(),
            dispatch_turn: RoundRobin::new(parameters.collectors),
            lfsr: Lfsr::default(),
            entry_mask: entries as u32 - 1,
            inputs: OperandStageIn::default(),
            decided: Decided::default(),
        }
    }

    fn issue_of(&self, inputs: &OperandStageIn<D>) -> Option<(usize, CcuIssue)> {
        let collector = inputs.issue.iter().position(|issue| *issue)?;
        let mut issue =
            CcuIssue { warp: inputs.warp, unit: inputs.unit, payload: inputs.payload, ..CcuIssue::default() };
        for slot in 0..self.parameters.slots {
            issue.sources |= (inputs.source_valid[slot] as u8) << slot;
            issue.near |= (inputs.source_near[slot] as u8) << slot;
            issue.registers[slot] = inputs.source_register[slot] as u8;
        }
        Some((collector, issue))
    }

    fn boc_issue_of(&self, inputs: &OperandStageIn<D>) -> BocIssue {
        BocIssue::new(
            self.parameters.boc(),
            (inputs.unit, inputs.payload),
            (&inputs.source_valid, &inputs.source_register),
            (&inputs.destination_valid, &inputs.destination_register),
            inputs.flush,
        )
    }
}

impl<D: Data> PortR for OperandStage<D> {
    fn holders(&self) -> Holders {
        let mut holders = Holders::default();
        match &self.collectors {
            Collectors::Ocu(units) => {
                for (number, unit) in units.iter().enumerate() {
                    holders.occupied |= (unit.occupied as u8) << number;
                }
            }
            Collectors::Ccu(units) => {
                for (number, unit) in units.iter().enumerate() {
                    holders.occupied |= (unit.occupied as u8) << number;
                    holders.near |= (unit.holds_near() as u8) << number;
                    holders.owner[number] = unit.owner.map(|warp| warp as u8);
                }
            }
            Collectors::Boc(units) => {
                for (number, unit) in units.iter().enumerate() {
                    holders.occupied |= (unit.occupied as u8) << number;
                    holders.owner[number] = Some(number as u8);
                }
            }
        }
        holders
    }
}

impl<D: Data> Clocked for OperandStage<D> {
    type In = OperandStageIn<D>;
    type Out = OperandStageOut<D>;

    fn settle(&mut self, inputs: &OperandStageIn<D>) -> OperandStageOut<D> {
        self.inputs = *inputs;
        let mut out = OperandStageOut::default();
        let banks = self.parameters.banks;
        let mut decided = Decided { issue: self.issue_of(inputs), ..Decided::default() };
        let mut near_writes = 0;
        for bank in 0..banks {
            decided.writes |= (inputs.write_valid[bank] as u8) << bank;
            near_writes |= (inputs.write_near[bank] as u8) << bank;
        }

        // Dispatch: the ready ones whose unit is free take turns.
        let mut ready = 0;
        match &self.collectors {
            Collectors::Ocu(units) => {
                for (number, unit) in units.iter().enumerate() {
                    out.collector_occupied[number] = unit.occupied;
                    out.collector_warp[number] = unit.warp;
                    ready |= ((unit.is_ready() && inputs.unit_ready >> unit.unit & 1 == 1) as u32) << number;
                }
            }
            Collectors::Ccu(units) => {
                for (number, unit) in units.iter().enumerate() {
                    out.collector_occupied[number] = unit.occupied;
                    out.collector_owned[number] = unit.owner.is_some();
                    out.collector_warp[number] = unit.owner.unwrap_or(0);
                    out.collector_near[number] = unit.holds_near();
                    ready |= ((unit.is_ready() && inputs.unit_ready >> unit.unit & 1 == 1) as u32) << number;
                }
            }
            Collectors::Boc(units) => {
                for (number, unit) in units.iter().enumerate() {
                    out.collector_occupied[number] = unit.occupied;
                    out.collector_owned[number] = true;
                    out.collector_warp[number] = number as u32;
                    ready |= ((unit.is_ready() && inputs.unit_ready >> unit.unit & 1 == 1) as u32) << number;
                }
            }
        }
        decided.dispatch = self.dispatch_turn.grant(ready);
        if let Some(number) = decided.dispatch {
            out.dispatch[number] = true;
            for slot in 0..self.parameters.slots {
                let operand = match &self.collectors {
                    Collectors::Ocu(units) => {
                        (units[number].valid >> slot & 1 == 1).then(|| units[number].data[slot])
                    }
                    Collectors::Ccu(units) => {
                        (units[number].valid >> slot & 1 == 1).then(|| units[number].operand(slot))
                    }
                    Collectors::Boc(units) => units[number].operand(slot).flatten(),
                };
                out.operand_valid[slot] = operand.is_some();
                out.operand_data[slot] = operand.unwrap_or_default();
            }
            (out.dispatch_warp, out.dispatch_unit, out.dispatch_payload) = match &self.collectors {
                Collectors::Ocu(units) => (units[number].warp, units[number].unit, units[number].payload),
                Collectors::Ccu(units) => {
                    (out.collector_warp[number], units[number].unit, units[number].payload)
                }
                Collectors::Boc(units) => (number as u32, units[number].unit, units[number].payload),
            };
        }

        // Banks: writes first, then the queues.
        decided.grants = self.arbiter.grants(decided.writes);
        for bank in 0..banks {
            out.bank_read[bank] = decided.grants.banks >> bank & 1 == 1;
            out.bank_conflict[bank] = !out.bank_read[bank] && !self.arbiter.queues[bank].waiting.is_empty();
        }

        if let Collectors::Ccu(units) = &self.collectors {
            if let Some((number, issue)) = &decided.issue {
                decided.placement = units[*number].look_up(issue);
                for slot in 0..self.parameters.slots {
                    out.hit[slot] = decided.placement.hit >> slot & 1 == 1;
                }
            }
            if decided.writes != 0 {
                for unit in units {
                    let of_warp = writes_of(inputs, decided.writes, unit.owner);
                    let (cached, filtered) = self.arbiter.filter(of_warp, near_writes);
                    for bank in 0..banks {
                        out.write_cached[bank] |= cached >> bank & 1 == 1;
                        out.write_filtered[bank] |= filtered >> bank & 1 == 1;
                    }
                }
            }
        }
        if let Collectors::Boc(units) = &self.collectors {
            let issue = decided.issue.as_ref().map(|(number, _)| (*number, self.boc_issue_of(inputs)));
            if let Some((number, issue)) = &issue {
                let found = units[*number].look_up(issue);
                out.hit = found.map(|value| value.is_some());
                decided.bypassing = Some((*issue, Boc::requests(issue, &found)));
            }
            for bank in (0..banks).filter(|bank| decided.writes >> bank & 1 == 1) {
                let warp = inputs.write_warp[bank] as usize;
                let Some(unit) = units.get(warp) else { continue };
                let issue = issue.as_ref().filter(|(number, _)| *number == warp).map(|(_, issue)| issue);
                out.write_cached[bank] = unit.awaits(issue, inputs.write_register[bank] as u8);
                out.write_filtered[bank] = !out.write_cached[bank];
            }
        }
        self.decided = decided;
        out
    }

    fn tick(&mut self) {
        let Decided { issue, placement, bypassing, grants, dispatch, writes } = self.decided;
        let (inputs, banks) = (self.inputs, self.parameters.banks);

        // Port S.
        for bank in 0..banks {
            if let Some(data) = self.banks[bank].arriving() {
                let (number, slot) = (self.banks[bank].collector as usize, self.banks[bank].slot as usize);
                match &mut self.collectors {
                    Collectors::Ocu(units) => units[number].receive(slot, data),
                    Collectors::Ccu(units) => units[number].receive(slot, data),
                    Collectors::Boc(units) => units[number].receive(slot, data),
                }
            }
        }

        // Banks.
        for bank in 0..banks {
            let write = (writes >> bank & 1 == 1).then(|| {
                let (base, register) = (inputs.write_base[bank], inputs.write_register[bank]);
                (self.arbiter.home(0, base, register).1 as usize, inputs.write_data[bank])
            });
            let read = (grants.banks >> bank & 1 == 1).then(|| {
                let head = self.arbiter.queues[bank].waiting[0];
                (head.row as usize, head.collector, head.slot)
            });
            self.banks[bank].edge(write, read);
        }
        self.arbiter.take(&grants);

        // Allocation, and results.
        let requests = match &self.collectors {
            Collectors::Ocu(_) => issue.map_or(0, |(_, issue)| issue.sources),
            Collectors::Ccu(_) => placement.request,
            Collectors::Boc(_) => bypassing.map_or(0, |(_, requests)| requests),
        };
        match &mut self.collectors {
            Collectors::Ocu(units) => {
                if let Some((number, issue)) = &issue {
                    units[*number].issue(issue.warp, issue.unit, issue.payload, issue.sources);
                }
            }
            Collectors::Ccu(units) => {
                let random = self.lfsr.value() as u32 & self.entry_mask;
                let near = (0..banks).map(|bank| (inputs.write_near[bank] as u8) << bank).sum();
                for (number, unit) in units.iter_mut().enumerate() {
                    let of_warp = writes_of(&inputs, writes, unit.owner);
                    let issue = issue.as_ref().filter(|issue| issue.0 == number);
                    let issue = issue.map(|(_, issue)| (issue, placement));
                    if issue.is_none() && of_warp == 0 {
                        continue;
                    }
                    let (cached, filtered) = self.arbiter.filter(of_warp, near);
                    // The lowest bank's result goes to port 0, the next one's to port 1.
                    let of_port = [cached & cached.wrapping_neg(), cached & cached.wrapping_sub(1)];
                    let results = of_port.map(|mask| {
                        let bank = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
                        Some(DWrite {
                            register: inputs.write_register[bank] as u8,
                            near: inputs.write_near[bank],
                            data: inputs.write_data[bank],
                        })
                    });
                    let mut kept_out = [0; MAX_BANKS];
                    let mut count = 0;
                    for bank in (0..banks).filter(|bank| filtered >> bank & 1 == 1) {
                        kept_out[count] = inputs.write_register[bank] as u8;
                        count += 1;
                    }
                    unit.update(issue, results, &kept_out[..count], random);
                }
                if issue.is_some() && self.parameters.choice == Choice::Random {
                    self.lfsr.advance();
                }
            }
            Collectors::Boc(units) => {
                let entered = issue.as_ref().map(|(number, _)| *number);
                if let (Some(number), Some((issue, _))) = (entered, &bypassing) {
                    units[number].issue(issue);
                }
                for bank in (0..banks).filter(|bank| writes >> bank & 1 == 1) {
                    let (warp, register) = (inputs.write_warp[bank] as usize, inputs.write_register[bank]);
                    if let Some(unit) = units.get_mut(warp) {
                        unit.write(register as u8, inputs.write_data[bank], entered == Some(warp));
                    }
                }
            }
        }
        if let Some((number, issue)) = &issue {
            for slot in (0..self.parameters.slots).filter(|slot| requests >> slot & 1 == 1) {
                let register = issue.registers[slot] as u32;
                self.arbiter.request(*number, slot, issue.warp, inputs.base, register);
            }
        }

        // Dispatch.
        if let Some(number) = dispatch {
            self.dispatch_turn.advance(number);
            match &mut self.collectors {
                Collectors::Ocu(units) => units[number].dispatch(),
                Collectors::Ccu(units) => units[number].dispatch(),
                Collectors::Boc(units) => units[number].dispatch(),
            }
        }
    }
}

/// Of the writes of a cycle, those of a collector's warp; a bit per bank.
fn writes_of<D: Data>(inputs: &OperandStageIn<D>, writes: u8, owner: Option<u32>) -> u8 {
    let Some(owner) = owner else { return 0 };
    (0..MAX_BANKS as u8)
        .filter(|bank| writes >> bank & 1 == 1 && inputs.write_warp[*bank as usize] == owner)
        .fold(0, |all, bank| all | 1 << bank)
}
