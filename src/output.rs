//! Output: tables, JSON files, progress.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
pub use gpurf_synth::table;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// Writes the file under a temporary name beside it and renames it. What is not a plain file, such as a
/// pipe or `/dev/null`, is written to in place.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let context = || format!("{}: cannot be written; check that its folder exists", path.display());
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes).with_context(context);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // As readable as any new file; a temporary file by itself would be the owner's alone.
    let mode = fs::Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(mode).tempfile_in(folder).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    file.persist(path).with_context(context)?;
    Ok(())
}

/// Where the results of a command go.
#[derive(Args)]
pub struct JsonArgument {
    /// Results as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl JsonArgument {
    /// Writes results if a file is named.
    pub fn write(&self, results: &impl Serialize) -> Result<()> {
        self.json.as_ref().map_or(Ok(()), |path| write_json(path, results))
    }

    /// Whether standard output is free for tables.
    pub fn leaves_tables(&self) -> bool {
        !self.json.as_deref().is_some_and(is_standard_output)
    }

    pub fn is_given(&self) -> bool {
        self.json.is_some()
    }
}

fn is_standard_output(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes results as JSON; `-` stands for standard output.
pub fn write_json(path: &Path, results: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(results)?;
    text.push('\n');
    if is_standard_output(path) {
        print!("{text}");
        return Ok(());
    }
    write(path, text.as_bytes())
}

/// Progress towards `total` steps with rate and time left; shown on terminals only.
pub fn progress(total: u64, unit: &str) -> ProgressBar {
    let template =
        format!("{{msg:24}} {{bar:30}} {{human_pos}}/{{human_len}} {unit}, {{per_sec}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).expect("the template is valid");
    let bar = ProgressBar::new(total).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A number with thousands separated.
pub fn grouped(number: u64) -> String {
    indicatif::HumanCount(number).to_string()
}
