// SPDX-License-Identifier: Apache-2.0
//! Parts of a run that are written down cycle by cycle, and the cycles.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};

use anyhow::{anyhow, ensure, Context, Result};
use clap::Args;
use gpurf_blocks::{suggestion, Clocked, Ports, Typed};
use gpurf_sim::sm::{PipelineInstruction, PipelineListener};
use gpurf_testbenches::tap::{self, AwaitedEvent, EventPlace};
use gpurf_trace::RegisterId;
use gpurf_verilog::{declared_events, PackedCompiled, Query};

#[derive(Args)]
pub struct RecordingArguments {
    /// Write the waveform of sub-core 0 to this file: every signal with the engine rtl, the ports with
    /// another engine, and the instructions that are issued and dispatched. The file is FST if its name ends
    /// in .fst, and VCD otherwise
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    pub waveform: Option<PathBuf>,
    /// Record these scopes of the waveform, separated by commas, each with all that lies in it; `top` is the
    /// module's own signals alone; without the option, all scopes
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "waveform")]
    pub scopes: Vec<String>,
    /// Record also what each register is loaded with, and when: NAME_d and NAME_enable. The option takes the
    /// engine rtl
    #[arg(long, requires = "waveform")]
    pub loads: bool,
    /// Write to this file where each instruction of the first SM spends its cycles, as a log for the viewer
    /// Konata. With the engine rtl, hits, misses and replacements stand in the lines of their instructions
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    pub pipeline: Option<PathBuf>,
    /// Count the events inside the RTL of the first SM's sub-cores. The option takes the engine rtl
    #[arg(long)]
    pub count_events: bool,
    /// The first cycle that the waveform and the pipeline show
    #[arg(long, value_name = "CYCLE", default_value_t = 0, conflicts_with = "around")]
    from: u64,
    /// The first cycle that they do not show any more; without the option, they go on to the end
    #[arg(long, value_name = "CYCLE", conflicts_with = "around")]
    to: Option<u64>,
    /// Show the cycles around an event. Of the first SM: pc=ADDRESS (an instruction at this address comes to
    /// the head of its warp's buffer), register=R0 to R254 (one that reads or writes this register does),
    /// error (a check fails) or switch (a thread block leaves for another one). Inside the RTL of sub-core 0:
    /// hit, miss, replacement, filter, flush, wait or conflict; hit#3 is the third hit, and
    /// hit,warp=3,register=R7,collector=1 a hit of this warp, register and collector. The event is looked for
    /// in a run of its own
    #[arg(long, value_name = "EVENT")]
    pub around: Option<Trigger>,
    #[command(flatten)]
    margins: Margins,
}

/// How many cycles are shown around an event.
#[derive(Args)]
pub struct Margins {
    /// The number of cycles that are shown before the event
    #[arg(long, value_name = "CYCLES", default_value_t = 100, requires = "around")]
    before: u64,
    /// The number of cycles that are shown from the event on
    #[arg(long, value_name = "CYCLES", default_value_t = 400, requires = "around")]
    after: u64,
}

impl Margins {
    /// The cycles around this one.
    pub fn around(&self, cycle: u64) -> Range<u64> {
        cycle.saturating_sub(self.before)..cycle.saturating_add(self.after)
    }
}

impl RecordingArguments {
    /// The option that names a file, if there is one.
    pub fn file(&self) -> Option<&'static str> {
        let waveform = self.waveform.as_ref().map(|_| "--waveform");
        waveform.or(self.pipeline.as_ref().map(|_| "--pipeline"))
    }

    /// The cycles that are shown; `event`: the cycle of the event asked for.
    pub fn cycles(&self, event: Option<u64>) -> Range<u64> {
        match event {
            Some(cycle) => self.margins.around(cycle),
            None => self.from..self.to.unwrap_or(u64::MAX),
        }
    }
}

/// An event around which cycles are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    Pc(u32),
    Register(RegisterId),
    Error,
    Switch,
    /// Inside the RTL of a sub-core.
    Inside(Query),
}

// By hand: some events have an address or a register behind their names.
impl FromStr for Trigger {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Trigger> {
        match text.split_once('=') {
            None if text == "error" => return Ok(Trigger::Error),
            None if text == "switch" => return Ok(Trigger::Switch),
            Some(("pc", address)) => {
                let digits = address.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
                let pc = digits.unwrap_or_else(|| address.parse());
                return Ok(Trigger::Pc(pc.context("an address is a number, as in pc=0x120")?));
            }
            Some(("register", name)) => {
                let number = name.strip_prefix('R').and_then(|number| number.parse().ok()).map(RegisterId);
                let register = number.filter(|&register| register < RegisterId::RZ);
                return Ok(Trigger::Register(register.context("there are register=R0 to register=R254")?));
            }
            _ => {}
        }
        let own = ["pc", "register", "error", "switch"].map(String::from);
        Ok(Trigger::Inside(query(
            text,
            own.into_iter().chain(declared_events()?.into_iter().map(|event| event.kind)),
        )?))
    }
}

