//! What R's evaluation reports: `papers/finereg-evaluation.toml`.

use serde::Deserialize;

use super::kinds::Kind;
use super::metrics::Metric;
use crate::compare::claims::read;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub section: String,
    pub metric: Metric,
    pub design: String,
    pub workloads: Workloads,
    pub average: f64,
}

/// The workloads that a claim is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Workloads {
    #[serde(rename = "all")]
    All,
    S,
    R,
}

impl Workloads {
    pub fn include(self, kind: Kind) -> bool {
        match self {
            Workloads::All => true,
            Workloads::S => kind == Kind::S,
            Workloads::R => kind == Kind::R,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Workloads::All => "all",
            Workloads::S => "Type-S",
            Workloads::R => "Type-R",
        }
    }
}

/// All claims about a metric.
pub fn of(metric: Metric) -> Vec<Claim> {
    let claims: Vec<Claim> = read(include_str!("../../../papers/finereg-evaluation.toml"));
    claims.into_iter().filter(|claim| claim.metric == metric).collect()
}
