//! Areas and longest paths kept over time.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::Result;
use clap::Args;
use comfy_table::Table;
use gpurf_synth::{Moved, Origin, Records, Synthesis};

use crate::output::table;
use crate::Verdict;

/// The program that tells which commit the hardware is of.
pub const GIT: &str = "git";

#[derive(Args)]
pub struct RecordArguments {
    /// Add to this file what is new, or differs from what the file had last: a line of JSON for each module
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Compare with the last figures of this file, and fail if one of them has moved by more than --tolerance
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// By how many percent a figure may differ
    #[arg(long, value_name = "PERCENT", default_value_t = 2.0)]
    tolerance: f64,
}

impl RecordArguments {
    /// Compares and records what was measured.
    pub fn finish(&self, results: &[Synthesis]) -> Result<Verdict> {
        let mut verdict = Verdict::Holds;
        if let Some(path) = &self.against {
            verdict = self.compare(path, results)?;
        }
        if let Some(path) = &self.record {
            let mut records = Records::read(path)?;
            let count = records.add(results, &origin(Some(path)));
            records.write()?;
            eprintln!("{}: {count} of {} modules are new or have moved", path.display(), results.len());
        }
        Ok(verdict)
    }

    fn compare(&self, path: &Path, results: &[Synthesis]) -> Result<Verdict> {
        let records = Records::read(path)?;
        let unknown = results.iter().filter(|result| !records.knows(result)).count();
        if unknown > 0 {
            eprintln!(
                "{}: {unknown} of {} modules were not measured by this flow before",
                path.display(),
                results.len()
            );
        }
        let moved = records.moved(results, self.tolerance);
        if moved.is_empty() {
            eprintln!("{}: nothing moved by more than {}%", path.display(), self.tolerance);
            return Ok(Verdict::Holds);
        }
        eprintln!("{}: moved by more than {}%\n{}", path.display(), self.tolerance, rows(&moved));
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

/// Today, and the commit that is checked out, with a plus if anything but the record is not as it has it.
pub fn origin(record: Option<&Path>) -> Origin {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let git = |arguments: &[&str]| {
        let output =
            Command::new(GIT).args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".into());
    let status = ["status", "--porcelain", "--untracked-files=no", "--", ":/"];
    let but_record = record.map(|record| format!(":(exclude){}", record.display()));
    // A record outside of the tree is no path for git.
    let without = but_record.and_then(|but_record| git(&[&status[..], &[but_record.as_str()]].concat()));
    let status = without.or_else(|| git(&status));
    let changed = status.is_some_and(|text| !text.is_empty());
    Origin { date: now[..10].to_string(), commit: if changed { commit + "+" } else { commit } }
}
