// SPDX-License-Identifier: Apache-2.0
//! Testbench of the issue stage.

use gpurf_blocks::ports::{IssueStageIn, IssueStageOut};
use gpurf_blocks::{Allocation, IssueLatch, Parameters, UNITS};
use gpurf_hw::issue::IssueStage;

use crate::heads::{present, Head, Heads};
use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const C: usize> Testbench for IssueStage<C> {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::issue::IssueStage::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        let private = parameters.allocation == Allocation::Private;
        Box::new(IssueStageStimulus::new(*parameters, private))
    }

    fn protocol(parameters: &Parameters) -> Vec<String> {
        let Parameters { collectors, warps, .. } = *parameters;
        (0..collectors).map(|collector| format!("held_warp[{} +: 4] < {warps}", 4 * collector)).collect()
    }
}

register!(IssueStage<C>);

/// Random readiness, at times of nearly all warps, and random collectors. No two of them belong to one
/// warp, and at times hardly any to one at all: then all warps are equals.
struct IssueStageStimulus {
    collectors: usize,
    private: bool,
    heads: Heads,
    /// The warp that issued in the cycle before.
    issued: Option<usize>,
    /// Instructions in latches, by unit, with their warp.
    latched: [Option<(usize, Head)>; UNITS],
}

impl IssueStageStimulus {
    fn new(parameters: Parameters, private: bool) -> Self {
        let heads = Heads::new(parameters);
        let (collectors, latched) = (parameters.collectors, Default::default());
        IssueStageStimulus { collectors, private, heads, issued: None, latched }
    }
}

impl Stimulus<IssueStageIn, IssueStageOut> for IssueStageStimulus {
    fn next(&mut self, random: &mut Random) -> IssueStageIn {
        self.heads.advance(random);
        if let Some(warp) = self.issued.take() {
            self.heads.renew(warp, random);
        }
        let mut inputs = IssueStageIn::default();
        present!(self.heads, inputs);
        let [ready, owned] = [&[40, 90], &[20, 80]].map(|densities| random.pick(densities));
        for warp in 0..self.heads.parameters.warps {
            inputs.launch[warp] = random.percent(2);
            inputs.ready[warp] = !inputs.launch[warp] && random.percent(ready);
        }
        let warps = self.heads.parameters.warps;
        let owners = if self.private { (0..warps).collect() } else { random.shuffled(warps) };
        for collector in 0..self.collectors {
            inputs.owned[collector] = random.percent(owned);
            inputs.occupied[collector] = inputs.owned[collector] && random.percent(40);
            inputs.held_warp[collector] = owners[collector] as u32;
            inputs.near[collector] = random.percent(50);
        }
        inputs
    }

    fn observe(&mut self, inputs: &IssueStageIn, outputs: &IssueStageOut) -> Result<(), String> {
        let entered: Vec<usize> = (0..self.collectors).filter(|&c| outputs.issue[c]).collect();
        if let Some(&collector) = entered.iter().find(|&&collector| inputs.occupied[collector]) {
            return Err(format!("an instruction enters collector {collector}, which is occupied"));
        }
        if self.heads.parameters.issue_latch != IssueLatch::None {
            return self.observe_latches(inputs, outputs, &entered);
        }
        if entered.len() != usize::from(outputs.issued) {
            return Err(format!("collectors {entered:?} entered, issued is {}", outputs.issued));
        }
        if outputs.issued {
            let warp = outputs.warp as usize;
            if !inputs.ready[warp] {
                return Err(format!("warp {warp} cannot issue"));
            }
            self.check(warp, &self.heads.heads[warp], outputs)?;
            self.issued = Some(warp);
        }
        Ok(())
    }
}

impl IssueStageStimulus {
    /// An instruction that enters a collector comes from a latch, and one that issues goes into one that has
    /// room.
    fn observe_latches(
        &mut self,
        inputs: &IssueStageIn,
        outputs: &IssueStageOut,
        entered: &[usize],
    ) -> Result<(), String> {
        match entered {
            [] => {}
            [_] => {
                let Some((warp, head)) = self.latched[outputs.unit as usize].take() else {
                    return Err(format!("the latch of unit {} is empty", outputs.unit));
                };
                self.check(warp, &head, outputs)?;
            }
            _ => return Err(format!("collectors {entered:?} entered")),
        }
        if outputs.issued {
            let warp = outputs.issued_warp[0] as usize;
            let head = self.heads.heads[warp].clone();
            let unit = head.unit as usize;
            if !inputs.ready[warp] || self.latched[unit].is_some() {
                return Err(format!("warp {warp} cannot issue into the latch of unit {unit}"));
            }
            self.latched[unit] = Some((warp, head));
            self.issued = Some(warp);
        }
        Ok(())
    }

    /// The instruction that enters a collector is this one.
    fn check(&self, warp: usize, head: &Head, outputs: &IssueStageOut) -> Result<(), String> {
        let found: Vec<_> = (0..head.sources.len())
            .map(|slot| {
                outputs.source_valid[slot]
                    .then_some((outputs.source_register[slot], outputs.source_near[slot]))
            })
            .collect();
        if (outputs.warp as usize, outputs.unit, outputs.payload, outputs.base, &found)
            != (warp, head.unit, head.payload, self.heads.base(warp), &head.sources)
        {
            return Err(format!("warp {warp}'s instruction is another"));
        }
        Ok(())
    }
}
