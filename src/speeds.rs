// SPDX-License-Identifier: Apache-2.0
//! `gpurf speeds`: what `cargo bench` has measured, and a record of it for the documents.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_synth::Origin;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::output::{grouped, table};
use crate::records::origin;
use crate::verdict::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  cargo bench -p gpurf-workloads; gpurf speeds                              # minutes
  make bench; gpurf speeds --against papers/results/speed/benchmarks.jsonl  # minutes
  make bench; gpurf speeds --record papers/results/speed/benchmarks.jsonl   # minutes")]
pub struct Arguments {
    /// The folder in which criterion left its results
    #[arg(value_name = "FOLDER", default_value = "target/criterion")]
    folder: PathBuf,
    /// Add them to this file as a line of JSON: it has a line for each commit that was measured, and the
    /// documents' tables are made from the last
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
    /// Compare them with the last line of this file, and say which have moved by more than --tolerance
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// By how many percent a speed may differ, as a part of the first of its kind: a machine is faster on one
    /// day than on another
    #[arg(long, value_name = "PERCENT", default_value_t = 20.0)]
    tolerance: f64,
}

/// Measurements of benchmarks, in the order in which they ran.
#[derive(Serialize, Deserialize)]
pub struct Speeds {
    pub measured: Origin,
    pub benchmarks: Vec<Benchmark>,
}

#[derive(Serialize, Deserialize)]
pub struct Benchmark {
    pub group: String,
    /// Its name. Behind the last slash it says how it was run.
    pub name: String,
    /// Elements or bytes, and how many of them in a second: the median, and the ends of its 95% interval.
    pub unit: Unit,
    pub speed: f64,
    pub slowest: f64,
    pub fastest: f64,
}

/// The unit of the work that a benchmark does.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    Elements,
    Bytes,
}

pub fn run(arguments: Arguments) -> Result<Verdict> {
    let benchmarks = read(&arguments.folder)?;
    let mut rows = table(&["group", "benchmark", "per second", "slowest", "fastest", "of"]);
    for one in &benchmarks {
        let unit = match one.unit {
            Unit::Elements => "elements",
            Unit::Bytes => "bytes",
        };
        let [speed, slowest, fastest] = [one.speed, one.slowest, one.fastest].map(rounded);
        rows.add_row([one.group.clone(), one.name.clone(), speed, slowest, fastest, unit.into()]);
    }
    println!("{rows}");
    let speeds = Speeds { measured: origin(), benchmarks };
    if let Some(path) = &arguments.against {
        println!("{}", compared(&recorded(path)?, &speeds, arguments.tolerance));
    }
    if let Some(path) = &arguments.record {
        let mut lines = if path.exists() { read_text(path)? } else { String::new() };
        lines += &serde_json::to_string(&speeds).expect("strings and numbers are JSON");
        lines.push('\n');
        gpurf_files::write(path, lines.as_bytes())?;
    }
    Ok(Verdict::Holds)
}

/// Which speeds differ from those of before, each as a part of the first of its kind.
fn compared(before: &Speeds, now: &Speeds, tolerance: f64) -> String {
    let mut rows = table(&["group", "benchmark", "was", "is", "part of the first was", "is", "change %"]);
    for one in &now.benchmarks {
        let was = before.benchmarks.iter().find(|other| other.name == one.name && other.group == one.group);
        let Some(was) = was else { continue };
        let [part_was, part] = [before.part(was), now.part(one)];
        let change = 100.0 * (part / part_was - 1.0);
        if change.abs() > tolerance {
            let [was, is] = [was.speed, one.speed].map(rounded);
            let parts = [part_was, part].map(|part| format!("{part:.4}"));
            let [part_was, part] = parts;
            rows.add_row([
                one.group.clone(),
                one.name.clone(),
                was,
                is,
                part_was,
                part,
                format!("{change:+.0}"),
            ]);
        }
    }
    let Origin { date, commit, .. } = &before.measured;
    match rows.row_count() {
        0 => format!("Nothing moved by more than {tolerance}% since {date}, commit {commit}."),
        _ => format!("Moved by more than {tolerance}% since {date}, commit {commit}:\n{rows}"),
    }
}

