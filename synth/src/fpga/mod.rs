// SPDX-License-Identifier: Apache-2.0
//! Synthesis for field-programmable gate arrays: what Yosys maps a module to, and how fast nextpnr routes it.
//!
//! A module is placed and routed out of context: its ports end nowhere, so that those of a module with more
//! ports than a device has pins count for nothing. The frequency is that of paths between its registers and
//! memories.

mod target;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use anyhow::{bail, Context, Result};
use comfy_table::Table;
use gpurf_verilog::cache;
use gpurf_verilog::tools::Tool;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use target::Target;

use crate::digest::digest;
use crate::files::{CELLS, DESIGN};
use crate::kept;
use crate::lines::{read_lines, write_lines};
use crate::origin::Origin;
use crate::programs::NEXTPNR;
use crate::synthesis::{grouped, table, trimmed};
use crate::yosys::Yosys;

const NETLIST: &str = "netlist.json";
const REPORT: &str = "report.json";
/// The seed that placing begins with; another seed gives another frequency.
const SEED: u32 = 1;
/// The frequency that routing aims at. A module that does not reach it is routed all the same.
const AIM_MHZ: u32 = 100;

/// The cells of a device that a module takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Utilization {
    /// The module.
    pub top: String,
    /// Digest of the Verilog that was synthesized.
    pub source: String,
    /// When it was measured; none in the run that measures it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Origin>,
    /// The kind of device.
    pub target: Target,
    /// Yosys and its version.
    pub tool: String,
    /// Look-up tables of logic.
    pub luts: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// Cells of carry chains.
    pub carries: u64,
    /// Memories in look-up tables, in cells.
    pub lut_memories: u64,
    /// Memories in blocks of their own.
    pub block_memories: u64,
    /// How it was placed and routed; none where nothing does so out of context, or the program is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routed: Option<Routed>,
    /// Seconds that all of it took.
    pub seconds: f64,
}

/// A module placed and routed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Routed {
    /// The device.
    pub device: String,
    /// nextpnr and its version.
    pub tool: String,
    /// Combinational cells that it took, memories and what routing needs among them; none if it does not fit.
    pub cells: Option<u64>,
    /// Combinational cells that the device has.
    pub of_cells: u64,
    /// The highest frequency; none if it does not fit, or has no path between registers.
    pub frequency_mhz: Option<f64>,
}

/// Synthesizes a module for a target, and places and routes it where [`Target::device`] is and nextpnr is
/// there. What was made before is read from `$GPURF_CACHE`.
///
/// # Errors
/// If Yosys is missing or fails, or nextpnr fails for another reason than want of room.
pub fn implement(source: &str, top: &str, target: Target) -> Result<Utilization> {
    let script = script(top, target);
    let router = target.device().and_then(|_| NEXTPNR.version_line());
    let settings = format!("{router:?} {SEED} {AIM_MHZ}");
    let key = cache::key(&[source, &script, &Tool::Yosys.version()?, &settings]);
    let place = cache::folder().join(format!("{top}-{key}.fpga"));
    if let Some((known, _)) = kept::read(&place) {
        return Ok(known);
    }
    let start = Instant::now();
    let yosys = Yosys::new()?;
    yosys.write(DESIGN, source)?;
    if !yosys.run(&script, None)? {
        return Err(yosys.failure()).with_context(|| top.to_string());
    }
    let (cells, tool) = cells(&yosys.read(CELLS)?)?;
    let count = |is_one: fn(Target, &str) -> bool| -> u64 {
        cells.iter().filter(|(kind, _)| is_one(target, kind)).map(|(_, count)| count).sum()
    };
    let routed = match (target.device(), router) {
        (Some(device), Some(version)) => {
            Some(route(yosys.path(), device, version).with_context(|| top.to_string())?)
        }
        _ => None,
    };
    let utilization = Utilization {
        top: top.to_string(),
        source: digest(source),
        measured: None,
        target,
        tool,
        luts: count(Target::is_lut),
        flip_flops: count(Target::is_flip_flop),
        carries: count(Target::is_carry),
        lut_memories: count(Target::is_lut_memory),
        block_memories: count(Target::is_block_memory),
        routed,
        seconds: start.elapsed().as_secs_f64(),
    };
    kept::write(&place, &utilization, "");
    Ok(utilization)
}

fn script(top: &str, target: Target) -> String {
    trimmed(&format!(
        "read_verilog -sv {DESIGN}
         hierarchy -check -top {top}
         proc
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
         check -assert
         {} -flatten -top {top}
         check -assert
         tee -q -o {CELLS} stat -json
         write_json {NETLIST}
        ",
        target.command()
    ))
}

