// SPDX-License-Identifier: Apache-2.0
//! Where each instruction spends its cycles, in the log format of the pipeline viewer Konata, version 0004: a
//! line a command, with its operands behind tabs.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use gpurf_blocks::SUB_CORES;
use gpurf_sim::sm::{PipelineInstruction, PipelineListener, Stage};

use super::events::EventLog;
use crate::output::NewFile;

/// The text that the viewer writes into a stage.
pub fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Wait => "Wt",
        Stage::Ready => "Rd",
        Stage::Bank => "Bk",
        Stage::Collect => "Co",
        Stage::Execute => "Ex",
        Stage::WriteBack => "Wb",
    }
}

/// A log being written. A copy writes the same log.
#[derive(Clone)]
pub struct Konata(Arc<Mutex<Log>>);

struct Log {
    file: NewFile,
    /// The instructions that come to the heads of their warps' buffers in these cycles are shown, to their
    /// ends.
    cycles: Range<u64>,
    /// The cycle that the viewer is in.
    cycle: Option<u64>,
    /// The instructions under way, by serial number.
    shown: HashMap<u32, Shown>,
    begun: u64,
    ended: u64,
    /// Stages entered in this cycle. An instruction that goes on in the same cycle is in the last one only.
    entered: Vec<(u32, Stage)>,
    /// Instructions that are complete after this cycle.
    complete: Vec<u32>,
    /// Events that stand in the lines of their instructions.
    events: EventLog,
    result: Result<()>,
}

struct Shown {
    /// Its number in the log.
    id: u64,
    stage: Option<Stage>,
}

impl Konata {
    pub fn create(path: &Path, cycles: Range<u64>, events: EventLog) -> Result<Konata> {
        let mut file = NewFile::create(path)?;
        writeln!(file, "Kanata\t0004")?;
        Ok(Konata(Arc::new(Mutex::new(Log {
            file,
            cycles,
            cycle: None,
            shown: HashMap::new(),
            begun: 0,
            ended: 0,
            entered: vec![],
            complete: vec![],
            events,
            result: Ok(()),
        }))))
    }

    fn attempt(&self, write: impl FnOnce(&mut Log) -> Result<()>) {
        let log = &mut *self.0.lock().expect("nobody panics with the log in hand");
        if log.result.is_ok() {
            log.result = log.write_events().and_then(|()| write(log));
        }
    }

    /// Completes the log and gives it its name. How many instructions it shows.
    pub fn finish(self) -> Result<u64> {
        self.attempt(|log| if log.cycle.is_some() { log.reach(u64::MAX) } else { Ok(()) });
        let mut log = self.0.lock().expect("nobody panics with the log in hand");
        std::mem::replace(&mut log.result, Ok(()))?;
        log.file.finish()?;
        Ok(log.begun)
    }
}

impl Log {
    /// Later commands happen in this cycle; after the last one, in none.
    fn reach(&mut self, cycle: u64) -> Result<()> {
        let Some(mut last) = self.cycle.replace(cycle) else {
            return Ok(writeln!(self.file, "C=\t{cycle}")?);
        };
        if last == cycle {
            return Ok(());
        }
        self.write_entered()?;
        if !self.complete.is_empty() {
            last += 1;
            writeln!(self.file, "C\t1")?;
            self.write_complete()?;
        }
        if last < cycle && cycle < u64::MAX {
            writeln!(self.file, "C\t{}", cycle - last)?;
        }
        Ok(())
    }

    fn write_events(&mut self) -> Result<()> {
        for (serial, text) in self.events.take_labels() {
            if let Some(Shown { id, .. }) = self.shown.get(&serial) {
                writeln!(self.file, "L\t{id}\t0\t, {text}")?;
            }
        }
        Ok(())
    }

    fn write_entered(&mut self) -> Result<()> {
        for (serial, stage) in self.entered.drain(..) {
            let Some(shown) = self.shown.get_mut(&serial) else { continue };
            if let Some(left) = shown.stage.replace(stage) {
                writeln!(self.file, "E\t{}\t0\t{}", shown.id, stage_name(left))?;
            }
            writeln!(self.file, "S\t{}\t0\t{}", shown.id, stage_name(stage))?;
        }
        Ok(())
    }

    fn write_complete(&mut self) -> Result<()> {
        for serial in self.complete.drain(..) {
            let Some(Shown { id, stage }) = self.shown.remove(&serial) else { continue };
            if let Some(stage) = stage {
                writeln!(self.file, "E\t{id}\t0\t{}", stage_name(stage))?;
            }
            writeln!(self.file, "R\t{id}\t{}\t0", self.ended)?;
            self.ended += 1;
        }
        Ok(())
    }

    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) -> Result<()> {
        if !self.cycles.contains(&cycle) {
            return Ok(());
        }
        self.reach(cycle)?;
        let PipelineInstruction { serial, kernel, block: [x, y, z], warp, sub_core, slot, pc, text, .. } =
            instruction;
        let id = self.begun;
        let thread = usize::from(*slot) * SUB_CORES + sub_core;
        writeln!(self.file, "I\t{id}\t{serial}\t{thread}")?;
        writeln!(self.file, "L\t{id}\t0\tw{thread} {pc:04x}: {text}")?;
        writeln!(
            self.file,
            "L\t{id}\t1\t{kernel}, block ({x}, {y}, {z}), warp {warp}, in slot {slot} of sub-core {sub_core}"
        )?;
        self.shown.insert(*serial, Shown { id, stage: None });
        self.begun += 1;
        self.enter(*serial, Stage::Wait);
        Ok(())
    }

    fn enter(&mut self, serial: u32, stage: Stage) {
        self.entered.retain(|&(other, _)| other != serial);
        self.entered.push((serial, stage));
    }

    fn end(&mut self, cycle: u64, serial: u32) -> Result<()> {
        if self.shown.contains_key(&serial) {
            self.reach(cycle)?;
            self.complete.push(serial);
        }
        Ok(())
    }
}

impl PipelineListener for Konata {
    fn begin(&mut self, cycle: u64, instruction: &PipelineInstruction) {
        self.attempt(|log| log.begin(cycle, instruction));
    }

    fn enter(&mut self, cycle: u64, serial: u32, stage: Stage) {
        self.attempt(|log| {
            if log.shown.contains_key(&serial) {
                log.reach(cycle)?;
                log.enter(serial, stage);
            }
            Ok(())
        });
    }

    fn end(&mut self, cycle: u64, serial: u32) {
        self.attempt(|log| log.end(cycle, serial));
    }
}
