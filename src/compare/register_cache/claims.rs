// SPDX-License-Identifier: Apache-2.0
//! Claims of the paper's evaluation, in the study's file, and the same numbers as they were counted.

use serde::{Deserialize, Serialize};

use crate::register_cache::{ConfigurationCounts, TrafficOutcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrafficMetric {
    ReadHits,
    WriteHits,
    WritesAvoided,
    EnergyReduction,
}

impl TrafficMetric {
    pub const ALL: [(TrafficMetric, &'static str); 4] = [
        (TrafficMetric::ReadHits, "read hits"),
        (TrafficMetric::WriteHits, "write hits"),
        (TrafficMetric::WritesAvoided, "register-file writes avoided"),
        (TrafficMetric::EnergyReduction, "energy reduction"),
    ];

    /// In percent.
    pub fn of(self, row: &ConfigurationCounts) -> f64 {
        match self {
            TrafficMetric::ReadHits => row.read_hit_percent,
            TrafficMetric::WriteHits => row.write_hit_percent,
            TrafficMetric::WritesAvoided => row.register_file_writes_avoided_percent,
            TrafficMetric::EnergyReduction => {
                row.energy.expect("C's caches are in its table").reduction_percent
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrafficStatistic {
    Maximum,
    Minimum,
    Average,
    /// Number of positive values.
    More,
    /// Number of workloads in which one of the caches has the highest value of all.
    Best,
}

impl TrafficStatistic {
    /// Returns true if it is a number of workloads, and not one in the metric's unit.
    pub fn is_count(self) -> bool {
        matches!(self, TrafficStatistic::More | TrafficStatistic::Best)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrafficClaim {
    pub section: String,
    pub says: String,
    /// The cause of the difference from the paper, if there is one, with the place that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The README has it.
    #[serde(default, skip_serializing)]
    pub headline: bool,
    pub metric: TrafficMetric,
    pub workloads: Vec<String>,
    #[serde(default)]
    pub caches: Vec<String>,
    #[serde(default)]
    pub over: Vec<String>,
    pub statistic: TrafficStatistic,
    pub claimed: f64,
}

impl TrafficClaim {
    /// The same of these outcomes; `None` unless all of its workloads are there.
    pub fn counted(&self, outcomes: &[TrafficOutcome]) -> Option<f64> {
        let mut values = vec![];
        for workload in &self.workloads {
            let outcome = outcomes.iter().find(|outcome| outcome.input == *workload)?;
            values.extend(self.values(outcome));
        }
        Some(match self.statistic {
            TrafficStatistic::Maximum => highest(values),
            TrafficStatistic::Minimum => values.into_iter().fold(f64::INFINITY, f64::min),
            TrafficStatistic::Average => values.iter().sum::<f64>() / values.len() as f64,
            TrafficStatistic::More => values.into_iter().filter(|&value| value > 0.0).count() as f64,
            TrafficStatistic::Best => values.into_iter().filter(|&value| value >= 0.0).count() as f64,
        })
    }

    /// The values of a workload: the metric of each cache, less that of the cache that it is compared with;
    /// for the best, one value, by how much the caches are above all.
    fn values(&self, outcome: &TrafficOutcome) -> Vec<f64> {
        let all = || outcome.rows.iter().map(|row| self.metric.of(row)).collect::<Vec<_>>();
        let value = |cache: &str| {
            let row = outcome.rows.iter().find(|row| row.label == cache);
            self.metric.of(row.unwrap_or_else(|| panic!("no cache is called `{cache}`")))
        };
        if self.caches.is_empty() {
            return all();
        }
        let over = |number: usize| self.over.get(number).map_or(0.0, |over| value(over));
        let values = self.caches.iter().enumerate().map(|(number, cache)| value(cache) - over(number));
        match self.statistic {
            TrafficStatistic::Best => vec![highest(values) - highest(all())],
            _ => values.collect(),
        }
    }
}

fn highest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::NEG_INFINITY, f64::max)
}
