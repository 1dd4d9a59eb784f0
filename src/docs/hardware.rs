// SPDX-License-Identifier: Apache-2.0
//! Tables that the declarations of modules and parameters give.

use std::fmt::Write;

use anyhow::{ensure, Result};
use gpurf_blocks::{Description, Parameter, PARAMETERS};
use gpurf_hw::catalogue::{catalogue, find};

use super::project::Project;
use super::{cell, citation, fpga, scenarios};

/// All modules.
pub fn modules(project: &Project, _: &str) -> Result<String> {
    let pages = project.pages()?;
    let mut text = String::from(
        "| module | what it is | papers | parameters | scenarios | ECP5, 32 bits | source |\n|---|---|---|---|---:|---|---|\n",
    );
    for entry in catalogue() {
        let (module, source, naming) = (pages.link(entry.name), entry.source, entry.naming);
        let parameters: Vec<_> = entry.parameters().iter().map(|name| format!("`{name}`")).collect();
        let (title, paper, parameters) =
            (naming.title, citation::marked(naming.paper), parameters.join(", "));
        let scenarios = scenarios::of(entry).len();
        let on_fpga = fpga::in_short(project, entry)?;
        let file = source.rsplit('/').next().unwrap_or(source);
        writeln!(
            text,
            "| {module} | {title} | {paper} | {parameters} | {scenarios} | {on_fpga} | [`{file}`](../{source}) |"
        )?;
    }
    Ok(text)
}

/// The text at the head of a module's file. Its headings are those of the page, one level down.
pub fn module(_: &Project, module: &str) -> Result<String> {
    let text = find(module)?.about;
    ensure!(!text.is_empty(), "{module} has no text at the head of its file");
    let demoted =
        |line: &str| if line.starts_with("# ") { format!("#{line}\n") } else { format!("{line}\n") };
    Ok(text.lines().map(demoted).collect())
}

/// All parameters of the hardware, or those that change a module.
pub fn parameters(_: &Project, module: &str) -> Result<String> {
    let chosen: Vec<&Parameter> = match module {
        "" => PARAMETERS.iter().collect(),
        module => {
            find(module)?.parameters().iter().map(|name| Parameter::find(name)).collect::<Result<_, _>>()?
        }
    };
    let mut text = String::from("| parameter | values | default | unit | meaning |\n|---|---|---|---|---|\n");
    for parameter in chosen {
        let Description { name, default, values, unit, doc, source } = parameter.describe();
        let meaning = cell(&format!("{doc} {source}"));
        writeln!(text, "| `{name}` | {values} | {default} | {unit} | {meaning} |")?;
    }
    Ok(text)
}

/// The ports of a module.
pub fn ports(_: &Project, module: &str) -> Result<String> {
    let mut text = String::from("| port | direction | bits | meaning |\n|---|---|---|---|\n");
    for port in find(module)?.ports {
        let direction = if port.is_input { "in" } else { "out" };
        let (name, bits) = match port.length {
            Some(length) => (format!("{}[{length}]", port.name), format!("{} each", bits(port.carried))),
            None => (port.name.to_string(), bits(port.carried)),
        };
        let when = if port.when.is_empty() { String::new() } else { format!(" There with `{}`.", port.when) };
        let said = format!("{} {}{when}", port.bundle, port.doc);
        writeln!(text, "| `{name}` | {direction} | {bits} | {} |", cell(said.trim_start()))?;
    }
    Ok(text)
}

/// Bits of what a port carries; the const generics of the hardware by what they stand for.
fn bits(carried: &str) -> String {
    match carried.trim_start_matches("Bits<").trim_end_matches('>') {
        "Bit" => "1".to_string(),
        "W" => "`width`".to_string(),
        "I" => "log2 `entries`".to_string(),
        "C" => "log2 `collectors`, at least 1".to_string(),
        "P" => "log2 `pcrf_entries`".to_string(),
        "L" => "`rc_tag_lanes`".to_string(),
        "V" => gpurf_blocks::WARP_BITS.to_string(),
        "A" => gpurf_blocks::ADDRESS_BITS.to_string(),
        number => number.to_string(),
    }
}
