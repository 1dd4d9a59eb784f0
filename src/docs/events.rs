// SPDX-License-Identifier: Apache-2.0
//! Events inside the RTL, as the hardware declares them.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::find;
use gpurf_verilog::{declared_events, is_of_contract};

use super::cell;
use super::project::Project;
use crate::prove::{recorded, Report};

/// From the root of the repository.
const PROOFS: &str = "synth/proofs.jsonl";

/// Kind, module, text and values of each event.
pub fn table(project: &Project, _: &str) -> Result<String> {
    let pages = project.pages()?;
    let mut text = String::from("| event | of | text | values |\n|---|---|---|---|\n");
    for event in declared_events()?.into_iter().filter(|event| !is_of_contract(&event.kind)) {
        let fields: Vec<_> = event.fields.iter().map(|name| format!("`{name}`")).collect();
        let module = pages.link(event.module);
        writeln!(text, "| `{}` | {module} | `{}` | {} |", event.kind, cell(event.text), fields.join(", "))?;
    }
    Ok(text)
}

/// Module, rule and condition of each line of the contracts: what whoever drives a module owes it, and what it owes.
pub fn contracts(project: &Project, _: &str) -> Result<String> {
    let (proofs, pages) = (recorded(&project.root.join(PROOFS))?, project.pages()?);
    let mut lines = declared_events()?;
    lines.retain(|event| is_of_contract(&event.kind));
    lines.sort_by_key(|event| event.module);
    let mut text = String::from("| module | never | owed by | proved | where |\n|---|---|---|---|---|\n");
    let (mut days, mut proved, mut owed) = (BTreeSet::new(), 0, 0);
    for event in lines {
        let by = if event.kind == "misuse" { "its driver" } else { "the module" };
        let mut known = String::from("–");
        if event.kind == "fault" {
            let verilog = project.verilog(find(event.module)?, &Parameters::default())?;
            let is_of_it = |proof: &&Report| proof.verilog == verilog.top && proof.rule == event.text;
            owed += 1;
            if let Some(proof) = proofs.iter().find(is_of_it) {
                if proof.source != verilog.source {
                    let command = format!("gpurf prove {} --record {PROOFS}", event.module);
                    project.outdated(command, &verilog.top, &proof.measured.date);
                }
                known = match proof.result.as_str() {
                    "proved" => format!("{:.1} s", proof.seconds),
                    result => result.to_string(),
                };
                proved += usize::from(proof.result == "proved");
                days.insert(proof.measured.date.clone());
            }
        }
        let (module, condition) = (pages.link(event.module), cell(event.condition));
        writeln!(text, "| {module} | {} | {by} | {known} | `{condition}` |", cell(event.text))?;
    }
    let days = Vec::from_iter(days).join(", ");
    let head = format!("{proved} of the {owed} rules that modules owe are proved, by `gpurf prove` at default size ({days}).");
    Ok(format!("{head}\n\n{text}"))
}
