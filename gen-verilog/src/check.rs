// SPDX-License-Identifier: Apache-2.0
//! Checks of a design by other tools; every check passes silently or returns their words.

use std::collections::BTreeSet;
use std::sync::Mutex;

use tempfile::TempDir;

use crate::export::file_name;
use crate::lock::lock;
use crate::tools::{run, Tool, ToolError};
use crate::{export, Hierarchy, VerilogModule};

/// Icarus compiles the design with `-Wall` and prints nothing.
pub fn iverilog_wall(hierarchy: &Hierarchy) -> Result<(), ToolError> {
    let folder = exported(hierarchy)?;
    let mut command = Tool::Iverilog.command()?;
    command.current_dir(&folder).args(["-g2005", "-Wall", "-t", "null", "-s", &hierarchy.top]);
    silent("iverilog -Wall", run(command.args(sources(hierarchy)))?)
}

/// `verilator --lint-only -Wall` prints nothing but what the exported `.vlt` waives. Optimizations find
/// nothing more, and take as long as all else; without the one that is left, Verilator warns of what it would
/// do to the order of a simulation.
pub fn verilator_lint(hierarchy: &Hierarchy) -> Result<(), ToolError> {
    let folder = exported(hierarchy)?;
    let mut command = Tool::Verilator.command()?;
    command.current_dir(&folder).args([
        "--lint-only",
        "-O0",
        "-fgate",
        "-Wall",
        "--top-module",
        &hierarchy.top,
    ]);
    let output = run(command.arg(format!("{}.vlt", hierarchy.top)).args(sources(hierarchy)))?;
    // Newer versions report on themselves in lines that begin with a dash.
    let complaints: Vec<_> = output.lines().filter(|line| !line.starts_with("- ")).collect();
    silent("verilator --lint-only -Wall", complaints.join("\n"))
}

/// Yosys finds no problem (`check -assert`) and infers no latch. Into a module in which it found none before
/// in this process it does not look again: large ones take it long, and stand in many designs.
pub fn yosys_check(hierarchy: &Hierarchy) -> Result<(), ToolError> {
    static PASSED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

    let folder = exported(hierarchy)?;
    let read = |module: &VerilogModule| {
        let is_known = module.name != hierarchy.top && lock(&PASSED).contains(&module.text);
        let as_library = if is_known { "-lib " } else { "" };
        format!("read_verilog {as_library}{}; ", file_name(hierarchy, module))
    };
    let script = format!(
        "{}hierarchy -check -top {}; {PROCESSES}; check -assert; select -assert-none t:$dlatch t:$adlatch t:$_DLATCH*",
        hierarchy.modules.iter().map(read).collect::<String>(),
        hierarchy.top
    );
    let mut command = Tool::Yosys.command()?;
    silent("yosys", run(command.current_dir(&folder).args(["-q", "-p", &script]))?)?;
    lock(&PASSED).extend(hierarchy.modules.iter().map(|module| module.text.clone()));
    Ok(())
}

/// The passes of Yosys's `proc`, without `proc_prune`: for loops that write one vector in many places it
/// takes the longest of all, and only takes away what later passes would.
const PROCESSES: &str =
    "proc_clean; proc_rmdead; proc_init; proc_arst; proc_rom; proc_mux; proc_dlatch; proc_dff; proc_memwr; proc_clean";

fn exported(hierarchy: &Hierarchy) -> Result<TempDir, ToolError> {
    let folder = tempfile::tempdir().map_err(ToolError::files("cannot make a temporary folder"))?;
    export(hierarchy, folder.path())?;
    Ok(folder)
}

fn sources(hierarchy: &Hierarchy) -> Vec<String> {
    hierarchy.modules.iter().map(|module| file_name(hierarchy, module)).collect()
}

fn silent(command: &str, output: String) -> Result<(), ToolError> {
    match output.trim() {
        "" => Ok(()),
        output => Err(ToolError::Failed { command: command.to_string(), output: output.to_string() }),
    }
}
