// SPDX-License-Identifier: Apache-2.0
//! Stimulus of the sub-core, with an oracle for the values it delivers.

use std::collections::HashMap;

use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Data, IssueLatch, Parameters, UNITS};

use crate::heads::{self, present, Heads};
use crate::transfers::{check_transfer, offer, Transfers};
use crate::{Random, Stimulus};

/// The instruction in a collector.
#[derive(Clone, Debug, Default)]
struct Held {
    warp: usize,
    payload: u32,
    sources: Vec<Option<u32>>,
}

/// Warps that are ready at random, and results that change no register that an instruction in a
/// collector, or one that may issue in this cycle, reads.
///
/// The oracle knows the last value written to every register, and checks every operand of every
/// dispatched instruction against it.
pub struct SubCoreStimulus<D: Data> {
    parameters: Parameters,
    heads: Heads,
    collectors: Vec<Option<Held>>,
    /// Instructions in latches, by unit.
    latched: [Option<Held>; UNITS],
    values: HashMap<(u32, u32), D>,
    /// Registers that each warp has read last.
    recent: Vec<Vec<u32>>,
    issued: Option<usize>,
    transfers: Transfers<D>,
}

impl<D: Data> SubCoreStimulus<D> {
    pub fn new(parameters: Parameters) -> Self {
        let collectors = vec![None; parameters.collectors];
        let heads = Heads::new(parameters);
        let transfers = Transfers::new(parameters.transfer_ports);
        let recent = vec![vec![]; parameters.warps];
        SubCoreStimulus {
            parameters,
            heads,
            collectors,
            latched: Default::default(),
            values: HashMap::new(),
            recent,
            issued: None,
            transfers,
        }
    }

    /// The warp in whose row a register lies.
    fn lender(&self, warp: u32, register: u32) -> u32 {
        heads::lender(&self.parameters, warp, register)
    }

    /// Where the sources of the heads lie that lie with other warps.
    fn present_lenders(&self, inputs: &mut SubCoreIn<D>) {
        let slots = self.parameters.slots;
        for place in 0..slots * self.parameters.warps {
            let warp = (place / slots) as u32;
            let lender = self.lender(warp, inputs.head_source_register[place]);
            if lender != warp {
                inputs.head_lender_valid[place] = true;
                inputs.head_lender_warp[place] = lender;
                inputs.head_lender_base[place] = self.heads.base(lender as usize);
            }
        }
    }

    fn is_read(&self, warp: usize, register: u32, ready: bool) -> bool {
        let held = self.collectors.iter().chain(&self.latched).flatten();
        let held = held.filter(|held| held.warp == warp);
        let reads = |sources: &[Option<u32>]| sources.contains(&Some(register));
        let head = self.heads.heads[warp].sources.iter().flatten();
        held.into_iter().any(|held| reads(&held.sources))
            || (ready && head.into_iter().any(|(source, _)| *source == register))
    }
}

impl<D: Data> Stimulus<SubCoreIn<D>, SubCoreOut<D>> for SubCoreStimulus<D> {
    fn next(&mut self, random: &mut Random) -> SubCoreIn<D> {
        self.heads.crowd.advance(random);
        self.heads.advance(random);
        if let Some(warp) = self.issued.take() {
            self.heads.renew(warp, random);
        }
        let mut inputs = SubCoreIn::<D>::default();
        present!(self.heads, inputs);
        self.present_lenders(&mut inputs);
        // Mostly the first warps, so that they come back to their collectors.
        let busy = if random.percent(40) { self.parameters.warps } else { 3 };
        // Often enough that warps of all ages meet in any order.
        let launching = random.pick(&[0, 1, 6]);
        for warp in 0..self.parameters.warps {
            inputs.launch[warp] = random.percent(launching);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(if warp < busy { 50 } else { 10 });
        }
        inputs.unit_ready = random.below(256) as u32 | random.below(256) as u32;
        let banks = self.parameters.banks as u32;
        for bank in 0..self.parameters.banks {
            let range = random.pick(&[2, self.parameters.warps]);
            let warp = random.below(range);
            let writes = self.heads.crowd.writes(bank);
            let few = if writes { self.heads.registers() } else { self.heads.registers().min(12) };
            let register = match &self.recent[warp][..] {
                // A collector may have it.
                recent @ [_, ..] if !writes && random.percent(40) => random.pick(recent),
                _ => self.heads.lowest(warp) + self.heads.crowd.written(bank, warp as u32, random.below(few)),
            };
            let lender = self.lender(warp as u32, register);
            let lives_here = (register + 1 + lender) % banks == bank as u32;
            inputs.write_valid[bank] = lives_here
                && !self.is_read(warp, register, inputs.ready[warp])
                && (writes || random.percent(60));
            inputs.write_warp[bank] = warp as u32;
            inputs.write_register[bank] = register;
            inputs.write_base[bank] = self.heads.base(lender as usize);
            inputs.write_near[bank] = random.percent(60);
            inputs.write_data[bank] = random.data();
        }
        let range = random.pick(&[2, self.parameters.warps]);
        let warp = random.below(range);
        let register = self.heads.lowest(warp) + random.below(self.heads.registers().min(12)) as u32;
        let leaves = (warp as u32, register);
        let parameters = self.parameters;
        let lender = |warp, register| heads::lender(&parameters, warp, register);
        offer!(self.transfers, inputs, random, leaves, lender, |warp| self.heads.base(warp as usize));
        inputs
    }

