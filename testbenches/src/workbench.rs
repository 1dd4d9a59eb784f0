//! The testbench of any module, its type left behind: what the tool, the tests and the benches run.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::marker::PhantomData;
use std::path::Path;
use std::rc::Rc;

use anyhow::{anyhow, bail, Context, Result};
use gpurf_blocks::{layout, Clocked, Field, Parameters};
use gpurf_hw::dialect::{Extent, Module, PortWaveform, Rtl};
use gpurf_verilog::{emit, Hierarchy, Icarus, Verilated};
use rust_hdl::prelude::Block;
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::sampling::{Packed, PackedEngine, Sample, Sampled};
use crate::{run, Drive, Engine, Outcome, Random, Testbench};

/// An engine of a module. The command line names it as `strum` derives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", parse_err_ty = String, parse_err_fn = unknown_engine)]
pub enum EngineKind {
    /// The reference model.
    Model,
    /// The rust-hdl hardware.
    Rtl,
    /// The emitted Verilog under Verilator.
    Verilator,
    /// The emitted Verilog under Icarus.
    Icarus,
    /// What the emitted Verilog was synthesized to, under Verilator.
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

    /// Other Verilog in the place of the module's own: edited, synthesized, or written by hand.
    fn read_verilog(&mut self, text: String);

    /// The Verilog that the engine [`EngineKind::Netlist`] runs: cells of a library, and their models.
    fn read_netlist(&mut self, text: String);

    /// Names and rules of the directed scenarios.
    fn scenarios(&self) -> Vec<(&'static str, &'static str)>;

    /// Plays them all, each on fresh engines, and tells which failed and why.
    fn play(&self, engines: &[EngineKind]) -> Result<Vec<String>>;

    /// Drives fresh engines with random stimulus for so many cycles, and records the ports of the first.
    fn run(
        &self,
        engines: &[EngineKind],
        random: &mut Random,
        cycles: u64,
        waveform: Option<&Path>,
    ) -> Result<Outcome>;

    /// Drives hardware for so many cycles with values of zero, resets it, and compares it from there on with a fresh model.
    /// The engines are [`EngineKind::Rtl`], [`EngineKind::Verilator`] or both.
    fn run_after_reset(
        &self,
        hardware: &[EngineKind],
        seed: u64,
        before: u64,
        cycles: u64,
    ) -> Result<Outcome>;

    /// The same with the scenarios in the place of random stimulus after the reset; tells which failed and why.
    fn play_after_reset(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<String>>;

    /// Where each port stands in the packed words of a [`Sample`]: inputs and outputs.
    fn fields(&self) -> (Vec<Field>, Vec<Field>);

    /// A fresh engine after reset, for whoever decides its inputs from cycle to cycle.
    fn open(&self, engine: EngineKind) -> Result<PackedEngine>;

    /// Drives one fresh engine with random stimulus for so many cycles, and gives back its ports, cycle by cycle.
    fn sample(&self, engine: EngineKind, random: &mut Random, cycles: u64) -> Result<Vec<Sample>>;

    /// The same under one of the scenarios, by its name.
    fn sample_scenario(&self, engine: EngineKind, name: &str) -> Result<Vec<Sample>>;

    /// Records so many cycles of random stimulus, to be played back without deciding anything.
    fn record(&self, random: &mut Random, cycles: u64) -> Box<dyn Recording>;
}

/// A recorded stimulus.
pub trait Recording {
    /// A fresh engine, and the whole stimulus for it.
    fn playback(&self, engine: EngineKind) -> Result<Playback>;
}

/// Plays a stimulus to its end and gives back the engine.
pub type Playback = Box<dyn FnOnce() -> Box<dyn Any>>;

/// A module in one configuration, its type known.
pub struct Bench<M> {
    name: String,
    parameters: Parameters,
    /// Verilog in the place of the module's own.
    source: Option<String>,
    netlist: Option<String>,
    /// The module's own Verilog, once somebody asked for it.
    emitted: OnceCell<Hierarchy>,
    module: PhantomData<M>,
}

/// Hardware that can be reset at any time.
trait Hardware<M: Module>: Clocked<In = M::In, Out = M::Out> {
    fn reset(&mut self);
}

impl<M: Module> Hardware<M> for Rtl<M> {
    fn reset(&mut self) {
        Rtl::reset(self);
    }
}

impl<M: Module> Hardware<M> for Verilated<M::In, M::Out> {
    fn reset(&mut self) {
        Verilated::reset(self);
    }
}

impl<M> Clone for Bench<M> {
    fn clone(&self) -> Self {
        let Bench { name, parameters, source, netlist, emitted, module } = self;
        let (source, netlist, emitted) = (source.clone(), netlist.clone(), emitted.clone());
        Bench { name: name.clone(), parameters: *parameters, source, netlist, emitted, module: *module }
    }
}

impl<M: Testbench> Bench<M> {
    /// A bench of the module with these parameters; waveforms show the name.
    pub fn new(name: &str, parameters: &Parameters) -> Self {
        let name = name.to_string();
        let parameters = M::seen(parameters);
        Bench { name, parameters, source: None, netlist: None, emitted: OnceCell::new(), module: PhantomData }
    }

