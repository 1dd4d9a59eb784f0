//! What the papers' evaluations report: `papers/evaluation.toml`.

use serde::Deserialize;

use super::metrics::Metric;
use crate::compare::claims::read;

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

/// All claims about a metric.
pub fn of(metric: Metric) -> Vec<Claim> {
    let claims: Vec<Claim> = read(include_str!("../../../papers/evaluation.toml"));
    claims.into_iter().filter(|claim| claim.metric == metric).collect()
}
