// SPDX-License-Identifier: Apache-2.0
//! Tables of designs: what each chooses, and what there is to choose.

use std::fmt::Write;

use anyhow::Result;
use gpurf_sim::sm::{Choices, Preset, PRESETS};

use super::project::Project;

/// A row per preset, of all families or of one.
pub fn table(_: &Project, family: &str) -> Result<String> {
    let mut text = String::from("| design | what it is | chooses |\n|---|---|---|\n");
    let is_wanted =
        |preset: &&Preset| family.is_empty() || format!("{:?}", preset.family).to_lowercase() == family;
    for Preset { name, what, paper, choices, .. } in PRESETS.iter().filter(is_wanted) {
        let made: Vec<String> =
            choices.made().iter().map(|(choice, value)| format!("`{choice}={value}`")).collect();
        writeln!(text, "| `{name}` | {what}: {paper} | {} |", made.join(" "))?;
    }
    Ok(text)
}

/// A row per choice, the baseline's value first.
pub fn choices(_: &Project, _: &str) -> Result<String> {
    let mut text = String::from("| choice | | values |\n|---|---|---|\n");
    for (name, what, values) in Choices::known() {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        writeln!(text, "| `{name}` | {what} | {} |", values.join(", "))?;
    }
    Ok(text)
}
