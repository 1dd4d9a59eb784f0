//! Events inside the RTL, as the hardware declares them.

use std::fmt::Write;

use anyhow::Result;
use gpurf_verilog::declared_events;

use super::cell;
use super::project::Project;

/// Kind, module, text and values of each event.
pub fn table(project: &Project, _: &str) -> Result<String> {
    let pages = project.pages()?;
    let mut text = String::from("| event | of | text | values |\n|---|---|---|---|\n");
    for event in declared_events()? {
        let fields: Vec<_> = event.fields.iter().map(|name| format!("`{name}`")).collect();
        let module = pages.link(event.module);
        writeln!(text, "| `{}` | {module} | `{}` | {} |", event.kind, cell(event.text), fields.join(", "))?;
    }
    Ok(text)
}
