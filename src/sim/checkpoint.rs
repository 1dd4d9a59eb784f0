// SPDX-License-Identifier: Apache-2.0
//! Runs that are stopped and go on later: a checkpoint file, written when a signal asks the run to end, and
//! from time to time.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use borsh::{BorshDeserialize, BorshSerialize};
use clap::Args;
use gpurf_sim::engines::RunsSubCore;
use gpurf_sim::sm::Gpu;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::engines::Engines;
use crate::output::{say, NewFile};
use crate::program::{self, Properties};

#[derive(Args)]
pub struct CheckpointArguments {
    /// Go on from this checkpoint if it is there. It is written when a signal asks the run to end (SIGTERM,
    /// or SIGINT, as Ctrl-C sends it), and also from time to time, so that a crash loses little; the end of
    /// the run removes it. It takes the engine model
    #[arg(
        long,
        value_name = "FILE",
        value_parser = crate::output::file(),
        conflicts_with_all = ["waveform", "pipeline", "around", "beside_whole"]
    )]
    checkpoint: Option<PathBuf>,
    /// The time between two checkpoints, such as 90s, 10m or 1h
    #[arg(
        long,
        value_name = "TIME",
        default_value = "10m",
        value_parser = humantime::parse_duration,
        requires = "checkpoint"
    )]
    checkpoint_every: Duration,
}

impl CheckpointArguments {
    /// Before anything is executed.
    pub fn check(&self, engine: Engines, inputs: usize) -> Result<()> {
        if self.checkpoint.is_none() {
            return Ok(());
        }
        ensure!(
            engine == Engines::Model,
            "--checkpoint: only models show their state, and --engine has {}; leave one of the two out",
            engine.name()
        );
        ensure!(inputs == 1, "--checkpoint names one file, which takes one input; run the inputs one by one");
        Ok(())
    }

    pub fn is_given(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// The checkpoints of a run, which its properties tell from others.
    pub fn of(&self, run: impl FnOnce() -> Result<Properties>) -> Result<Option<Checkpoints>> {
        let Some(file) = &self.checkpoint else { return Ok(None) };
        let run = run()?;
        let (signal, over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for number in [SIGINT, SIGTERM] {
            flag::register_conditional_default(number, over.clone())
                .and_then(|_| flag::register_usize(number, signal.clone(), number as usize))
                .context("--checkpoint: signals cannot be caught here; leave it out")?;
        }
        let every = self.checkpoint_every;
        Ok(Some(Checkpoints { file: file.clone(), every, run, last: Instant::now(), signal, over }))
    }
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct CheckpointPlace {
    /// The workload's command that is under way or comes next.
    pub command: usize,
    /// It is a kernel, and launched.
    pub launched: bool,
}

/// The contents of a file.
#[derive(BorshSerialize, BorshDeserialize)]
struct Kept {
    run: Properties,
    place: CheckpointPlace,
    state: Vec<u8>,
}

/// The checkpoints of a run.
pub struct Checkpoints {
    file: PathBuf,
    every: Duration,
    run: Properties,
    last: Instant,
    /// The signal that asks the run to end; 0 as long as none does.
    signal: Arc<AtomicUsize>,
    /// Signals mean again what they always do.
    over: Arc<AtomicBool>,
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

impl Checkpoints {
    /// Where the run was when it was last saved, and its state; nothing if it begins.
    pub fn read(&self) -> Result<Option<(CheckpointPlace, Vec<u8>)>> {
        let file = self.file.display();
        let packed = match fs::read(&self.file) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            packed => packed.with_context(|| format!("{file}: the checkpoint cannot be read; check it"))?,
        };
        // A damaged file fails the checksum.
        let kept = zstd::decode_all(&packed[..]).and_then(|bytes| Kept::try_from_slice(&bytes));
        let kept = kept.ok().with_context(|| {
            format!("{file}: it is damaged, or no checkpoint; remove it, and the run begins anew")
        })?;
        if let Some((name, there, here)) = program::difference(&kept.run, &self.run) {
            let values = match there.len().max(here.len()) {
                0..=60 => format!(": {there} there, {here} here"),
                _ => String::new(),
            };
            bail!(
                "{file}: the checkpoint is of a run with another {name}{values}; name another file, or remove this one \
                 and begin anew"
            );
        }
        Ok(Some((kept.place, kept.state)))
    }

    /// Between two cycles: saves the run if it is time to. If a signal asks for its end too, and then the
    /// program ends.
    pub fn consider<E: RunsSubCore>(&mut self, gpu: &Gpu<E>, place: CheckpointPlace) -> Result<()> {
        let signal = self.signal.load(Ordering::Relaxed);
        if signal == 0 && self.last.elapsed() < self.every {
            return Ok(());
        }
        self.write(&Kept { run: self.run.clone(), place, state: gpu.save()? })?;
        self.last = Instant::now();
        if signal != 0 {
            let (cycle, file) = (gpu.cycles(), self.file.display());
            say!("stopped before cycle {cycle}; the same command goes on from {file}");
            low_level::emulate_default_handler(signal as i32)?;
        }
        Ok(())
    }

    fn write(&self, kept: &Kept) -> Result<()> {
        let mut file = NewFile::create(&self.file)?;
        let unwritten = || format!("{}: the checkpoint cannot be written", self.file.display());
        let mut packer = zstd::Encoder::new(&mut file, 1).with_context(unwritten)?;
        packer.include_checksum(true).with_context(unwritten)?;
        packer.write_all(&borsh::to_vec(kept)?).with_context(unwritten)?;
        packer.finish().with_context(unwritten)?;
        Ok(file.finish()?)
    }

    /// The run is over.
    pub fn remove(self) -> Result<()> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("{}: cannot be removed", self.file.display()))
            }
            _ => Ok(()),
        }
    }
}
