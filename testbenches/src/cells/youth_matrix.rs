// SPDX-License-Identifier: Apache-2.0
//! Testbench of the youth matrix.

use gpurf_blocks::ports::{YouthMatrixIn, YouthMatrixOut};
use gpurf_blocks::Parameters;
use gpurf_hw::cells::YouthMatrix;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl Testbench for YouthMatrix {
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::YouthMatrix::new(parameters.warps))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(YouthMatrixStimulus { entries: parameters.warps })
    }
}

register!(YouthMatrix);

struct YouthMatrixStimulus {
    entries: usize,
}

impl Stimulus<YouthMatrixIn, YouthMatrixOut> for YouthMatrixStimulus {
    fn next(&mut self, random: &mut Random) -> YouthMatrixIn {
        let mut inputs = YouthMatrixIn::default();
        let density = random.pick(&[10, 50, 100]);
        inputs.request[..self.entries].fill_with(|| random.percent(density));
        let density = random.pick(&[0, 10, 50]);
        inputs.renew[..self.entries].fill_with(|| random.percent(density));
        inputs
    }

    fn observe(&mut self, inputs: &YouthMatrixIn, outputs: &YouthMatrixOut) -> Result<(), String> {
        let youngest = outputs.youngest.iter().filter(|&&youngest| youngest).count();
        match youngest == usize::from(inputs.request.contains(&true)) {
            true => Ok(()),
            false => Err(format!("{youngest} requests are the youngest")),
        }
    }
}
