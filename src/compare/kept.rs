// SPDX-License-Identifier: Apache-2.0
//! Results of single runs as they lie in a study's folder: a file each. A result is used again if the same
//! program would give it again: its file has the digests of the program and of the input, and all that the
//! run was told.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gpurf_verilog::cache;
use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use crate::output::write_json;
use crate::program::{self, Properties};

/// Where a run's result is kept.
pub struct KeptPlace {
    pub file: PathBuf,
    /// All that the run is told.
    pub run: Properties,
}

/// A result's file.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Release and commit of the program.
    version: String,
    /// Properties that tell the run from others.
    run: Properties,
    /// The digest of the outcome's text: damage that leaves JSON behind is noticed.
    digest: String,
    /// None if the workload cannot run under the variant.
    outcome: Option<Outcome>,
}

/// The state of the file that a result is looked for in.
pub enum KeptState {
    Missing,
    /// Not what was written.
    Damaged,
    /// The result of another run; the name of the first property that differs.
    Other(String),
    /// The result; none if the workload cannot run under the variant.
    Kept(Option<Outcome>),
}

impl KeptState {
    /// As a list of runs calls it.
    pub fn name(&self) -> &'static str {
        match self {
            KeptState::Missing => "missing",
            KeptState::Damaged => "damaged",
            KeptState::Other(_) => "other",
            KeptState::Kept(_) => "kept",
        }
    }
}

impl KeptState {
    /// The property that differs.
    pub fn difference(self) -> Option<String> {
        match self {
            KeptState::Other(name) => Some(name),
            _ => None,
        }
    }
}

impl KeptPlace {
    pub fn is_taken(&self) -> bool {
        self.file.exists()
    }

    /// `input` is the digest of the input.
    pub fn look(&self, input: &str) -> Result<KeptState> {
        let Ok(bytes) = fs::read(&self.file) else { return Ok(KeptState::Missing) };
        let run = self.properties(input)?;
        Ok(match serde_json::from_slice::<Kept>(&bytes) {
            Ok(kept) if digest(&kept.outcome) != kept.digest => KeptState::Damaged,
            Ok(kept) => match program::difference(&kept.run, &run) {
                Some((name, ..)) => KeptState::Other(name.into()),
                None => KeptState::Kept(kept.outcome),
            },
            Err(_) => KeptState::Damaged,
        })
    }

    pub fn keep(&self, input: &str, outcome: Option<Outcome>) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        let (version, run) = (program::version().into(), self.properties(input)?);
        write_json(&self.file, &Kept { version, run, digest: digest(&outcome), outcome })
    }

    fn properties(&self, input: &str) -> Result<Properties> {
        let told = self.run.iter().cloned();
        Ok(program::properties(input)?.into_iter().chain(told).collect())
    }
}

/// The same for what is read back as for what was written: numbers are read to the last bit.
fn digest(outcome: &Option<Outcome>) -> String {
    cache::key(&[&serde_json::to_string(outcome).expect("outcomes are JSON")])
}
