// SPDX-License-Identifier: Apache-2.0
//! Engines of a sub-core's hardware as a design of the streaming multiprocessor has it, and recording of
//! their waveforms.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use anyhow::Result;
use gpurf_blocks::ports::{ModernSubCoreIn, ModernSubCoreOut, SubCoreIn, SubCoreOut};
use gpurf_blocks::{unpack, Clocked, Lockstep, Packed, PortLayout, Ports, Typed};
use gpurf_sim::config::Config;
use gpurf_sim::engines::SubCoreEngine;
use gpurf_sim::sm::{Design, PipelineInstruction, PipelineListener, WINDOW_PLACE_BITS};
use gpurf_verilog::{emit, Compiled, Hierarchy, Occurrence, PackedCompiled, Verilated};
use rust_hdl::prelude::Block;

use crate::tap::{record_inside, record_ports, RecordingOptions, Texts, WaveformRecording};
use crate::{workbench, EngineKind, PackedEngine, Ported, Workbench};

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

/// The workbench of a design's sub-core, with tokens of 32 bits as data. `seed`: of the hardware's random
/// choices.
fn sub_core(config: &Config, design: &Design, seed: u64) -> Box<dyn Workbench> {
    workbench(design.collector.sub_core, &design.parameters(config, seed))
}

/// The hardware of a design's sub-core as rust-hdl evaluates it.
pub fn rust_hdl(config: &Config, design: &Design, seed: u64) -> Result<SubCoreHardware> {
    Ok(typed(sub_core(config, design, seed).open(EngineKind::RustHdl)?))
}

/// The module of a design's sub-core, for those who only walk through it.
fn block(config: &Config, design: &Design, seed: u64) -> Box<dyn Block> {
    sub_core(config, design, seed).block()
}

/// The RTL of a design's sub-core: engines of all those of a machine are made from it.
pub fn compiled(config: &Config, design: &Design, seed: u64) -> Result<Compiled<In, Out>> {
    Ok(Compiled::new(&*block(config, design, seed))?)
}

/// The same for those who look inside, of a sub-core with or without collectors.
pub fn observed(config: &Config, design: &Design, seed: u64) -> Result<PackedCompiled> {
    let layout = match design.reads_in_window() {
        true => PortLayout::of::<ModernSubCoreIn<u32>, ModernSubCoreOut<u32>>(),
        false => PortLayout::of::<In, Out>(),
    };
    Ok(PackedCompiled::observed(&*block(config, design, seed), &layout)?)
}

/// The emitted Verilog of a design's sub-core: all those of a machine are made from it.
pub fn verilog(config: &Config, design: &Design, seed: u64) -> Result<Hierarchy> {
    Ok(emit(&*block(config, design, seed))?)
}

/// A sub-core's Verilog under Verilator.
pub fn verilator(verilog: &Hierarchy) -> Result<SubCoreHardware> {
    let engine = Verilated::of(verilog, &PortLayout::of::<In, Out>())?;
    Ok(Box::new(Typed::new(engine)))
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

/// Ports of a sub-core, with or without collectors, that tell of instructions.
pub trait TellsInstructions<O>: Ports {
    /// The serial number of the instruction that is issued in a cycle, and of the one that is dispatched;
    /// bits of it that `known_by` leaves.
    fn serials(&self, outputs: &O) -> [Option<u32>; 2];
}

impl TellsInstructions<Out> for In {
    fn serials(&self, outputs: &Out) -> [Option<u32>; 2] {
        let issued = outputs.issued.then(|| self.head_payload[outputs.issued_warp as usize]);
        let dispatched = outputs.dispatch.contains(&true).then_some(outputs.dispatch_payload);
        [issued, dispatched].map(|serial| serial.map(known_by))
    }
}

impl TellsInstructions<ModernSubCoreOut<u32>> for ModernSubCoreIn<u32> {
    fn serials(&self, outputs: &ModernSubCoreOut<u32>) -> [Option<u32>; 2] {
        let issued = outputs.issued.then(|| self.head_payload[outputs.issued_warp as usize]);
        let dispatched = outputs.dispatch.then_some(outputs.dispatch_payload);
        [issued, dispatched].map(|payload| payload.map(|payload| payload >> WINDOW_PLACE_BITS))
    }
}

/// Bits of a serial number that tell instructions under way from each other: those that payloads of a
/// sub-core without collectors have.
fn known_by(serial: u32) -> u32 {
    serial & u32::MAX >> WINDOW_PLACE_BITS
}

/// The texts of the instructions that are under way in an SM, by serial number. A copy has the same texts.
#[derive(Clone, Default)]
pub struct InstructionTexts(Arc<Mutex<HashMap<u32, String>>>);

impl InstructionTexts {
    fn lock(&self) -> MutexGuard<'_, HashMap<u32, String>> {
        self.0.lock().expect("nobody panics with the texts in hand")
    }

    /// The texts of the instruction that is issued in a cycle, and of the one that is dispatched.
    fn of<I: TellsInstructions<O>, O>(&self, inputs: &I, outputs: &O) -> [String; 2] {
        let texts = self.lock();
        let text = |serial| texts.get(&serial).cloned();
        inputs.serials(outputs).map(|serial| serial.and_then(text).unwrap_or_default())
    }
}

impl PipelineListener for InstructionTexts {
    fn begin(&mut self, _cycle: u64, instruction: &PipelineInstruction) {
        self.lock().insert(known_by(instruction.serial), instruction.text.into());
    }

    fn end(&mut self, _cycle: u64, serial: u32) {
        self.lock().remove(&known_by(serial));
    }
}

/// Name of the outermost scope of waveforms.
const TOP: &str = "sub_core";

/// The instructions that are issued and dispatched in a cycle, as texts of a waveform.
fn instructions<I: TellsInstructions<O>, O: Ports>(texts: InstructionTexts) -> Texts<'static> {
    let of =
        move |_, inputs: &[u32], outputs: &[u32]| texts.of::<I, O>(&unpack(inputs), &unpack(outputs)).into();
    Texts { names: &["instructions.issued", "instructions.dispatched"], of: Box::new(of) }
}

/// A design's sub-core that was compiled to be observed, with every signal in it recorded; `hear` is told its
/// events.
pub fn recorded_rtl<I: TellsInstructions<O>, O: Ports>(
    compiled: &PackedCompiled,
    options: &RecordingOptions,
    texts: InstructionTexts,
    hear: impl FnMut(u64, &Occurrence),
) -> Result<(impl Clocked<In = I, Out = O>, WaveformRecording)> {
    let (engine, recording) = record_inside(compiled, TOP, options, instructions::<I, O>(texts), hear)?;
    Ok((Typed::new(engine), recording))
}

/// Any engine of a design's sub-core, with its ports recorded.
pub fn recorded_ports<E: Clocked<In: TellsInstructions<E::Out>, Out: Ports>>(
    config: &Config,
    design: &Design,
    seed: u64,
    options: &RecordingOptions,
    texts: InstructionTexts,
    engine: E,
) -> Result<(impl Clocked<In = E::In, Out = E::Out>, WaveformRecording)> {
    let (block, layout) = (block(config, design, seed), PortLayout::of::<E::In, E::Out>());
    let texts = instructions::<E::In, E::Out>(texts);
    let (engine, recording) = record_ports(Packed(engine), &*block, &layout, TOP, options, texts)?;
    Ok((Typed::new(engine), recording))
}

/// An engine that is looked at, with the types of its ports.
pub fn typed(engine: PackedEngine) -> SubCoreHardware {
    Box::new(Typed::new(engine))
}
