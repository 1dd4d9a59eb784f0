// SPDX-License-Identifier: Apache-2.0
//! Stimulus of the operand stage, with an oracle for the values it delivers.

use std::collections::{HashMap, VecDeque};

use gpurf_blocks::ports::{OperandStageIn, OperandStageOut};
use gpurf_blocks::{Allocation, Clocked, Data, Parameters, MAX_COLLECTORS, MAX_WARPS};
use gpurf_sim::collector::Collector;
use gpurf_sim::operand_stage::OperandStage;

use crate::crowd::Crowd;
use crate::heads::{self, Places};
use crate::transfers::{check_transfer, offer, Transfers};
use crate::{Random, Stimulus};

/// Instructions and results of eight warps under the rules of an issue stage: a collector takes one
/// instruction at a time, a warp has values in at most one caching collector, and no register changes
/// while an instruction in a collector reads it. In phases few warps keep their collectors, whose tables
/// fill, and all that is read is near.
///
/// The oracle knows the last value written to every register, and checks every operand of every
/// dispatched instruction against it.
///
/// A model beside the engines stands for port R: it says which collectors can take an instruction in a cycle.
pub struct OperandStageStimulus<D: Data, K> {
    parameters: Parameters,
    allocation: Allocation,
    model: OperandStage<D, K>,
    /// Collectors that can take no instruction in this cycle.
    occupied: [bool; MAX_COLLECTORS],
    serial: u32,
    collectors: Vec<Held>,
    values: HashMap<(u32, u32), D>,
    transfers: Transfers<D>,
    crowd: Crowd,
    /// Registers that a collector may have of each warp, instruction by instruction, counted from its
    /// lowest register. Where destinations are kept, they are those of the window; elsewhere, those that
    /// were read last.
    recent: Vec<VecDeque<Vec<u32>>>,
    /// The warps of this phase: so many from this one on.
    first: usize,
    warps: usize,
    /// For a hundred values, those that are near.
    near: usize,
    /// Known when the run has begun.
    places: Option<Places>,
}

/// The instruction in a collector: warp, payload and the register of each slot.
#[derive(Clone, Debug, Default)]
struct Held {
    occupied: bool,
    owner: Option<u32>,
    payload: u32,
    sources: Vec<Option<u32>>,
}

impl<D: Data, K: Collector<D>> OperandStageStimulus<D, K> {
    pub fn new(parameters: Parameters, allocation: Allocation) -> Self {
        // A stage is the same for any number of warps, but where each has a collector of its own.
        let warps = if allocation == Allocation::Private { parameters.collectors } else { MAX_WARPS };
        let parameters = Parameters { warps, ..parameters };
        let collectors = vec![Held::default(); parameters.collectors];
        let model = OperandStage::new(&parameters);
        let (occupied, values) = ([false; MAX_COLLECTORS], HashMap::new());
        let transfers = Transfers::new(parameters.transfer_ports);
        let crowd = Crowd::new(parameters.banks);
        OperandStageStimulus {
            parameters,
            allocation,
            model,
            occupied,
            serial: 0,
            collectors,
            values,
            transfers,
            crowd,
            recent: vec![VecDeque::new(); warps],
            first: 0,
            warps: MAX_WARPS,
            near: 60,
            places: None,
        }
    }

    fn base(&self, warp: u32) -> u32 {
        self.places.expect("the run has begun").base(warp as usize)
    }

    fn lowest(&self, warp: u32) -> u32 {
        self.places.expect("the run has begun").lowest(warp as usize)
    }

    fn new_phase(&mut self, random: &mut Random) {
        self.first = random.below(self.parameters.warps);
        self.warps = random.pick(&[2, 3, self.parameters.warps]);
        self.near = random.pick(&[20, 60, 100]);
    }

    /// Mostly two of them, so that they contend. A crowd is of all.
    fn warp(&self, random: &mut Random) -> u32 {
        let all = self.parameters.warps;
        let warps = if self.crowd.gathers() { all } else { random.pick(&[2, self.warps]).min(all) };
        ((self.first + random.below(warps)) % self.parameters.warps) as u32
    }

