//! Checkers of emitted Verilog: each returns what it complains of as an error.

use std::path::Path;

use crate::export::export;
use crate::tools::{run, Tool, ToolError};
use crate::Design;

/// Icarus compiles it and has no warning.
pub fn iverilog_wall(design: &Design) -> Result<(), ToolError> {
    in_folder(design, |folder| {
        let mut command = Tool::Iverilog.command()?;
        command.args(["-g2005", "-Wall", "-t", "null", "-s", &design.top]).current_dir(folder);
        silent(command.args(design.modules.iter().map(|module| format!("{}.v", module.name))))
    })
}

/// Verilator has no warning under `-Wall` but those that are waived by name and reason.
pub fn verilator_lint(design: &Design) -> Result<(), ToolError> {
    in_folder(design, |folder| {
        let mut command = Tool::Verilator.command()?;
        let list = format!("{}.f", design.top);
        command.args(["--lint-only", "-Wall", "--top-module", &design.top, "waivers.vlt", "-f", &list]);
        silent(command.current_dir(folder))
    })
}

/// Yosys finds nothing undriven, driven twice or going round, and infers no latch.
pub fn yosys_check(design: &Design) -> Result<(), ToolError> {
    in_folder(design, |folder| {
        let files: String = design.modules.iter().map(|module| format!(" {}.v", module.name)).collect();
        let script = format!(
            "read_verilog -DSYNTHESIS{files}; hierarchy -check -top {}; proc; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; flatten; opt_clean; check -assert",
            design.top
        );
        let mut command = Tool::Yosys.command()?;
        run(command.args(["-q", "-p", &script]).current_dir(folder)).map(|_| ())
    })
}

fn in_folder(design: &Design, check: impl FnOnce(&Path) -> Result<(), ToolError>) -> Result<(), ToolError> {
    let folder = tempfile::tempdir().map_err(ToolError::files("cannot make a temporary folder"))?;
    export(design, folder.path())?;
    check(folder.path())
}

/// Runs a checker that has nothing to say if all is well.
fn silent(command: &mut std::process::Command) -> Result<(), ToolError> {
    let output = run(command)?;
    match output.trim().is_empty() {
        true => Ok(()),
        false => Err(ToolError::Failed { command: format!("{command:?}"), output }),
    }
}