/// Cells of a flat design by kind; the second value is Yosys and its version.
fn cells(text: &str) -> Result<(BTreeMap<String, u64>, String)> {
    // Yosys 0.23 puts lines of its plain report between those of the JSON.
    let lines = text.lines().filter(|line| line.trim_start().starts_with(['{', '}', '"']));
    let stat: Value = serde_json::from_str(&lines.collect::<Vec<_>>().join("\n"))
        .context("the statistics of Yosys cannot be read")?;
    let modules = stat["modules"].as_object().context("Yosys reports no modules")?;
    let mut cells = BTreeMap::new();
    for (kind, count) in
        modules.values().filter_map(|module| module["num_cells_by_type"].as_object()).flatten()
    {
        *cells.entry(kind.clone()).or_default() += count.as_u64().context("Yosys counts cells")?;
    }
    Ok((cells, stat["creator"].as_str().unwrap_or("Yosys").to_string()))
}

/// Places and routes the netlist in a folder.
fn route(folder: &Path, device: &str, version: String) -> Result<Routed> {
    let (seed, aim) = (SEED.to_string(), AIM_MHZ.to_string());
    let mut command = NEXTPNR.command()?;
    command.args([&format!("--{device}"), "--out-of-context", "--timing-allow-fail", "--json", NETLIST]);
    command.args(["--report", REPORT, "--seed", &seed, "--freq", &aim]);
    let output = command.current_dir(folder).output().context("nextpnr cannot be started")?;
    let log = String::from_utf8_lossy(&output.stderr);
    let (_, of_cells) = used(&log).context("nextpnr says nothing of the device")?;
    let mut routed =
        Routed { device: device.to_string(), tool: version, cells: None, of_cells, frequency_mhz: None };
    if output.status.success() {
        let report = std::fs::read_to_string(folder.join(REPORT)).context("nextpnr wrote no report")?;
        let report: Value = serde_json::from_str(&report).context("the report of nextpnr cannot be read")?;
        routed.cells = report["utilization"]["TRELLIS_COMB"]["used"].as_u64();
        routed.frequency_mhz = slowest(&report);
    } else if !is_too_large(&log) {
        bail!(
            "nextpnr failed:\n{}",
            log.lines().filter(|line| line.contains("ERROR")).collect::<Vec<_>>().join("\n")
        );
    }
    Ok(routed)
}

/// The frequency of the slowest clock.
fn slowest(report: &Value) -> Option<f64> {
    let clocks = report["fmax"].as_object()?;
    clocks.values().filter_map(|clock| clock["achieved"].as_f64()).min_by(f64::total_cmp)
}

/// Combinational cells that are used and that there are, as the log has them before placing.
fn used(log: &str) -> Option<(u64, u64)> {
    pair(log.lines().find(|line| line.contains("TRELLIS_COMB:"))?)
}

/// Returns true if the log names a resource that the design needs more of than there is.
fn is_too_large(log: &str) -> bool {
    log.lines()
        .filter(|line| line.contains("Info:") && line.trim_end().ends_with('%'))
        .any(|line| pair(line).is_some_and(|(used, there)| used > there))
        || log.contains("no more room")
        || log.contains("failed to place")
}

/// The two numbers around the slash of a line.
fn pair(line: &str) -> Option<(u64, u64)> {
    let (before, after) = line.split_once('/')?;
    let used = before.split_whitespace().last()?.parse().ok()?;
    Some((used, after.split_whitespace().next()?.parse().ok()?))
}

/// Measurements of a file, a line of JSON for each.
#[derive(Debug)]
pub struct Utilizations(Vec<Utilization>);

impl Utilizations {
    /// Reads a file; one that does not exist has none.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none; the message names the line.
    pub fn read(path: &Path) -> Result<Utilizations> {
        Ok(Utilizations(read_lines(path, "measurement for a target")?))
    }

    /// The measurement of a module for a target, of this Verilog before that of another.
    pub fn find(&self, top: &str, source: &str, target: Target) -> Option<&Utilization> {
        let of_module = self.0.iter().filter(|line| line.top == top && line.target == target);
        of_module.max_by_key(|line| line.source == source)
    }

    /// All of them.
    pub fn all(&self) -> &[Utilization] {
        &self.0
    }

    /// Puts measurements of now instead of those of the same modules, and returns how many are new or
    /// differ.
    pub fn replace(&mut self, all: &[Utilization], origin: &Origin) -> usize {
        let mut changed = 0;
        for new in all {
            let measured = Utilization { measured: Some(origin.clone()), ..new.clone() };
            let same = |old: &&mut Utilization| (&old.top, old.target) == (&new.top, new.target);
            match self.0.iter_mut().find(same) {
                Some(old) => {
                    let as_old = Utilization {
                        measured: old.measured.clone(),
                        seconds: old.seconds,
                        ..measured.clone()
                    };
                    if *old != as_old {
                        *old = measured;
                        changed += 1;
                    }
                }
                None => {
                    self.0.push(measured);
                    changed += 1;
                }
            }
        }
        changed
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_lines(path, &self.0)
    }
}