    fn module(&self) -> M {
        M::configured(&self.parameters)
    }

    fn engine(&self, kind: EngineKind) -> Result<Engine<M>> {
        Ok(match kind {
            EngineKind::Model => M::model(&self.parameters),
            EngineKind::Rtl => Box::new(Rtl::new(self.module())),
            EngineKind::Verilator => Box::new(Verilated::of(&self.verilog()?)?),
            EngineKind::Icarus => Box::new(Icarus::of(&self.verilog()?)?),
            EngineKind::Netlist => {
                let text =
                    self.netlist.clone().context("there is no netlist of it: it was not synthesized")?;
                Box::new(Verilated::of(&self.verilog()?.with_source(text))?)
            }
        })
    }

    fn engines(&self, kinds: &[EngineKind]) -> Result<Vec<Engine<M>>> {
        kinds.iter().map(|kind| self.engine(*kind)).collect()
    }

    /// A fresh model, and hardware that ran for so many cycles with values of zero and was reset.
    fn reset_engines(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<Engine<M>>> {
        let hardware = hardware.iter().map(|kind| -> Result<Box<dyn Hardware<M>>> {
            Ok(match kind {
                EngineKind::Rtl => Box::new(Rtl::new(self.module())),
                EngineKind::Verilator => Box::new(Verilated::of(&self.verilog()?)?),
                other => bail!("{other} cannot be reset in mid-stimulus"),
            })
        });
        let mut hardware: Vec<_> = hardware.collect::<Result<_>>()?;
        let mut random = Random::dataless(seed);
        let (mut model, mut stimulus) = (M::model(&self.parameters), M::stimulus(&self.parameters));
        for _ in 0..before {
            let inputs = stimulus.next(&mut random);
            let outputs = model.settle(&inputs);
            stimulus.observe(&inputs, &outputs).map_err(|reason| anyhow!(reason))?;
            model.tick();
            for engine in &mut hardware {
                engine.settle(&inputs);
                engine.tick();
            }
        }
        hardware.iter_mut().for_each(|engine| engine.reset());
        let hardware = hardware.into_iter().map(|engine| -> Engine<M> { engine });
        Ok([M::model(&self.parameters)].into_iter().chain(hardware).collect())
    }

    /// Plays all scenarios, each on engines of its own, and tells which failed and why.
    fn play_on(&self, engines: impl Fn() -> Result<Vec<Engine<M>>>) -> Result<Vec<String>> {
        let mut failures = vec![];
        for scenario in M::scenarios() {
            let mut engines = engines()?;
            if let Err(failure) = (scenario.play)(&mut Drive::new(&self.parameters, &mut engines)) {
                failures.push(format!("{} ({}): {failure}", scenario.name, scenario.rule));
            }
        }
        Ok(failures)
    }
}

impl<M: Testbench> Workbench for Bench<M> {
    fn block(&self) -> Box<dyn Block> {
        Box::new(self.module())
    }

