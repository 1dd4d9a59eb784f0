//! Reference model of the operand stage: F §II, §III-B and §VI-B, W §3.1.

use gpurf_blocks::{Choice, Clocked, Data, Parameters, MAX_BANKS};
use gpurf_hw::operand_stage::{OperandStageIn, OperandStageOut};

use crate::bits::{all, mask, members};
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
    parameters: Parameters,
    collectors: Collectors<D>,
    arbiter: Arbiter,
    banks: Vec<Bank<D>>,
    dispatch_turn: RoundRobin,
    lfsr: Lfsr,
    /// Table entries of a caching collector, less one.
    entry_mask: u32,
    decided: Decided<D>,
}

/// What a cycle's `settle` found out and its clock edge carries through.
#[derive(Clone, Copy, Debug, Default)]
struct Decided<D> {
    /// The collector that an instruction enters, the instruction, and its warp's first row.
    issue: Option<(usize, CcuIssue, u32)>,
    /// Where a caching collector has the instruction's sources.
    placement: Placement,
    /// The instruction as a bypassing collector sees it, and which sources it has to read.
    bypassing: Option<(BocIssue, u8)>,
    grants: Grants,
    dispatch: Option<usize>,
    writes: Writes<D>,
}

/// What is written into the banks in a cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Writes<D> {
    /// A bit per bank: there is a write; if so, whether its value is read soon.
    banks: u8,
    near: u8,
    warp: [u32; MAX_BANKS],
    base: [u32; MAX_BANKS],
    register: [u32; MAX_BANKS],
    data: [D; MAX_BANKS],
}

impl<D: Data> Writes<D> {
    fn new(inputs: &OperandStageIn<D>, banks: usize) -> Self {
        Writes {
            banks: mask(&inputs.write_valid) & all(banks),
            near: mask(&inputs.write_near),
            warp: inputs.write_warp,
            base: inputs.write_base,
            register: inputs.write_register,
            data: inputs.write_data,
        }
    }

    /// Banks that are written, lowest first.
    fn banks(&self) -> impl Iterator<Item = usize> {
        members(self.banks)
    }

    /// Those of them with writes of a collector's warp; a bit per bank.
    fn of(&self, owner: Option<u32>) -> u8 {
        let Some(owner) = owner else { return 0 };
        self.banks().filter(|&bank| self.warp[bank] == owner).fold(0, |all, bank| all | 1 << bank)
    }
}

