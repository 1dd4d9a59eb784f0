//! Stimulus of issue stage and sub-core: warps with instructions, under the rules of a scoreboard.

use std::collections::HashMap;

use gpurf_blocks::{Data, Parameters, WARPS};
use gpurf_hw::issue::{IssueStageIn, IssueStageOut};
use gpurf_hw::sub_core::{SubCoreIn, SubCoreOut};

use super::Stimulus;
use crate::Random;

/// The next instruction of a warp.
#[derive(Clone, Debug, Default)]
struct Head {
    unit: u32,
    payload: u32,
    sources: Vec<Option<(u32, bool)>>,
    destinations: Vec<Option<u32>>,
    flush: bool,
}

/// A random next instruction for each warp, replaced when it issues.
struct Heads {
    parameters: Parameters,
    serial: u32,
    heads: Vec<Head>,
}

impl Heads {
    fn new(parameters: Parameters) -> Self {
        Heads { parameters, serial: 0, heads: vec![] }
    }

    fn base(&self, warp: usize) -> u32 {
        (warp * self.parameters.rows / WARPS) as u32
    }

    fn renew(&mut self, warp: usize, random: &mut Random) {
        let registers = self.parameters.rows / WARPS * self.parameters.banks;
        let range = random.pick(&[6, 12, registers]).min(registers);
        let sources = random.below(self.parameters.slots + 1);
        let unit = random.below(8) as u32;
        let mut source = || {
            let source = (random.below(range) as u32, random.percent(60));
            (random.below(self.parameters.slots) < sources).then_some(source)
        };
        let sources = (0..self.parameters.slots).map(|_| source()).collect();
        let count = random.below(self.parameters.destinations + 1);
        let mut destinations: Vec<Option<u32>> = vec![None; self.parameters.destinations];
        let first = random.below(12) as u32;
        for (offset, destination) in destinations.iter_mut().take(count).enumerate() {
            *destination = Some(first + offset as u32);
        }
        let flush = random.percent(10);
        self.heads[warp] = Head { unit, payload: self.serial, sources, destinations, flush };
        self.serial += 1;
    }

    /// The instructions at the start of a run.
    fn begin(&mut self, random: &mut Random) {
        if self.heads.is_empty() {
            self.heads = vec![Head::default(); WARPS];
            (0..WARPS).for_each(|warp| self.renew(warp, random));
        }
    }
}

/// Writes heads into the ports of either module, which name them alike.
macro_rules! present {
    ($heads:expr, $inputs:expr) => {
        for (warp, head) in $heads.heads.iter().enumerate() {
            $inputs.head_unit[warp] = head.unit;
            $inputs.head_payload[warp] = head.payload;
            $inputs.head_base[warp] = $heads.base(warp);
            for (slot, source) in head.sources.iter().enumerate() {
                let place = WARPS * slot + warp;
                $inputs.head_source_valid[place] = source.is_some();
                $inputs.head_source_register[place] = source.map_or(0, |(register, _)| register);
                $inputs.head_source_near[place] = source.is_some_and(|(_, near)| near);
            }
            for (number, destination) in head.destinations.iter().enumerate() {
                let place = WARPS * number + warp;
                $inputs.head_destination_valid[place] = destination.is_some();
                $inputs.head_destination_register[place] = destination.unwrap_or(0);
            }
            $inputs.head_flush[warp] = head.flush;
        }
    };
}

/// Random readiness, and random collectors no two of which belong to one warp.
pub struct IssueStageStimulus {
    collectors: usize,
    private: bool,
    heads: Heads,
    /// The warp that issued in the cycle before.
    issued: Option<usize>,
}

impl IssueStageStimulus {
    pub fn new(parameters: Parameters, private: bool) -> Self {
        let heads = Heads::new(parameters);
        IssueStageStimulus { collectors: parameters.collectors, private, heads, issued: None }
    }
}

impl Stimulus<IssueStageIn, IssueStageOut> for IssueStageStimulus {
    fn next(&mut self, random: &mut Random) -> IssueStageIn {
        self.heads.begin(random);
        if let Some(warp) = self.issued.take() {
            self.heads.renew(warp, random);
        }
        let mut inputs = IssueStageIn { sthld: random.pick(&[0, 1, 3, 31]), ..Default::default() };
        present!(self.heads, inputs);
        for warp in 0..WARPS {
            inputs.launch[warp] = random.percent(2);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(40);
        }
        let first = if self.private { 0 } else { random.below(WARPS) };
        for collector in 0..self.collectors {
            inputs.owned[collector] = random.percent(80);
            inputs.occupied[collector] = inputs.owned[collector] && random.percent(40);
            inputs.held_warp[collector] = ((first + collector) % WARPS) as u32;
            inputs.near[collector] = random.percent(50);
        }
        inputs
    }

