// SPDX-License-Identifier: Apache-2.0
//! Engines of an SM's hardware beside issue and operand stages: sub-cores without collectors, register
//! caches, interval prefetchers, shared register pools, skip tables, renaming tables, inter-warp multicasting
//! unit, register management unit, CTA status monitor, context mover.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut};
use gpurf_blocks::{Clocked, Lockstep, Parameters, Ports, Typed, SUB_CORES};
use gpurf_sim::config::Config;
use gpurf_sim::engines::{
    context_mover_model, iwmu_model, rmu_model, status_monitor_model, ContextMoverEngine, Engines,
    IwmuEngine, ModernSubCoreEngine, PrefetcherEngine, RegisterCacheEngine, RegisterPoolEngine,
    RenamingTableEngine, RmuEngine, SkipTableEngine, StatusMonitorEngine,
};
use gpurf_sim::modern::ModernSubCore;
use gpurf_sim::sm::Design;
use gpurf_testbenches::sub_core_engine::{recorded_ports, recorded_rtl, InstructionTexts};
use gpurf_testbenches::tap::{self, RecordingOptions, WaveformRecording};
use gpurf_testbenches::unit_hardware::{self, UnitHardware};
use gpurf_verilog::{Events, Occurrence, Values};

use crate::engines::Engines as Kind;
use crate::sim::events::EventLog;
use crate::sim::recording::Watch;

/// Differences of engines in lockstep inside an SM, out of reach.
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
    /// An event that may be inside the RTL of a unit.
    pub watch: Option<&'a Watch>,
    /// Everything that is written down of sub-cores without collectors.
    pub notes: Option<&'a Notes<'a>>,
}

/// Everything that is written down of the sub-cores of the first SM, if they have no collectors.
#[derive(Default)]
pub struct Notes<'a> {
    /// The waveform of sub-core 0.
    pub options: Option<RecordingOptions<'a>>,
    pub recording: RefCell<Option<WaveformRecording>>,
    pub texts: InstructionTexts,
    /// The events inside the RTL of all of them.
    pub events: Option<EventLog>,
}

/// When a unit's clock edge comes in a cycle of the SM.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    BeforeSubCores,
    OfSubCore,
    AfterSubCores,
}

impl<'a> Units<'a> {
    /// These engines of the sub-cores, and those of the units that the design uses: all that an SM is made
    /// of.
    pub fn around<E: 'a>(&self, sub_cores: Vec<E>) -> Result<Engines<'a, E>> {
        let Units { config, design, .. } = *self;
        let mut engines = Engines::around(config, design, in_turn(sub_cores));
        if design.reads_in_window() {
            engines.modern_sub_core = Box::new(in_turn(self.modern_sub_cores(SUB_CORES * config.sms)?));
        }
        if design.register_cache.is_some() {
            engines.register_cache = Box::new(in_turn(self.register_caches(SUB_CORES * config.sms)?));
        }
        if design.fetches_intervals() {
            engines.interval_prefetcher = Box::new(in_turn(self.prefetchers(SUB_CORES * config.sms)?));
        }
        if design.residency.pool {
            engines.register_pool = Box::new(in_turn(self.register_pools(SUB_CORES * config.sms)?));
        }
        if design.rename {
            engines.skip_table = Box::new(in_turn(self.skip_tables(SUB_CORES * config.sms)?));
        }
        if design.renames_registers(config) {
            engines.renaming_table = Box::new(in_turn(self.renaming_tables(SUB_CORES * config.sms)?));
        }
        if design.multicast {
            engines.multicasting_unit = Box::new(in_turn(self.multicasting_units(config.sms)?));
        }
        if design.residency.has_rmu() {
            engines.rmu = Box::new(in_turn(self.rmus(config.sms)?));
        }
        if design.switches() {
            engines.status_monitor = Box::new(in_turn(self.status_monitors(config.sms)?));
            engines.context_mover = Box::new(in_turn(self.context_movers(config.sms)?));
        }
        Ok(engines)
    }

