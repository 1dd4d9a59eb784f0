//! What the papers' evaluations report: `papers/evaluation.toml`.

use serde::Deserialize;

use super::metrics::Metric;
use crate::compare::claims::read;
use crate::compare::finding::{Finding, Here};
use crate::compare::series::Series;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub paper: String,
    pub section: String,
    pub metric: Metric,
    pub design: String,
    pub average: f64,
    pub maximum: Option<f64>,
    pub minimum: Option<f64>,
}

/// What is made of the values of all workloads.
type Statistic = fn(&Series) -> f64;

impl Claim {
    /// Average and extremes, as far as the paper gives them, beside those of the design's series.
    fn findings<'a>(&'a self, series: &'a Series) -> impl Iterator<Item = Finding> + 'a {
        let beside: [(&str, Option<f64>, Statistic); 3] = [
            ("average", Some(self.average), Series::average),
            ("maximum", self.maximum, Series::maximum),
            ("minimum", self.minimum, Series::minimum),
        ];
        beside.into_iter().filter_map(move |(statistic, claimed, of)| {
            Some(Finding {
                paper: self.paper.clone(),
                section: self.section.clone(),
                what: format!("{}, {}, {statistic}", self.design, self.metric.name()),
                claimed: claimed?,
                is_change: self.metric.is_change(),
                here: Here::only((!series.values.is_empty()).then(|| of(series))),
            })
        })
    }
}

/// Claims about a metric beside the series of the designs that they are about.
pub fn findings(metric: Metric, series: &[Series]) -> Vec<Finding> {
    let mut findings = vec![];
    for claim in of(metric) {
        if let Some(found) = series.iter().find(|series| series.label == claim.design) {
            findings.extend(claim.findings(found));
        }
    }
    findings
}

/// All claims, without numbers of ours.
pub fn all(metrics: &[Metric]) -> Vec<Finding> {
    let none = |claim: &Claim| Series { label: claim.design.clone(), values: vec![] };
    let claims = metrics.iter().flat_map(|metric| of(*metric));
    claims.flat_map(|claim| claim.findings(&none(&claim)).collect::<Vec<_>>()).collect()
}

/// All claims about a metric.
fn of(metric: Metric) -> Vec<Claim> {
    let claims: Vec<Claim> = read(include_str!("../../../papers/evaluation.toml"));
    claims.into_iter().filter(|claim| claim.metric == metric).collect()
}
