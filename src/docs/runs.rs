// SPDX-License-Identifier: Apache-2.0
//! Results of short runs of the SM, run when the table is made. A table names commands, with the arguments
//! of `gpurf sim`, separated by semicolons: `runs sgemm hgemm; sgemm --design malekeh`.

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::output::table as rows_of;
use crate::sim::{runs, Arguments};

/// One line for each input of some commands.
pub fn table(_: &Project, commands: &str) -> Result<String> {
    let mut rows = rows_of(&[&runs::HEADER[..], &["command"]].concat());
    for command in commands.split("; ") {
        let arguments = Arguments::of(&command.split(' ').collect::<Vec<_>>())
            .with_context(|| format!("`gpurf sim {command}` is no command"))?;
        for (input, found) in arguments.inputs().iter().zip(arguments.found()?) {
            let statistics = arguments.simulate(&found)?.statistics;
            let run = runs::row(&format!("`{input}`"), &statistics);
            rows.add_row(run.into_iter().chain([format!("`gpurf sim {command}`")]));
        }
    }
    Ok(markdown(&rows, &["cycles", "warp instructions", "divergences"]))
}
