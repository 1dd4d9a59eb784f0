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

/// Looks on `PATH`, then in `.venv/bin` of the current folder and its parents.
pub fn find(tool: Tool) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let current = env::current_dir().unwrap_or_default();
    let local = current.ancestors().map(|folder| folder.join(".venv/bin"));
    let mut folders = env::split_paths(&path).chain(local);
    let found = folders.find_map(|folder| Some(folder.join(tool.program())).filter(|file| executable(file)));
    found.with_context(|| {
        let program = tool.program();
        format!("{program} is neither on PATH nor in .venv/bin: run `make tools`, or install {program}")
    })
}

fn executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
