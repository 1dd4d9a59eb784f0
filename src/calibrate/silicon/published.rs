// SPDX-License-Identifier: Apache-2.0
//! Errors of other simulators that their authors have published, program by program.

use serde::{Deserialize, Serialize};

/// Signed errors of a program, in percent of the card's cycles.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub suite: String,
    pub program: String,
    pub input: String,
    pub rtx_2080_ti: OfCard,
    pub rtx_2070_super: OfCard,
}

/// Errors of the simulators on one card.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OfCard {
    pub h: f64,
    pub accel_sim: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Published>,
}

pub fn all() -> Vec<Published> {
    let File { program } =
        toml::from_str(include_str!("published.toml")).expect("the embedded file is valid");
    program
}
