//! Results of single runs as they lie in a study's folder: a file each, told apart by what they ran under.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gpurf_verilog::cache;
use serde::{Deserialize, Serialize};

use super::jobs::Outcome;
use crate::output::write_json;

/// Where a run's result is kept, and what tells it from those of other runs.
pub struct Place {
    pub file: PathBuf,
    /// Constants, size, seed, version.
    pub key: String,
}

/// A result's file.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    /// Of the outcome's text: damage that leaves JSON behind is noticed.
    digest: String,
    /// None if the workload cannot run under the variant.
    outcome: Option<Outcome>,
}

/// What lies in the place of a result.
pub enum Found {
    Missing,
    /// Not what was written.
    Damaged,
    /// Of other constants or of another version.
    Other,
    /// The result; none if the workload cannot run under the variant.
    Kept(Option<Outcome>),
}

impl Found {
    /// As a list of runs calls it.
    pub fn name(&self) -> &'static str {
        match self {
            Found::Missing => "missing",
            Found::Damaged => "damaged",
            Found::Other => "other",
            Found::Kept(_) => "kept",
        }
    }
}

impl Place {
    pub fn look(&self) -> Found {
        let Ok(bytes) = fs::read(&self.file) else { return Found::Missing };
        match serde_json::from_slice::<Kept>(&bytes) {
            Ok(kept) if digest(&kept.outcome) != kept.digest => Found::Damaged,
            Ok(kept) if kept.key != self.key => Found::Other,
            Ok(kept) => Found::Kept(kept.outcome),
            Err(_) => Found::Damaged,
        }
    }

    pub fn keep(&self, outcome: Option<Outcome>) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).with_context(|| format!("{}: cannot be made", folder.display()))?;
        write_json(&self.file, &Kept { key: self.key.clone(), digest: digest(&outcome), outcome })
    }
}

/// The same for what is read back as for what was written: numbers are read to the last bit.
fn digest(outcome: &Option<Outcome>) -> String {
    cache::key(&[&serde_json::to_string(outcome).expect("outcomes are JSON")])
}
