// SPDX-License-Identifier: Apache-2.0
//! A number per workload and variant, and tables of such.

use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use crate::output::table;

/// A number of one variant on all workloads that ran under it and under its reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    pub label: String,
    /// Workload and value.
    pub values: Vec<(String, f64)>,
}

impl Series {
    /// `value` of each outcome of a variant and that of its reference on the same workload.
    pub fn new(
        outcomes: &[Outcome],
        label: &str,
        reference: &str,
        value: impl Fn(&Outcome, &Outcome) -> Option<f64>,
    ) -> Series {
        let baseline = |workload: &str| {
            outcomes.iter().find(|outcome| outcome.workload == workload && outcome.label == reference)
        };
        let of_label = outcomes.iter().filter(|outcome| outcome.label == label);
        let values = of_label.filter_map(|outcome| {
            let value = value(outcome, baseline(&outcome.workload)?)?;
            Some((outcome.workload.clone(), value))
        });
        Series { label: label.into(), values: values.collect() }
    }

    /// Less another's values, on the workloads that both have.
    pub fn less(mut self, other: &Series) -> Series {
        self.values.retain(|(workload, _)| other.get(workload).is_some());
        self.values.iter_mut().for_each(|(workload, value)| *value -= other.get(workload).unwrap_or(0.0));
        self
    }

    pub fn get(&self, workload: &str) -> Option<f64> {
        self.values.iter().find(|(name, _)| name == workload).map(|(_, value)| *value)
    }

    /// Arithmetic mean over the workloads.
    pub fn average(&self) -> f64 {
        self.values.iter().map(|(_, value)| value).sum::<f64>() / self.values.len() as f64
    }

    /// For changes in percent, the change that the geometric mean of the ratios is.
    pub fn geometric(&self) -> f64 {
        let logarithms = self.values.iter().map(|(_, value)| (1.0 + value / 100.0).ln());
        100.0 * ((logarithms.sum::<f64>() / self.values.len() as f64).exp() - 1.0)
    }

    /// The interval that holds the average with 95% if the workloads were drawn again from themselves: the
    /// bootstrap's percentiles.
    pub fn interval(&self) -> [f64; 2] {
        const DRAWS: usize = 10_000;
        let mut random = fastrand::Rng::with_seed(1);
        let count = self.values.len();
        let mut draw =
            || (0..count).map(|_| self.values[random.usize(..count)].1).sum::<f64>() / count as f64;
        let mut averages: Vec<f64> = (0..DRAWS).map(|_| draw()).collect();
        averages.sort_by(f64::total_cmp);
        [0.025, 0.975].map(|share| averages[(share * DRAWS as f64) as usize])
    }

    pub fn maximum(&self) -> f64 {
        self.values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max)
    }

    pub fn minimum(&self) -> f64 {
        self.values.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min)
    }
}

pub fn percent(value: f64) -> String {
    format!("{value:.1}")
}

/// A row per workload, a column per series; then their average and extremes.
pub fn by_workload(workloads: &[String], series: &[Series]) -> comfy_table::Table {
    let labels: Vec<_> = series.iter().map(|series| series.label.as_str()).collect();
    let mut rows = table(&[&["workload"], &labels[..]].concat());
    let has_any = |workload: &&String| series.iter().any(|series| series.get(workload).is_some());
    for workload in workloads.iter().filter(has_any) {
        let values = series.iter().map(|series| series.get(workload).map_or(String::new(), percent));
        rows.add_row(std::iter::once(workload.clone()).chain(values));
    }
    let mut summary = |name: &str, of: fn(&Series) -> f64| {
        let values = series.iter().map(|series| percent(of(series)));
        rows.add_row(std::iter::once(name.to_string()).chain(values));
    };
    summary("average", Series::average);
    summary("maximum", Series::maximum);
    summary("minimum", Series::minimum);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_holds_the_average_and_narrows_with_workloads() {
        let series = |count: usize| Series {
            label: "a".into(),
            values: (0..count).map(|number| (number.to_string(), (number % 5) as f64)).collect(),
        };
        let [few, many] = [10, 1000].map(|count| series(count).interval());
        for [low, high] in [few, many] {
            assert!(low < 2.0 && 2.0 < high, "{low} to {high}");
        }
        // The values' deviation is the root of two, and an average of ten has 0.45 of that.
        assert!((few[1] - few[0] - 2.0 * 1.96 * 0.447).abs() < 0.1, "{few:?}");
        assert!((many[1] - many[0] - 2.0 * 1.96 * 0.0447).abs() < 0.01, "{many:?}");
        assert_eq!(series(5).interval(), series(5).interval());
    }

    #[test]
    fn a_difference_is_of_the_workloads_that_both_have() {
        let series = |values: &[(&str, f64)]| Series {
            label: "a".into(),
            values: values.iter().map(|(workload, value)| (workload.to_string(), *value)).collect(),
        };
        let difference = series(&[("bfs", 5.0), ("nn", 7.0)]).less(&series(&[("nn", 4.0), ("lud", 1.0)]));
        assert_eq!(difference, series(&[("nn", 3.0)]));
    }
}
