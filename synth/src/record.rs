// SPDX-License-Identifier: Apache-2.0
//! Areas and longest paths over time: a file with a line of JSON for every measurement, in the order of time.
//!
//! A measurement that equals the last one of the same module by the same flow adds no line, so that a line
//! tells when a module moved.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Serialize;

use crate::lines::{parse_lines, read_lines, write_lines};
use crate::origin::Origin;
use crate::synthesis::{Structure, Synthesis, DELAY_TARGET_PS};

/// The measurements of a file.
#[derive(Clone, Debug)]
pub struct Records {
    path: PathBuf,
    lines: Vec<Synthesis>,
}

/// A module whose area or longest path is not what it was.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Moved {
    /// The module.
    pub top: String,
    /// Which of its figures.
    pub what: &'static str,
    /// As recorded.
    pub before: f64,
    /// As measured now.
    pub now: f64,
    /// When it was recorded.
    pub since: Origin,
}

/// How a module is synthesized, the library and the tool apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// See [`Options::delay_target_ps`](crate::Options::delay_target_ps).
    pub delay_target_ps: u32,
    /// See [`Options::clock_gating`](crate::Options::clock_gating).
    pub clock_gating: bool,
    /// See [`Job::sat_sweeping`](crate::Job::sat_sweeping).
    pub sat_sweeping: bool,
    /// True if the figures are those of the flattened module.
    pub structure: Structure,
}

impl Synthesis {
    /// How it was synthesized.
    pub fn flow(&self) -> Flow {
        let Synthesis { delay_target_ps, clock_gating, sat_sweeping, structure, .. } = *self;
        Flow { delay_target_ps, clock_gating, sat_sweeping, structure }
    }
}

impl Moved {
    /// Change in percent.
    pub fn percent(&self) -> f64 {
        100.0 * (self.now / self.before - 1.0)
    }
}

impl Records {
    /// Reads a file; one that does not exist has no measurements.
    ///
    /// # Errors
    /// If it cannot be read, or a line is none that [`Records::write`] writes; the message names the line.
    pub fn read(path: &Path) -> Result<Records> {
        let lines = read_lines(path, "measurement")?;
        Ok(Records { path: path.to_path_buf(), lines })
    }

    /// Measurements in the text of a file that has this place.
    ///
    /// # Errors
    /// If a line is none that [`Records::write`] writes; the message names the line.
    pub fn of(text: &str, path: &Path) -> Result<Records> {
        Ok(Records { path: path.to_path_buf(), lines: parse_lines(text, path, "measurement")? })
    }

    /// The last measurement of a module in the usual way, whatever tool made it: of this Verilog before that
    /// of another, and flattened before the sum over its modules.
    pub fn latest(&self, top: &str, source: &str) -> Option<&Synthesis> {
        let is_usual = |line: &&Synthesis| !line.clock_gating && line.delay_target_ps == DELAY_TARGET_PS;
        let of_module = self.lines.iter().filter(|line| line.top == top).filter(is_usual);
        of_module.max_by_key(|line| (line.source == source, line.structure == Structure::Flattened))
    }

    /// The last measurement of a module in one way, whatever tool and library made it.
    pub fn last(&self, top: &str, flow: Flow) -> Option<&Synthesis> {
        self.lines.iter().rev().find(|line| line.top == top && line.flow() == flow)
    }

    /// The last one that the same flow made, with the same tool and library.
    fn by_same_flow(&self, new: &Synthesis) -> Option<&Synthesis> {
        let made_by = |one: &Synthesis| {
            let Synthesis { top, tool, library, .. } = one;
            let names = (top.clone(), tool.clone(), library.clone());
            (names, one.flow(), one.longest_path_ns.is_some())
        };
        self.lines.iter().rev().find(|line| made_by(line) == made_by(new))
    }

    /// Adds measurements of now, and returns how many of them are new or differ from the last.
    pub fn add(&mut self, all: &[Synthesis], origin: &Origin) -> usize {
        let before = self.lines.len();
        for new in all.iter().filter(|new| new.measured.is_none()) {
            let same = |old: &Synthesis| old.source == new.source && figures(old) == figures(new);
            if !self.by_same_flow(new).is_some_and(same) {
                // Which cells it is made of would be most of the file; memories are declared by the hardware.
                let (cells_by_type, memories) = Default::default();
                let measured = Some(origin.clone());
                self.lines.push(Synthesis { measured, cells_by_type, memories, ..new.clone() });
            }
        }
        self.lines.len() - before
    }

    /// Figures that differ by more than `tolerance` percent from the last ones by the same flow. Modules that
    /// the flow has not measured before are left out.
    pub fn moved(&self, all: &[Synthesis], tolerance: f64) -> Vec<Moved> {
        let mut moved = vec![];
        for new in all {
            let Some(old) = self.by_same_flow(new) else { continue };
            let Some(since) = old.measured.clone() else { continue };
            for ((what, before), (_, now)) in figures(old).into_iter().zip(figures(new)) {
                let one = Moved { top: new.top.clone(), what, before, now, since: since.clone() };
                if before != now && (before == 0.0 || one.percent().abs() > tolerance) {
                    moved.push(one);
                }
            }
        }
        moved
    }