/// An event inside RTL, of one of these kinds.
pub fn query(text: &str, kinds: impl IntoIterator<Item = String>) -> Result<Query> {
    let query: Query = text.parse().map_err(|reason: String| anyhow!(reason))?;
    let kinds: BTreeSet<String> = kinds.into_iter().collect();
    let kinds: Vec<String> = kinds.into_iter().collect();
    let of_kind = kinds.iter().map(String::as_str);
    let known = suggestion(&query.kind, of_kind, &format!("There are {}", kinds.join(", ")));
    ensure!(kinds.contains(&query.kind), "there is no event {}{known}", query.kind);
    let of_kind = declared_events()?.into_iter().filter(|event| event.kind == query.kind);
    let fields: BTreeSet<String> = of_kind.flat_map(|event| event.fields).collect();
    // Any other name may be that of an instance.
    for (name, _) in query.values.iter().filter(|(name, _)| !fields.contains(name)) {
        let close = suggestion(name, fields.iter().map(String::as_str), "");
        ensure!(!close.contains("did you mean"), "{} has no value {name}{}", query.kind, close.trim_end());
    }
    Ok(query)
}

/// Waits for an event. A copy waits for the same.
#[derive(Clone)]
pub struct Watch {
    trigger: Trigger,
    pub found: AwaitedEvent,
    /// Clock edges of the first SM so far.
    edges: Arc<AtomicU64>,
    /// Kinds of events that the RTL has.
    kinds: Arc<Mutex<BTreeSet<String>>>,
}

impl Watch {
    pub fn new(trigger: Trigger) -> Watch {
        let number = if let Trigger::Inside(query) = &trigger { query.number } else { 1 };
        Watch { trigger, found: AwaitedEvent::nth(number), edges: Arc::default(), kinds: Arc::default() }
    }

    /// The event, if it is one inside RTL.
    pub fn query(&self) -> Option<&Query> {
        match &self.trigger {
            Trigger::Inside(query) => Some(query),
            _ => None,
        }
    }

    /// Fails if none of the engines that listen has such an event.
    pub fn check(&self) -> Result<()> {
        let Some(query) = self.query() else { return Ok(()) };
        let kinds = self.kinds.lock().expect("nobody panics with the kinds in hand");
        let has = || kinds.iter().cloned().collect::<Vec<_>>().join(", ");
        ensure!(
            kinds.contains(&query.kind),
            "--around {}: the RTL of this design has no such event; it has {}",
            query.kind,
            has()
        );
        Ok(())
    }

    /// An engine of sub-core 0 that looks for the event. Its clock edges are those of the SM.
    pub fn in_sub_core<I: Ports, O: Ports>(
        &self,
        compiled: &PackedCompiled,
    ) -> Result<impl Clocked<In = I, Out = O>> {
        let edges = self.edges.clone();
        self.listen(compiled, move |cycle| {
            edges.store(cycle + 1, Relaxed);
            cycle
        })
    }

    /// An engine of another unit that looks for it. `is_later`: in a cycle of the SM its edge comes after the
    /// sub-cores'.
    pub fn in_unit<I: Ports, O: Ports>(
        &self,
        compiled: &PackedCompiled,
        is_later: bool,
    ) -> Result<impl Clocked<In = I, Out = O>> {
        let edges = self.edges.clone();
        self.listen(compiled, move |_| edges.load(Relaxed).saturating_sub(u64::from(is_later)))
    }

    /// `cycle_of`: the SM's cycle in a cycle of the engine.
    fn listen<I: Ports, O: Ports>(
        &self,
        compiled: &PackedCompiled,
        cycle_of: impl Fn(u64) -> u64,
    ) -> Result<impl Clocked<In = I, Out = O>> {
        let query = self.query().context("only events inside RTL are looked for there")?.clone();
        let known = tap::events(compiled.scopes())?.kinds().into_iter().map(String::from).collect::<Vec<_>>();
        self.kinds.lock().expect("nobody panics with the kinds in hand").extend(known);
        let found = self.found.clone();
        Ok(Typed::new(tap::listen(compiled, move |cycle, events, values| {
            found.note_events(&query, cycle_of(cycle), events, values);
        })?))
    }

    fn note(&self, happens: bool, cycle: u64) {
        if happens {
            self.found.note(|| EventPlace { cycle, path: vec![], text: String::new() });
        }
    }
}

impl PipelineListener for Watch {
    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) {
        let happens = match self.trigger {
            Trigger::Pc(pc) => instruction.pc == pc,
            Trigger::Register(register) => instruction.registers.contains(register),
            Trigger::Error | Trigger::Switch | Trigger::Inside(_) => false,
        };
        self.note(happens, cycle);
    }

    fn fail(&mut self, cycle: u64) {
        self.note(self.trigger == Trigger::Error, cycle);
    }

    fn switch(&mut self, cycle: u64) {
        self.note(self.trigger == Trigger::Switch, cycle);
    }
}
