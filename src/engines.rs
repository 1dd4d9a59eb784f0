//! Engines of an operand stage, by name, and recording of their waveforms.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use clap::ValueEnum;
use gpurf_hw::dialect::{Clocked, Lockstep, Module, ModuleWaveform, PortWaveform, Rtl};
use gpurf_hw::operand_stage::{CcuStage, OcuStage, OperandStageIn, OperandStageOut};
use gpurf_sim::config::Config;
use gpurf_sim::operand_stage::OperandStage;
use gpurf_sim::sm::{Collector, Design};
use gpurf_verilog::Verilated;

/// What runs the operand stages of the SM.
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

type In = OperandStageIn<u32>;
type Out = OperandStageOut<u32>;

/// An operand stage in some engine.
pub type Stage = Box<dyn Clocked<In = In, Out = Out>>;

/// Model, RTL and Verilog of one stage.
pub type Trio = Lockstep<OperandStage<u32>, Lockstep<Stage, Stage>>;

/// The reference model of a design's operand stage.
pub fn model(config: &Config, design: &Design) -> OperandStage<u32> {
    let parameters = design.operand_stage(config);
    match design.collector {
        Collector::Ocu => OperandStage::baseline(parameters),
        Collector::Ccu => OperandStage::caching(config.entries, parameters),
    }
}

/// Something that is done with the RTL of a design's operand stage, whose type depends on it.
trait WithStage {
    type Result;
    fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result;
}

fn with_stage<W: WithStage>(config: &Config, design: &Design, what: W) -> W::Result {
    let parameters = design.operand_stage(config);
    macro_rules! caching {
        ($collector_bits:literal) => {
            match config.entries {
                4 => what.with(|| CcuStage::<32, 2, $collector_bits>::new(parameters)),
                8 => what.with(|| CcuStage::<32, 3, $collector_bits>::new(parameters)),
                _ => what.with(|| CcuStage::<32, 4, $collector_bits>::new(parameters)),
            }
        };
    }
    match (design.collector, parameters.collectors) {
        (Collector::Ocu, 1 | 2) => what.with(|| OcuStage::<32, 1>::new(parameters)),
        (Collector::Ocu, 4) => what.with(|| OcuStage::<32, 2>::new(parameters)),
        (Collector::Ocu, _) => what.with(|| OcuStage::<32, 3>::new(parameters)),
        (Collector::Ccu, 1 | 2) => caching!(1),
        (Collector::Ccu, 4) => caching!(2),
        (Collector::Ccu, _) => caching!(3),
    }
}

/// The rust-hdl hardware of a design's operand stage.
pub fn rtl(config: &Config, design: &Design) -> Stage {
    struct MakeRtl;
    impl WithStage for MakeRtl {
        type Result = Stage;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Stage {
            Box::new(Rtl::new(make()))
        }
    }
    with_stage(config, design, MakeRtl)
}

/// The emitted Verilog of a design's operand stage under Verilator.
pub fn verilator(config: &Config, design: &Design) -> Result<Stage> {
    struct MakeVerilator;
    impl WithStage for MakeVerilator {
        type Result = Result<Stage>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Result<Stage> {
            Ok(Box::new(Verilated::new(&make())?))
        }
    }
    with_stage(config, design, MakeVerilator)
}

/// Model, RTL and emitted Verilog of a design's operand stage, compared in every cycle.
pub fn lockstep(config: &Config, design: &Design) -> Result<Trio> {
    let hardware = Lockstep::new(rtl(config, design), verilator(config, design)?);
    Ok(Lockstep::new(model(config, design), hardware))
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

/// The RTL of a design's operand stage, recording every signal in it into a VCD file.
pub fn recorded_rtl(config: &Config, design: &Design, path: &Path) -> Result<(Stage, Finish)> {
    struct Record<'a>(&'a Path);
    impl WithStage for Record<'_> {
        type Result = Result<(Stage, Finish)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let rtl = Rtl::new(make());
            let recording = Recording::new(ModuleWaveform::create(self.0, "operand_stage", rtl.module())?);
            let finish = recording.clone();
            let engine = RecordedRtl { rtl, recording, cycle: 0 };
            Ok((Box::new(engine), Box::new(move || finish.finish(ModuleWaveform::finish))))
        }
    }
    with_stage(config, design, Record(path))
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

/// Any engine of a design's operand stage, recording its ports into a VCD file.
pub fn recorded_ports(
    config: &Config,
    design: &Design,
    path: &Path,
    engine: Stage,
) -> Result<(Stage, Finish)> {
    struct Record<'a>(&'a Path, Stage);
    impl WithStage for Record<'_> {
        type Result = Result<(Stage, Finish)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let recording = Recording::new(PortWaveform::create(self.0, "operand_stage", &make())?);
            let finish = recording.clone();
            let settled = Default::default();
            let engine = RecordedPorts::<M> { engine: self.1, recording, cycle: 0, settled };
            Ok((Box::new(engine), Box::new(move || finish.finish(PortWaveform::finish))))
        }
    }
    with_stage(config, design, Record(path, engine))
}
