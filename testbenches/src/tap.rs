// SPDX-License-Identifier: Apache-2.0
//! Looking at an engine while others drive it: recording of its waveform, search for an event inside its RTL.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use anyhow::{Context, Result};
use gpurf_blocks::{PackedClocked, PortLayout};
use gpurf_verilog::{
    Events, Extent, ModuleWaveform, ObservedScope, Occurrence, PackedCompiled, PackedRtl, PortWaveform,
    Query, Values, WaveformVariable,
};
use rust_hdl::prelude::Block;

/// An engine that is looked at before each clock edge, with the ports of the cycle as they have settled.
struct Tapped<E, F> {
    engine: E,
    look: F,
    cycle: u64,
    settled: (Vec<u32>, Vec<u32>),
}

/// An engine and whoever looks at it: the cycle, the engine, its inputs and outputs.
fn tapped<E: PackedClocked, F: FnMut(u64, &mut E, &[u32], &[u32])>(engine: E, look: F) -> Tapped<E, F> {
    Tapped { engine, look, cycle: 0, settled: Default::default() }
}

impl<E: PackedClocked, F: FnMut(u64, &mut E, &[u32], &[u32])> PackedClocked for Tapped<E, F> {
    fn settle(&mut self, inputs: &[u32], outputs: &mut [u32]) {
        self.engine.settle(inputs, outputs);
        let (settled_inputs, settled_outputs) = &mut self.settled;
        inputs.clone_into(settled_inputs);
        outputs.clone_into(settled_outputs);
    }

    fn tick(&mut self) {
        let (inputs, outputs) = &self.settled;
        (self.look)(self.cycle, &mut self.engine, inputs, outputs);
        self.cycle += 1;
        self.engine.tick();
    }
}

/// Options of a recording of an engine.
#[derive(Clone)]
pub struct RecordingOptions<'a> {
    /// FST if its name ends in `.fst`, else VCD.
    pub path: &'a Path,
    /// The cycles that are recorded.
    pub cycles: Range<u64>,
    /// Scopes by name, each with what lies in it; `top` is the module's own signals. Without a name, all
    /// are recorded.
    pub scopes: &'a [String],
    /// Next values and enables of registers are recorded beside the values that they hold.
    pub loads: bool,
}

/// A waveform that is written while the engine runs.
pub struct WaveformRecording {
    /// The variables that it records.
    pub variables: Vec<WaveformVariable>,
    /// The cycle after the last one that is recorded.
    end: Arc<AtomicU64>,
    finish: Box<dyn FnOnce() -> io::Result<()>>,
}

impl WaveformRecording {
    /// Completes the file and gives it its name. What it shows.
    pub fn finish(self, asked: &Range<u64>) -> Result<Drawn> {
        (self.finish)()?;
        Ok(Drawn { variables: self.variables, cycles: asked.start..self.end.load(Relaxed).max(asked.start) })
    }
}

/// A waveform that is complete.
pub struct Drawn {
    /// The variables that it shows.
    pub variables: Vec<WaveformVariable>,
    /// In these cycles.
    pub cycles: Range<u64>,
}

/// A waveform that an engine writes, or the reason why it could not be written on.
struct Shared<W> {
    waveform: Arc<Mutex<Result<W, io::Error>>>,
    cycles: Range<u64>,
    end: Arc<AtomicU64>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while a waveform is written")
}

impl<W: 'static> Shared<W> {
    fn new(
        waveform: W,
        variables: Vec<WaveformVariable>,
        cycles: Range<u64>,
        finish: fn(W) -> io::Result<()>,
    ) -> (Self, WaveformRecording) {
        let waveform = Arc::new(Mutex::new(Ok(waveform)));
        let end: Arc<AtomicU64> = Arc::default();
        let (held, last) = (waveform.clone(), end.clone());
        let complete = move || {
            let finished = Err(io::Error::other("the waveform is finished"));
            std::mem::replace(&mut *locked(&held), finished).and_then(finish)
        };
        let recording = WaveformRecording { variables, end: last, finish: Box::new(complete) };
        (Shared { waveform, cycles, end }, recording)
    }

    /// Goes on, unless something has failed.
    fn attempt(&self, cycle: u64, sample: impl FnOnce(&mut W) -> io::Result<()>) {
        self.end.store(cycle + 1, Relaxed);
        let mut waveform = locked(&self.waveform);
        if let Err(error) = waveform.as_mut().map_or(Ok(()), sample) {
            *waveform = Err(error);
        }
    }
}

/// The texts of a cycle, by its number and its packed ports.
type TextsOfCycle = Box<dyn FnMut(u64, &[u32], &[u32]) -> Vec<String> + Send>;

/// Texts of a cycle beside its signals.
pub struct Texts<'a> {
    /// `scenario`, or `instructions.issued` for one in a scope.
    pub names: &'a [&'a str],
    /// In the order of their names.
    pub of: TextsOfCycle,
}

