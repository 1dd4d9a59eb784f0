// SPDX-License-Identifier: Apache-2.0
//! Testbench of the register index decoder.

use gpurf_blocks::ports::{RegisterIndexDecoderIn, RegisterIndexDecoderOut};
use gpurf_blocks::Parameters;
use gpurf_hw::finereg::RegisterIndexDecoder;

use super::Vectors;
use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for RegisterIndexDecoder {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::finereg::RegisterIndexDecoder::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(RegisterIndexDecoderStimulus::default())
    }
}

register!(RegisterIndexDecoder);

/// Vectors one after the other, mostly drained; the registers shown are those of the vector.
#[derive(Default)]
struct RegisterIndexDecoderStimulus {
    left: u64,
}

impl Stimulus<RegisterIndexDecoderIn, RegisterIndexDecoderOut> for RegisterIndexDecoderStimulus {
    fn next(&mut self, random: &mut Random) -> RegisterIndexDecoderIn {
        let vector = Vectors::dense(random);
        RegisterIndexDecoderIn {
            load: random.percent(if self.left == 0 { 50 } else { 3 }),
            load_low: vector as u32,
            load_high: (vector >> 32) as u32,
            step: self.left != 0 && random.percent(80),
            want: random.percent(50),
            wanted: random.below(64) as u32,
        }
    }

    fn observe(
        &mut self,
        inputs: &RegisterIndexDecoderIn,
        outputs: &RegisterIndexDecoderOut,
    ) -> Result<(), String> {
        let is_left = |register: &u32| self.left >> register & 1 == 1;
        let wanted = Some(inputs.wanted).filter(|_| inputs.want).filter(is_left);
        let first = wanted.or_else(|| (0..64).find(is_left));
        let only = (0..64).filter(is_left).count() == 1;
        let left = u64::from(outputs.left_high) << 32 | u64::from(outputs.left_low);
        if outputs.any != first.is_some() || outputs.any && Some(outputs.index) != first {
            return Err(format!("{first:?} is left, {outputs:?} is shown"));
        }
        if left != self.left || outputs.last != only || outputs.found != wanted.is_some() {
            return Err(format!("{:#x} is left, {wanted:?} is wanted of it: {outputs:?}", self.left));
        }
        if inputs.load {
            self.left = u64::from(inputs.load_high) << 32 | u64::from(inputs.load_low);
        } else if inputs.step {
            self.left &= !(1 << outputs.index);
        }
        Ok(())
    }
}
