//! Testbench of the LRU order.

use gpurf_blocks::ports::LruOrderIn;
use gpurf_blocks::Parameters;
use gpurf_hw::cells::LruOrder;

use crate::{register, Engine, Random, Stimulus, Testbench};

impl<const I: usize> Testbench for LruOrder<I> {
    fn model(_: &Parameters) -> Engine<Self> {
        Box::new(gpurf_sim::cells::LruOrder::new(1 << I))
    }

    fn stimulus(_: &Parameters) -> Box<dyn Stimulus<Self::In, Self::Out>> {
        Box::new(LruOrderStimulus { entries: 1 << I })
    }
}

register!(LruOrder<I>);

struct LruOrderStimulus {
    entries: usize,
}

impl<O> Stimulus<LruOrderIn, O> for LruOrderStimulus {
    fn next(&mut self, random: &mut Random) -> LruOrderIn {
        let mut inputs = LruOrderIn::default();
        let density = random.pick(&[0, 10, 50, 90]);
        inputs.touch[..self.entries].fill_with(|| random.percent(density));
        inputs
    }
}
