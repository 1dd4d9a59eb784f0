// SPDX-License-Identifier: Apache-2.0
//! Testbench of the age matrix.

use gpurf_blocks::ports::{AgeMatrixIn, AgeMatrixOut};
use gpurf_blocks::Parameters;
use gpurf_hw::cells::AgeMatrix;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for AgeMatrix {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::AgeMatrix::new(parameters.warps))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(AgeMatrixStimulus { entries: parameters.warps })
    }
}

register!(AgeMatrix);

struct AgeMatrixStimulus {
    entries: usize,
}

impl Stimulus<AgeMatrixIn, AgeMatrixOut> for AgeMatrixStimulus {
    fn next(&mut self, random: &mut Random) -> AgeMatrixIn {
        let mut inputs = AgeMatrixIn::default();
        let density = random.pick(&[10, 50, 100]);
        inputs.request[..self.entries].fill_with(|| random.percent(density));
        let density = random.pick(&[0, 10, 50]);
        inputs.renew[..self.entries].fill_with(|| random.percent(density));
        inputs
    }

    fn observe(&mut self, inputs: &AgeMatrixIn, outputs: &AgeMatrixOut) -> Result<(), String> {
        let oldest = outputs.oldest.iter().filter(|&&oldest| oldest).count();
        match oldest == usize::from(inputs.request.contains(&true)) {
            true => Ok(()),
            false => Err(format!("{oldest} requests are the oldest")),
        }
    }
}
