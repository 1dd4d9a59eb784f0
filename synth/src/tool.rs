//! The outside programs of this crate, and where they are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Synthesis; 0.23 or later.
    Yosys,
    /// Static timing analysis; optional.
    OpenSta,
    /// Fetches the cell library.
    Python,
}

impl Tool {
    fn program(self) -> &'static str {
        match self {
            Tool::Yosys => "yosys",
            Tool::OpenSta => "sta",
            Tool::Python => "python3",
        }
    }
}

/// Looks on `PATH`, then in `.venv/bin` of the current folder and its parents; for Python the other way
/// round, because the system's may come without pip.
pub fn find(tool: Tool) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = env::split_paths(&path).collect();
    let current = env::current_dir().unwrap_or_default();
    let local: Vec<PathBuf> = current.ancestors().map(|folder| folder.join(".venv/bin")).collect();
    let folders = if tool == Tool::Python { [local, path] } else { [path, local] };
    let mut programs = folders.iter().flatten().map(|folder| folder.join(tool.program()));
    let found = programs.find(|file| executable(file));
    found.with_context(|| {
        let program = tool.program();
        format!("{program} is neither on PATH nor in .venv/bin: run `make tools`, or install {program}")
    })
}

fn executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
