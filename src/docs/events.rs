//! Events inside the RTL, as the hardware declares them.

use std::fmt::Write;

use anyhow::Result;
use gpurf_verilog::{declared_events, is_of_contract};

use super::cell;
use super::project::Project;

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
    let pages = project.pages()?;
    let mut lines = declared_events()?;
    lines.retain(|event| is_of_contract(&event.kind));
    lines.sort_by_key(|event| event.module);
    let mut text = String::from("| module | never | broken by | where |\n|---|---|---|---|\n");
    for event in lines {
        let by = if event.kind == "misuse" { "its driver" } else { "the module" };
        let (module, condition) = (pages.link(event.module), cell(event.condition));
        writeln!(text, "| {module} | {} | {by} | `{condition}` |", cell(event.text))?;
    }
    Ok(text)
}
