// SPDX-License-Identifier: Apache-2.0
//! Testbench of the register management unit: an SM around it keeps account of every register.

mod scenarios;

use std::collections::{BTreeMap, VecDeque};
use std::mem;

use gpurf_blocks::ports::{RmuIn, RmuOut};
use gpurf_blocks::{Data, Parameters, CTA_WARPS, REGISTERS, RMU_BUFFERS};
use gpurf_hw::dialect::Word;
use gpurf_hw::finereg::Rmu;
use rust_hdl::prelude::Bits;

use super::{OneForEach, Vectors};
use crate::{register, Engine, Random, Scenario, Stimulus, Testbench};

impl<const W: usize, const P: usize> Testbench for Rmu<W, P>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::Rmu::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RmuStimulus::new(*parameters))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { pcrf_entries, .. } = *parameters;
        // What is moved was found to fit.
        let fits = |count: &str| format!("{count} <= {pcrf_entries}");
        vec![format!("!begins | {}", fits("count")), format!("!exchange_any | {}", fits("remaining"))]
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all()
    }
}

register!(Rmu<W, P>);

/// Warp and register within a CTA.
type CtaRegister = (u32, u32);

/// ACRF space of one CTA.
struct Region<D> {
    cta: Option<usize>,
    registers: Vec<D>,
}

impl<D: Data> Region<D> {
    fn at(&mut self, (warp, register): CtaRegister) -> &mut D {
        &mut self.registers[warp as usize * REGISTERS + register as usize]
    }

    /// Gives every register a value of its own.
    fn fill(&mut self, seed: u32) {
        for (number, register) in self.registers.iter_mut().enumerate() {
            for (place, word) in register.words_mut().iter_mut().enumerate() {
                *word = (seed ^ (number << 5 | place) as u32).wrapping_mul(0x9e37_79b1).rotate_left(15);
            }
        }
    }
}

/// A switch under way.
struct Switch<D> {
    region: usize,
    outgoing: Option<usize>,
    incoming: Option<usize>,
    discard: bool,
    /// Warps that have yet to be looked up.
    warps: VecDeque<(u32, u32)>,
    /// Registers that the outgoing CTA must find again, and those of them that are still in the ACRF only.
    live: BTreeMap<CtaRegister, D>,
    unsaved: BTreeMap<CtaRegister, D>,
    /// Registers that the incoming CTA must get, and has not got.
    missing: BTreeMap<CtaRegister, D>,
    fits: bool,
    /// Cycles without a stall from outside that it may yet take.
    patience: usize,
}

/// CTAs in a few ACRF regions, with memory and ACRF at their own pace. The first one has a PC for each entry
/// of the cache of vectors. Then they only leave, until one finds no room; then they are stored and restored
/// in all ways.
struct RmuStimulus<D> {
    parameters: Parameters,
    regions: Vec<Region<D>>,
    /// Live registers of the pending CTAs.
    pending: BTreeMap<usize, BTreeMap<CtaRegister, D>>,
    switch: Option<Switch<D>>,
    /// The first CTA has yet to leave.
    is_first: bool,
    /// CTAs only leave.
    fills: bool,
    /// Requests to memory and to the ACRF that are under way.
    memory: Option<u32>,
    acrf: VecDeque<(CtaRegister, D)>,
    /// How often the outside stalls, in percent.
    stalls: usize,
    /// Switches that ended: done, done in both directions, discarded, refused; and those that filled the
    /// PCRF.
    ended: [u64; 5],
}

impl<D: Data> RmuStimulus<D> {
    fn new(parameters: Parameters) -> Self {
        let region = || Region { cta: None, registers: vec![D::default(); CTA_WARPS * REGISTERS] };
        RmuStimulus {
            parameters,
            regions: (0..3).map(|_| region()).collect(),
            pending: BTreeMap::new(),
            switch: None,
            is_first: true,
            fills: true,
            memory: None,
            acrf: VecDeque::new(),
            stalls: 0,
            ended: [0; 5],
        }
    }

    fn free(&self) -> usize {
        self.parameters.pcrf_entries - self.pending.values().map(BTreeMap::len).sum::<usize>()
    }

    /// The count that the pointer table holds.
    fn counted(&self, cta: usize) -> usize {
        self.pending[&cta].len().min((1 << self.parameters.count_bits) - 1)
    }