impl Speeds {
    /// A speed as a part of the first of those that run the same thing.
    fn part(&self, of: &Benchmark) -> f64 {
        let kind = |one: &Benchmark| {
            let what = one.name.rsplit_once('/').map_or(one.name.clone(), |(what, _)| what.to_string());
            (one.group.clone(), what)
        };
        let first = self.benchmarks.iter().find(|one| kind(one) == kind(of)).expect("it is one itself");
        of.speed / first.speed
    }
}

/// The last speeds that are kept in a file.
///
/// # Errors
/// If it cannot be read.
pub fn recorded(path: &Path) -> Result<Speeds> {
    let text = read_text(path)?;
    let last = text.lines().next_back().with_context(|| unreadable(path))?;
    serde_json::from_str(last).with_context(|| unreadable(path))
}

/// Criterion's file about a benchmark; it has more.
#[derive(Deserialize)]
struct About {
    group_id: String,
    function_id: Option<String>,
    throughput: Option<Throughput>,
}

#[derive(Deserialize)]
enum Throughput {
    Elements(u64),
    Bytes(u64),
    ElementsAndBytes { elements: u64, bytes: u64 },
}

#[derive(Deserialize)]
struct Estimates {
    median: Estimate,
}

/// In nanoseconds.
#[derive(Deserialize)]
struct Estimate {
    point_estimate: f64,
    confidence_interval: Interval,
}

#[derive(Deserialize)]
struct Interval {
    lower_bound: f64,
    upper_bound: f64,
}

/// All benchmarks below a folder whose throughput is known.
fn read(folder: &Path) -> Result<Vec<Benchmark>> {
    let missing = || format!("{}: there are no results of benchmarks; run `cargo bench`", folder.display());
    let mut found = vec![];
    for entry in WalkDir::new(folder) {
        let path = entry.with_context(missing)?.into_path();
        if !path.ends_with("new/benchmark.json") {
            continue;
        }
        let estimates = path.with_file_name("estimates.json");
        let about: About = parsed(&path)?;
        let Estimates { median } = parsed(&estimates)?;
        let name = about.function_id.unwrap_or_default();
        let counts = match about.throughput {
            Some(Throughput::Elements(count)) => vec![(name, Unit::Elements, count)],
            Some(Throughput::Bytes(count)) => vec![(name, Unit::Bytes, count)],
            // What is read counts as well as what it is read from.
            Some(Throughput::ElementsAndBytes { elements, bytes }) => vec![
                (format!("{name}/elements"), Unit::Elements, elements),
                (format!("{name}/bytes"), Unit::Bytes, bytes),
            ],
            None => continue,
        };
        let ended = fs::metadata(&estimates)?.modified()?;
        for (name, unit, count) in counts {
            let speed = |nanoseconds: f64| count as f64 / nanoseconds * 1e9;
            let benchmark = Benchmark {
                group: about.group_id.clone(),
                name,
                unit,
                speed: speed(median.point_estimate),
                slowest: speed(median.confidence_interval.upper_bound),
                fastest: speed(median.confidence_interval.lower_bound),
            };
            found.push((ended, benchmark));
        }
    }
    ensure!(!found.is_empty(), missing());
    found.sort_by_key(|(ended, _)| *ended);
    Ok(found.into_iter().map(|(_, benchmark)| benchmark).collect())
}

/// To four digits.
pub fn rounded(speed: f64) -> String {
    let last = 10f64.powi(speed.log10() as i32 - 3).max(1.0);
    grouped(((speed / last).round() * last) as u64)
}

fn parsed<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    serde_json::from_str(&read_text(path)?).with_context(|| unreadable(path))
}

fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| unreadable(path))
}

fn unreadable(path: &Path) -> String {
    format!("{}: cannot be read as speeds; run `cargo bench` and `gpurf speeds` again", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A benchmark as criterion leaves it, with median and interval in nanoseconds.
    fn leave(folder: &Path, name: &str, throughput: &str, [median, lower, upper]: [f64; 3]) {
        let folder = folder.join(name.replace('/', "_")).join("new");
        fs::create_dir_all(&folder).unwrap();
        let about =
            format!(r#"{{"group_id":"sm","function_id":"{name}","throughput":{throughput},"title":"-"}}"#);
        fs::write(folder.join("benchmark.json"), about).unwrap();
        let interval = format!(r#"{{"confidence_level":0.95,"lower_bound":{lower},"upper_bound":{upper}}}"#);
        let estimates =
            format!(r#"{{"median":{{"confidence_interval":{interval},"point_estimate":{median}}}}}"#);
        fs::write(folder.join("estimates.json"), estimates).unwrap();
    }

    #[test]
    fn times_become_speeds() {
        let folder = tempfile::tempdir().unwrap();
        leave(folder.path(), "bfs/malekeh", r#"{"Elements":3000}"#, [1500.0, 1000.0, 3000.0]);
        leave(folder.path(), "plain text", r#"{"Bytes":10}"#, [10.0; 3]);
        leave(folder.path(), "without", "null", [1.0; 3]);
        leave(folder.path(), "trace", r#"{"ElementsAndBytes":{"elements":2,"bytes":80}}"#, [10.0; 3]);
        let found = read(folder.path()).unwrap();
        let of_trace = found.iter().filter(|one| one.name.starts_with("trace/")).map(|one| one.speed);
        assert_eq!(of_trace.collect::<Vec<_>>(), [2e8, 8e9]);
        let bfs = found.iter().find(|one| one.name == "bfs/malekeh").unwrap();
        assert_eq!((bfs.speed, bfs.slowest, bfs.fastest, bfs.group.as_str()), (2e9, 1e9, 3e9, "sm"));
        assert!(found.iter().any(|one| one.unit == Unit::Bytes && one.speed == 1e9));
        assert_eq!(found.len(), 4, "one without a throughput has no speed");
        assert_eq!([1_234_567.0, 1234.4, 0.6].map(rounded), ["1,235,000", "1,234", "1"]);
    }

    #[test]
    fn a_speed_that_moves_beside_the_first_of_its_kind_is_named() {
        let speeds = |rtl: f64, scale: f64| {
            let one = |name: &str, speed: f64| Benchmark {
                group: "engines".into(),
                name: name.into(),
                unit: Unit::Elements,
                speed: scale * speed,
                slowest: 0.0,
                fastest: 0.0,
            };
            let benchmarks = vec![one("ccu/model", 1000.0), one("ccu/rtl", rtl), one("ocu/model", 5.0)];
            Speeds { measured: Origin { date: "2026-11-29".into(), commit: "abc".into() }, benchmarks }
        };
        assert!(compared(&speeds(100.0, 1.0), &speeds(110.0, 0.5), 20.0).starts_with("Nothing moved"));
        let moved = compared(&speeds(100.0, 1.0), &speeds(70.0, 2.0), 20.0);
        assert!(moved.contains("ccu/rtl") && moved.contains("-30"), "{moved}");
        assert!(!moved.contains("ocu"), "{moved}");
    }

    #[test]
    fn what_is_no_result_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let said = |folder: &Path| format!("{:#}", read(folder).err().expect("nothing to read"));
        assert!(said(folder.path()).contains("run `cargo bench`"));
        assert!(said(&folder.path().join("nowhere")).contains("run `cargo bench`"));
        leave(folder.path(), "bfs", "{}", [1.0; 3]);
        assert!(said(folder.path()).contains("benchmark.json: cannot be read"));
    }
}
