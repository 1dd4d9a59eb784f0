// SPDX-License-Identifier: Apache-2.0
//! Testbench of the linear-feedback shift register.

use gpurf_blocks::ports::LfsrIn;
use gpurf_blocks::Parameters;
use gpurf_hw::cells::Lfsr;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for Lfsr {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::Lfsr::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LfsrStimulus)
    }
}

register!(Lfsr);

struct LfsrStimulus;

impl<O> Stimulus<LfsrIn, O> for LfsrStimulus {
    fn next(&mut self, random: &mut Random) -> LfsrIn {
        LfsrIn { step: random.percent(70) }
    }
}
