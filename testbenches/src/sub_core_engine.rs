//! Engines of a sub-core's hardware as a design of the streaming multiprocessor has it, and recording of their waveforms.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard};

use anyhow::Result;
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, Lockstep};
use gpurf_hw::collector::{Boc, Ccu, Ocu};
use gpurf_hw::dialect::{Configured, Extent, Module, ModuleWaveform, PortWaveform, Rtl, WaveformVariable};
use gpurf_hw::generics;
use gpurf_hw::sub_core::SubCore;
use gpurf_sim::config::Config;
use gpurf_sim::engines::SubCoreEngine;
use gpurf_sim::sm::{CollectorKind, Design, PipelineInstruction, PipelineListener};
use gpurf_verilog::{emit, Compiled, Hierarchy, Verilated};

use crate::Ported;

type In = SubCoreIn<u32>;
type Out = SubCoreOut<u32>;

/// The hardware of a sub-core in some engine, which stays in its thread.
pub type SubCoreHardware = Ported<In, Out>;

/// Model and RTL of one sub-core.
pub type Pair = Lockstep<SubCoreEngine, SubCoreRtl>;

/// Model, RTL and Verilog of one sub-core.
pub type Trio = Lockstep<SubCoreEngine, Lockstep<SubCoreHardware, SubCoreHardware>>;

/// The RTL of a sub-core as machine code, in whatever thread.
pub type SubCoreRtl = Box<dyn Clocked<In = In, Out = Out> + Send>;

/// The hardware of a design's sub-core as rust-hdl evaluates it.
pub fn rust_hdl(config: &Config, design: &Design, seed: u64) -> SubCoreHardware {
    struct MakeRtl;
    impl WithSubCore for MakeRtl {
        type Result = SubCoreHardware;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> SubCoreHardware {
            Box::new(Rtl::new(make()))
        }
    }
    with_sub_core(config, design, seed, MakeRtl)
}

/// The RTL of a design's sub-core: engines of all those of a machine are made from it. `is_observed`: so that one can look
/// inside.
pub fn compiled(
    config: &Config,
    design: &Design,
    seed: u64,
    is_observed: bool,
) -> Result<Compiled<In, Out>> {
    struct Compile(bool);
    impl WithSubCore for Compile {
        type Result = Result<Compiled<In, Out>>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            Ok(if self.0 { Compiled::observed(&make())? } else { Compiled::new(&make())? })
        }
    }
    with_sub_core(config, design, seed, Compile(is_observed))
}

/// The emitted Verilog of a design's sub-core: all those of a machine are made from it.
pub fn verilog(config: &Config, design: &Design, seed: u64) -> Result<Hierarchy> {
    struct Emit;
    impl WithSubCore for Emit {
        type Result = Result<Hierarchy>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Result<Hierarchy> {
            Ok(emit(&make())?)
        }
    }
    with_sub_core(config, design, seed, Emit)
}

/// A sub-core's Verilog under Verilator.
pub fn verilator(verilog: &Hierarchy) -> Result<SubCoreHardware> {
    Ok(Box::new(Verilated::of(verilog)?))
}

/// Model, RTL and emitted Verilog of a design's sub-core, compared in every cycle.
pub fn trio(
    config: &Config,
    design: &Design,
    seed: u64,
    compiled: &Compiled<In, Out>,
    verilog: &Hierarchy,
) -> Result<Trio> {
    let rtl: SubCoreHardware = Box::new(compiled.engine());
    Ok(Lockstep::new(design.model(config, seed), Lockstep::new(rtl, verilator(verilog)?)))
}

/// What is recorded of a sub-core's hardware.
pub struct RecordingOptions<'a> {
    /// FST if its name ends in `.fst`, else VCD.
    pub path: &'a Path,
    /// The cycles that are recorded.
    pub cycles: Range<u64>,
    /// Scopes by name, each with what lies in it; all if none is named.
    pub scopes: &'a [String],
    /// Has to listen to the SM's pipeline.
    pub texts: InstructionTexts,
}

impl RecordingOptions<'_> {
    fn extent(&self) -> Extent<'_> {
        Extent { scopes: self.scopes, texts: &["issued", "dispatched"] }
    }
}

/// The texts of the instructions that are under way in an SM, by serial number. A copy has the same texts.
#[derive(Clone, Default)]
pub struct InstructionTexts(Arc<Mutex<HashMap<u32, String>>>);

impl InstructionTexts {
    fn lock(&self) -> MutexGuard<'_, HashMap<u32, String>> {
        self.0.lock().expect("nobody panics with the texts in hand")
    }

    /// Of the instruction that is issued in a cycle, and of the one that is dispatched.
    fn of(&self, inputs: &In, outputs: &Out) -> [String; 2] {
        let issued = outputs.issued.then(|| inputs.head_payload[outputs.issued_warp as usize]);
        let dispatched = outputs.dispatch.contains(&true).then_some(outputs.dispatch_payload);
        let texts = self.lock();
        [issued, dispatched]
            .map(|serial| serial.and_then(|serial| texts.get(&serial).cloned()).unwrap_or_default())
    }
}

impl PipelineListener for InstructionTexts {
    fn begin(&mut self, _cycle: u64, instruction: &PipelineInstruction) {
        self.lock().insert(instruction.serial, instruction.text.into());
    }

    fn end(&mut self, _cycle: u64, serial: u32) {
        self.lock().remove(&serial);
    }
}

