//! Testbench of the operand stage with caching collector units.

use gpurf_blocks::{Allocation, Parameters};
use gpurf_hw::dialect::Word;
use gpurf_hw::operand_stage::CcuStage;
use rust_hdl::prelude::Bits;

use super::scenarios;
use super::stimulus::OperandStageStimulus;
use crate::{register, Engine, Scenario, Stimulus, Testbench};

impl<const W: usize, const I: usize, const C: usize> Testbench for CcuStage<W, I, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::operand_stage::OperandStage::caching(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::new(*parameters, Allocation::OwnElseAnyFree))
    }

    fn scenarios() -> Vec<Scenario<Self>> {
        scenarios::of_every_stage().into_iter().chain(scenarios::of_caching_stage()).collect()
    }
}

register!(CcuStage<W, I, C>);