    /// So many sub-cores without collectors.
    fn modern_sub_cores(&self, count: usize) -> Result<Vec<ModernSubCoreEngine>> {
        let parameters = &self.design.parameters(self.config, 0);
        let model = || self.design.modern_sub_core_model(self.config);
        let notes = self.notes.filter(|notes| notes.options.is_some() || notes.events.is_some());
        // The model does without ports.
        if self.kind == Kind::Model && notes.is_none() {
            return Ok((0..count).map(|_| model()).collect());
        }
        let hardware = unit_hardware::modern_sub_core(parameters);
        let name = ("sub-core", Turn::OfSubCore);
        let mut engines =
            self.engines(name, || Box::new(model()) as Engine<_, _>, hardware, parameters, count)?;
        if let Some(notes) = notes {
            self.note(notes, &mut engines, parameters)?;
        }
        Ok(engines.into_iter().map(|engine| Box::new(engine) as ModernSubCoreEngine).collect())
    }

    /// Has sub-cores of the first SM written down as they run.
    fn note(
        &self,
        Notes { options, recording, texts, events }: &Notes,
        engines: &mut [Engine<ModernSubCoreIn<u32>, ModernSubCoreOut<u32>>],
        parameters: &Parameters,
    ) -> Result<()> {
        let log = events.clone().unwrap_or_default();
        if self.kind != Kind::Rtl {
            let (Some(options), Some(first)) = (options, engines.first_mut()) else { return Ok(()) };
            let (config, design) = (self.config, &self.design);
            // Which ports there are does not depend on the seed.
            let engine = std::mem::replace(first, Box::new(ModernSubCore::new(parameters)));
            let (engine, recorded) = recorded_ports(config, design, 0, options, texts.clone(), engine)?;
            (*first, *recording.borrow_mut()) = (Box::new(engine), Some(recorded));
            return Ok(());
        }
        let observed = (unit_hardware::modern_sub_core(parameters).observed)(parameters)?;
        for (number, engine) in engines.iter_mut().take(SUB_CORES).enumerate() {
            let log = log.clone();
            match options {
                Some(options) if number == 0 => {
                    let hear = move |_, event: &Occurrence| log.hear(event);
                    let (recorder, recorded) = recorded_rtl(&observed, options, texts.clone(), hear)?;
                    (*engine, *recording.borrow_mut()) = (Box::new(recorder), Some(recorded));
                }
                _ if events.is_some() => {
                    let look = move |_, events: &Events, values: &dyn Values| {
                        events.visit(values, |event| log.hear(event));
                    };
                    *engine = Box::new(Typed::new(tap::listen(&observed, look)?));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// So many register caches of a sub-core.
    fn register_caches(&self, count: usize) -> Result<Vec<RegisterCacheEngine>> {
        let parameters = &self.design.parameters(self.config, 0);
        let model = || self.design.register_cache_model(self.config);
        // The model does without ports.
        if self.kind == Kind::Model {
            return Ok((0..count).map(|_| model()).collect());
        }
        let hardware = unit_hardware::register_cache(parameters);
        let name = ("register cache", Turn::AfterSubCores);
        let engines =
            self.engines(name, || Box::new(model()) as Engine<_, _>, hardware, parameters, count)?;
        Ok(engines.into_iter().map(|engine| Box::new(engine) as RegisterCacheEngine).collect())
    }

    /// So many prefetchers of register intervals of a sub-core.
    fn prefetchers(&self, count: usize) -> Result<Vec<PrefetcherEngine>> {
        let parameters = &self.design.parameters(self.config, 0);
        let hardware = unit_hardware::interval_prefetcher(parameters);
        let model = || self.design.interval_prefetcher_model(self.config);
        self.engines(("interval prefetcher", Turn::AfterSubCores), model, hardware, parameters, count)
    }

    /// So many shared register pools of a sub-core.
    fn register_pools(&self, count: usize) -> Result<Vec<RegisterPoolEngine>> {
        let parameters = &self.design.parameters(self.config, 0);
        let hardware = unit_hardware::register_pool(parameters);
        let model = || self.design.register_pool_model(self.config);
        self.engines(("register pool", Turn::AfterSubCores), model, hardware, parameters, count)
    }

    /// So many skip tables of a sub-core.
    fn skip_tables(&self, count: usize) -> Result<Vec<SkipTableEngine>> {
        let parameters = &self.design.skip_table_parameters(self.config);
        let hardware = unit_hardware::skip_table(parameters);
        let model = || self.design.skip_table_model(self.config);
        self.engines(("skip table", Turn::AfterSubCores), model, hardware, parameters, count)
    }

    /// So many renaming tables of a sub-core.
    fn renaming_tables(&self, count: usize) -> Result<Vec<RenamingTableEngine>> {
        let parameters = &self.design.parameters(self.config, 0);
        let hardware = unit_hardware::renaming_table(parameters);
        let model = || self.design.renaming_table_model(self.config);
        self.engines(("renaming table", Turn::AfterSubCores), model, hardware, parameters, count)
    }

    /// So many inter-warp multicasting units.
    fn multicasting_units(&self, count: usize) -> Result<Vec<IwmuEngine>> {
        let parameters = &self.config.hardware;
        let hardware = unit_hardware::multicasting_unit(parameters);
        let name = ("multicasting unit", Turn::BeforeSubCores);
        self.engines(name, || iwmu_model(self.config), hardware, parameters, count)
    }

    /// So many RMUs.
    fn rmus(&self, count: usize) -> Result<Vec<RmuEngine>> {
        let parameters = &self.config.hardware;
        let hardware = unit_hardware::rmu(parameters);
        self.engines(("RMU", Turn::AfterSubCores), || rmu_model(self.config), hardware, parameters, count)
    }

    /// So many CTA status monitors.
    fn status_monitors(&self, count: usize) -> Result<Vec<StatusMonitorEngine>> {
        let parameters = &self.config.hardware;
        let (model, hardware) =
            (|| status_monitor_model(self.config), unit_hardware::status_monitor(parameters));
        self.engines(("CTA status monitor", Turn::AfterSubCores), model, hardware, parameters, count)
    }

    /// So many context movers.
    fn context_movers(&self, count: usize) -> Result<Vec<ContextMoverEngine>> {
        let parameters = &self.config.hardware;
        let hardware = unit_hardware::context_mover(parameters);
        self.engines(("context mover", Turn::AfterSubCores), context_mover_model, hardware, parameters, count)
    }

    fn engines<I, O>(
        &self,
        (unit, turn): (&'static str, Turn),
        model: impl Fn() -> Engine<I, O>,
        hardware: UnitHardware<I, O>,
        parameters: &Parameters,
        count: usize,
    ) -> Result<Vec<Engine<I, O>>>
    where
        I: Ports + Send + 'static,
        O: Ports + Send + 'static,
    {
        // One program for all that are alike.
        let program = match self.kind {
            Kind::Rtl | Kind::Lockstep | Kind::LockstepVerilator => Some((hardware.compiled)(parameters)?),
            Kind::Model | Kind::RustHdl | Kind::Verilator => None,
        };
        let rtl = || program.as_ref().expect("the RTL is compiled for those that run it").engine();
        let watch = self.watch.filter(|watch| self.kind == Kind::Rtl && watch.query().is_some());
        let engine = |number| -> Result<Engine<I, O>> {
            if let (Some(watch), 0) = (watch, number) {
                let observed = (hardware.observed)(parameters)?;
                return Ok(match turn {
                    Turn::OfSubCore => Box::new(watch.in_sub_core(&observed)?),
                    Turn::BeforeSubCores => Box::new(watch.in_unit(&observed, false)?),
                    Turn::AfterSubCores => Box::new(watch.in_unit(&observed, true)?),
                });
            }
            let watched =
                |engines, which| Watched { engines, unit, which, differences: self.differences.clone() };
            Ok(match self.kind {
                Kind::Model => model(),
                Kind::Rtl => Box::new(rtl()),
                Kind::RustHdl => (hardware.rust_hdl)(parameters),
                Kind::Verilator => Box::new((hardware.verilator)(parameters)?),
                Kind::Lockstep => Box::new(watched(
                    Lockstep::new(model(), Box::new(rtl()) as Engine<I, O>),
                    "model and RTL",
                )),
                Kind::LockstepVerilator => {
                    let verilog: Engine<I, O> = Box::new((hardware.verilator)(parameters)?);
                    let rtl: Engine<I, O> = Box::new(rtl());
                    let hardware: Engine<I, O> =
                        Box::new(watched(Lockstep::new(rtl, verilog), "RTL and Verilog"));
                    Box::new(watched(Lockstep::new(model(), hardware), "model and RTL"))
                }
            })
        };
        (0..count).map(engine).collect()
    }
}

/// Gives out engines that are made already, by rising number.
fn in_turn<T>(engines: Vec<T>) -> impl FnMut(usize) -> T {
    let mut engines = engines.into_iter();
    move |_| engines.next().expect("one for each")
}
