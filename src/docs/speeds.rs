// SPDX-License-Identifier: Apache-2.0
//! Speeds of this project itself, as `gpurf speeds --record` kept them. A table names the record and a group
//! of benchmarks: `speeds papers/results/speed/benchmarks.jsonl emulator`.

use anyhow::{ensure, Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::output;
use crate::speeds::{recorded, rounded};

/// A row for each thing that was run, and a column for each way; behind the first column each speed is also
/// shown in parts of the first.
pub fn table(project: &Project, about: &str) -> Result<String> {
    let (file, group) = about.split_once(' ').context("it names a record and a group")?;
    let speeds = recorded(&project.root.join(file))?;
    let of_group = speeds.benchmarks.iter().filter(|one| one.group == group);
    let found: Vec<(&str, &str, f64)> = of_group
        .map(|one| {
            let (what, how) = one.name.rsplit_once('/').unwrap_or((&one.name, "per second"));
            (what, how, one.speed)
        })
        .collect();
    ensure!(
        !found.is_empty(),
        "{file} has no group `{group}`; `cargo bench` measures, `gpurf speeds` records"
    );
    let (mut rows, mut columns): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    for (what, how, _) in &found {
        for (names, name) in [(&mut rows, what), (&mut columns, how)] {
            if !names.contains(name) {
                names.push(name);
            }
        }
    }
    let speed = |what, how| found.iter().find(|one| (one.0, one.1) == (what, how)).map(|one| one.2);
    let mut header = vec!["".to_string(), columns[0].to_string()];
    for column in &columns[1..] {
        header.extend([column.to_string(), format!("of {}", columns[0])]);
    }
    let mut table = output::table(&header.iter().map(String::as_str).collect::<Vec<_>>());
    for what in rows {
        let first = speed(what, columns[0]);
        let mut row = vec![what.to_string(), first.map_or("–".into(), rounded)];
        for column in &columns[1..] {
            let this = speed(what, column);
            let ratio = this.zip(first).map(|(this, first)| this / first);
            row.extend([this.map_or("–".into(), rounded), ratio.map_or("–".into(), digits)]);
        }
        table.add_row(row);
    }
    let origin = &speeds.measured;
    Ok(format!("Measured on {} at commit {}.\n\n{}", origin.date, origin.commit, markdown(&table, &[])))
}

/// Two digits of a ratio.
fn digits(ratio: f64) -> String {
    let decimals = (1 - ratio.log10().floor() as i32).max(0) as usize;
    format!("{ratio:.decimals$}")
}
