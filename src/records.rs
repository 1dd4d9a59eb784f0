// SPDX-License-Identifier: Apache-2.0
//! Areas and longest paths kept over time.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use gpurf_synth::{Moved, Origin, Records, Synthesis};

use crate::output::{say, table};
use crate::program;
use crate::verdict::Verdict;

#[derive(Args)]
pub struct RecordArguments {
    /// Add to this file what is new, or differs from what the file had last: a line of JSON for each module
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    /// Compare with the last figures of this file, and fail if one of them has moved by more than --tolerance
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// By how many percent a figure may differ
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    tolerance: f64,
}

impl RecordArguments {
    /// Before anything is measured: the files can be read.
    pub fn check(&self) -> Result<()> {
        self.record.iter().chain(&self.against).try_for_each(|path| Records::read(path).map(drop))
    }

    /// The file that measurements are added to.
    pub fn record(&self) -> Option<&Path> {
        self.record.as_deref()
    }

    /// Compares and records what was measured.
    pub fn finish(&self, results: &[Synthesis]) -> Result<Verdict> {
        let mut verdict = Verdict::Holds;
        if let Some(path) = &self.against {
            verdict = self.compare(path, results)?;
        }
        if let Some(path) = &self.record {
            let mut records = Records::read(path)?;
            let count = records.add(results, &origin());
            records.write()?;
            say!("{}: {count} of {} modules are new or have moved", path.display(), results.len());
        }
        Ok(verdict)
    }

    fn compare(&self, path: &Path, results: &[Synthesis]) -> Result<Verdict> {
        let records = Records::read(path)?;
        let unknown = results.iter().filter(|result| !records.knows(result)).count();
        if unknown > 0 {
            say!(
                "{}: {unknown} of {} modules were not measured by this flow before",
                path.display(),
                results.len()
            );
        }
        let moved = records.moved(results, self.tolerance);
        if moved.is_empty() {
            say!("{}: nothing moved by more than {}%", path.display(), self.tolerance);
            return Ok(Verdict::Holds);
        }
        say!("{}: moved by more than {}%\n{}", path.display(), self.tolerance, rows(&moved));
        Ok(Verdict::Fails)
    }
}

fn rows(moved: &[Moved]) -> Table {
    let mut rows = table(&["module", "what", "was", "is", "change %", "since"]);
    for one in moved {
        let since = format!("{}, {}", one.since.date, one.since.commit);
        let [was, is] = [one.before, one.now].map(|figure| format!("{figure:.3}"));
        rows.add_row([one.top.clone(), one.what.into(), was, is, format!("{:+.1}", one.percent()), since]);
    }
    rows
}

/// Today, and the commit that this program is built from, with a plus if files differed from it.
pub fn origin() -> Origin {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    Origin { date: now[..10].to_string(), commit: program::commit() }
}
