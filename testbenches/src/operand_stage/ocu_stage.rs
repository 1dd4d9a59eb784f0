//! Testbench of the operand stage with operand collector units.

use gpurf_blocks::{Allocation, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::operand_stage::OcuStage;
use rust_hdl::prelude::Bits;

use super::scenarios;
use super::stimulus::OperandStageStimulus;
use crate::{register, Engine, Scenario, Stimulus, Testbench};

impl<const W: usize, const C: usize> Testbench for OcuStage<W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::operand_stage::OperandStage::baseline(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(*parameters, Allocation::AnyFree))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        scenarios::of_every_stage()
    }
}

register!(OcuStage<W, C>);
