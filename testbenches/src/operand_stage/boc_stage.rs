//! Testbench of the operand stage with bypassing operand collectors.

use gpurf_blocks::{Allocation, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::operand_stage::BocStage;
use rust_hdl::prelude::Bits;

use super::scenarios;
use super::stimulus::OperandStageStimulus;
use crate::{register, Engine, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for BocStage<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::operand_stage::OperandStage::bypassing(&parameters.private()))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(parameters.private(), Allocation::Private))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        scenarios::of_every_stage().into_iter().chain(scenarios::of_bypassing_stage()).collect()
    }
}

register!(BocStage<W>);