    fn verilog(&self) -> Result<Hierarchy> {
        let hierarchy = match self.emitted.get() {
            Some(emitted) => emitted.clone(),
            None => {
                let emitted = emit(&self.module())?;
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

    fn read_netlist(&mut self, text: String) {
        self.netlist = Some(text);
    }

    fn scenarios(&self) -> Vec<(&'static str, &'static str)> {
        M::scenarios().into_iter().map(|scenario| (scenario.name, scenario.rule)).collect()
    }

    fn play(&self, engines: &[EngineKind]) -> Result<Vec<String>> {
        self.play_on(|| self.engines(engines))
    }

    fn run(
        &self,
        engines: &[EngineKind],
        random: &mut Random,
        cycles: u64,
        waveform: Option<&Path>,
    ) -> Result<Outcome> {
        let mut engines = self.engines(engines)?;
        let mut stimulus = M::stimulus(&self.parameters);
        let mut waveform = match waveform {
            Some(path) => Some(PortWaveform::create(path, &self.name, &self.module(), Extent::default())?),
            None => None,
        };
        let mut recorded = Ok(());
        let outcome = run::<M>(&mut engines, &mut *stimulus, random, cycles, |cycle, inputs, outputs| {
            if let (Some(waveform), Ok(())) = (&mut waveform, &recorded) {
                recorded = waveform.sample(cycle, inputs, outputs, &[]);
            }
        });
        recorded?;
        waveform.map_or(Ok(()), PortWaveform::finish)?;
        Ok(outcome)
    }

    fn run_after_reset(
        &self,
        hardware: &[EngineKind],
        seed: u64,
        before: u64,
        cycles: u64,
    ) -> Result<Outcome> {
        let mut engines = self.reset_engines(hardware, seed, before)?;
        let mut stimulus = M::stimulus(&self.parameters);
        Ok(run::<M>(&mut engines, &mut *stimulus, &mut Random::seeded(seed), cycles, |_, _, _| {}))
    }

    fn play_after_reset(&self, hardware: &[EngineKind], seed: u64, before: u64) -> Result<Vec<String>> {
        self.play_on(|| self.reset_engines(hardware, seed, before))
    }

    fn fields(&self) -> (Vec<Field>, Vec<Field>) {
        (layout::<M::In>(), layout::<M::Out>())
    }

    fn open(&self, engine: EngineKind) -> Result<PackedEngine> {
        Ok(Box::new(Packed(self.engine(engine)?)))
    }

    fn sample(&self, engine: EngineKind, random: &mut Random, cycles: u64) -> Result<Vec<Sample>> {
        let samples = Rc::new(RefCell::new(vec![]));
        let mut engines: [Engine<M>; 1] = [Box::new(Sampled::new(self.engine(engine)?, samples.clone()))];
        let mut stimulus = M::stimulus(&self.parameters);
        let outcome = run::<M>(&mut engines, &mut *stimulus, random, cycles, |_, _, _| {});
        if let Some((cycle, reason)) = outcome.violation {
            bail!("cycle {cycle}: {reason}");
        }
        Ok(samples.take())
    }

    fn sample_scenario(&self, engine: EngineKind, name: &str) -> Result<Vec<Sample>> {
        let scenarios = M::scenarios();
        let Some(scenario) = scenarios.iter().find(|scenario| scenario.name == name) else {
            let names: Vec<_> = scenarios.iter().map(|scenario| scenario.name).collect();
            bail!("{} has no scenario {name}; it has: {}", self.name, names.join(", "));
        };
        let samples = Rc::new(RefCell::new(vec![]));
        let mut engines: [Engine<M>; 1] = [Box::new(Sampled::new(self.engine(engine)?, samples.clone()))];
        let played = (scenario.play)(&mut Drive::new(&self.parameters, &mut engines));
        played.map_err(|reason| anyhow!("{name}: {reason}"))?;
        Ok(samples.take())
    }

    fn record(&self, random: &mut Random, cycles: u64) -> Box<dyn Recording> {
        let mut inputs = vec![];
        let mut model = [M::model(&self.parameters)];
        let mut stimulus = M::stimulus(&self.parameters);
        run::<M>(&mut model, &mut *stimulus, random, cycles, |_, cycle, _| inputs.push(*cycle));
        Box::new(Recorded::<M> { bench: self.clone(), inputs })
    }
}

struct Recorded<M: Module> {
    bench: Bench<M>,
    inputs: Vec<M::In>,
}

impl<M: Testbench> Recording for Recorded<M> {
    fn playback(&self, engine: EngineKind) -> Result<Playback> {
        let mut engine = self.bench.engine(engine)?;
        let inputs = self.inputs.clone();
        Ok(Box::new(move || {
            for cycle in &inputs {
                std::hint::black_box(engine.settle(cycle));
                engine.tick();
            }
            Box::new((engine, inputs))
        }))
    }
}