    fn observe(&mut self, inputs: &SubCoreIn<D>, outputs: &SubCoreOut<D>) -> Result<(), String> {
        for (number, place) in self.collectors.iter_mut().enumerate() {
            let leaves = outputs.dispatch[number] && self.parameters.issue_on_dispatch;
            let occupied = place.is_some() && !leaves;
            if outputs.collector_occupied[number] != occupied {
                return Err(format!("collector {number}: occupied should be {occupied}"));
            }
            if !outputs.dispatch[number] {
                continue;
            }
            let Some(held) = place.take().filter(|held| held.payload == outputs.dispatch_payload) else {
                return Err(format!("collector {number} dispatches what was not issued to it"));
            };
            for (slot, register) in held.sources.iter().enumerate() {
                let value = |r: u32| self.values.get(&(held.warp as u32, r)).copied().unwrap_or_default();
                let expected = register.map(value);
                let found = outputs.operand_valid[slot].then_some(outputs.operand_data[slot]);
                if expected != found {
                    return Err(format!("{held:?}, slot {slot}: {found:?} instead of {expected:?}"));
                }
            }
        }
        let entered: Vec<usize> = (0..self.collectors.len()).filter(|&c| outputs.issue[c]).collect();
        if let Some(&collector) = entered.iter().find(|&&collector| outputs.collector_occupied[collector]) {
            return Err(format!("collector {collector} is entered, and occupied"));
        }
        let has_latches = self.parameters.issue_latch != IssueLatch::None;
        if has_latches {
            match entered[..] {
                [] => {}
                [collector] => {
                    let unit = outputs.entering_unit[0] as usize;
                    let Some(held) = self.latched[unit].take() else {
                        return Err(format!("the latch of unit {unit} is empty"));
                    };
                    self.collectors[collector] = Some(held);
                }
                _ => return Err(format!("collectors {entered:?} are entered")),
            }
        }
        if outputs.issued {
            let warp = outputs.issued_warp as usize;
            if !inputs.ready[warp] {
                return Err(format!("warp {warp} issues, and is not ready"));
            }
            let head = &self.heads.heads[warp];
            let sources = head.sources.iter().map(|source| source.map(|(register, _)| register));
            let sources: Vec<Option<u32>> = sources.collect();
            let recent = &mut self.recent[warp];
            recent.extend(sources.iter().flatten());
            recent.drain(..recent.len().saturating_sub(self.parameters.entries));
            let place = match entered[..] {
                _ if has_latches => &mut self.latched[head.unit as usize],
                [collector] => &mut self.collectors[collector],
                _ => return Err(format!("warp {warp} enters collectors {entered:?}")),
            };
            if place.is_some() {
                return Err(format!("warp {warp} issues into what is taken"));
            }
            *place = Some(Held { warp, payload: head.payload, sources });
            self.issued = Some(warp);
        } else if !has_latches && !entered.is_empty() {
            return Err(format!("collectors {entered:?} are entered, and nothing issues"));
        }
        check_transfer!(self.transfers, outputs, self.values);
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
