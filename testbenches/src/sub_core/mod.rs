// SPDX-License-Identifier: Apache-2.0
//! Testbench of the sub-core, with each kind of collector: warps with instructions, under the rules of a
//! scoreboard.

pub mod scenarios;
mod stimulus;

use gpurf_blocks::Parameters;
use gpurf_hw::dialect::Word;
use gpurf_hw::sub_core::SubCore;
use gpurf_sim::operand_stage::OperandStage;
use rust_hdl::prelude::Bits;

use self::stimulus::SubCoreStimulus;
use crate::collector::{Collector, DataOf};
use crate::{Engine, Scenario, Stimulus, Testbench};

impl<K: Collector<W>, const W: usize, const C: usize> Testbench for SubCore<K, W, C>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        let stage = OperandStage::<DataOf<W>, K::Model>::new(parameters);
        Box::new(gpurf_sim::sub_core::SubCore::new(parameters, stage))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(SubCoreStimulus::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::of_every_sub_core().into_iter().chain(K::sub_core_scenarios()).collect()
    }
}