    /// Now and then, what a collector may have of the warp: where it is what late instructions write, the
    /// next ones read it from the window.
    fn late(&self, warp: u32, random: &mut Random) -> Option<u32> {
        let recent = &self.recent[warp as usize];
        if recent.is_empty() || random.percent(50) {
            return None;
        }
        let instruction = &recent[random.below(recent.len())];
        (!instruction.is_empty()).then(|| random.pick(instruction))
    }

    /// The warp in whose row a register lies.
    fn lender(&self, warp: u32, register: u32) -> u32 {
        heads::lender(&self.parameters, warp, register)
    }

    fn keeps_destinations(&self) -> bool {
        self.allocation == Allocation::Private
    }

    fn registers(&self) -> usize {
        heads::registers(&self.parameters)
    }

    /// Where the next instruction of a warp may go.
    fn collector_for(&self, warp: u32, random: &mut Random) -> Option<usize> {
        let own = match self.allocation {
            Allocation::AnyFree => None,
            Allocation::OwnElseAnyFree | Allocation::OwnElseLru | Allocation::Malekeh => {
                self.collectors.iter().position(|held| held.owner == Some(warp))
            }
            Allocation::Private => Some(warp as usize),
        };
        if let Some(own) = own {
            return (!self.occupied[own]).then_some(own);
        }
        let start = random.below(self.collectors.len());
        let around = (0..self.collectors.len()).map(|k| (start + k) % self.collectors.len());
        around.into_iter().find(|number| !self.occupied[*number])
    }

    fn is_read(&self, warp: u32, register: u32) -> bool {
        let mut held = self.collectors.iter().filter(|held| held.occupied && held.owner == Some(warp));
        held.any(|held| held.sources.contains(&Some(register)))
    }
}

