// SPDX-License-Identifier: Apache-2.0
//! Testbench of the sub-core that ships: warps with programs whose control bits are as a compiler writes
//! them.

mod program;
mod scenarios;
mod stimulus;

use gpurf_blocks::Parameters;
use gpurf_hw::dialect::Word;
use gpurf_hw::modern::ModernSubCore;
use gpurf_sim::modern;
use rust_hdl::prelude::Bits;

use self::stimulus::ModernSubCoreStimulus;
use crate::collector::DataOf;
use crate::{register, Engine, Scenario, Stimulus, Testbench};

impl<const W: usize> Testbench for ModernSubCore<W>
where
    Bits<W>: Word,
{
    fn model(parameters: &Parameters) -> Engine<Self> {
        Box::new(modern::ModernSubCore::<DataOf<W>>::new(parameters))
    }

    fn stimulus(parameters: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(ModernSubCoreStimulus::<DataOf<W>>::new(*parameters))
    }

    fn scenarios() -> Vec<Scenario<Self::In, Self::Out>> {
        scenarios::all()
    }
}

register!(ModernSubCore<W>);