impl<D: Data> OperandStage<D> {
    /// With operand collector units.
    pub fn baseline(parameters: &Parameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Ocu::new(parameters));
        Self::new(parameters, Collectors::Ocu(units.collect()))
    }

    /// With caching collector units.
    pub fn caching(parameters: &Parameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Ccu::new(parameters));
        Self::new(parameters, Collectors::Ccu(units.collect()))
    }

    /// With bypassing operand collectors, one for each warp.
    pub fn bypassing(parameters: &Parameters) -> Self {
        let units = (0..parameters.collectors).map(|_| Boc::new(parameters));
        Self::new(parameters, Collectors::Boc(units.collect()))
    }

    fn new(parameters: &Parameters, collectors: Collectors<D>) -> Self {
        let caching = matches!(collectors, Collectors::Ccu(_));
        OperandStage {
            parameters: *parameters,
            collectors,
            arbiter: Arbiter::new(parameters, caching),
            banks: (0..parameters.banks).map(|_| Bank::new(parameters)).collect(),
            dispatch_turn: RoundRobin::new(parameters.collectors),
            lfsr: Lfsr::default(),
            entry_mask: parameters.entries as u32 - 1,
            decided: Decided::default(),
        }
    }

    fn issue_of(&self, inputs: &OperandStageIn<D>) -> Option<(usize, CcuIssue, u32)> {
        let collector = inputs.issue.iter().position(|issue| *issue)?;
        let issue = CcuIssue {
            warp: inputs.warp,
            unit: inputs.unit,
            payload: inputs.payload,
            sources: mask(&inputs.source_valid) & all(self.parameters.slots),
            near: mask(&inputs.source_near),
            registers: inputs.source_register.map(|register| register as u8),
        };
        Some((collector, issue, inputs.base))
    }

    fn boc_issue_of(&self, inputs: &OperandStageIn<D>) -> BocIssue {
        BocIssue::new(
            &self.parameters,
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
        let mut out = OperandStageOut::default();
        let banks = self.parameters.banks;
        let issue = self.issue_of(inputs);
        let writes = Writes::new(inputs, banks);
        let (mut placement, mut bypassing) = (Placement::default(), None);

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
        let dispatch = self.dispatch_turn.grant(ready);
        if let Some(number) = dispatch {
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
        let grants = self.arbiter.grants(writes.banks);
        for bank in 0..banks {
            out.bank_read[bank] = grants.banks >> bank & 1 == 1;
            out.bank_conflict[bank] = !out.bank_read[bank] && !self.arbiter.queues[bank].waiting.is_empty();
        }

        if let Collectors::Ccu(units) = &self.collectors {
            if let Some((number, issue, _)) = &issue {
                placement = units[*number].look_up(issue);
                for slot in 0..self.parameters.slots {
                    out.hit[slot] = placement.hit >> slot & 1 == 1;
                }
            }
            if writes.banks != 0 {
                for unit in units {
                    let (cached, filtered) = self.arbiter.filter(writes.of(unit.owner), writes.near);
                    for bank in 0..banks {
                        out.write_cached[bank] |= cached >> bank & 1 == 1;
                        out.write_filtered[bank] |= filtered >> bank & 1 == 1;
                    }
                }
            }
        }
        if let Collectors::Boc(units) = &self.collectors {
            let issue = issue.as_ref().map(|(number, ..)| (*number, self.boc_issue_of(inputs)));
            if let Some((number, issue)) = &issue {
                let found = units[*number].look_up(issue);
                out.hit = found.map(|value| value.is_some());
                bypassing = Some((*issue, Boc::requests(issue, &found)));
            }
            for bank in writes.banks() {
                let warp = inputs.write_warp[bank] as usize;
                let Some(unit) = units.get(warp) else { continue };
                let issue = issue.as_ref().filter(|(number, _)| *number == warp).map(|(_, issue)| issue);
                out.write_cached[bank] = unit.awaits(issue, inputs.write_register[bank] as u8);
                out.write_filtered[bank] = !out.write_cached[bank];
            }
        }
        self.decided = Decided { issue, placement, bypassing, grants, dispatch, writes };
        out
    }

    fn tick(&mut self) {
        let Decided { issue, placement, bypassing, grants, dispatch, writes } = &self.decided;
        let banks = self.parameters.banks;

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
            let write = (writes.banks >> bank & 1 == 1).then(|| {
                let row = self.arbiter.home(0, writes.base[bank], writes.register[bank]).1;
                (row as usize, writes.data[bank])
            });
            let read = (grants.banks >> bank & 1 == 1).then(|| {
                let head = self.arbiter.queues[bank].waiting[0];
                (head.row as usize, head.collector, head.slot)
            });
            self.banks[bank].edge(write, read);
        }
        self.arbiter.take(grants);

        // Allocation, and results.
        let requests = match &self.collectors {
            Collectors::Ocu(_) => issue.as_ref().map_or(0, |(_, issue, _)| issue.sources),
            Collectors::Ccu(_) => placement.request,
            Collectors::Boc(_) => bypassing.as_ref().map_or(0, |(_, requests)| *requests),
        };
        match &mut self.collectors {
            Collectors::Ocu(units) => {
                if let Some((number, issue, _)) = issue {
                    units[*number].issue(issue.warp, issue.unit, issue.payload, issue.sources);
                }
            }
            Collectors::Ccu(_) if issue.is_none() && writes.banks == 0 => {}
            Collectors::Ccu(units) => {
                let random = self.lfsr.value() as u32 & self.entry_mask;
                for (number, unit) in units.iter_mut().enumerate() {
                    let of_warp = writes.of(unit.owner);
                    let issue = issue.as_ref().filter(|issue| issue.0 == number);
                    let issue = issue.map(|(_, issue, _)| (issue, *placement));
                    if issue.is_none() && of_warp == 0 {
                        continue;
                    }
                    let (cached, filtered) = self.arbiter.filter(of_warp, writes.near);
                    // The lowest bank's result goes to port 0, the next one's to port 1.
                    let of_port = [cached & cached.wrapping_neg(), cached & cached.wrapping_sub(1)];
                    let results = of_port.map(|mask| {
                        let bank = (mask != 0).then(|| mask.trailing_zeros() as usize)?;
                        Some(DWrite {
                            register: writes.register[bank] as u8,
                            near: writes.near >> bank & 1 == 1,
                            data: writes.data[bank],
                        })
                    });
                    let mut kept_out = [0; MAX_BANKS];
                    let mut count = 0;
                    for bank in members(filtered) {
                        kept_out[count] = writes.register[bank] as u8;
                        count += 1;
                    }
                    unit.update(issue, results, &kept_out[..count], random);
                }
                if issue.is_some() && self.parameters.choice == Choice::Random {
                    self.lfsr.advance();
                }
            }
            Collectors::Boc(units) => {
                let entered = issue.as_ref().map(|(number, ..)| *number);
                if let (Some(number), Some((issue, _))) = (entered, bypassing) {
                    units[number].issue(issue);
                }
                for bank in writes.banks() {
                    let warp = writes.warp[bank] as usize;
                    if let Some(unit) = units.get_mut(warp) {
                        unit.write(writes.register[bank] as u8, writes.data[bank], entered == Some(warp));
                    }
                }
            }
        }
        if let Some((number, issue, base)) = issue {
            for slot in members(requests) {
                self.arbiter.request(*number, slot, issue.warp, *base, issue.registers[slot].into());
            }
        }

        // Dispatch.
        if let Some(number) = *dispatch {
            self.dispatch_turn.advance(number);
            match &mut self.collectors {
                Collectors::Ocu(units) => units[number].dispatch(),
                Collectors::Ccu(units) => units[number].dispatch(),
                Collectors::Boc(units) => units[number].dispatch(),
            }
        }
    }
}
