//! Engines of a sub-core's hardware as a design of the streaming multiprocessor has it, and recording of their waveforms.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use gpurf_blocks::ports::{SubCoreIn, SubCoreOut};
use gpurf_blocks::{Clocked, Lockstep};
use gpurf_hw::collector::{Boc, Ccu, Ocu};
use gpurf_hw::dialect::{Configured, Module, ModuleWaveform, PortWaveform, Rtl};
use gpurf_hw::generics;
use gpurf_hw::sub_core::SubCore;
use gpurf_sim::config::Config;
use gpurf_sim::sm::{CollectorKind, Design};
use gpurf_sim::sub_core::SubCoreEngine;
use gpurf_verilog::Verilated;

type In = SubCoreIn<u32>;
type Out = SubCoreOut<u32>;

/// The hardware of a sub-core in some engine, which stays in its thread.
pub type SubCoreHardware = Box<dyn Clocked<In = In, Out = Out>>;

/// Model, RTL and Verilog of one sub-core.
pub type Trio = Lockstep<SubCoreEngine, Lockstep<SubCoreHardware, SubCoreHardware>>;

/// The rust-hdl hardware of a design's sub-core.
pub fn rtl(config: &Config, design: &Design, seed: u64) -> SubCoreHardware {
    struct MakeRtl;
    impl WithSubCore for MakeRtl {
        type Result = SubCoreHardware;
        fn with<M: Module<In = In, Out = Out> + 'static>(self, make: impl Fn() -> M) -> SubCoreHardware {
            Box::new(Rtl::new(make()))
        }
    }
    with_sub_core(config, design, seed, MakeRtl)
}

/// The emitted Verilog of a design's sub-core under Verilator.
pub fn verilator(config: &Config, design: &Design, seed: u64) -> Result<SubCoreHardware> {
    struct MakeVerilator;
    impl WithSubCore for MakeVerilator {
        type Result = Result<SubCoreHardware>;
        fn with<M: Module<In = In, Out = Out> + 'static>(
            self,
            make: impl Fn() -> M,
        ) -> Result<SubCoreHardware> {
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
) -> Result<(SubCoreHardware, Finish)> {
    struct Record<'a>(&'a Path);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreHardware, Finish)>;
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
    engine: SubCoreHardware,
) -> Result<(SubCoreHardware, Finish)> {
    struct Record<'a>(&'a Path, SubCoreHardware);
    impl WithSubCore for Record<'_> {
        type Result = Result<(SubCoreHardware, Finish)>;
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