fn as_str(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// A fresh engine of RTL that was compiled to be observed, with all that is inside recorded. `top` is the
/// name of the outermost scope; `hear` is told the events of all cycles.
pub fn record_inside(
    compiled: &PackedCompiled,
    top: &str,
    options: &RecordingOptions,
    texts: Texts,
    mut hear: impl FnMut(u64, &Occurrence),
) -> Result<(impl PackedClocked, WaveformRecording)> {
    let events = events(compiled.scopes())?;
    let extent = Extent { scopes: options.scopes, loads: options.loads, texts: texts.names };
    let waveform = ModuleWaveform::create(options.path, top, compiled.scopes(), &events, extent)?;
    let variables = waveform.variables().to_vec();
    let (shared, recording) =
        Shared::new(waveform, variables, options.cycles.clone(), ModuleWaveform::finish);
    let mut of = texts.of;
    let engine =
        tapped(compiled.engine(), move |cycle, engine: &mut PackedRtl, inputs: &[u32], outputs: &[u32]| {
            engine.observe();
            events.visit(engine, |event| hear(cycle, event));
            if shared.cycles.contains(&cycle) {
                let texts = of(cycle, inputs, outputs);
                shared.attempt(cycle, |waveform| waveform.sample(cycle, engine, &as_str(&texts)));
            }
        });
    Ok((engine, recording))
}

/// Any engine, with its ports recorded; `module` tells which of those in the layout there are.
pub fn record_ports<E: PackedClocked>(
    engine: E,
    module: &dyn Block,
    layout: &PortLayout,
    top: &str,
    options: &RecordingOptions,
    texts: Texts,
) -> Result<(impl PackedClocked, WaveformRecording)> {
    let extent = Extent { scopes: options.scopes, loads: options.loads, texts: texts.names };
    let waveform = PortWaveform::create(options.path, top, module, layout, extent)?;
    let variables = waveform.variables().to_vec();
    let (shared, recording) = Shared::new(waveform, variables, options.cycles.clone(), PortWaveform::finish);
    let mut of = texts.of;
    let engine = tapped(engine, move |cycle, _: &mut E, inputs: &[u32], outputs: &[u32]| {
        if shared.cycles.contains(&cycle) {
            let texts = of(cycle, inputs, outputs);
            shared.attempt(cycle, |waveform| waveform.sample(cycle, inputs, outputs, &as_str(&texts)));
        }
    });
    Ok((engine, recording))
}

/// The events that modules declare.
pub fn events(scopes: &[ObservedScope]) -> Result<Events> {
    Events::of(scopes).context("the declaration of an event does not fit its module")
}

/// Where an event happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventPlace {
    /// In this cycle.
    pub cycle: u64,
    /// In this instance, with those around it; none if the SM tells of the event.
    pub path: Vec<String>,
    /// The event's text.
    pub text: String,
}

/// An event that is looked for: the first one of its kind, or a later one. A copy waits for the same.
#[derive(Clone)]
pub struct AwaitedEvent(Arc<Sought>);

struct Sought {
    /// The first one of its kind is 1.
    number: u64,
    /// The ones of its kind so far, until it happens.
    seen: AtomicU64,
    place: OnceLock<EventPlace>,
}

impl AwaitedEvent {
    /// Waits for the one of this number; the first is 1.
    pub fn nth(number: u64) -> Self {
        AwaitedEvent(Arc::new(Sought { number, seen: AtomicU64::new(0), place: OnceLock::new() }))
    }

    /// Once it has happened.
    pub fn place(&self) -> Option<&EventPlace> {
        self.0.place.get()
    }

    /// The number of events of the kind that happened instead, in words.
    pub fn missing(&self) -> String {
        match self.0.seen.load(Relaxed) {
            0 => "there is no such event".to_string(),
            1 => "there is only 1 such event".to_string(),
            count => format!("there are only {count} such events"),
        }
    }

    /// One of the kind has happened.
    pub fn note(&self, place: impl FnOnce() -> EventPlace) {
        let Sought { number, seen, place: found } = &*self.0;
        if seen.fetch_add(1, Relaxed) + 1 == *number {
            let _ = found.set(place());
        }
    }

    /// The ones of a cycle that are asked for have happened.
    pub fn note_events(&self, query: &Query, cycle: u64, events: &Events, values: &dyn Values) {
        if self.place().is_some() {
            return;
        }
        events.visit(values, |event| {
            if query.matches(event) {
                self.note(|| {
                    let mut text = String::new();
                    event.write(&mut text);
                    EventPlace { cycle, path: event.path().to_vec(), text }
                });
            }
        });
    }
}

/// A fresh engine of RTL that was compiled to be observed, whose events are looked at in each cycle.
pub fn listen(
    compiled: &PackedCompiled,
    look: impl FnMut(u64, &Events, &dyn Values),
) -> Result<impl PackedClocked> {
    Ok(listen_to(compiled, events(compiled.scopes())?, look))
}

/// The same with these of its events.
pub fn listen_to(
    compiled: &PackedCompiled,
    events: Events,
    mut look: impl FnMut(u64, &Events, &dyn Values),
) -> impl PackedClocked {
    tapped(compiled.engine(), move |cycle, engine: &mut PackedRtl, _: &[u32], _: &[u32]| {
        engine.observe();
        look(cycle, &events, engine);
    })
}
