// SPDX-License-Identifier: Apache-2.0
//! Engines of the hardware that an SM steps: their types, what makes them, and the reference models.
//! The data of all of them are tokens of 32 bits.

use gpurf_blocks::ports::{
    ContextMoverIn, ContextMoverOut, CtaStatusMonitorIn, CtaStatusMonitorOut, IntervalPrefetcherIn,
    IntervalPrefetcherOut, IwmuIn, IwmuOut, ModernSubCoreIn, ModernSubCoreOut, RegisterCacheIn,
    RegisterCacheOut, RenamingTableIn, RenamingTableOut, RmuIn, RmuOut, SharedRegisterPoolIn,
    SharedRegisterPoolOut, SkipTableIn, SkipTableOut,
};
use gpurf_blocks::Clocked;

use crate::config::Config;
use crate::design::{Design, OperandBuffer};
use crate::finereg::{ContextMover, CtaStatusMonitor, Rmu};
use crate::modern::{ModernSubCore, Shown, Told};
use crate::multicast::{Iwmu, RenamingTable, SkipTable};
use crate::register_cache::{IntervalPrefetcher, IssuedSources, LookedUp, Moved, Offer, RegisterCache};
use crate::register_file::SharedRegisterPool;

pub use crate::sub_core_engine::{RunsSubCore, SubCoreEngine};

/// Anything that runs the register cache of a sub-core.
pub trait RunsRegisterCache: Clocked<In = RegisterCacheIn<u32>, Out = RegisterCacheOut<u32>> {
    /// [`Clocked::settle`] in words, without sources.
    fn offer(&mut self, offer: &Offer<u32>) -> Moved<u32> {
        Moved::of_ports(&self.settle(&offer.ports(&IssuedSources::default())))
    }

    /// The same, with sources: `found` becomes what they find, unless they must wait. Whether they need not.
    /// `offer` has been offered in this cycle, or there is nothing in it.
    fn look_up(&mut self, offer: &Offer<u32>, sources: &IssuedSources, found: &mut LookedUp) -> bool {
        let looked_up = LookedUp::of_ports(&self.settle(&offer.ports(sources)));
        looked_up.map(|looked_up| *found = looked_up).is_some()
    }
}

/// Any engine that has ports and nothing else.
impl RunsRegisterCache for Box<dyn Clocked<In = RegisterCacheIn<u32>, Out = RegisterCacheOut<u32>> + Send> {}

impl RunsRegisterCache for RegisterCache<u32> {
    fn offer(&mut self, offer: &Offer<u32>) -> Moved<u32> {
        RegisterCache::offer(self, offer)
    }

    fn look_up(&mut self, _: &Offer<u32>, sources: &IssuedSources, found: &mut LookedUp) -> bool {
        RegisterCache::look_up(self, sources, found)
    }
}

/// Anything that runs a sub-core without collectors.
pub trait RunsModernSubCore: Clocked<In = ModernSubCoreIn<u32>, Out = ModernSubCoreOut<u32>> {
    /// A cycle in words, with its clock edge. The outputs are zero before.
    fn cycle(&mut self, told: &Told<u32>, shown: &mut Shown<u32>) {
        *shown = Shown::of_ports(&self.settle(&told.ports()));
        self.tick();
    }
}

/// Any engine that has ports and nothing else.
impl RunsModernSubCore for Box<dyn Clocked<In = ModernSubCoreIn<u32>, Out = ModernSubCoreOut<u32>> + Send> {}

impl RunsModernSubCore for ModernSubCore<u32> {
    #[inline]
    fn cycle(&mut self, told: &Told<u32>, shown: &mut Shown<u32>) {
        let decided = self.decide(told, shown);
        self.edge(told, shown, decided);
    }
}

/// The sub-core without collectors.
pub type ModernSubCoreEngine = Box<dyn RunsModernSubCore + Send>;
/// The register cache of a sub-core.
pub type RegisterCacheEngine = Box<dyn RunsRegisterCache + Send>;
/// The prefetcher of register intervals of a sub-core.
pub type PrefetcherEngine = Box<dyn Clocked<In = IntervalPrefetcherIn, Out = IntervalPrefetcherOut> + Send>;
/// The shared register pool of a sub-core.
pub type RegisterPoolEngine = Box<dyn Clocked<In = SharedRegisterPoolIn, Out = SharedRegisterPoolOut> + Send>;
/// The skip table of a sub-core.
pub type SkipTableEngine = Box<dyn Clocked<In = SkipTableIn, Out = SkipTableOut> + Send>;
/// The renaming table of a sub-core.
pub type RenamingTableEngine = Box<dyn Clocked<In = RenamingTableIn, Out = RenamingTableOut> + Send>;
/// The inter-warp multicasting unit of an SM.
pub type IwmuEngine = Box<dyn Clocked<In = IwmuIn, Out = IwmuOut> + Send>;
/// The register management unit of an SM.
pub type RmuEngine = Box<dyn Clocked<In = RmuIn<u32>, Out = RmuOut<u32>> + Send>;
/// The CTA status monitor of an SM.
pub type StatusMonitorEngine = Box<dyn Clocked<In = CtaStatusMonitorIn, Out = CtaStatusMonitorOut> + Send>;

/// The context mover of an SM.
pub type ContextMoverEngine = Box<dyn Clocked<In = ContextMoverIn, Out = ContextMoverOut> + Send>;

