//! What of a run is written down cycle by cycle, and which cycles.

use gpurf_trace::RegisterId;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use anyhow::{Context, Result};
use clap::Args;
use gpurf_sim::sm::{PipelineInstruction, PipelineListener};

#[derive(Args)]
pub struct RecordingArguments {
    /// Write the waveform of sub-core 0 to this file: every signal with the engine rtl, the ports with another
    /// engine, and the instructions that are issued and dispatched. The file is FST if its name ends in .fst, and VCD
    /// otherwise
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    pub waveform: Option<PathBuf>,
    /// Record these scopes of the waveform, separated by commas, each with all that lies in it; without the option,
    /// all scopes
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "waveform")]
    pub scopes: Vec<String>,
    /// Write to this file where each instruction of the first SM spends its cycles, as a log for the viewer Konata
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    pub pipeline: Option<PathBuf>,
    /// The first cycle that the waveform and the pipeline show
    #[arg(long, value_name = "CYCLE", default_value_t = 0, conflicts_with = "around")]
    from: u64,
    /// The first cycle that they do not show any more; without the option, they go on to the end
    #[arg(long, value_name = "CYCLE", conflicts_with = "around")]
    to: Option<u64>,
    /// Show the cycles around the first event of this kind on the first SM: pc=ADDRESS (an instruction at this
    /// address comes to the head of its warp's buffer), register=R0 to R254 (one that reads or writes this register
    /// does), error (a check fails) or switch (a thread block leaves for another one). The event is looked for in a
    /// run of its own
    #[arg(long, value_name = "EVENT")]
    pub around: Option<Trigger>,
    /// The number of cycles that are shown before the event
    #[arg(long, value_name = "CYCLES", default_value_t = 100, requires = "around")]
    before: u64,
    /// The number of cycles that are shown from the event on
    #[arg(long, value_name = "CYCLES", default_value_t = 400, requires = "around")]
    after: u64,
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
            Some(cycle) => cycle.saturating_sub(self.before)..cycle.saturating_add(self.after),
            None => self.from..self.to.unwrap_or(u64::MAX),
        }
    }
}

/// An event around which cycles are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Pc(u32),
    Register(RegisterId),
    Error,
    Switch,
}

// By hand: some events have an address or a register behind their names.
impl FromStr for Trigger {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Trigger> {
        let trigger = match text.split_once('=') {
            None if text == "error" => Some(Trigger::Error),
            None if text == "switch" => Some(Trigger::Switch),
            Some(("pc", address)) => {
                let digits = address.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
                digits.unwrap_or_else(|| address.parse()).ok().map(Trigger::Pc)
            }
            Some(("register", name)) => {
                let number = name.strip_prefix('R').and_then(|number| number.parse().ok()).map(RegisterId);
                number.filter(|&register| register < RegisterId::RZ).map(Trigger::Register)
            }
            _ => None,
        };
        trigger
            .context("there are pc=ADDRESS such as pc=0x120, register=R0 to register=R254, error and switch")
    }
}

/// Waits for an event. A copy waits for the same.
#[derive(Clone)]
pub struct Watch {
    trigger: Trigger,
    found: Arc<OnceLock<u64>>,
}

impl Watch {
    pub fn new(trigger: Trigger) -> Watch {
        Watch { trigger, found: Arc::default() }
    }

    /// The cycle of the first one.
    pub fn found(&self) -> Option<u64> {
        self.found.get().copied()
    }

    fn note(&self, happens: bool, cycle: u64) {
        if happens {
            // Later ones do not count.
            let _ = self.found.set(cycle);
        }
    }
}

impl PipelineListener for Watch {
    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) {
        let happens = match self.trigger {
            Trigger::Pc(pc) => instruction.pc == pc,
            Trigger::Register(register) => instruction.registers.contains(register),
            Trigger::Error | Trigger::Switch => false,
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
