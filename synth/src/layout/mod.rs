// SPDX-License-Identifier: Apache-2.0
//! Layout of small modules by qflow: graywolf places the cells of OSU's library for 0.18 µm, qrouter routes
//! the wires.
//!
//! That library is old and not the one whose areas and paths are counted elsewhere, for which there are no
//! shapes of cells. What counts is the ratio of the longest path with the routed wires to the one without,
//! and how full the rows are.

mod drawing;
mod physical;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{bail, ensure, Context, Result};
use comfy_table::Table;
use gpurf_verilog::tools::Tool;
use serde::{Deserialize, Serialize};

pub use physical::Physical;

use crate::digest::digest;
use crate::lines::{read_lines, write_lines};
use crate::origin::Origin;
use crate::programs::{GRAYWOLF, QFLOW, QROUTER};
use crate::synthesis::{grouped, table};

/// The cells, as qflow calls them.
const TECHNOLOGY: &str = "osu018";
/// Shapes of the cells, where Debian's package qflow-tech-osu018 has them.
const CELLS: &str = "/usr/share/qflow/tech/osu018/osu018_stdcells.lef";
/// The steps of qflow.
const STEPS: [&str; 5] = ["synthesize", "place", "sta", "route", "backanno"];

/// A module laid out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// The module.
    pub top: String,
    /// Digest of its Verilog.
    pub source: String,
    /// When it was laid out; none in the run that does so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Origin>,
    /// Yosys, qflow and qrouter, with their versions.
    pub tools: String,
    /// Cells, fillers left out.
    pub cells: usize,
    /// Width of the die, in µm.
    pub width_um: f64,
    /// Its height.
    pub height_um: f64,
    /// Area of the cells over that of the die.
    pub utilization: f64,
    /// Length of all wires.
    pub wire_mm: f64,
    /// Nets that the router left open.
    pub open_nets: usize,
    /// The longest path before there are wires, from or to a port or a register.
    pub unrouted_ns: f64,
    /// The same with the wires' resistances and capacitances.
    pub routed_ns: f64,
    /// Seconds that all of it took.
    pub seconds: f64,
}

/// Lays a module out; the second value has the places of its cells and wires.
///
/// # Errors
/// If a program or the cells are missing: the message says what to install. If a step of qflow fails, or if
/// the module has a memory, for which there are no cells.
pub fn lay_out(source: &str, top: &str) -> Result<(Layout, Physical)> {
    let start = Instant::now();
    QFLOW.command()?;
    GRAYWOLF.command()?;
    QROUTER.command()?;
    let shapes = fs::read_to_string(CELLS);
    let shapes = shapes.with_context(|| format!("{CELLS}: cannot be read; {}", QFLOW.remedy))?;
    let folder = tempfile::Builder::new().prefix("gpurf-layout-").tempdir().context("no temporary folder")?;
    let path = folder.path();
    fs::create_dir(path.join("source"))?;
    fs::write(path.join(format!("source/{top}.v")), source)?;
    let mut logs = vec![];
    for step in STEPS {
        let mut command: Command = QFLOW.command()?;
        let output = command.args([step, "-T", TECHNOLOGY, top]).current_dir(path).output();
        let output = output.context("qflow cannot be started")?;
        let log =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !is_done(path, top, step) {
            let kept = folder.keep();
            bail!(
                "{top}: the step {step} of qflow failed; its folder is {}, its output ends:\n{}",
                kept.display(),
                tail(&log)
            );
        }
        logs.push(log);
    }
    let [.., unrouted, routing, routed] = &logs[..] else { unreachable!("there are five steps") };
    let placed = fs::read_to_string(path.join(format!("{top}.def")))?;
    let physical = Physical::read(&shapes, &placed).context("what qflow has written cannot be read")?;
    let path_of = |log: &str, what: &str| {
        longest_path_ns(log).with_context(|| {
            format!("{top}: qflow tells no path {what} wires; it knows those of registers alone")
        })
    };
    let layout = Layout {
        top: top.to_string(),
        source: digest(source),
        measured: None,
        tools: tools()?,
        cells: physical.cells().count(),
        width_um: physical.width_um,
        height_um: physical.height_um,
        utilization: physical.cell_area_um2() / (physical.width_um * physical.height_um),
        wire_mm: 1e-3 * physical.wire_um(),
        open_nets: open_nets(routing),
        unrouted_ns: path_of(unrouted, "without")?,
        routed_ns: path_of(routed, "with")?,
        seconds: start.elapsed().as_secs_f64(),
    };
    ensure!(layout.cells > 0, "{top}: nothing was placed");
    Ok((layout, physical))
}

/// Returns true if a step left the file that the next one reads; qflow does not say so by its exit code.
fn is_done(folder: &Path, top: &str, step: &str) -> bool {
    let file = match step {
        "synthesize" => format!("{top}.rtlnopwr.v"),
        "place" => format!("{top}.def"),
        "sta" => return true,
        "route" => format!("{top}.rc"),
        _ => format!("{top}.spef"),
    };
    folder.join(file).metadata().is_ok_and(|data| data.len() > 0)
}