    /// Launches a CTA where there is room, and lets the others run.
    fn run(&mut self, random: &mut Random) {
        for region in 0..self.regions.len() {
            let used = |cta: &usize| {
                self.pending.contains_key(cta) || self.regions.iter().any(|region| region.cta == Some(*cta))
            };
            if self.regions[region].cta.is_none() && random.percent(60) {
                // Any number, so that those that differ in one bit stand beside each other.
                let ctas = self.parameters.ctas;
                let first = random.below(ctas);
                let cta = (0..ctas).map(|cta| (first + cta) % ctas).find(|cta| !used(cta));
                let region = &mut self.regions[region];
                region.cta = cta;
                region.fill(random.word());
            }
            for _ in 0..8 {
                let place = (random.below(CTA_WARPS) as u32, random.below(REGISTERS) as u32);
                *self.regions[region].at(place) = random.data();
            }
        }
    }

    fn begin(&mut self, random: &mut Random) -> Option<Switch<D>> {
        self.run(random);
        // There is one to launch.
        self.fills &= self.pending.len() + self.regions.len() < self.parameters.ctas;
        let region = random.below(self.regions.len());
        let outgoing = self.regions[region].cta;
        let choice = random.below(self.pending.len().max(1));
        let incoming = self.pending.keys().nth(choice).copied();
        // A pending CTA comes in where there is room; where there is none, another must go out.
        let incoming = incoming.filter(|_| !self.fills && (outgoing.is_none() || random.percent(60)));
        if outgoing.is_none() && incoming.is_none() {
            return None;
        }
        let mut warps = VecDeque::new();
        let mut live = BTreeMap::new();
        if outgoing.is_some() {
            let is_first = mem::take(&mut self.is_first);
            let count = if is_first { CTA_WARPS } else { random.pick(&[1, 2, 4, 8, CTA_WARPS]) };
            let first = random.below(CTA_WARPS);
            let same = Vectors::pc(random);
            let order = OneForEach::draw(random);
            for (place, warp) in (first..first + count).map(|warp| (warp % CTA_WARPS) as u32).enumerate() {
                let pc = match random.percent(50) {
                    _ if is_first => order.pc(place),
                    true => Vectors::pc(random),
                    false => same,
                };
                warps.push_back((warp, pc));
                let vector = Vectors.of(pc);
                for register in (0..64).filter(|register| vector >> register & 1 == 1) {
                    live.insert((warp, register), *self.regions[region].at((warp, register)));
                }
            }
        }
        let discard = incoming.is_some() && random.percent(5);
        let missing = incoming.map(|cta| self.pending[&cta].clone()).unwrap_or_default();
        let room = self.free() + incoming.map_or(0, |cta| self.counted(cta));
        let each = self.parameters.pcrf_latency + 12;
        let patience = 100 + 20 * warps.len() + each * (live.len() + missing.len());
        let (fits, unsaved) = (live.len() <= room, live.clone());
        let missing = if discard { BTreeMap::new() } else { missing };
        Some(Switch { region, outgoing, incoming, discard, warps, live, unsaved, missing, fits, patience })
    }

    fn end(&mut self, switch: Switch<D>, outputs: &RmuOut<D>) -> Result<(), String> {
        if outputs.live_count as usize != switch.live.len() {
            return Err(format!("{} registers are live, not {}", switch.live.len(), outputs.live_count));
        }
        if outputs.refused == switch.fits {
            return Err(format!("a switch that fits: {}; refused: {}", switch.fits, outputs.refused));
        }
        let both = switch.outgoing.is_some() && switch.incoming.is_some();
        let met =
            [outputs.done, outputs.done && both, switch.discard, outputs.refused, outputs.free_count == 0];
        self.ended.iter_mut().zip(met).for_each(|(count, met)| *count += u64::from(met));
        if outputs.refused {
            // The first CTA may need more than there is.
            self.fills &= self.pending.is_empty();
            return Ok(());
        }
        if let Some((place, _)) = switch.unsaved.iter().next().or(switch.missing.iter().next()) {
            return Err(format!("done, and the register at {place:?} has not been moved"));
        }
        if let Some(cta) = switch.incoming {
            self.pending.remove(&cta);
        }
        if let Some(cta) = switch.outgoing {
            self.pending.insert(cta, switch.live);
        }
        self.regions[switch.region].cta = switch.incoming.filter(|_| !switch.discard);
        Ok(())
    }

