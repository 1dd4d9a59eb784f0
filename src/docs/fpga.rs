// SPDX-License-Identifier: Apache-2.0
//! Modules' use of an FPGA, from [`RECORD`].

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{catalogue, CatalogueEntry};
use gpurf_synth::{Target, Utilization};

use super::markdown::markdown;
use super::project::Project;
use super::record_files::UTILIZATIONS as RECORD;
use crate::output::grouped;

/// One line per module that was measured for a target: with registers of 32 bits, and with those of the
/// defaults.
pub fn table(project: &Project, target: &str) -> Result<String> {
    let target: Target = target.parse()?;
    let mut rows = vec![];
    for entry in catalogue() {
        let narrow = of_width(project, entry, target, 32)?;
        let title = format!("`{}`", entry.name);
        rows.extend(narrow.map(|one| Utilization { top: title.clone(), ..one.clone() }));
        let width = Parameters::default().width;
        if entry.parameters().contains(&"width") {
            let wide = of_width(project, entry, target, width)?;
            rows.extend(
                wide.map(|one| Utilization { top: format!("{title}, width={width}"), ..one.clone() }),
            );
        }
    }
    let measured = rows.iter().filter_map(|one| one.measured.as_ref());
    let days: BTreeSet<&str> = measured.map(|origin| origin.date.as_str()).collect();
    let days = days.into_iter().collect::<Vec<_>>().join(", ");
    Ok(format!(
        "`gpurf synth --set width=32 --target {target} --record {RECORD}` ({days}). {}\n\n{}",
        Utilization::notes(&rows),
        markdown(&Utilization::summary(&rows), &[])
    ))
}

/// The use of the design with a recorded stream.
pub fn demonstrator(project: &Project, _: &str) -> Result<String> {
    let command = format!("gpurf demonstrator sgemm --out out/demonstrator --implement --record {RECORD}");
    let found = project.utilizations()?.all().iter().find(|one| one.top == "demonstrator");
    let one = found.with_context(|| format!("{RECORD} does not know the demonstrator; run `{command}`"))?;
    let day = one.measured.as_ref().map_or("", |origin| origin.date.as_str());
    let rows = std::slice::from_ref(one);
    Ok(format!(
        "`{command}` ({day}). {}\n\n{}",
        Utilization::notes(rows),
        markdown(&Utilization::summary(rows), &[])
    ))
}

/// A module with registers of 32 bits on an ECP5, in short.
pub fn in_short(project: &Project, entry: &CatalogueEntry) -> Result<String> {
    Ok(of_width(project, entry, Target::Ecp5, 32)?.map_or(String::new(), |one| {
        let frequency = one.routed.as_ref().and_then(|routed| routed.frequency_mhz);
        let frequency = frequency.map_or(String::new(), |mhz| format!(", {mhz:.0} MHz"));
        format!("{} LUTs{frequency}", grouped(one.luts))
    }))
}

/// The measurement of a module with registers of so many bits.
fn of_width<'a>(
    project: &'a Project,
    entry: &CatalogueEntry,
    target: Target,
    width: usize,
) -> Result<Option<&'a Utilization>> {
    let mut parameters = Parameters::default();
    parameters.set("width", &width.to_string()).context("a width of registers")?;
    let verilog = project.verilog(entry, &parameters)?;
    let found = project.utilizations()?.find(&verilog.top, &verilog.source, target);
    if let Some(Utilization { measured: Some(origin), source, .. }) = found {
        if *source != verilog.source {
            let command =
                format!("gpurf synth {} --set width={width} --target {target} --record {RECORD}", entry.name);
            project.outdated(command, &verilog.top, &origin.date);
        }
    }
    Ok(found)
}