    fn observe(&mut self, inputs: &IssueStageIn, outputs: &IssueStageOut) -> Result<(), String> {
        let entered: Vec<usize> = (0..self.collectors).filter(|&c| outputs.issue[c]).collect();
        if entered.len() != usize::from(outputs.issued) {
            return Err(format!("collectors {entered:?} entered, issued is {}", outputs.issued));
        }
        let Some(&collector) = entered.first() else { return Ok(()) };
        let warp = outputs.warp as usize;
        if !inputs.ready[warp] || inputs.occupied[collector] {
            return Err(format!("warp {warp} cannot issue into collector {collector}"));
        }
        let head = &self.heads.heads[warp];
        let found: Vec<_> = (0..head.sources.len())
            .map(|slot| {
                outputs.source_valid[slot]
                    .then_some((outputs.source_register[slot], outputs.source_near[slot]))
            })
            .collect();
        if (outputs.unit, outputs.payload, outputs.base, &found)
            != (head.unit, head.payload, self.heads.base(warp), &head.sources)
        {
            return Err(format!("warp {warp} does not issue its own instruction"));
        }
        self.issued = Some(warp);
        Ok(())
    }
}

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
    values: HashMap<(u32, u32), D>,
    issued: Option<usize>,
}

impl<D: Data> SubCoreStimulus<D> {
    pub fn new(parameters: Parameters) -> Self {
        let collectors = vec![None; parameters.collectors];
        let heads = Heads::new(parameters);
        SubCoreStimulus { parameters, heads, collectors, values: HashMap::new(), issued: None }
    }

    fn is_read(&self, warp: usize, register: u32, ready: bool) -> bool {
        let held = self.collectors.iter().flatten().filter(|held| held.warp == warp);
        let reads = |sources: &[Option<u32>]| sources.contains(&Some(register));
        let head = self.heads.heads[warp].sources.iter().flatten();
        held.into_iter().any(|held| reads(&held.sources))
            || (ready && head.into_iter().any(|(source, _)| *source == register))
    }
}

impl<D: Data> Stimulus<SubCoreIn<D>, SubCoreOut<D>> for SubCoreStimulus<D> {
    fn next(&mut self, random: &mut Random) -> SubCoreIn<D> {
        self.heads.begin(random);
        if let Some(warp) = self.issued.take() {
            self.heads.renew(warp, random);
        }
        let mut inputs = SubCoreIn::<D> { sthld: random.pick(&[0, 1, 3, 31]), ..Default::default() };
        present!(self.heads, inputs);
        for warp in 0..WARPS {
            inputs.launch[warp] = random.percent(1);
            // Mostly the first warps, so that they come back to their collectors.
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(if warp < 3 { 50 } else { 10 });
        }
        inputs.unit_ready = random.below(256) as u32 | random.below(256) as u32;
        let banks = self.parameters.banks as u32;
        for bank in 0..self.parameters.banks {
            let range = random.pick(&[2, WARPS]);
            let warp = random.below(range);
            let register = random.below(12) as u32;
            let lives_here = (register + 1 + warp as u32) % banks == bank as u32;
            inputs.write_valid[bank] =
                lives_here && !self.is_read(warp, register, inputs.ready[warp]) && random.percent(60);
            inputs.write_warp[bank] = warp as u32;
            inputs.write_register[bank] = register;
            inputs.write_base[bank] = self.heads.base(warp);
            inputs.write_near[bank] = random.percent(60);
            inputs.write_data[bank] = random.data();
        }
        inputs
    }

    fn observe(&mut self, inputs: &SubCoreIn<D>, outputs: &SubCoreOut<D>) -> Result<(), String> {
        for (number, place) in self.collectors.iter_mut().enumerate() {
            if outputs.collector_occupied[number] != place.is_some() {
                return Err(format!("collector {number}: occupied should be {}", place.is_some()));
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
        if outputs.issued {
            let warp = outputs.issued_warp as usize;
            let entered: Vec<usize> = (0..self.collectors.len()).filter(|&c| outputs.issue[c]).collect();
            let [collector] = entered[..] else {
                return Err(format!("warp {warp} enters collectors {entered:?}"));
            };
            if !inputs.ready[warp] || outputs.collector_occupied[collector] {
                return Err(format!("warp {warp} cannot issue into collector {collector}"));
            }
            let head = &self.heads.heads[warp];
            let sources = head.sources.iter().map(|source| source.map(|(register, _)| register));
            self.collectors[collector] =
                Some(Held { warp, payload: head.payload, sources: sources.collect() });
            self.issued = Some(warp);
        }
        for bank in (0..self.parameters.banks).filter(|bank| inputs.write_valid[*bank]) {
            let register = (inputs.write_warp[bank], inputs.write_register[bank]);
            self.values.insert(register, inputs.write_data[bank]);
        }
        Ok(())
    }
}