    /// Checks the registers that cross between ACRF and RMU in this cycle.
    fn move_registers(&mut self, inputs: &RmuIn<D>, outputs: &RmuOut<D>) -> Result<(), String> {
        let Some(switch) = &mut self.switch else {
            let moves = outputs.acrf_read || outputs.acrf_write;
            return if moves { Err("a register moves without a switch".into()) } else { Ok(()) };
        };
        let region = &mut self.regions[switch.region];
        let under_way: Vec<CtaRegister> = self.acrf.iter().map(|&(place, _)| place).collect();
        if inputs.acrf_answer {
            self.acrf.pop_front();
        }
        if outputs.acrf_read && inputs.acrf_read_ready {
            let place = (outputs.acrf_read_warp, outputs.acrf_read_register);
            let expected = switch.unsaved.remove(&place);
            let expected = expected.ok_or(format!("{place:?} is read, and is not live or read already"))?;
            if *region.at(place) != expected {
                return Err(format!("{place:?} was overwritten before it was read"));
            }
            self.acrf.push_back((place, expected));
            let most = if self.parameters.streams { RMU_BUFFERS } else { 1 };
            if self.acrf.len() > most {
                return Err(format!("{} reads are under way", self.acrf.len()));
            }
        }
        if outputs.acrf_write && inputs.acrf_write_ready {
            let place = (outputs.acrf_write_warp, outputs.acrf_write_register);
            if under_way.contains(&place) {
                return Err(format!("{place:?} is overwritten while it is read"));
            }
            let expected = switch.missing.remove(&place);
            if expected != Some(outputs.acrf_write_data) {
                let value = outputs.acrf_write_data;
                return Err(format!("{place:?} gets {value:x?} in place of {expected:x?}"));
            }
            *region.at(place) = outputs.acrf_write_data;
        }
        Ok(())
    }
}

impl<D: Data> Stimulus<RmuIn<D>, RmuOut<D>> for RmuStimulus<D> {
    fn next(&mut self, random: &mut Random) -> RmuIn<D> {
        let mut inputs = RmuIn::default();
        if self.switch.is_none() && random.percent(30) {
            self.switch = self.begin(random);
            self.stalls = random.pick(&[0, 0, 20, 70]);
            if let Some(switch) = &self.switch {
                inputs.request = true;
                (inputs.store, inputs.outgoing) =
                    (switch.outgoing.is_some(), switch.outgoing.unwrap_or(0) as u32);
                (inputs.restore, inputs.incoming) =
                    (switch.incoming.is_some(), switch.incoming.unwrap_or(0) as u32);
                inputs.discard = switch.discard;
            }
        }
        let mut goes = || !random.percent(self.stalls);
        inputs.memory_ready = goes();
        inputs.acrf_read_ready = goes();
        inputs.acrf_write_ready = goes();
        let warps = self.switch.as_ref().map(|switch| &switch.warps);
        if let Some(&(warp, pc)) = warps.and_then(VecDeque::front).filter(|_| goes()) {
            inputs.warp_valid = true;
            (inputs.warp, inputs.pc) = (warp, pc);
            inputs.warp_last = warps.is_some_and(|warps| warps.len() == 1);
        }
        if let Some(pc) = self.memory.filter(|_| goes()) {
            let vector = Vectors.of(pc);
            inputs.memory_answer = true;
            (inputs.memory_low, inputs.memory_high) = (vector as u32, (vector >> 32) as u32);
        }
        if let Some(&(_, value)) = self.acrf.front().filter(|_| goes()) {
            (inputs.acrf_answer, inputs.acrf_answer_data) = (true, value);
        }
        inputs
    }

    fn observe(&mut self, inputs: &RmuIn<D>, outputs: &RmuOut<D>) -> Result<(), String> {
        if outputs.ready != (self.switch.is_none() || inputs.request) {
            return Err(format!("ready is {}", outputs.ready));
        }
        if outputs.ready && outputs.free_count as usize != self.free() {
            return Err(format!("{} entries are free, not {}", self.free(), outputs.free_count));
        }
        if inputs.memory_answer {
            self.memory = None;
        }
        if outputs.memory_request && inputs.memory_ready {
            self.memory = Some(outputs.memory_pc);
        }
        self.move_registers(inputs, outputs)?;
        let Some(switch) = &mut self.switch else {
            return Ok(());
        };
        if outputs.warp_ready && inputs.warp_valid {
            switch.warps.pop_front();
        }
        let stalled = [inputs.memory_ready, inputs.acrf_read_ready, inputs.acrf_write_ready].contains(&false);
        switch.patience -= usize::from(!stalled && switch.patience > 0);
        if switch.patience == 0 {
            return Err("the switch does not end".into());
        }
        if outputs.done || outputs.refused {
            let switch = self.switch.take().expect("a switch is under way");
            return self.end(switch, outputs);
        }
        Ok(())
    }

    fn coverage(&self) -> Vec<(&'static str, u64)> {
        let names = ["done", "done in both directions", "discarded", "refused", "with a full PCRF"];
        names.into_iter().zip(self.ended).collect()
    }
}
