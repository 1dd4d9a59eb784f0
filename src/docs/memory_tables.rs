// SPDX-License-Identifier: Apache-2.0
//! H's tables of memory instructions, with the SM's cycles beside them.

use anyhow::{bail, Result};

use super::project::Project;
use crate::windows::{issue_rates, memory_latencies, memory_machine};

/// `rates`, H Table 1; or `latencies`, H Table 2.
pub fn table(_: &Project, which: &str) -> Result<String> {
    let config = memory_machine();
    let of = match which {
        "rates" => issue_rates(&config),
        "latencies" => memory_latencies(&config),
        which => bail!("`memory_tables {which}`: write `memory_tables rates` or `memory_tables latencies`"),
    };
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rows = of.rows.iter().map(|row| line(row)).collect::<String>();
    Ok(format!("{}|{}\n{rows}", line(&of.header), "---|".repeat(of.header.len())))
}
