//! The sub-core of a design of the SM, whose type depends on the design and on the machine's constants.

use gpurf_hw::dialect::Module;
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
    macro_rules! caching {
        ($collector_bits:literal) => {
            match parameters.entries {
                4 => what.with(|| CcuSubCore::<32, 2, $collector_bits>::new(parameters)),
                8 => what.with(|| CcuSubCore::<32, 3, $collector_bits>::new(parameters)),
                _ => what.with(|| CcuSubCore::<32, 4, $collector_bits>::new(parameters)),
            }
        };
    }
    match (design.collector, parameters.collectors) {
        (Collector::Ocu, 1 | 2) => what.with(|| OcuSubCore::<32, 1>::new(parameters)),
        (Collector::Ocu, 4) => what.with(|| OcuSubCore::<32, 2>::new(parameters)),
        (Collector::Ocu, _) => what.with(|| OcuSubCore::<32, 3>::new(parameters)),
        (Collector::Boc, _) => what.with(|| BocSubCore::<32, 3>::new(parameters)),
        (Collector::Ccu, 1 | 2) => caching!(1),
        (Collector::Ccu, 4) => caching!(2),
        (Collector::Ccu, _) => caching!(3),
    }
}
