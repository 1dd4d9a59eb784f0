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
    let (issue, stage) = (design.issue_stage(config, seed), design.operand_stage(config));
    macro_rules! caching {
        ($collector_bits:literal) => {
            match config.entries {
                4 => what.with(|| CcuSubCore::<32, 2, $collector_bits>::new(issue, stage)),
                8 => what.with(|| CcuSubCore::<32, 3, $collector_bits>::new(issue, stage)),
                _ => what.with(|| CcuSubCore::<32, 4, $collector_bits>::new(issue, stage)),
            }
        };
    }
    match (design.collector, stage.collectors) {
        (Collector::Ocu, 1 | 2) => what.with(|| OcuSubCore::<32, 1>::new(issue, stage)),
        (Collector::Ocu, 4) => what.with(|| OcuSubCore::<32, 2>::new(issue, stage)),
        (Collector::Ocu, _) => what.with(|| OcuSubCore::<32, 3>::new(issue, stage)),
        (Collector::Boc, _) => what.with(|| BocSubCore::<32, 3>::new(issue, stage)),
        (Collector::Ccu, 1 | 2) => caching!(1),
        (Collector::Ccu, 4) => caching!(2),
        (Collector::Ccu, _) => caching!(3),
    }
}
