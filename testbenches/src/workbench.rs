// SPDX-License-Identifier: Apache-2.0
//! The testbench of any module, its type left behind: what the tool, the tests and the benches run.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use anyhow::{anyhow, bail, Context, Result};
use gpurf_blocks::{suggestion, unpack, Packed, PackedClocked, Parameters, PortLayout, Ports};
use gpurf_hw::dialect::{Module, Rtl};
use gpurf_verilog::{
    emit_as, Events, Hierarchy, Icarus, Occurrence, PackedCompiled, PackedRtl, Query, Style, Values,
    Verilated,
};
use rust_hdl::prelude::Block;
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::sampling::{PackedEngine, Sample, Sampled};
use crate::scenario::PackedScenario;
use crate::stimulus::{PackedStimulus, TypedStimulus};
use crate::tap::{self, record_inside, record_ports, AwaitedEvent, Drawn, RecordingOptions, Texts};
use crate::trial::run_packed;
use crate::{Failure, Failures, Ported, Random, Scenario, Testbench, TrialOutcome};

/// An engine of a module. The command line names it as `strum` derives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", parse_err_ty = String, parse_err_fn = unknown_engine)]
pub enum EngineKind {
    /// The reference model.
    Model,
    /// The hardware as machine code.
    Rtl,
    /// The hardware as rust-hdl evaluates it, slowly: the reference of the others.
    #[strum(serialize = "rust-hdl")]
    RustHdl,
    /// The emitted Verilog under Verilator.
    Verilator,
    /// The emitted Verilog under Icarus.
    Icarus,
    /// The netlist that the emitted Verilog was synthesized to, under Verilator.
    Netlist,
}

fn unknown_engine(_: &str) -> String {
    format!("there are {}", EngineKind::VARIANTS.join(", "))
}

/// A module in one configuration, with its testbench.
pub trait Workbench {
    /// The module, for those who only walk through it.
    fn block(&self) -> Box<dyn Block>;

    /// The Verilog of the engines that run it: the module's own, or what was read in its place.
    fn verilog(&self) -> Result<Hierarchy>;

    /// Other Verilog instead of the module's own: edited, synthesized, or written by hand.
    fn read_verilog(&mut self, text: String);

    /// Writes the module's own Verilog in this style from now on.
    fn write_in(&mut self, style: Style);

    /// The Verilog that the engine [`EngineKind::Netlist`] runs: cells of a library, and their models.
    fn read_netlist(&mut self, text: String);

    /// Conditions that hold for the inputs of any cycle, in the module's Verilog.
    fn protocol(&self) -> Vec<String>;

    /// Its parameters; those that it does not have are the defaults.
    fn parameters(&self) -> &Parameters;

    /// The report of failures, for whoever reads it: see [`Failures`].
    fn report(&self, engines: &[EngineKind], seed: u64, failures: &[Failure]) -> String;

    /// Names and rules of the directed scenarios.
    fn scenarios(&self) -> Vec<(&'static str, &'static str)>;

    /// Plays them all, each on fresh engines, and tells which failed and why.
    fn play(&self, engines: &[EngineKind]) -> Result<Vec<Failure>>;

    /// Plays one of them, by its name, on fresh engines; why it failed.
    fn play_one(&self, engines: &[EngineKind], name: &str) -> Result<Option<Failure>>;

    /// Drives fresh engines with random stimulus for so many cycles.
    fn run(&self, engines: &[EngineKind], random: &mut Random, cycles: u64) -> Result<TrialOutcome>;

    /// Drives a fresh engine through a course and records its waveform: of the RTL all that is inside, of
    /// others the ports.
    fn draw(&self, engine: EngineKind, course: &Course, options: &RecordingOptions) -> Result<Drawn>;

    /// Looks for an event that the RTL comes to on a course.
    fn search(&self, course: &Course, query: &Query) -> Result<AwaitedEvent>;

