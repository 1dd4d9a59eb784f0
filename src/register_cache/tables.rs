// SPDX-License-Identifier: Apache-2.0
//! Tables of register caches.

use anyhow::Result;
use comfy_table::Table;

use super::{ConfigurationCounts, TrafficOutcome};
use crate::compare::study::Titled;
use crate::output::{grouped, table};

const LEGEND: &str = "\
Hits and register-file accesses count lanes, cache accesses banks. Stale: read hits of a copy older than the last write,
and reads from the register file while the last value lies in another set; hardware could not have them. Dropped: values
never written to the register file, because their warp ended. Energy by C Table III, in nJ.";

pub fn print(outcome: &TrafficOutcome) {
    let Some(first) = outcome.rows.first() else { return };
    println!(
        "{}: {} warp instructions, {} reads and {} writes of a register by a lane",
        outcome.input,
        grouped(first.traffic.instructions),
        grouped(first.traffic.reads),
        grouped(first.traffic.writes),
    );
    println!("{}\n{}\n{LEGEND}", traffic(&outcome.rows), energy(&outcome.rows));
    outcome.notes.iter().for_each(|note| println!("{note}"));
    println!();
}

/// Tables of its counts, and of the energy of these.
pub fn of(outcome: &TrafficOutcome) -> [Titled; 2] {
    let titled = |what, rows: &Table| Titled::new(format!("{}: {what}", outcome.input), rows);
    [titled("traffic", &traffic(&outcome.rows)), titled("energy, nJ", &energy(&outcome.rows))]
}

fn traffic(rows: &[ConfigurationCounts]) -> Table {
    let mut lines = table(&[
        "cache",
        "read\nhits %",
        "write\nhits %",
        "RF reads\navoided %",
        "RF writes\navoided %",
        "cache\nreads",
        "cache\nwrites",
        "RF reads",
        "RF writes",
        "stale\nhits",
        "stale\nmisses",
        "dropped",
    ]);
    for ConfigurationCounts { label, traffic, .. } in rows {
        lines.add_row([
            label.clone(),
            percent(traffic.read_hit_percent()),
            percent(traffic.write_hit_percent()),
            percent(traffic.reads_avoided_percent()),
            percent(traffic.writes_avoided_percent()),
            grouped(traffic.cache_reads),
            grouped(traffic.cache_writes),
            grouped(traffic.register_file_reads),
            grouped(traffic.register_file_writes),
            grouped(traffic.stale_hits),
            grouped(traffic.stale_misses),
            grouped(traffic.dropped),
        ]);
    }
    lines
}

fn energy(rows: &[ConfigurationCounts]) -> Table {
    let mut lines = table(&["cache", "RC.R", "RC.W", "RF.R", "RF.W", "total", "RF alone", "reduction %"]);
    for ConfigurationCounts { label, energy, .. } in rows {
        let nanojoules = |picojoules: f64| format!("{:.1}", picojoules / 1000.0);
        let numbers = match energy {
            Some(energy) => [
                nanojoules(energy.cache_reads),
                nanojoules(energy.cache_writes),
                nanojoules(energy.register_file_reads),
                nanojoules(energy.register_file_writes),
                nanojoules(energy.total),
                nanojoules(energy.baseline),
                percent(energy.reduction_percent),
            ],
            None => std::array::from_fn(|_| "not in Table III".into()),
        };
        lines.add_row(std::iter::once(label.clone()).chain(numbers));
    }
    lines
}

pub fn percent(value: f64) -> String {
    format!("{value:.2}")
}

/// A line for each row, and what was changed about the rules for it.
pub fn csv<'a>(rows: impl Iterator<Item = (&'a ConfigurationCounts, &'a str)>) -> Result<String> {
    let mut writer = csv::Writer::from_writer(vec![]);
    writer.write_record([
        "input",
        "cache",
        "rules",
        "warp_instructions",
        "reads",
        "writes",
        "read_hit_percent",
        "write_hit_percent",
        "total_hit_percent",
        "register_file_reads_avoided_percent",
        "register_file_writes_avoided_percent",
        "cache_reads",
        "cache_writes",
        "register_file_reads",
        "register_file_writes",
        "stale_hits",
        "stale_misses",
        "victim_reads",
        "dropped",
        "energy_pj",
        "energy_register_file_alone_pj",
        "energy_reduction_percent",
    ])?;
    for (ConfigurationCounts { input, label, traffic, energy, .. }, rules) in rows {
        let counts = [traffic.instructions, traffic.reads, traffic.writes].map(|count| count.to_string());
        let percents = [
            traffic.read_hit_percent(),
            traffic.write_hit_percent(),
            traffic.total_hit_percent(),
            traffic.reads_avoided_percent(),
            traffic.writes_avoided_percent(),
        ]
        .map(|percent| percent.to_string());
        let accesses = [
            traffic.cache_reads,
            traffic.cache_writes,
            traffic.register_file_reads,
            traffic.register_file_writes,
            traffic.stale_hits,
            traffic.stale_misses,
            traffic.victim_reads,
            traffic.dropped,
        ]
        .map(|count| count.to_string());
        let energies = match energy {
            Some(energy) => {
                [energy.total, energy.baseline, energy.reduction_percent].map(|value| value.to_string())
            }
            None => std::array::from_fn(|_| String::new()),
        };
        let names = [input.clone(), label.clone(), rules.to_string()];
        writer
            .write_record(names.iter().chain(&counts).chain(&percents).chain(&accesses).chain(&energies))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}
