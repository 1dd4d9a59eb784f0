// SPDX-License-Identifier: Apache-2.0
//! A folder with Yosys at work in it.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{anyhow, Context, Error, Result};
use gpurf_verilog::tools::Tool;
use tempfile::TempDir;

const SCRIPT: &str = "script.ys";
const LOG: &str = "yosys.log";
/// Output of Yosys where it does not come as far as to write a log.
const PRINTED: &str = "printed.txt";

/// The folder goes with this.
pub(crate) struct Yosys {
    folder: TempDir,
}

impl Yosys {
    /// In a new folder.
    pub fn new() -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("gpurf-synth-").tempdir();
        Ok(Yosys { folder: folder.context("cannot make a temporary folder")? })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        let path = self.path().join(name);
        fs::write(&path, text).with_context(|| format!("{}: cannot be written", path.display()))
    }

    pub fn read(&self, name: &str) -> Result<String> {
        fs::read_to_string(self.path().join(name)).with_context(|| format!("Yosys wrote no {name}"))
    }

    /// Returns true if a script runs to its end. A limit in seconds is one of processor time, of Yosys and
    /// of each program that it runs. Other work of the machine counts for nothing.
    ///
    /// # Errors
    /// If Yosys is missing or cannot be started.
    pub fn run(&self, script: &str, limit: Option<Duration>) -> Result<bool> {
        self.write(SCRIPT, script)?;
        let printed = File::create(self.path().join(PRINTED)).context("cannot write what Yosys prints")?;
        let mut command = Tool::Yosys.command()?;
        if let Some(limit) = limit {
            command = limited(&command, limit);
        }
        let status = command
            .args(["-q", "-l", LOG, SCRIPT])
            .current_dir(self.path())
            .stdout(printed.try_clone()?)
            .stderr(printed)
            .status()
            .context("Yosys cannot be started")?;
        Ok(status.success())
    }

    /// The error of the last run. The folder stays.
    pub fn failure(self) -> Error {
        let read = |name| self.read(name).ok().filter(|text| !text.is_empty());
        let log = read(LOG).or_else(|| read(PRINTED)).unwrap_or_default();
        let kept = self.folder.keep().join(LOG);
        anyhow!("Yosys failed; its log is {}, which ends:\n{}", kept.display(), tail(&log))
    }
}

/// The program with a limit of processor time: other work of the machine counts for nothing.
pub(crate) fn limited(program: &Command, limit: Duration) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t \"$0\" && exec \"$@\"", &limit.as_secs().max(1).to_string()]);
    command.arg(program.get_program()).args(program.get_args());
    command
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    // The last lines tell the time spent; what went wrong begins with ERROR.
    let end = lines.iter().rposition(|line| line.contains("ERROR")).map_or(lines.len(), |at| at + 1);
    lines[end.saturating_sub(12)..end].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_the_error() {
        assert_eq!(tail("a\n\nERROR: b\nTime spent"), "a\nERROR: b");
    }

    #[test]
    fn a_script_ends_in_time_or_not_at_all() {
        if Tool::Yosys.find().is_err() {
            return gpurf_fixtures::skipped("there is no Yosys");
        }
        let yosys = Yosys::new().unwrap();
        let busy = "exec -expect-return 0 -- sh -c \"while true; do true; done\"";
        assert!(!yosys.run(busy, Some(Duration::from_secs(1))).unwrap());
        // To wait takes no processor time.
        assert!(yosys.run("exec -- sleep 2", Some(Duration::from_secs(1))).unwrap());
        assert!(yosys.run("stat", Some(Duration::from_secs(60))).unwrap());
        assert!(!yosys.run("no_such_command", None).unwrap());
        assert!(yosys.failure().to_string().contains("no_such_command"));
    }
}