fn tools() -> Result<String> {
    let yosys = Tool::Yosys.version()?;
    let yosys = yosys.lines().next().unwrap_or_default().split(" (").next().unwrap_or_default().to_string();
    let version = |line: Option<String>| line.unwrap_or_default();
    let qflow =
        version(QFLOW.version_line()).to_lowercase().replace(" version", "").replace(" revision ", ".");
    Ok(format!("{yosys}, {qflow}"))
}

/// The longest of the paths that qflow's timer lists.
fn longest_path_ns(log: &str) -> Option<f64> {
    let mut is_of_interest = false;
    let mut longest: Option<f64> = None;
    for line in log.lines() {
        if line.starts_with("Top ") {
            is_of_interest = line.contains("maximum delay");
        }
        let delay = line
            .strip_prefix("Path ")
            .filter(|_| is_of_interest)
            .and_then(|rest| rest.split(" delay ").nth(1));
        let delay = delay.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
        longest = longest.into_iter().chain(delay).reduce(f64::max);
    }
    longest.map(|picoseconds| picoseconds / 1000.0)
}

/// Nets that the router's last word names as open.
fn open_nets(log: &str) -> usize {
    let last = log.lines().rev().find(|line| line.starts_with("Final: "));
    let number = last.and_then(|line| line.rsplit(": ").next()?.trim().parse().ok());
    number.unwrap_or(0)
}

fn tail(log: &str) -> String {
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(12)..].join("\n")
}

/// Layouts of a file, a line of JSON for each.
#[derive(Debug)]
pub struct Layouts(pub Vec<Layout>);

impl Layouts {
    /// Reads a file; one that does not exist has none.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none; the message names the line.
    pub fn read(path: &Path) -> Result<Layouts> {
        Ok(Layouts(read_lines(path, "layout")?))
    }

    /// Puts a layout of now instead of the module's last one.
    pub fn replace(&mut self, new: &Layout, origin: &Origin) {
        let new = Layout { measured: Some(origin.clone()), ..new.clone() };
        match self.0.iter_mut().find(|old| old.top == new.top) {
            Some(old) => *old = new,
            None => self.0.push(new),
        }
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_lines(path, &self.0)
    }
}

impl Layout {
    /// Path with wires over path without.
    pub fn ratio(&self) -> f64 {
        self.routed_ns / self.unrouted_ns
    }

    /// One line per module.
    pub fn summary(all: &[Layout]) -> Table {
        let mut rows = table(&[
            "module",
            "cells",
            "die µm",
            "utilization",
            "wires mm",
            "open nets",
            "unrouted ns",
            "routed ns",
            "routed / unrouted",
        ]);
        for one in all {
            rows.add_row([
                one.top.clone(),
                grouped(one.cells as f64),
                format!("{:.0} × {:.0}", one.width_um, one.height_um),
                format!("{:.0}%", 100.0 * one.utilization),
                format!("{:.1}", one.wire_mm),
                one.open_nets.to_string(),
                format!("{:.3}", one.unrouted_ns),
                format!("{:.3}", one.routed_ns),
                format!("{:.3}", one.ratio()),
            ]);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMING: &str = "Top 2 maximum delay paths:\nPath DFF_5/CLK to DFF_1/D delay 1969.54 ps\n  0.0 ps  clock\n\
                          Path DFF_5/CLK to DFF_2/D delay 1966.9 ps\nComputed maximum clock frequency = 507 MHz\n\
                          Top 1 minimum delay paths:\nPath DFF_5/CLK to DFF_2/D delay 5000.0 ps\n\
                          Top 1 maximum delay paths:\nPath input pin a to DFF_1/D delay 2100.5 ps\n";

    #[test]
    fn the_longest_of_the_maximum_paths_counts() {
        assert_eq!(longest_path_ns(TIMING), Some(2.1005));
        assert_eq!(longest_path_ns("no paths"), None);
    }

    #[test]
    fn open_nets_are_those_of_the_last_round() {
        assert_eq!(open_nets("Failed net routes: 2\nNo failed routes!\nFinal: No failed routes!"), 0);
        assert_eq!(open_nets("Failed net routes: 9\nFinal: Failed net routes: 3\n"), 3);
    }

    #[test]
    fn a_layout_takes_the_place_of_the_last() {
        let layout = |top: &str, routed_ns: f64| Layout {
            top: top.into(),
            source: "verilog".into(),
            measured: None,
            tools: "qflow".into(),
            cells: 10,
            width_um: 20.0,
            height_um: 30.0,
            utilization: 0.8,
            wire_mm: 1.0,
            open_nets: 0,
            unrouted_ns: 2.0,
            routed_ns,
            seconds: 1.0,
        };
        let origin = Origin { date: "2026-11-29".into(), commit: "1".into() };
        let mut all = Layouts(vec![]);
        [layout("a", 2.1), layout("b", 2.2), layout("a", 2.4)]
            .iter()
            .for_each(|one| all.replace(one, &origin));
        assert_eq!(
            all.0.iter().map(|one| (one.top.as_str(), one.ratio())).collect::<Vec<_>>(),
            [("a", 1.2), ("b", 1.1)]
        );
        let text = Layout::summary(&all.0).to_string();
        assert!(text.contains("20 × 30") && text.contains("80%") && text.contains("1.200"), "{text}");
    }
}
