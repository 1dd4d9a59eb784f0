//! `gpurf speeds`: what `cargo bench` has measured, and a record of it for the documents.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::Args;
use gpurf_synth::Origin;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::output::{grouped, table, write_json};
use crate::records::origin;
use crate::Verdict;

#[derive(Args)]
#[command(after_help = "Examples:
  cargo bench -p gpurf-workloads; gpurf speeds
  make bench; gpurf speeds --record papers/results/speed/benchmarks.json")]
pub struct Arguments {
    /// The folder in which criterion left its results
    #[arg(value_name = "FOLDER", default_value = "target/criterion")]
    folder: PathBuf,
    /// Write them to this file, which the documents' tables are made from
    #[arg(long, value_name = "FILE", value_parser = crate::output::file())]
    record: Option<PathBuf>,
}

/// What benchmarks measured, in the order in which they ran.
#[derive(Serialize, Deserialize)]
pub struct Speeds {
    pub measured: Origin,
    pub benchmarks: Vec<Benchmark>,
}

#[derive(Serialize, Deserialize)]
pub struct Benchmark {
    pub group: String,
    /// What was run, and after the last slash how.
    pub name: String,
    /// Elements or bytes, and how many of them in a second: the median, and the ends of its 95% interval.
    pub unit: Unit,
    pub speed: f64,
    pub slowest: f64,
    pub fastest: f64,
}

/// What a benchmark says it works through.
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
    let speeds = Speeds { measured: origin(), benchmarks };
    let written = arguments.record.as_ref().map_or(Ok(()), |path| write_json(path, &speeds));
    println!("{rows}");
    written.map(|()| Verdict::Holds)
}

/// What is kept in a file.
///
/// # Errors
/// If it cannot be read.
pub fn recorded(path: &Path) -> Result<Speeds> {
    parsed(path)
}

/// What criterion writes about a benchmark; it writes more.
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
        let (unit, count) = match about.throughput {
            Some(Throughput::Elements(count)) => (Unit::Elements, count),
            Some(Throughput::Bytes(count)) => (Unit::Bytes, count),
            None => continue,
        };
        let speed = |nanoseconds: f64| count as f64 / nanoseconds * 1e9;
        let benchmark = Benchmark {
            group: about.group_id,
            name: about.function_id.unwrap_or_default(),
            unit,
            speed: speed(median.point_estimate),
            slowest: speed(median.confidence_interval.upper_bound),
            fastest: speed(median.confidence_interval.lower_bound),
        };
        found.push((fs::metadata(&estimates)?.modified()?, benchmark));
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
    let unreadable = || {
        format!("{}: cannot be read as speeds; run `cargo bench` and `gpurf speeds` again", path.display())
    };
    let text = fs::read_to_string(path).with_context(unreadable)?;
    serde_json::from_str(&text).with_context(unreadable)
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
        let found = read(folder.path()).unwrap();
        let bfs = found.iter().find(|one| one.name == "bfs/malekeh").unwrap();
        assert_eq!((bfs.speed, bfs.slowest, bfs.fastest, bfs.group.as_str()), (2e9, 1e9, 3e9, "sm"));
        assert!(found.iter().any(|one| one.unit == Unit::Bytes && one.speed == 1e9));
        assert_eq!(found.len(), 2, "one without a throughput has no speed");
        assert_eq!([1_234_567.0, 1234.4, 0.6].map(rounded), ["1,235,000", "1,234", "1"]);
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
