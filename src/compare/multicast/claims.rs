//! What the paper's evaluation reports: `papers/multicast-evaluation.toml`.

use serde::Deserialize;

use crate::compare::claims::read;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Change of the traffic, %.
    Traffic,
    /// Change of the instructions per cycle, %.
    Performance,
    /// Entries that the load request table needs.
    Entries,
    /// Multicasting loads between two barriers.
    Loads,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    pub section: String,
    pub quantity: Quantity,
    pub design: String,
    /// A tile, "resnet" or "bert"; an average over all if left out.
    pub of: Option<String>,
    pub claimed: f64,
}

/// All claims about a quantity.
pub fn of(quantity: Quantity) -> Vec<Claim> {
    let claims: Vec<Claim> = read(include_str!("../../../papers/multicast-evaluation.toml"));
    claims.into_iter().filter(|claim| claim.quantity == quantity).collect()
}