    /// Drives the RTL through a course and tells the events inside, with their cycles.
    fn listen(&self, course: &Course, hear: Hear) -> Result<()>;

    /// The same of rules alone that are broken, of the module's contract and of its parts'.
    fn check(&self, course: &Course, hear: Hear) -> Result<()>;

    /// The events that the module and its parts declare.
    fn events(&self) -> Result<Events>;

    /// Drives hardware for so many cycles with values of zero, resets it, and compares it from there on with
    /// a fresh model. The engines are [`EngineKind::Rtl`], [`EngineKind::RustHdl`] or
    /// [`EngineKind::Verilator`].
    fn run_after_reset(
        &self,
        hardware: &[EngineKind],
        seed: u64,
        before: u64,
        cycles: u64,
    ) -> Result<TrialOutcome>;

    /// The same with the scenarios instead of random stimulus after the reset; tells which failed and why.
    fn play_after_reset(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<Failure>>;

    /// Where each port stands in the packed words of a [`Sample`].
    fn layout(&self) -> &PortLayout;

    /// A fresh engine after reset, for whoever decides its inputs from cycle to cycle.
    fn open(&self, engine: EngineKind) -> Result<PackedEngine>;

    /// The same with its waveform recorded: see [`Workbench::draw`].
    fn open_recorded(
        &self,
        engine: EngineKind,
        options: &RecordingOptions,
    ) -> Result<(PackedEngine, tap::WaveformRecording)>;

    /// Drives one fresh engine with random stimulus for so many cycles, and gives back its ports, cycle by
    /// cycle.
    fn sample(&self, engine: EngineKind, random: &mut Random, cycles: u64) -> Result<Vec<Sample>>;

    /// The same under one of the scenarios, by its name.
    fn sample_scenario(&self, engine: EngineKind, name: &str) -> Result<Vec<Sample>>;

    /// Records so many cycles of random stimulus, to be played back without deciding anything.
    fn record(&self, random: &mut Random, cycles: u64) -> Box<dyn RecordedStimulus>;
}

/// Is told events and their cycles.
pub type Hear = Box<dyn FnMut(u64, &Occurrence)>;

/// The course that an engine is driven through.
#[derive(Clone, Debug)]
pub enum Course {
    /// A scenario by its name.
    Scenario(String),
    /// Random stimulus.
    Random {
        /// Which.
        seed: u64,
        /// How long.
        cycles: u64,
    },
}

/// A recorded stimulus.
pub trait RecordedStimulus {
    /// A fresh engine, and the whole stimulus for it.
    fn playback(&self, engine: EngineKind) -> Result<Playback>;
}

/// Plays a stimulus to its end and gives back the engine.
pub type Playback = Box<dyn FnOnce() -> Box<dyn Any>>;

/// A module in one configuration, its type left behind.
#[derive(Clone)]
pub struct Bench {
    name: String,
    parameters: Parameters,
    subject: Subject,
    layout: PortLayout,
    /// How the module's own Verilog is written.
    style: Style,
    /// Verilog instead of the module's own.
    source: Option<String>,
    netlist: Option<String>,
    /// The module's own Verilog, once somebody asked for it.
    emitted: OnceCell<Hierarchy>,
    /// The same of its machine code.
    compiled: OnceCell<PackedCompiled>,
    /// The same for those who look inside.
    observed: OnceCell<PackedCompiled>,
}

/// A [`Testbench`]'s answers about its module.
#[derive(Clone, Copy)]
struct Subject {
    block: fn(&Parameters) -> Box<dyn Block>,
    model: fn(&Parameters) -> PackedEngine,
    playback: fn(&Parameters, &[Vec<u32>]) -> Playback,
    rust_hdl: fn(&Parameters) -> Box<dyn Hardware>,
    stimulus: fn(&Parameters) -> Box<dyn PackedStimulus>,
    protocol: fn(&Parameters) -> Vec<String>,
    scenarios: fn() -> Vec<PackedScenario>,
}

/// Hardware that can be reset at any time.
trait Hardware: PackedClocked {
    fn reset(&mut self, inputs: &[u32]);
}

impl<M: Module> Hardware for Packed<Rtl<M>> {
    fn reset(&mut self, inputs: &[u32]) {
        self.0.reset(&unpack(inputs));
    }
}

impl Hardware for PackedRtl {
    fn reset(&mut self, inputs: &[u32]) {
        PackedRtl::reset(self, inputs);
    }
}

impl Hardware for Verilated {
    fn reset(&mut self, inputs: &[u32]) {
        Verilated::reset(self, inputs);
    }
}

/// The testbench of a module with these parameters; waveforms show the name.
pub fn bench<M: Testbench>(name: &str, parameters: &Parameters) -> Bench {
    Bench {
        name: name.to_string(),
        parameters: M::seen(parameters),
        subject: Subject {
            block: |parameters| Box::new(M::configured(parameters)),
            model: |parameters| Box::new(Packed(M::model(parameters))),
            playback: |parameters, inputs| playback_of_model(M::model(parameters), inputs),
            rust_hdl: |parameters| Box::new(Packed(Rtl::new(M::configured(parameters)))),
            stimulus: |parameters| {
                Box::new(TypedStimulus { stimulus: M::stimulus(parameters), inputs: Default::default() })
            },
            protocol: M::protocol,
            scenarios: || M::scenarios().iter().map(Scenario::packed).collect(),
        },
        layout: PortLayout::of::<M::In, M::Out>(),
        style: Style::default(),
        source: None,
        netlist: None,
        emitted: OnceCell::new(),
        compiled: OnceCell::new(),
        observed: OnceCell::new(),
    }
}

/// A model needs no packed words: its speed is that of its own types.
fn playback_of_model<I: Ports, O: Ports>(mut model: Ported<I, O>, inputs: &[Vec<u32>]) -> Playback {
    let inputs: Vec<I> = inputs.iter().map(|words| unpack(words)).collect();
    Box::new(move || {
        for cycle in &inputs {
            std::hint::black_box(model.settle(cycle));
            model.tick();
        }
        Box::new((model, inputs))
    })
}

/// Cycles without inputs behind a scenario that is recorded.
const CYCLES_AFTER: u64 = 5;

impl Bench {
    fn model(&self) -> PackedEngine {
        (self.subject.model)(&self.parameters)
    }

