// SPDX-License-Identifier: Apache-2.0
//! Tables of the built-in workloads.

use anyhow::{Context, Result};
use gpurf_workloads::suite::{Benchmark, Size, GROUPS};

use super::markdown::markdown;
use super::project::Project;
use crate::output;

/// A row for each workload of some groups, with its input at each size.
pub fn table(_: &Project, groups: &str) -> Result<String> {
    let mut rows = output::table(&["workload", "stands for", "what it computes", "small", "medium", "large"]);
    for wanted in groups.split(' ') {
        let names = || format!("no group `{wanted}`; there are {}", GROUPS.map(|(name, _)| name).join(", "));
        let (_, group) = GROUPS.iter().find(|(name, _)| *name == wanted).with_context(names)?;
        for Benchmark { name, stands_for, about, size, .. } in *group {
            let inputs = [Size::Small, Size::Medium, Size::Large].map(size);
            rows.add_row([*name, *stands_for, *about].map(String::from).into_iter().chain(inputs));
        }
    }
    Ok(markdown(&rows, &[]))
}