impl<D: Data, K: Collector<D>> Stimulus<OperandStageIn<D>, OperandStageOut<D>>
    for OperandStageStimulus<D, K>
{
    fn next(&mut self, random: &mut Random) -> OperandStageIn<D> {
        let mut inputs = OperandStageIn::<D>::default();
        self.places.get_or_insert_with(|| Places::draw(self.parameters, random));
        self.crowd.advance(random);
        if random.below(200) == 199 {
            self.new_phase(random);
        }
        // Few registers most of the time, and some twice in an instruction: hits, repeated use and bank
        // conflicts.
        let range = random.pick(&[6, 12, self.registers()]).min(self.registers());
        let warp = self.warp(random);
        inputs.warp = warp;
        inputs.base = self.base(warp);
        inputs.unit = random.below(8) as u32;
        inputs.payload = heads::payload(self.serial);
        inputs.unit_ready = random.below(256) as u32 | random.below(256) as u32;
        let sources = random.below(self.parameters.slots + 1);
        for slot in 0..self.parameters.slots {
            let crowded = self.crowd.source(warp, slot, self.registers());
            let late = if self.keeps_destinations() { self.late(warp, random) } else { None };
            let register = crowded.or(late).unwrap_or(random.below(range) as u32);
            inputs.source_valid[slot] = crowded.is_some() || random.below(self.parameters.slots) < sources;
            let repeated = crowded.is_none() && slot > 0 && random.percent(20);
            inputs.source_register[slot] = match repeated {
                true => inputs.source_register[random.below(slot)],
                false => self.lowest(warp) + register,
            };
            inputs.source_near[slot] = random.percent(self.near);
            let lender = self.lender(warp, inputs.source_register[slot]);
            if lender != warp {
                inputs.lender_valid[slot] = true;
                (inputs.lender_warp[slot], inputs.lender_base[slot]) = (lender, self.base(lender));
            }
        }
        self.occupied = self.model.settle(&inputs).collector_occupied;
        if let Some(collector) = self.collector_for(warp, random).filter(|_| random.percent(80)) {
            inputs.issue[collector] = true;
        }
        if self.keeps_destinations() {
            for slot in 0..self.parameters.destinations {
                inputs.destination_valid[slot] = random.percent(60);
                inputs.destination_register[slot] = self.lowest(warp) + random.below(range) as u32;
            }
        }
        inputs.flush = random.percent(10);
        let issued = inputs.issue.contains(&true);
        for bank in 0..self.parameters.banks {
            // Results come in the cycle, too, in which what waits for them slides out.
            let warp = if issued && random.percent(20) { inputs.warp } else { self.warp(random) };
            let writes = self.crowd.writes(bank);
            let range = if writes { self.registers() } else { range };
            let written = self.late(warp, random).filter(|_| !writes);
            let written = written.unwrap_or_else(|| self.crowd.written(bank, warp, random.below(range)));
            let register = self.lowest(warp) + written;
            let banks = self.parameters.banks as u32;
            let lender = self.lender(warp, register);
            let lives_here = (register + 1 + lender) % banks == bank as u32;
            let issued_reads = issued
                && warp == inputs.warp
                && (0..self.parameters.slots)
                    .any(|slot| inputs.source_valid[slot] && inputs.source_register[slot] == register);
            inputs.write_valid[bank] = lives_here
                && !issued_reads
                && !self.is_read(warp, register)
                && (writes || random.percent(60));
            inputs.write_warp[bank] = warp;
            inputs.write_register[bank] = register;
            inputs.write_base[bank] = self.base(lender);
            inputs.write_near[bank] = random.percent(self.near);
            inputs.write_data[bank] = random.data();
        }
        let warp = self.warp(random);
        let leaves = (warp, self.lowest(warp) + random.below(range) as u32);
        let parameters = self.parameters;
        let lender = |warp, register| heads::lender(&parameters, warp, register);
        offer!(self.transfers, inputs, random, leaves, lender, |warp| self.base(warp));
        inputs
    }

    fn observe(&mut self, inputs: &OperandStageIn<D>, outputs: &OperandStageOut<D>) -> Result<(), String> {
        for (number, held) in self.collectors.iter_mut().enumerate() {
            let leaves = outputs.dispatch[number] && self.parameters.issue_on_dispatch;
            if outputs.collector_occupied[number] != (held.occupied && !leaves) {
                return Err(format!("collector {number}: occupied should be {}", held.occupied && !leaves));
            }
            if !outputs.dispatch[number] {
                continue;
            }
            if !held.occupied || outputs.dispatch_payload != held.payload {
                return Err(format!("collector {number} dispatches what was not issued to it"));
            }
            let warp = held.owner.expect("an occupied collector has an owner");
            for (slot, register) in held.sources.iter().enumerate() {
                let expected = register.map(|r| self.values.get(&(warp, r)).copied().unwrap_or_default());
                let found = outputs.operand_valid[slot].then_some(outputs.operand_data[slot]);
                if expected != found {
                    return Err(format!(
                        "collector {number}, warp {warp}, slot {slot}, register {register:?}: \
                         {found:?} instead of {expected:?}"
                    ));
                }
            }
            held.occupied = false;
        }
        check_transfer!(self.transfers, outputs, self.values);
        self.model.settle(inputs);
        self.model.tick();
        if let Some(number) = inputs.issue.iter().position(|issue| *issue) {
            let source = |slot: usize| inputs.source_valid[slot].then_some(inputs.source_register[slot]);
            self.collectors[number] = Held {
                occupied: true,
                owner: Some(inputs.warp),
                payload: inputs.payload,
                sources: (0..self.parameters.slots).map(source).collect(),
            };
            let lowest = self.lowest(inputs.warp);
            let Parameters { window, entries, .. } = self.parameters;
            let named = |valid: &[bool], registers: &[u32]| -> Vec<u32> {
                let named = registers.iter().zip(valid).filter(|(_, valid)| **valid);
                named.map(|(register, _)| register - lowest).collect()
            };
            let keeps_destinations = self.keeps_destinations();
            let recent = &mut self.recent[inputs.warp as usize];
            recent.push_back(match keeps_destinations {
                true => named(&inputs.destination_valid, &inputs.destination_register),
                false => named(&inputs.source_valid, &inputs.source_register),
            });
            while match keeps_destinations {
                true => recent.len() > window,
                false => recent.iter().map(Vec::len).sum::<usize>() > entries,
            } {
                recent.pop_front();
            }
            self.serial += 1;
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            let register = (inputs.write_warp[bank], inputs.write_register[bank]);
            self.values.insert(register, inputs.write_data[bank]);
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        self.transfers.coverage()
    }
}