/// A waveform that is written while the SM runs.
pub struct Recording {
    /// What it records.
    pub variables: Vec<WaveformVariable>,
    finish: Box<dyn FnOnce() -> io::Result<()>>,
}

impl Recording {
    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        Ok((self.finish)()?)
    }
}

/// A waveform that an engine writes while the SM runs it, or the reason why it could not be written on.
type Shared<W> = Rc<RefCell<Result<W, io::Error>>>;

type Sample<E, W> = fn(&mut W, u64, &E, &(In, Out), &[&str]) -> io::Result<()>;

/// An engine of a sub-core that is recorded.
struct Recorded<E, W> {
    engine: E,
    waveform: Shared<W>,
    sample: Sample<E, W>,
    cycles: Range<u64>,
    texts: InstructionTexts,
    cycle: u64,
    settled: (In, Out),
}

impl<E: Clocked<In = In, Out = Out>, W> Clocked for Recorded<E, W> {
    type In = In;
    type Out = Out;

    fn settle(&mut self, inputs: &In) -> Out {
        let outputs = self.engine.settle(inputs);
        self.settled = (*inputs, outputs);
        outputs
    }

    fn tick(&mut self) {
        if self.cycles.contains(&self.cycle) {
            let mut shared = self.waveform.borrow_mut();
            let texts = self.texts.of(&self.settled.0, &self.settled.1);
            let texts = texts.each_ref().map(String::as_str);
            let sampled = shared.as_mut().map_or(Ok(()), |waveform| {
                (self.sample)(waveform, self.cycle, &self.engine, &self.settled, &texts)
            });
            if let Err(error) = sampled {
                *shared = Err(error);
            }
        }
        self.cycle += 1;
        self.engine.tick();
    }
}

/// The engine recorded.
fn record<E, W>(
    options: &RecordingOptions,
    engine: E,
    (waveform, variables): (W, Vec<WaveformVariable>),
    sample: Sample<E, W>,
    finish: fn(W) -> io::Result<()>,
) -> (SubCoreHardware, Recording)
where
    E: Clocked<In = In, Out = Out> + 'static,
    W: 'static,
{
    let waveform = Rc::new(RefCell::new(Ok(waveform)));
    let shared = waveform.clone();
    let complete = move || {
        let finished = io::Error::other("the waveform is finished");
        shared.replace(Err(finished)).and_then(finish)
    };
    let (cycles, texts) = (options.cycles.clone(), options.texts.clone());
    let engine = Recorded { engine, waveform, sample, cycles, texts, cycle: 0, settled: Default::default() };
    (Box::new(engine), Recording { variables, finish: Box::new(complete) })
}

/// The RTL of a design's sub-core, with every signal in it recorded.
pub fn recorded_rtl(
    config: &Config,
    design: &Design,
    seed: u64,
    options: &RecordingOptions,
) -> Result<(SubCoreHardware, Recording)> {
    struct Record<'a>(&'a RecordingOptions<'a>);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreHardware, Recording)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let rtl = Rtl::new(make());
            let waveform = ModuleWaveform::create(self.0.path, "sub_core", rtl.module(), self.0.extent())?;
            let sample: Sample<Rtl<M>, _> =
                |waveform, cycle, rtl, _, texts| ModuleWaveform::sample(waveform, cycle, rtl.module(), texts);
            let variables = waveform.variables().to_vec();
            Ok(record(self.0, rtl, (waveform, variables), sample, ModuleWaveform::finish))
        }
    }
    with_sub_core(config, design, seed, Record(options))
}

/// Any engine of a design's sub-core, with its ports recorded.
pub fn recorded_ports(
    config: &Config,
    design: &Design,
    seed: u64,
    options: &RecordingOptions,
    engine: SubCoreHardware,
) -> Result<(SubCoreHardware, Recording)> {
    struct Record<'a>(&'a RecordingOptions<'a>, SubCoreHardware);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreHardware, Recording)>;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> Self::Result {
            let waveform = PortWaveform::create(self.0.path, "sub_core", &make(), self.0.extent())?;
            let sample: Sample<SubCoreHardware, _> = |waveform, cycle, _, (inputs, outputs), texts| {
                PortWaveform::sample(waveform, cycle, inputs, outputs, texts)
            };
            let variables = waveform.variables().to_vec();
            Ok(record(self.0, self.1, (waveform, variables), sample, PortWaveform::finish))
        }
    }
    with_sub_core(config, design, seed, Record(options, engine))
}

/// Something that is done with the RTL of a design's sub-core.
trait WithSubCore {
    type Result;
    fn with<M>(self, make: impl Fn() -> M) -> Self::Result
    where
        M: Module<In = In, Out = Out> + 'static;
}

/// Does it, with tokens of 32 bits as data. `seed`: of the hardware's random choices.
fn with_sub_core<W: WithSubCore>(config: &Config, design: &Design, seed: u64, what: W) -> W::Result {
    let parameters = &design.parameters(config, seed);
    match design.collector {
        CollectorKind::Ocu => {
            generics!(parameters; C => what.with(|| SubCore::<Ocu<32>, 32, C>::configured(parameters)))
        }
        CollectorKind::Ccu => {
            generics!(parameters; I, C => what.with(|| SubCore::<Ccu<32, I>, 32, C>::configured(parameters)))
        }
        CollectorKind::Boc => what.with(|| SubCore::<Boc<32>, 32, 3>::configured(parameters)),
    }
}
