// SPDX-License-Identifier: Apache-2.0
//! Tables of the constants of the simulated machine, and of the presets that change them.

use anyhow::{Context, Result};
use gpurf_blocks::{Description, Timing, TIMING, TIMINGS};
use gpurf_sim::config::{self, PRESETS};

use super::cell;
use super::project::Project;

/// Every constant with its default, what it is, and its source.
pub fn constants(_: &Project, _: &str) -> Result<String> {
    Ok(table(&["constant", "default", "what it is", "source"], config::constants()))
}

/// The constants that a preset sets, and why.
pub fn machine(_: &Project, name: &str) -> Result<String> {
    let names = PRESETS.map(|(name, _)| name).join(", ");
    let lines = config::preset(name).with_context(|| format!("no preset `{name}`; there are {names}"))?;
    Ok(table(&["constant", "value", "remark", "source"], lines))
}

fn table(header: &[&str; 4], constants: Vec<Description>) -> String {
    let mut text = format!("| {} |\n|---|---|---|---|\n", header.join(" | "));
    for Description { name, default, values, unit, doc, source } in constants {
        let unit = [values, unit].join(" ");
        let what = match unit.trim() {
            "" => doc,
            unit => format!("{doc} {unit}"),
        };
        text += &format!("| `{name}` | {} | {} | {} |\n", code(&default), cell(&what), cell(&source));
    }
    text
}

/// The values of every constant that a preset sets; what a preset leaves at its default stays empty.
pub fn side_by_side(_: &Project, _: &str) -> Result<String> {
    let presets = PRESETS.map(|(name, _)| (name, config::preset(name).unwrap_or_default()));
    let names = presets.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" | ");
    let mut text = format!("| constant | default | {names} |\n|---|---|{}\n", "---|".repeat(PRESETS.len()));
    for Description { name, default, .. } in config::constants() {
        let values = presets.iter().map(|(_, lines)| lines.iter().find(|line| line.name == name));
        let values: Vec<_> = values.map(|line| line.map(|line| line.default.as_str())).collect();
        if values.iter().any(Option::is_some) {
            let cells = values.iter().map(|value| value.map_or(String::new(), code)).collect::<Vec<_>>();
            text += &format!("| `{name}` | {} | {} |\n", code(&default), cells.join(" | "));
        }
    }
    Ok(text)
}

/// The settings of each named timing, and why.
pub fn timings(_: &Project, _: &str) -> Result<String> {
    let set = TIMINGS[0].settings.map(|(name, _)| code(name)).join(" | ");
    let mut text =
        format!("| `{TIMING}` | {set} | what it is | source |\n|---|{}---|---|\n", "---|".repeat(5));
    for Timing { name, settings, doc, source } in &TIMINGS {
        let values = settings.map(|(_, value)| value).join(" | ");
        text += &format!("| `{name}` | {values} | {} | {} |\n", cell(doc), cell(source));
    }
    Ok(text)
}

fn code(value: &str) -> String {
    format!("`{value}`")
}