    /// Returns true if the same flow has measured a module before.
    pub fn knows(&self, new: &Synthesis) -> bool {
        self.by_same_flow(new).is_some()
    }

    /// Writes the file whole.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self) -> Result<()> {
        write_lines(&self.path, &self.lines)
    }
}

/// The figures that are watched.
fn figures(synthesis: &Synthesis) -> [(&'static str, f64); 4] {
    [
        ("area, µm²", synthesis.area_um2),
        ("flip-flops", synthesis.flip_flops as f64),
        ("memory bits", synthesis.memory_bits as f64),
        ("longest path, ns", synthesis.longest_path_ns.unwrap_or_default()),
    ]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn measured(top: &str, area_um2: f64, path: f64) -> Synthesis {
        Synthesis {
            top: top.into(),
            source: "verilog".into(),
            measured: None,
            tool: "Yosys".into(),
            library: "toy".into(),
            gate_equivalent_um2: 1.0,
            delay_target_ps: 2000,
            clock_gating: false,
            sat_sweeping: true,
            structure: Structure::Flattened,
            area_um2,
            gate_equivalents: area_um2,
            flip_flop_area_um2: 0.0,
            flip_flops: 3,
            memory_bits: 0,
            memories: vec![],
            cells: 1,
            cells_by_type: Default::default(),
            logic_depth: 1,
            longest_path_ns: Some(path),
            modules: vec![],
            seconds: 1.0,
            seconds_by_module: 0.5,
        }
    }

    fn origin(commit: &str) -> Origin {
        Origin { date: "2026-11-22".into(), commit: commit.into() }
    }

    #[test]
    fn only_what_moved_is_added_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("areas.jsonl");
        let mut records = Records::read(&path).unwrap();
        let first = [measured("a", 100.1, 0.3), measured("b", 50.0, 0.2)];
        assert!(records.moved(&first, 0.0).is_empty(), "nothing is known");
        assert_eq!(records.add(&first, &origin("1")), 2);
        records.write().unwrap();

        let mut records = Records::read(&path).unwrap();
        assert_eq!(records.add(&first, &origin("2")), 0);
        let second = [measured("a", 103.0, 0.3), measured("b", 50.5, 0.1)];
        let moved = records.moved(&second, 2.0);
        let names: Vec<_> =
            moved.iter().map(|one| (one.top.as_str(), one.what, one.since.commit.as_str())).collect();
        assert_eq!(names, [("a", "area, µm²", "1"), ("b", "longest path, ns", "1")]);
        assert!((moved[1].percent() + 50.0).abs() < 1e-9);
        assert_eq!(records.add(&second, &origin("3")), 2);
        assert_eq!(records.latest("a", "verilog").unwrap().area_um2, 103.0);
        assert_eq!(records.latest("a", "verilog").unwrap().measured, Some(origin("3")));
        assert!(records.moved(&second, 0.0).is_empty());
    }

    #[test]
    fn another_flow_is_not_compared() {
        let mut records = Records::read(Path::new("nowhere.jsonl")).unwrap();
        records.add(&[measured("a", 100.0, 0.3)], &origin("1"));
        let other = Synthesis { tool: "another".into(), ..measured("a", 200.0, 0.3) };
        let untimed = Synthesis { longest_path_ns: None, ..measured("a", 100.0, 0.0) };
        assert!(records.moved(&[other.clone(), untimed], 1.0).is_empty());
        assert!(!records.knows(&other));
        assert_eq!(records.add(&[other], &origin("2")), 1);
    }

    #[test]
    fn the_last_of_this_verilog_is_flattened_if_one_is() {
        let mut records = Records::read(Path::new("nowhere.jsonl")).unwrap();
        let flattened = measured("a", 100.0, 0.3);
        let sum = Synthesis { structure: Structure::Kept, ..measured("a", 110.0, 0.4) };
        records.add(std::slice::from_ref(&flattened), &origin("1"));
        assert_eq!(records.add(std::slice::from_ref(&sum), &origin("2")), 1, "another flow");
        let other = Synthesis { source: "changed".into(), area_um2: 120.0, ..sum };
        records.add(&[other], &origin("3"));
        let area = |source| records.latest("a", source).unwrap().area_um2;
        assert_eq!([area("verilog"), area("changed"), area("neither")], [100.0, 120.0, 100.0]);
        assert!(records.latest("b", "verilog").is_none());
    }

    #[test]
    fn a_damaged_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("areas.jsonl");
        fs::write(&path, "\n{\"top\": 1}\n").unwrap();
        assert!(Records::read(&path).unwrap_err().to_string().contains("areas.jsonl:2"));
    }
}
