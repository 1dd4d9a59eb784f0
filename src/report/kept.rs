// SPDX-License-Identifier: Apache-2.0
//! Files that earlier commands left in the folder of results, with the time at which they did.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};
use gpurf_synth::Synthesis;
use serde::Deserialize;

use crate::compare::study::{self, Study};

/// Where `make` has `gpurf overheads` write.
const AREAS: &str = "overheads.json";

pub struct Kept<T> {
    pub of: T,
    /// When it was written; none if it was made for this page.
    pub written: Option<SystemTime>,
}

impl<T> Kept<T> {
    pub fn now(of: T) -> Self {
        Kept { of, written: None }
    }

    /// Day and time, as browsers read it.
    pub fn date(&self) -> Option<String> {
        self.written.map(|time| humantime::format_rfc3339_seconds(time).to_string())
    }
}

/// The studies in the folders below, in the order of the folders' names.
pub fn studies(results: &Path) -> Result<Vec<Kept<Study>>> {
    let context = || format!("{}: cannot be read; --results names the folder", results.display());
    let mut files: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(results).with_context(context)? {
        files.push(entry.with_context(context)?.path().join(study::FILE));
    }
    files.sort();
    files.iter().filter(|file| file.is_file()).map(|file| read(file)).collect()
}

/// The syntheses for the overhead tables, if there are any.
pub fn areas(results: &Path) -> Result<Option<Kept<Vec<Synthesis>>>> {
    #[derive(Deserialize)]
    struct Overheads {
        synthesis: Vec<Synthesis>,
    }
    let file = results.join(AREAS);
    if !file.is_file() {
        return Ok(None);
    }
    let Kept { of, written } = read::<Overheads>(&file)?;
    Ok((!of.synthesis.is_empty()).then_some(Kept { of: of.synthesis, written }))
}

fn read<T: for<'a> Deserialize<'a>>(file: &Path) -> Result<Kept<T>> {
    let context = || format!("{}: not what this version writes; delete it or make it again", file.display());
    let text = fs::read_to_string(file).with_context(context)?;
    let written = file.metadata().and_then(|data| data.modified()).with_context(context)?;
    Ok(Kept { of: serde_json::from_str(&text).with_context(context)?, written: Some(written) })
}
