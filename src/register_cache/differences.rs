// SPDX-License-Identifier: Apache-2.0
//! Effects of each difference between RFC-sim and C's description on the headlines.

use anyhow::Result;
use gpurf_sim::register_traffic::{Configuration, ReuseFlags, Rules};
use gpurf_trace::Workload;
use serde::Serialize;

use super::tables::percent;
use super::{ConfigurationCounts, TrafficOutcome};
use crate::compare::study::Titled;
use crate::output::table;

/// RFC-sim's rules with something changed.
#[derive(Serialize)]
pub struct Changed {
    pub input: String,
    /// The rule that is as C describes it; RFC-sim's own rules first, C's last.
    pub change: String,
    pub rows: Vec<ConfigurationCounts>,
}

pub fn of(
    workload: &Workload,
    input: &str,
    configurations: &[Configuration],
    flags: &Option<ReuseFlags>,
) -> Result<Vec<Changed>> {
    let run = |change: String, rules: Rules| -> Result<Changed> {
        let outcome = TrafficOutcome::of(workload, input, configurations, rules, flags.clone())?;
        Ok(Changed { input: input.into(), change, rows: outcome.rows })
    };
    let mut all = vec![run("RFC-sim".into(), Rules::RFC_SIM)?];
    for difference in Rules::DIFFERENCES {
        let mut rules = Rules::RFC_SIM;
        *(difference.rule)(&mut rules) = false;
        all.push(run(format!("not: {}", difference.name), rules)?);
    }
    all.push(run("C's description".into(), Rules::PAPER)?);
    Ok(all)
}

/// A table for each input and cache: values, and behind them the change from RFC-sim's.
pub fn tables(all: &[Changed]) -> Vec<Titled> {
    let mut tables = vec![];
    for changed in all.chunk_by(|one, next| one.input == next.input) {
        let reference = &changed[0].rows;
        for (number, first) in reference.iter().enumerate() {
            let mut lines = table(&[
                "rules",
                "read hits",
                "write hits",
                "RF reads avoided",
                "RF writes avoided",
                "energy reduction",
            ]);
            for one in changed {
                let values = headlines(&one.rows[number]).into_iter().zip(headlines(first));
                let cells = values.map(|values| match values {
                    (Some(value), Some(reference)) if percent(value) == percent(reference) => percent(value),
                    (Some(value), Some(reference)) => {
                        format!("{} ({:+.2})", percent(value), value - reference)
                    }
                    _ => String::new(),
                });
                lines.add_row(std::iter::once(one.change.clone()).chain(cells));
            }
            let title =
                format!("{}, {}: percent, and points of change from RFC-sim", changed[0].input, first.label);
            tables.push(Titled::new(title, &lines));
        }
    }
    tables
}

fn headlines(row: &ConfigurationCounts) -> [Option<f64>; 5] {
    [
        Some(row.read_hit_percent),
        Some(row.write_hit_percent),
        Some(row.register_file_reads_avoided_percent),
        Some(row.register_file_writes_avoided_percent),
        row.energy.map(|energy| energy.reduction_percent),
    ]
}
