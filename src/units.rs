//! Engines of an SM's units beside the issue and operand stages: register caches, inter-warp multicasting unit,
//! register management unit, CTA status monitor.

use std::sync::{Arc, Mutex};

use anyhow::Result;
use gpurf_blocks::{Clocked, Lockstep, Ports, ADDRESS_BITS, SUB_CORES, WARP_BITS};
use gpurf_hw::dialect::{Module, Rtl};
use gpurf_hw::finereg;
use gpurf_hw::multicast;
use gpurf_hw::register_cache::RegisterCache;
use gpurf_sim::config::Config;
use gpurf_sim::engines::{
    iwmu_model, rmu_model, status_monitor_model, Engines, IwmuEngine, RegisterCacheEngine, RmuEngine,
    StatusMonitorEngine,
};
use gpurf_sim::sm::{Design, Residency};
use gpurf_verilog::Verilated;

use crate::engines::Engines as Kind;

/// What engines in lockstep inside an SM, out of reach, differed in.
#[derive(Clone, Default)]
pub struct Differences(Arc<Mutex<(u64, Vec<String>)>>);

impl Differences {
    /// Cycles, and the first difference of each pair of engines.
    pub fn take(&self) -> (u64, Vec<String>) {
        std::mem::take(&mut *self.0.lock().expect("no engine panics while it reports"))
    }
}

/// Two engines of a unit in lockstep that report where they differ.
struct Watched<A, B> {
    engines: Lockstep<A, B>,
    unit: &'static str,
    which: &'static str,
    differences: Differences,
}

impl<A, B> Clocked for Watched<A, B>
where
    A: Clocked,
    B: Clocked<In = A::In, Out = A::Out>,
    A::Out: Ports,
{
    type In = A::In;
    type Out = A::Out;

    fn settle(&mut self, inputs: &A::In) -> A::Out {
        self.engines.settle(inputs)
    }

    fn tick(&mut self) {
        let before = self.engines.divergent_cycles;
        self.engines.tick();
        if self.engines.divergent_cycles > before {
            let mut found = self.differences.0.lock().expect("no engine panics while it reports");
            found.0 += 1;
            if let (0, Some(divergence)) = (before, &self.engines.divergence) {
                found.1.push(format!("{}, {}: {divergence}", self.unit, self.which));
            }
        }
    }
}

type Engine<M> = Box<dyn Clocked<In = <M as Module>::In, Out = <M as Module>::Out> + Send>;

/// How the units of an SM are run.
pub struct Units<'a> {
    pub kind: Kind,
    pub config: &'a Config,
    pub design: Design,
    pub differences: &'a Differences,
}

impl<'a> Units<'a> {
    /// These engines of the sub-cores, and those of the units that the design uses: all that an SM is made of.
    pub fn around<E: 'a>(&self, sub_cores: Vec<E>) -> Result<Engines<'a, E>> {
        let Units { config, design, .. } = *self;
        let mut engines = Engines::around(config, design, in_turn(sub_cores));
        let sms = 0..config.sms;
        if design.register_cache.is_some() {
            let caches = (0..SUB_CORES * config.sms).map(|_| self.register_cache());
            engines.register_cache = Box::new(in_turn(caches.collect::<Result<_>>()?));
        }
        if design.multicast {
            let units = sms.clone().map(|_| self.multicasting_unit());
            engines.multicasting_unit = Box::new(in_turn(units.collect::<Result<_>>()?));
        }
        if design.residency == Residency::FineReg {
            engines.rmu = Box::new(in_turn(sms.clone().map(|_| self.rmu()).collect::<Result<_>>()?));
        }
        if design.switches() {
            let monitors = sms.map(|_| self.status_monitor());
            engines.status_monitor = Box::new(in_turn(monitors.collect::<Result<_>>()?));
        }
        Ok(engines)
    }

    /// The register cache of a sub-core.
    fn register_cache(&self) -> Result<RegisterCacheEngine> {
        let parameters = &self.design.parameters(self.config, 0);
        let model = self.design.register_cache_model(self.config);
        match parameters.rc_tag_lanes {
            1 => self.engine("register cache", model, || RegisterCache::<32, 1>::new(parameters)),
            lanes => {
                assert_eq!(lanes, 32, "each thread has tags, or the warp");
                self.engine("register cache", model, || RegisterCache::<32, 32>::new(parameters))
            }
        }
    }

    /// The inter-warp multicasting unit.
    fn multicasting_unit(&self) -> Result<IwmuEngine> {
        let parameters = &self.config.hardware;
        self.engine("multicasting unit", iwmu_model(self.config), || {
            multicast::Iwmu::<WARP_BITS, ADDRESS_BITS>::new(parameters)
        })
    }

    /// The register management unit.
    fn rmu(&self) -> Result<RmuEngine> {
        let parameters = &self.config.hardware;
        macro_rules! with_pointers_of {
            ($($bits:literal),*) => {
                match parameters.pointer_bits() {
                    $($bits => self.engine("RMU", rmu_model(self.config), || {
                        finereg::Rmu::<32, $bits>::new(parameters)
                    }),)*
                    bits => unreachable!("a PCRF has 64 to 2048 entries: 6 to 11 bits, not {bits}"),
                }
            };
        }
        with_pointers_of!(6, 7, 8, 9, 10, 11)
    }

    /// The CTA status monitor.
    fn status_monitor(&self) -> Result<StatusMonitorEngine> {
        let parameters = &self.config.hardware;
        self.engine("CTA status monitor", status_monitor_model(self.config), || {
            finereg::CtaStatusMonitor::new(parameters)
        })
    }

    fn engine<M>(&self, unit: &'static str, model: Engine<M>, module: impl Fn() -> M) -> Result<Engine<M>>
    where
        M: Module + Send + 'static,
        M::In: Send,
        M::Out: Ports + Send,
    {
        let differences = self.differences;
        Ok(match self.kind {
            Kind::Model => model,
            Kind::Rtl => Box::new(Rtl::new(module())),
            Kind::Verilator => Box::new(Verilated::new(&module())?),
            Kind::Lockstep => {
                let engines = Lockstep::new(Rtl::new(module()), Verilated::new(&module())?);
                let which = "RTL and Verilog";
                let hardware = Watched { engines, unit, which, differences: differences.clone() };
                let engines = Lockstep::new(model, hardware);
                Box::new(Watched { engines, unit, which: "model and RTL", differences: differences.clone() })
            }
        })
    }
}

/// Gives out engines that are made already, by rising number.
fn in_turn<T>(engines: Vec<T>) -> impl FnMut(usize) -> T {
    let mut engines = engines.into_iter();
    move |_| engines.next().expect("one for each")
}
