//! Engines of a sub-core's hardware, by name, and recording of their waveforms.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use clap::ValueEnum;
use gpurf_blocks::{Clocked, Lockstep};
use gpurf_hw::dialect::{Module, ModuleWaveform, PortWaveform, Rtl};
use gpurf_hw::sub_core::{SubCoreIn, SubCoreOut};
use gpurf_sim::config::Config;
use gpurf_sim::sm::Design;
use gpurf_sim::sub_core::SubCore;
use gpurf_testbenches::{with_sub_core, WithSubCore};
use gpurf_verilog::Verilated;

/// What runs the hardware of the SM's sub-cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineKind {
    /// The reference model
    Model,
    /// The rust-hdl hardware
    Rtl,
    /// The emitted Verilog under Verilator
    Verilator,
    /// Model, hardware and emitted Verilog side by side, compared in every cycle
    Lockstep,
}

impl EngineKind {
    /// As statistics name it.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Model => "model",
            EngineKind::Rtl => "rtl",
            EngineKind::Verilator => "verilator",
            EngineKind::Lockstep => "lockstep: model, rtl, verilator",
        }
    }
}

type In = SubCoreIn<u32>;
type Out = SubCoreOut<u32>;

/// The hardware of a sub-core in some engine.
pub type SubCoreEngine = Box<dyn Clocked<In = In, Out = Out>>;

/// Model, RTL and Verilog of one sub-core.
pub type Trio = Lockstep<SubCore<u32>, Lockstep<SubCoreEngine, SubCoreEngine>>;

/// The rust-hdl hardware of a design's sub-core.
pub fn rtl(config: &Config, design: &Design, seed: u64) -> SubCoreEngine {
    struct MakeRtl;
    impl WithSubCore for MakeRtl {
        type Result = SubCoreEngine;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> SubCoreEngine {
            Box::new(Rtl::new(make()))
        }
    }
    with_sub_core(config, design, seed, MakeRtl)
}

/// The emitted Verilog of a design's sub-core under Verilator.
pub fn verilator(config: &Config, design: &Design, seed: u64) -> Result<SubCoreEngine> {
    struct MakeVerilator;
    impl WithSubCore for MakeVerilator {
        type Result = Result<SubCoreEngine>;
        fn with<M: Module<In = In, Out = Out> + 'static>(
            self,
            make: impl Fn() -> M,
        ) -> Result<SubCoreEngine> {
            Ok(Box::new(Verilated::new(&make())?))
        }
    }
    with_sub_core(config, design, seed, MakeVerilator)
}

/// Model, RTL and emitted Verilog of a design's sub-core, compared in every cycle.
pub fn lockstep(config: &Config, design: &Design, seed: u64) -> Result<Trio> {
    let hardware = Lockstep::new(rtl(config, design, seed), verilator(config, design, seed)?);
    Ok(Lockstep::new(design.model(config, seed), hardware))
}

/// A waveform that an engine writes while the SM runs it, completed after the run.
pub struct Recording<F> {
    waveform: Rc<RefCell<Option<F>>>,
    error: Rc<RefCell<Option<std::io::Error>>>,
}

impl<F> Clone for Recording<F> {
    fn clone(&self) -> Self {
        Recording { waveform: self.waveform.clone(), error: self.error.clone() }
    }
}

impl<F> Recording<F> {
    fn new(waveform: F) -> Self {
        Recording { waveform: Rc::new(RefCell::new(Some(waveform))), error: Rc::default() }
    }

    fn record(&self, sample: impl FnOnce(&mut F) -> std::io::Result<()>) {
        if let Some(waveform) = self.waveform.borrow_mut().as_mut() {
            if let Err(error) = sample(waveform) {
                self.error.borrow_mut().get_or_insert(error);
            }
        }
    }

    fn finish(&self, finish: impl FnOnce(F) -> std::io::Result<()>) -> Result<()> {
        if let Some(error) = self.error.borrow_mut().take() {
            return Err(error.into());
        }
        Ok(self.waveform.borrow_mut().take().map_or(Ok(()), finish)?)
    }
}

/// Completes the waveform of a recorded engine.
pub type Finish = Box<dyn FnOnce() -> Result<()>>;

/// RTL that records all of its signals.
struct RecordedRtl<M: Module> {
    rtl: Rtl<M>,
    recording: Recording<ModuleWaveform>,
    cycle: u64,
}

impl<M: Module> Clocked for RecordedRtl<M> {
    type In = M::In;
    type Out = M::Out;

    fn settle(&mut self, inputs: &M::In) -> M::Out {
        self.rtl.settle(inputs)
    }

    fn tick(&mut self) {
        self.recording.record(|waveform| waveform.sample(self.cycle, self.rtl.module()));
        self.cycle += 1;
        self.rtl.tick();
    }
}

/// The RTL of a design's sub-core, recording every signal in it into a VCD file.
pub fn recorded_rtl(
    config: &Config,
    design: &Design,
    seed: u64,
    path: &Path,
) -> Result<(SubCoreEngine, Finish)> {
    struct Record<'a>(&'a Path);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreEngine, Finish)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let rtl = Rtl::new(make());
            let recording = Recording::new(ModuleWaveform::create(self.0, "sub_core", rtl.module())?);
            let finish = recording.clone();
            let engine = RecordedRtl { rtl, recording, cycle: 0 };
            Ok((Box::new(engine), Box::new(move || finish.finish(ModuleWaveform::finish))))
        }
    }
    with_sub_core(config, design, seed, Record(path))
}

/// Any engine that records its ports.
struct RecordedPorts<M: Module> {
    engine: Box<dyn Clocked<In = M::In, Out = M::Out>>,
    recording: Recording<PortWaveform<M>>,
    cycle: u64,
    settled: (M::In, M::Out),
}

impl<M: Module> Clocked for RecordedPorts<M> {
    type In = M::In;
    type Out = M::Out;

    fn settle(&mut self, inputs: &M::In) -> M::Out {
        let outputs = self.engine.settle(inputs);
        self.settled = (*inputs, outputs);
        outputs
    }

    fn tick(&mut self) {
        let (inputs, outputs) = &self.settled;
        self.recording.record(|waveform| waveform.sample(self.cycle, inputs, outputs));
        self.cycle += 1;
        self.engine.tick();
    }
}

/// Any engine of a design's sub-core, recording its ports into a VCD file.
pub fn recorded_ports(
    config: &Config,
    design: &Design,
    seed: u64,
    path: &Path,
    engine: SubCoreEngine,
) -> Result<(SubCoreEngine, Finish)> {
    struct Record<'a>(&'a Path, SubCoreEngine);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreEngine, Finish)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let recording = Recording::new(PortWaveform::create(self.0, "sub_core", &make())?);
            let finish = recording.clone();
            let settled = Default::default();
            let engine = RecordedPorts::<M> { engine: self.1, recording, cycle: 0, settled };
            Ok((Box::new(engine), Box::new(move || finish.finish(PortWaveform::finish))))
        }
    }
    with_sub_core(config, design, seed, Record(path, engine))
}
