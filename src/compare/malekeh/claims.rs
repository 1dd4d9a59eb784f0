//! What the papers' evaluations report: `papers/evaluation.toml`.

use serde::Deserialize;

use super::metrics::Metric;

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

#[derive(Deserialize)]
struct Claims {
    claim: Vec<Claim>,
}

/// All claims about a metric.
pub fn of(metric: Metric) -> Vec<Claim> {
    let claims: Claims = toml::from_str(include_str!("../../../papers/evaluation.toml"))
        .expect("the embedded claims are valid");
    claims.claim.into_iter().filter(|claim| claim.metric == metric).collect()
}
