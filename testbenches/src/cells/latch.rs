// SPDX-License-Identifier: Apache-2.0
//! Testbench of latches behind a clock gate.

use gpurf_blocks::ports::{LatchIn, LatchOut};
use gpurf_blocks::{Data, Parameters};
use gpurf_hw::cells::Latch;
use gpurf_hw::dialect::Word;
use rust_hdl::prelude::Bits;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const W: usize> Testbench for Latch<W>
where
    Bits<W>: Word,
{
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::Latch::default())
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LatchStimulus)
    }
}

register!(Latch<W>);

struct LatchStimulus;

impl<D: Data> Stimulus<LatchIn<D>, LatchOut<D>> for LatchStimulus {
    fn next(&mut self, random: &mut Random) -> LatchIn<D> {
        LatchIn { enable: random.percent(40), d: random.data() }
    }
}
