// SPDX-License-Identifier: Apache-2.0
//! The longest path of a synthesized module, from OpenSTA.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use gpurf_verilog::tools::Tool;

use crate::files::NETLIST;
use crate::liberty::Library;

/// Longer than any path here: only the path's own length is of interest.
const PERIOD_NS: f64 = 1000.0;
const SCRIPT: &str = "timing.tcl";

/// Length in nanoseconds of the longest path between ports and registers of the netlist in `folder`,
/// set-up time of the last register included, through latches that are open; `None` without OpenSTA, or
/// without any such path.
pub fn longest_path_ns(folder: &Path, top: &str, library: &Library) -> Result<Option<f64>> {
    let Ok(sta) = Tool::Sta.find() else {
        return Ok(None);
    };
    // What comes to a latch while it is open goes on in the same cycle, as OpenSTA has it: a latch is no end
    // of a path.
    let netlist = fs::read_to_string(folder.join(NETLIST))?;
    let is_used = |kind: &str| netlist.lines().any(|line| line.trim_start().starts_with(&format!("{kind} ")));
    let gate = library.clock_gate().map_or("", |(_, pins)| pins.enable.as_str());
    let ends = match library.latches().any(is_used) {
        true => format!(
            "-to [concat [all_outputs] [all_registers -data_pins -edge_triggered] [get_pins -quiet */{gate}]]"
        ),
        false => String::new(),
    };
    // A design without a port called `clock` gets a clock of no port: its paths run from port to port.
    let script = format!(
        "read_liberty {{{liberty}}}
         set_cmd_units -time ns
         read_verilog {NETLIST}
         link_design {top}
         set clock [get_ports -quiet clock]
         create_clock -name clock -period {PERIOD_NS} $clock
         set inputs {{}}
         foreach port [all_inputs] {{
           if {{[get_property $port full_name] != \"clock\"}} {{ lappend inputs $port }}
         }}
         if {{[llength $inputs]}} {{ set_input_delay 0 -clock clock $inputs }}
         set_output_delay 0 -clock clock [all_outputs]
         report_checks -path_delay max {ends} -format full -digits 4
         exit
        ",
        liberty = library.path.display(),
    );
    fs::write(folder.join(SCRIPT), script)?;
    let output = Command::new(&sta).args(["-exit", SCRIPT]).current_dir(folder).output();
    let output = output.with_context(|| format!("{}: cannot be run", sta.display()))?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Period minus slack: the last number before the word slack.
fn parse(report: &str) -> Option<f64> {
    let line = report.lines().find(|line| line.contains("slack ("))?;
    let slack: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(PERIOD_NS - slack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_period_minus_slack() {
        let report =
            "  999.9648  999.9648 library setup time\n -0.4193 data arrival time\n  999.5455   slack (MET)\n";
        assert!((parse(report).unwrap() - 0.4545).abs() < 1e-9);
        assert_eq!(parse("No paths found."), None);
    }
}