    fn stimulus(&self) -> Box<dyn PackedStimulus> {
        (self.subject.stimulus)(&self.parameters)
    }

    fn compiled(&self) -> Result<&PackedCompiled> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = PackedCompiled::new(&*self.block(), &self.layout)?;
        Ok(self.compiled.get_or_init(|| compiled))
    }

    fn engine(&self, kind: EngineKind) -> Result<PackedEngine> {
        Ok(match kind {
            EngineKind::Model => self.model(),
            EngineKind::Rtl => Box::new(self.compiled()?.engine()),
            EngineKind::RustHdl => (self.subject.rust_hdl)(&self.parameters),
            EngineKind::Verilator => Box::new(Verilated::of(&self.verilog()?, &self.layout)?),
            EngineKind::Icarus => Box::new(Icarus::of(&self.verilog()?, &self.layout)?),
            EngineKind::Netlist => {
                let text =
                    self.netlist.clone().context("there is no netlist of it: it was not synthesized")?;
                Box::new(Verilated::of(&self.verilog()?.with_source(text), &self.layout)?)
            }
        })
    }

    fn engines(&self, kinds: &[EngineKind]) -> Result<Vec<PackedEngine>> {
        kinds.iter().map(|kind| self.engine(*kind)).collect()
    }

    /// A fresh model, and hardware that ran for so many cycles with values of zero and was reset.
    fn reset_engines(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<PackedEngine>> {
        let hardware = hardware.iter().map(|kind| -> Result<Box<dyn Hardware>> {
            Ok(match kind {
                EngineKind::Rtl => Box::new(self.compiled()?.engine()),
                EngineKind::RustHdl => (self.subject.rust_hdl)(&self.parameters),
                EngineKind::Verilator => Box::new(Verilated::of(&self.verilog()?, &self.layout)?),
                other => bail!("{other} cannot be reset in mid-stimulus"),
            })
        });
        let mut hardware: Vec<_> = hardware.collect::<Result<_>>()?;
        let mut random = Random::dataless(seed);
        let (mut model, mut stimulus) = (self.model(), self.stimulus());
        let (mut inputs, mut outputs) = (self.layout.no_inputs(), self.layout.no_outputs());
        for _ in 0..before {
            stimulus.next(&mut random, &mut inputs);
            for engine in &mut hardware {
                engine.settle(&inputs, &mut outputs);
                engine.tick();
            }
            model.settle(&inputs, &mut outputs);
            stimulus.observe(&outputs).map_err(|reason| anyhow!(reason))?;
            model.tick();
        }
        stimulus.next(&mut random, &mut inputs);
        hardware.iter_mut().for_each(|engine| engine.reset(&inputs));
        let hardware = hardware.into_iter().map(|engine| -> PackedEngine { engine });
        Ok([self.model()].into_iter().chain(hardware).collect())
    }

    /// The RTL compiled for those who look inside.
    fn observed(&self) -> Result<&PackedCompiled> {
        if let Some(observed) = self.observed.get() {
            return Ok(observed);
        }
        let observed = PackedCompiled::observed(&*self.block(), &self.layout)?;
        Ok(self.observed.get_or_init(|| observed))
    }

    /// A fresh engine with its waveform recorded.
    fn recorded(
        &self,
        engine: EngineKind,
        options: &RecordingOptions,
        texts: Texts,
    ) -> Result<(PackedEngine, tap::WaveformRecording)> {
        match engine {
            EngineKind::Rtl => {
                let (engine, recording) =
                    record_inside(self.observed()?, &self.name, options, texts, |_, _| {})?;
                Ok((Box::new(engine), recording))
            }
            other => {
                let (engine, block) = (self.engine(other)?, self.block());
                let (engine, recording) =
                    record_ports(engine, &*block, &self.layout, &self.name, options, texts)?;
                Ok((Box::new(engine), recording))
            }
        }
    }

    /// Drives the RTL through a course and tells these of its events.
    fn hear(&self, course: &Course, events: Events, mut hear: Hear) -> Result<()> {
        let look = move |cycle, events: &Events, values: &dyn Values| {
            events.visit(values, |event| hear(cycle, event));
        };
        self.follow(course, Box::new(tap::listen_to(self.observed()?, events, look)))
    }

    /// Drives an engine through a course to its end.
    fn follow(&self, course: &Course, engine: PackedEngine) -> Result<()> {
        let mut engines = [engine];
        match course {
            Course::Scenario(name) => match self.play_named(name, &mut engines)? {
                Some(failure) => bail!("{}", failure.line(&[EngineKind::Rtl])),
                None => {
                    // The cycles after the last one show its changes.
                    for _ in 0..CYCLES_AFTER {
                        engines[0].settle(&self.layout.no_inputs(), &mut self.layout.no_outputs());
                        engines[0].tick();
                    }
                    Ok(())
                }
            },
            Course::Random { seed, cycles } => {
                let outcome = self.run_on(&mut engines, &mut Random::seeded(*seed), *cycles);
                match outcome.violation {
                    Some((cycle, reason)) => bail!("cycle {cycle}: {reason}"),
                    None => Ok(()),
                }
            }
        }
    }

    /// Drives these engines with random stimulus.
    fn run_on(&self, engines: &mut [PackedEngine], random: &mut Random, cycles: u64) -> TrialOutcome {
        run_packed(&self.layout, engines, &mut *self.stimulus(), random, cycles, &mut |_, _, _| {})
    }

    /// Plays a scenario on these engines; why it failed.
    fn play_named(&self, name: &str, engines: &mut [PackedEngine]) -> Result<Option<Failure>> {
        let scenarios = (self.subject.scenarios)();
        let Some(scenario) = scenarios.iter().find(|scenario| scenario.name == name) else {
            let names = scenarios.iter().map(|scenario| scenario.name);
            let list = format!("`gpurf names scenarios {}` lists them", self.name);
            bail!("{} has no scenario {name}{}", self.name, suggestion(name, names, &list));
        };
        Ok(scenario.play_on(&self.layout, &self.parameters, engines))
    }

    /// Plays all scenarios, each on engines of its own, and tells which failed and why.
    fn play_on(&self, engines: &dyn Fn() -> Result<Vec<PackedEngine>>) -> Result<Vec<Failure>> {
        let mut failures = vec![];
        for scenario in (self.subject.scenarios)() {
            failures.extend(scenario.play_on(&self.layout, &self.parameters, &mut engines()?));
        }
        Ok(failures)
    }
}

impl Workbench for Bench {
    fn block(&self) -> Box<dyn Block> {
        (self.subject.block)(&self.parameters)
    }

