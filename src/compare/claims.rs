//! Claims of the papers' evaluations, as the files in `papers` have them.

use serde::de::DeserializeOwned;
use serde::Deserialize;

#[derive(Deserialize)]
struct Claims<C> {
    claim: Vec<C>,
}

/// All claims of an embedded file.
pub fn read<C: DeserializeOwned>(file: &str) -> Vec<C> {
    let claims: Claims<C> = toml::from_str(file).expect("the embedded claims are valid");
    claims.claim
}
