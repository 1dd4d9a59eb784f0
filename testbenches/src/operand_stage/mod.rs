// SPDX-License-Identifier: Apache-2.0
//! Testbench of the operand stage, with each kind of collector.

pub mod scenarios;
mod stimulus;

use gpurf_blocks::Parameters;
use gpurf_hw::dialect::Word;
use gpurf_hw::operand_stage::OperandStage;
use rust_hdl::prelude::Bits;

use self::stimulus::OperandStageStimulus;
use crate::collector::{Collector, DataOf};
use crate::{Engine, Scenario, Stimulus, Testbench};

impl<K: Collector<W>, const W: usize, const C: usize> Testbench for OperandStage<K, W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::operand_stage::OperandStage::<DataOf<W>, K::Model>::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(OperandStageStimulus::<_, K::Model>::new(*parameters, K::ALLOCATION))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::of_every_stage().into_iter().chain(K::stage_scenarios()).collect()
    }
}
