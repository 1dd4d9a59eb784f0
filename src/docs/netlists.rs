// SPDX-License-Identifier: Apache-2.0
//! Facts about netlists beside their RTL, from [`RECORD`]. A table names the commands that found them, with
//! the arguments of `gpurf equivalence`, separated by semicolons.

use std::collections::BTreeSet;

use anyhow::{Context, Result};

use super::markdown::markdown;
use super::project::Project;
use crate::equivalence::{recorded, Arguments};
use crate::output::{grouped, table as rows_of};

/// From the root of the repository.
const RECORD: &str = "synth/netlists.jsonl";

/// One line per module of some commands, below a line that names them.
pub fn table(project: &Project, commands: &str) -> Result<String> {
    let (reports, pages) = (recorded(&project.root.join(RECORD))?, project.pages()?);
    let mut rows = rows_of(&["module", "proved by", "proof s", "scenarios", "random cycles", "differences"]);
    let (mut tools, mut days, mut seeds) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut proved, mut differences, mut all) = (0, 0, 0);
    for command in commands.split("; ") {
        let said = format!("gpurf equivalence {command}");
        let arguments: Arguments =
            crate::arguments_of("equivalence", &command.split(' ').collect::<Vec<_>>())
                .with_context(|| format!("`{said}` is no command"))?;
        let (entries, parameters) = arguments.chosen()?;
        let clock_gating = arguments.clock_gating();
        for entry in entries {
            let verilog = project.verilog(entry, &parameters)?;
            let is_one = |one: &&crate::equivalence::EquivalenceReport| {
                one.verilog == verilog.top && one.clock_gating == clock_gating
            };
            let one = reports.iter().find(is_one).with_context(|| {
                format!("{RECORD} does not know {}; run `{said} --record {RECORD}`", verilog.top)
            })?;
            if one.source != verilog.source {
                project.outdated(format!("{said} --record {RECORD}"), &verilog.top, &one.measured.date);
            }
            let width = match entry.parameters().contains(&"width") {
                true => format!(", {} bits", parameters.width),
                false => String::new(),
            };
            let run = one.run.as_ref();
            rows.add_row([
                pages.link(entry.name) + &width,
                one.by.clone().unwrap_or(format!("open after {} s", one.proof)),
                format!("{:.1}", one.seconds),
                run.map_or("–".into(), |run| run.scenarios.to_string()),
                run.map_or("–".into(), |run| grouped(run.cycles)),
                run.map_or("–".into(), |run| run.failures.len().to_string()),
            ]);
            tools.extend(one.yosys.split(" (").next().map(str::to_string));
            if let Some(run) = run {
                tools.extend(run.verilator.split(" 20").next().map(str::to_string));
                seeds.insert(run.seed.to_string());
                differences += run.failures.len();
            }
            days.insert(one.measured.date.clone());
            all += 1;
            proved += usize::from(one.by.is_some());
        }
    }
    let commands: Vec<_> =
        commands.split("; ").map(|command| format!("`gpurf equivalence {command}`")).collect();
    let of = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
    Ok(format!(
        "{} (seed {}; {}; {}): {proved} of {all} proved, {differences} differences.\n\n{}",
        commands.join(", "),
        of(seeds),
        of(tools),
        of(days),
        markdown(&rows, &[])
    ))
}
