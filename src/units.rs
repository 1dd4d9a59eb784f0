//! Engines of an SM's units beside the issue and operand stages: register caches, inter-warp multicasting unit,
//! register management unit, CTA status monitor.

use std::sync::{Arc, Mutex};

use anyhow::Result;
use gpurf_blocks::{Clocked, Lockstep, Parameters, Ports, SUB_CORES};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{
    iwmu_model, rmu_model, status_monitor_model, Engines, IwmuEngine, RegisterCacheEngine, RmuEngine,
    StatusMonitorEngine,
};
use gpurf_sim::sm::{Design, Residency};
use gpurf_testbenches::unit_hardware::{self, UnitHardware};

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

type Engine<I, O> = Box<dyn Clocked<In = I, Out = O> + Send>;

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
        if matches!(self.kind, Kind::Model) {
            return Ok(model);
        }
        let hardware = unit_hardware::register_cache(parameters);
        Ok(Box::new(self.engine("register cache", Box::new(model), hardware, parameters)?))
    }

    /// The inter-warp multicasting unit.
    fn multicasting_unit(&self) -> Result<IwmuEngine> {
        let (model, parameters) = (iwmu_model(self.config), &self.config.hardware);
        self.engine("multicasting unit", model, unit_hardware::multicasting_unit(parameters), parameters)
    }

    /// The register management unit.
    fn rmu(&self) -> Result<RmuEngine> {
        let (model, parameters) = (rmu_model(self.config), &self.config.hardware);
        self.engine("RMU", model, unit_hardware::rmu(parameters), parameters)
    }

    /// The CTA status monitor.
    fn status_monitor(&self) -> Result<StatusMonitorEngine> {
        let (model, parameters) = (status_monitor_model(self.config), &self.config.hardware);
        self.engine("CTA status monitor", model, unit_hardware::status_monitor(parameters), parameters)
    }

    fn engine<I, O>(
        &self,
        unit: &'static str,
        model: Engine<I, O>,
        hardware: UnitHardware<I, O>,
        parameters: &Parameters,
    ) -> Result<Engine<I, O>>
    where
        I: Ports + Send + 'static,
        O: Ports + Send + 'static,
    {
        let differences = self.differences;
        Ok(match self.kind {
            Kind::Model => model,
            Kind::Rtl => (hardware.rtl)(parameters),
            Kind::Verilator => Box::new((hardware.verilator)(parameters)?),
            Kind::Lockstep => {
                let engines = Lockstep::new((hardware.rtl)(parameters), (hardware.verilator)(parameters)?);
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
