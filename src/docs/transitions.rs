// SPDX-License-Identifier: Apache-2.0
//! The transitions of the STHLD controller, from the file that has them.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use gpurf_blocks::{Edges, SthldTable, Transition};

use super::project::Project;

const FILE: &str = "blocks/config/sthld.toml";

/// The table of states. The meaning of a state stands behind it in the file, as in
/// `[[state]] # 1: the first interval`.
pub fn table(project: &Project, _: &str) -> Result<String> {
    let path = project.root.join(FILE);
    let name = path.display().to_string();
    let file = fs::read_to_string(&path).with_context(|| format!("{name}: cannot be read"))?;
    let states = SthldTable::parse(&file, &name)?.state;
    let meanings = file.lines().filter_map(|line| line.strip_prefix("[[state]] # ")?.split_once(": "));
    let mut text = String::from(
        "| state | meaning | after a small change | after a large change |\n|---|---|---|---|\n",
    );
    for (Edges { small, large }, (state, meaning)) in states.iter().zip(meanings) {
        writeln!(text, "| {state} | {meaning} | {} | {} |", edge(small), edge(large))?;
    }
    Ok(text)
}

fn edge(Transition { next, step }: &Transition) -> String {
    match step {
        0 => format!("→ {next}, 0"),
        step => format!("→ {next}, {step:+}").replace('-', "−"),
    }
}
