// SPDX-License-Identifier: Apache-2.0
//! Testbench of the set mapping.

use gpurf_blocks::ports::SetMappingIn;
use gpurf_blocks::Parameters;
use gpurf_hw::register_cache::SetMapping;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for SetMapping {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::register_cache::SetMapping::new(parameters))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SetMappingStimulus)
    }
}

register!(SetMapping);

struct SetMappingStimulus;

impl<O> Stimulus<SetMappingIn, O> for SetMappingStimulus {
    fn next(&mut self, random: &mut Random) -> SetMappingIn {
        SetMappingIn {
            is_source: random.percent(50),
            position: random.below(4) as u32,
            register: random.below(256) as u32,
        }
    }
}
