// SPDX-License-Identifier: Apache-2.0
//! Testbench of the way replacement.

use gpurf_blocks::ports::{WayReplacementIn, WayReplacementOut};
use gpurf_blocks::Parameters;
use gpurf_hw::register_cache::WayReplacement;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for WayReplacement {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::WayReplacement::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(WayReplacementStimulus { ways: parameters.rc_ways, follows: true, victim: None })
    }
}

register!(WayReplacement);

/// Mostly full sets, and ways that are used alone or together. For some time the way that makes room is used
/// each time, as when all accesses miss: the whole order is seen then, that of the reset included.
struct WayReplacementStimulus {
    ways: usize,
    follows: bool,
    /// The way that made room last.
    victim: Option<usize>,
}

impl Stimulus<WayReplacementIn, WayReplacementOut> for WayReplacementStimulus {
    fn next(&mut self, random: &mut Random) -> WayReplacementIn {
        let mut inputs = WayReplacementIn::default();
        let full = random.percent(80);
        inputs.valid[..self.ways].fill_with(|| full || random.percent(70));
        if random.percent(3) {
            self.follows = random.percent(50);
        }
        match self.victim {
            Some(way) if self.follows => inputs.touch[way] = random.percent(70),
            _ => {
                let density = random.pick(&[0, 15, 50]);
                inputs.touch[..self.ways].fill_with(|| random.percent(density));
            }
        }
        inputs
    }

    fn observe(&mut self, _: &WayReplacementIn, outputs: &WayReplacementOut) -> Result<(), String> {
        self.victim = outputs.victim.iter().position(|&victim| victim);
        let victims = outputs.victim.iter().filter(|&&victim| victim).count();
        match victims {
            1 => Ok(()),
            _ => Err(format!("{victims} ways make room")),
        }
    }
}