/// Makes whatever runs the hardware of an SM, each engine by its number: sub-core s of SM m has number 4 m +
/// s, and so have its register cache, interval prefetcher, register pool, skip table and renaming table; the
/// others are one for each SM. An engine is used if the design has such hardware. It must have the parameters
/// of the design ([`Design::parameters`]) or, where the design sets none, those of the machine
/// ([`Config::hardware`]).
///
/// ```
/// use gpurf_sim::config::Config;
/// use gpurf_sim::engines::Engines;
/// use gpurf_sim::sm::{Design, Gpu};
///
/// let (config, design, seed) = (Config::default(), Design::FINEREG, 1);
/// let rmu = |_| gpurf_sim::engines::rmu_model(&config);
/// let engines = Engines { rmu: Box::new(rmu), ..Engines::models(&config, design, seed) };
/// let gpu = Gpu::new(&config, design, seed, engines);
/// assert_eq!(gpu.engines().count(), 4);
/// ```
pub struct Engines<'a, E> {
    /// Issue stage and operand stage of a sub-core with collectors.
    pub sub_core: Make<'a, E>,
    /// A sub-core without collectors.
    pub modern_sub_core: Make<'a, ModernSubCoreEngine>,
    /// The register cache of a sub-core.
    pub register_cache: Make<'a, RegisterCacheEngine>,
    /// The prefetcher of register intervals of a sub-core.
    pub interval_prefetcher: Make<'a, PrefetcherEngine>,
    /// The shared register pool of a sub-core.
    pub register_pool: Make<'a, RegisterPoolEngine>,
    /// The skip table of a sub-core.
    pub skip_table: Make<'a, SkipTableEngine>,
    /// The renaming table of a sub-core.
    pub renaming_table: Make<'a, RenamingTableEngine>,
    /// The inter-warp multicasting unit of an SM.
    pub multicasting_unit: Make<'a, IwmuEngine>,
    /// The register management unit of an SM.
    pub rmu: Make<'a, RmuEngine>,
    /// The CTA status monitor of an SM.
    pub status_monitor: Make<'a, StatusMonitorEngine>,
    /// The context mover of an SM.
    pub context_mover: Make<'a, ContextMoverEngine>,
}

/// Makes an engine by its number.
pub type Make<'a, T> = Box<dyn FnMut(usize) -> T + 'a>;

impl<'a> Engines<'a, SubCoreEngine> {
    /// The reference models. The seed is that of the hardware's random choices.
    pub fn models(config: &'a Config, design: Design, seed: u64) -> Self {
        Engines::around(config, design, move |_| design.model(config, seed))
    }
}

impl<'a, E> Engines<'a, E> {
    /// These for the sub-cores, and the reference models for all others.
    pub fn around(config: &'a Config, design: Design, sub_core: impl FnMut(usize) -> E + 'a) -> Self {
        Engines {
            sub_core: Box::new(sub_core),
            modern_sub_core: Box::new(move |_| design.modern_sub_core_model(config)),
            register_cache: Box::new(move |_| design.register_cache_model(config)),
            interval_prefetcher: Box::new(move |_| design.interval_prefetcher_model(config)),
            register_pool: Box::new(move |_| design.register_pool_model(config)),
            skip_table: Box::new(move |_| design.skip_table_model(config)),
            renaming_table: Box::new(move |_| design.renaming_table_model(config)),
            multicasting_unit: Box::new(|_| iwmu_model(config)),
            rmu: Box::new(|_| rmu_model(config)),
            status_monitor: Box::new(|_| status_monitor_model(config)),
            context_mover: Box::new(|_| context_mover_model()),
        }
    }
}

impl Design {
    /// The reference model of a sub-core with collectors, which the design must have.
    pub fn model(&self, config: &Config, seed: u64) -> SubCoreEngine {
        match self.collector.holds {
            OperandBuffer::InCollectors(model) => model(&self.parameters(config, seed)),
            OperandBuffer::InWindow => panic!("{self} has no collectors"),
        }
    }

    /// The reference model of a sub-core without collectors.
    pub fn modern_sub_core_model(&self, config: &Config) -> ModernSubCoreEngine {
        Box::new(ModernSubCore::new(&self.parameters(config, 0)))
    }

    /// The reference model of the register cache of a sub-core.
    pub fn register_cache_model(&self, config: &Config) -> RegisterCacheEngine {
        Box::new(RegisterCache::new(&self.parameters(config, 0)))
    }

    /// The reference model of the prefetcher of register intervals of a sub-core.
    pub fn interval_prefetcher_model(&self, config: &Config) -> PrefetcherEngine {
        Box::new(IntervalPrefetcher::new(&self.parameters(config, 0)))
    }

    /// The reference model of the shared register pool of a sub-core.
    pub fn register_pool_model(&self, config: &Config) -> RegisterPoolEngine {
        Box::new(SharedRegisterPool::new(&self.parameters(config, 0)))
    }

    /// The reference model of the skip table of a sub-core.
    pub fn skip_table_model(&self, config: &Config) -> SkipTableEngine {
        Box::new(SkipTable::new(&self.skip_table_parameters(config)))
    }

    /// The reference model of the renaming table of a sub-core.
    pub fn renaming_table_model(&self, config: &Config) -> RenamingTableEngine {
        Box::new(RenamingTable::new(&self.parameters(config, 0)))
    }
}

/// The reference model of the inter-warp multicasting unit.
pub fn iwmu_model(config: &Config) -> IwmuEngine {
    Box::new(Iwmu::new(&config.hardware))
}

/// The reference model of the register management unit.
pub fn rmu_model(config: &Config) -> RmuEngine {
    Box::new(Rmu::new(&config.hardware))
}

/// The reference model of the CTA status monitor.
pub fn status_monitor_model(config: &Config) -> StatusMonitorEngine {
    Box::new(CtaStatusMonitor::new(&config.hardware))
}

/// The reference model of the context mover.
pub fn context_mover_model() -> ContextMoverEngine {
    Box::new(ContextMover::default())
}
