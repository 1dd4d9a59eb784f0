//! What short runs of the SM give, run when the table is made. A table names commands, with the arguments of `gpurf sim`,
//! separated by semicolons: `runs sgemm hgemm; sgemm --design malekeh`.

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::output::{grouped, table as rows_of};
use crate::sim::Arguments;

/// One line for each input of some commands.
pub fn table(_: &Project, commands: &str) -> Result<String> {
    let header = ["input", "IPC", "hit ratio", "operands checked", "of them wrong", "command"];
    let mut rows = rows_of(&header);
    for command in commands.split("; ") {
        let arguments = Arguments::of(&command.split(' ').collect::<Vec<_>>())
            .with_context(|| format!("`gpurf sim {command}` is no command"))?;
        for input in arguments.inputs() {
            let (_, statistics) = arguments.simulate(input)?;
            let (summary, counters) = (&statistics.summary, &statistics.summary.counters);
            rows.add_row([
                format!("`{input}`"),
                format!("{:.3}", summary.ipc),
                format!("{:.1}%", 100.0 * summary.hit_ratio),
                grouped(counters.token_checks),
                grouped(counters.token_errors),
                format!("`gpurf sim {command}`"),
            ]);
        }
    }
    Ok(markdown(&rows, &[]))
}