impl Utilization {
    /// One line per module.
    pub fn summary(all: &[Utilization]) -> Table {
        let mut rows = table(&[
            "module",
            "LUTs",
            "flip-flops",
            "carries",
            "LUT memories",
            "block memories",
            "of the device",
            "MHz",
        ]);
        for one in all {
            let numbers = [one.luts, one.flip_flops, one.carries, one.lut_memories, one.block_memories];
            let numbers = numbers.map(|number| grouped(number as f64));
            rows.add_row([one.top.clone()].into_iter().chain(numbers).chain([one.share(), one.frequency()]));
        }
        rows
    }

    /// Share of the device's combinational cells.
    fn share(&self) -> String {
        match &self.routed {
            None => "-".to_string(),
            Some(Routed { cells: None, .. }) => "too large".to_string(),
            Some(Routed { cells: Some(cells), of_cells, .. }) => {
                format!("{:.1}%", 100.0 * *cells as f64 / *of_cells as f64)
            }
        }
    }

    /// Frequency as routed.
    pub fn frequency(&self) -> String {
        let mhz = self.routed.as_ref().and_then(|routed| routed.frequency_mhz);
        mhz.map_or("-".to_string(), |mhz| format!("{mhz:.1}"))
    }

    /// Explanation of the numbers; goes under their table.
    pub fn notes(all: &[Utilization]) -> String {
        let Some(first) = all.first() else { return String::new() };
        let cells = first.target.cells();
        let routed = all.iter().find_map(|one| one.routed.as_ref());
        let routed = match (routed, first.target.device()) {
            (Some(Routed { device, tool, .. }), _) => format!(
                " Placed and routed out of context for the device {device} by {tool}, seed {SEED}, {AIM_MHZ} MHz asked; MHz \
                 of paths between registers and memories."
            ),
            (None, Some(_)) => {
                " Not placed and routed: nextpnr-ecp5 is missing; run `tools/setup fpga`.".to_string()
            }
            (None, None) => " Not placed and routed: no program here does so out of context.".to_string(),
        };
        format!("{}, {}.{routed}", first.tool, cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(top: &str, luts: u64, mhz: f64) -> Utilization {
        let routed = Routed {
            device: "85k".into(),
            tool: "nextpnr".into(),
            cells: Some(luts),
            of_cells: 1000,
            frequency_mhz: Some(mhz),
        };
        Utilization {
            top: top.into(),
            source: "verilog".into(),
            measured: None,
            target: Target::Ecp5,
            tool: "Yosys".into(),
            luts,
            flip_flops: 2,
            carries: 0,
            lut_memories: 0,
            block_memories: 0,
            routed: Some(routed),
            seconds: 1.0,
        }
    }

    #[test]
    fn a_measurement_takes_the_place_of_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fpga.jsonl");
        let origin = |commit: &str| Origin { date: "2026-11-29".into(), commit: commit.into() };
        let mut all = Utilizations::read(&path).unwrap();
        assert_eq!(all.replace(&[one("a", 10, 50.0), one("b", 20, 60.0)], &origin("1")), 2);
        all.write(&path).unwrap();
        let mut all = Utilizations::read(&path).unwrap();
        let slower = Utilization { seconds: 9.0, ..one("a", 10, 50.0) };
        assert_eq!(all.replace(&[slower, one("b", 20, 61.0)], &origin("2")), 1, "time alone is no change");
        let commit = |top: &str| {
            let found = all.find(top, "verilog", Target::Ecp5).unwrap();
            found.measured.as_ref().unwrap().commit.clone()
        };
        assert_eq!([commit("a"), commit("b")], ["1", "2"]);
        assert!(all.find("a", "verilog", Target::Ice40).is_none());
        std::fs::write(&path, "{}\n").unwrap();
        let error = Utilizations::read(&path).unwrap_err().to_string();
        assert!(error.contains("fpga.jsonl:1: no measurement for a target"), "{error}");
    }

    #[test]
    fn what_nextpnr_prints_is_understood() {
        let line = "Info: \t          TRELLIS_COMB:    5398/  83640     6%";
        assert_eq!(used(line), Some((5398, 83640)));
        assert!(!is_too_large(line));
        assert!(is_too_large("Info: \t          TRELLIS_COMB:   95398/  83640   114%"));
        let report = serde_json::json!({"fmax": {"a": {"achieved": 50.5}, "b": {"achieved": 40.25}}});
        assert_eq!(slowest(&report), Some(40.25));
        assert_eq!(slowest(&serde_json::json!({"fmax": {}})), None);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let mut large = one("a", 2000, 1.0);
        large.routed = large.routed.map(|routed| Routed { cells: None, frequency_mhz: None, ..routed });
        let text = Utilization::summary(&[large, one("b", 250, 61.04)]).to_string();
        assert!(text.contains("too large") && text.contains("25.0%") && text.contains("61.0"), "{text}");
    }
}