    fn verilog(&self) -> Result<Hierarchy> {
        let hierarchy = match self.emitted.get() {
            Some(emitted) => emitted.clone(),
            None => {
                let emitted = emit_as(&*self.block(), &self.style)?;
                self.emitted.get_or_init(|| emitted).clone()
            }
        };
        Ok(match &self.source {
            Some(text) => hierarchy.with_source(text.clone()),
            None => hierarchy,
        })
    }

    fn read_verilog(&mut self, text: String) {
        self.source = Some(text);
    }

    fn write_in(&mut self, style: Style) {
        self.style = style;
        self.emitted = OnceCell::new();
    }

    fn read_netlist(&mut self, text: String) {
        self.netlist = Some(text);
    }

    fn protocol(&self) -> Vec<String> {
        (self.subject.protocol)(&self.parameters)
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn report(&self, engines: &[EngineKind], seed: u64, failures: &[Failure]) -> String {
        let scenarios = (self.subject.scenarios)().len();
        let (module, parameters) = (self.name.as_str(), &self.parameters);
        Failures { module, parameters, engines, options: "", scenarios, seed, failures }.to_string()
    }

    fn scenarios(&self) -> Vec<(&'static str, &'static str)> {
        (self.subject.scenarios)().into_iter().map(|scenario| (scenario.name, scenario.rule)).collect()
    }

    fn play(&self, engines: &[EngineKind]) -> Result<Vec<Failure>> {
        self.play_on(&|| self.engines(engines))
    }

    fn play_one(&self, engines: &[EngineKind], name: &str) -> Result<Option<Failure>> {
        self.play_named(name, &mut self.engines(engines)?)
    }

    fn run(&self, engines: &[EngineKind], random: &mut Random, cycles: u64) -> Result<TrialOutcome> {
        Ok(self.run_on(&mut self.engines(engines)?, random, cycles))
    }

    fn draw(&self, engine: EngineKind, course: &Course, options: &RecordingOptions) -> Result<Drawn> {
        let name = match course {
            Course::Scenario(name) => name.clone(),
            Course::Random { seed, .. } => format!("random, seed {seed}"),
        };
        let of = move |cycle, _: &[u32], _: &[u32]| vec![name.clone(), format!("cycle {cycle}")];
        let texts = Texts { names: &["scenario", "step"], of: Box::new(of) };
        let (engine, recording) = self.recorded(engine, options, texts)?;
        let followed = self.follow(course, engine);
        // What led to a failure is what one wants to see.
        let drawn = recording.finish(&options.cycles)?;
        followed.map(|()| drawn)
    }

    fn search(&self, course: &Course, query: &Query) -> Result<AwaitedEvent> {
        let found = AwaitedEvent::nth(query.number);
        let (query, noted) = (query.clone(), found.clone());
        let look = move |cycle, events: &Events, values: &dyn Values| {
            noted.note_events(&query, cycle, events, values);
        };
        self.follow(course, Box::new(tap::listen(self.observed()?, look)?))?;
        Ok(found)
    }

    fn listen(&self, course: &Course, hear: Hear) -> Result<()> {
        self.hear(course, self.events()?, hear)
    }

    fn check(&self, course: &Course, hear: Hear) -> Result<()> {
        self.hear(course, self.events()?.of_contract(), hear)
    }

    fn events(&self) -> Result<Events> {
        tap::events(self.observed()?.scopes())
    }

    fn run_after_reset(
        &self,
        hardware: &[EngineKind],
        seed: u64,
        before: u64,
        cycles: u64,
    ) -> Result<TrialOutcome> {
        let mut engines = self.reset_engines(hardware, seed, before)?;
        Ok(self.run_on(&mut engines, &mut Random::seeded(seed), cycles))
    }

    fn play_after_reset(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<Failure>> {
        self.play_on(&|| self.reset_engines(hardware, seed, before))
    }

    fn layout(&self) -> &PortLayout {
        &self.layout
    }

    fn open(&self, engine: EngineKind) -> Result<PackedEngine> {
        self.engine(engine)
    }

    fn open_recorded(
        &self,
        engine: EngineKind,
        options: &RecordingOptions,
    ) -> Result<(PackedEngine, tap::WaveformRecording)> {
        let texts = Texts { names: &[], of: Box::new(|_, _, _| vec![]) };
        self.recorded(engine, options, texts)
    }

    fn sample(&self, engine: EngineKind, random: &mut Random, cycles: u64) -> Result<Vec<Sample>> {
        let samples = Rc::new(RefCell::new(vec![]));
        let mut engines: [PackedEngine; 1] = [Box::new(Sampled::new(self.engine(engine)?, samples.clone()))];
        let outcome = self.run_on(&mut engines, random, cycles);
        if let Some((cycle, reason)) = outcome.violation {
            bail!("cycle {cycle}: {reason}");
        }
        Ok(samples.take())
    }

    fn sample_scenario(&self, engine: EngineKind, name: &str) -> Result<Vec<Sample>> {
        let samples = Rc::new(RefCell::new(vec![]));
        let engine = Box::new(Sampled::new(self.engine(engine)?, samples.clone()));
        self.follow(&Course::Scenario(name.into()), engine)?;
        Ok(samples.take())
    }

    fn record(&self, random: &mut Random, cycles: u64) -> Box<dyn RecordedStimulus> {
        let mut inputs = vec![];
        let mut watch = |_, cycle: &[u32], _: &[u32]| inputs.push(cycle.to_vec());
        run_packed(&self.layout, &mut [self.model()], &mut *self.stimulus(), random, cycles, &mut watch);
        Box::new(Recorded { bench: self.clone(), inputs })
    }
}

struct Recorded {
    bench: Bench,
    /// Packed words of every cycle.
    inputs: Vec<Vec<u32>>,
}

impl RecordedStimulus for Recorded {
    fn playback(&self, engine: EngineKind) -> Result<Playback> {
        if engine == EngineKind::Model {
            return Ok((self.bench.subject.playback)(&self.bench.parameters, &self.inputs));
        }
        let mut engine = self.bench.engine(engine)?;
        let (inputs, mut outputs) = (self.inputs.clone(), self.bench.layout.no_outputs());
        Ok(Box::new(move || {
            for cycle in &inputs {
                engine.settle(cycle, &mut outputs);
                std::hint::black_box(&outputs);
                engine.tick();
            }
            Box::new((engine, inputs))
        }))
    }
}
