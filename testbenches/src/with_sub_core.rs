//! The sub-core of a design of the SM, whose type depends on the design and on the machine's constants.

use gpurf_hw::dialect::Module;
use gpurf_hw::generics;
use gpurf_hw::sub_core::{BocSubCore, CcuSubCore, OcuSubCore, SubCoreIn, SubCoreOut};
use gpurf_sim::config::Config;
use gpurf_sim::sm::{Collector, Design};

/// Something that is done with the RTL of a design's sub-core.
pub trait WithSubCore {
    type Result;
    fn with<M>(self, make: impl Fn() -> M) -> Self::Result
    where
        M: Module<In = SubCoreIn<u32>, Out = SubCoreOut<u32>> + 'static;
}

/// Does it, with tokens of 32 bits as data. `seed`: of the hardware's random choices.
pub fn with_sub_core<W: WithSubCore>(config: &Config, design: &Design, seed: u64, what: W) -> W::Result {
    let parameters = &design.parameters(config, seed);
    match design.collector {
        Collector::Ocu => generics!(parameters; C => what.with(|| OcuSubCore::<32, C>::new(parameters))),
        Collector::Ccu => {
            generics!(parameters; I, C => what.with(|| CcuSubCore::<32, I, C>::new(parameters)))
        }
        Collector::Boc => what.with(|| BocSubCore::<32>::new(parameters)),
    }
}
