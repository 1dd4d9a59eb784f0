// SPDX-License-Identifier: Apache-2.0
//! Events inside the RTL, as the hardware declares them.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_hw::catalogue::{catalogue, find};
use gpurf_hw::dialect::Monitor;
use gpurf_synth::{digest_with_monitor, PropertyKind, Watched};
use gpurf_verilog::{declared_events, is_of_contract};

use super::cell;
use super::project::Project;
use crate::prove::{recorded, watched, ProofReport};
use crate::verilog::set;

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

/// A rule that is to be proved.
struct Rule<'a> {
    module: &'a str,
    /// Name of the exported module.
    verilog: &'a str,
    /// Digest of all that a proof rests on.
    source: &'a str,
    of: &'a str,
    text: &'a str,
}

/// The recorded proof of a rule, if there is one. One that is missing, or of older Verilog or an older
/// monitor, is noted.
fn proof<'a>(project: &Project, proofs: &'a [ProofReport], rule: &Rule) -> Option<&'a ProofReport> {
    let Rule { module, verilog, source, of, text } = *rule;
    let is_of_it =
        |proof: &&ProofReport| (&proof.of[..], &proof.verilog[..], &proof.rule[..]) == (of, verilog, text);
    let command = || format!("gpurf prove {module} --record {PROOFS}");
    let Some(proof) = proofs.iter().find(is_of_it) else {
        // A rule that looks into parts of its module is no question to a prover.
        if !proofs.iter().any(|proof| (&proof.of[..], &proof.source[..]) == (of, source)) {
            project.missing(command(), verilog);
        }
        return None;
    };
    if proof.source != source {
        project.outdated(command(), verilog, &proof.measured.date);
    }
    Some(proof)
}

/// Module, rule and condition of each line of the contracts: what whoever drives a module owes it, and what
/// it owes.
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
            owed += 1;
            let rule = Rule {
                module: event.module,
                verilog: &verilog.top,
                source: &verilog.source_with_contract,
                of: "contract",
                text: event.text,
            };
            if let Some(proof) = proof(project, &proofs, &rule) {
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

/// The properties in the monitors of modules, at each size, with their results.
pub fn monitors(project: &Project, _: &str) -> Result<String> {
    let (proofs, pages) = (recorded(&project.root.join(PROOFS))?, project.pages()?);
    let mut text = String::from("| module | size | what | result | by |\n|---|---|---|---|---|\n");
    let (mut days, mut proved, mut all) = (BTreeSet::new(), 0, 0);
    let monitored = catalogue().iter().filter_map(|entry| Some((*entry, Monitor::of(entry.name)?)));
    for (entry, monitor) in monitored {
        for size in &Watched::sizes(monitor.text) {
            let parameters = set(size, &[entry])?;
            let (verilog, watched) =
                (project.verilog(entry, &parameters)?, watched(entry, &parameters, monitor.text)?);
            let source = digest_with_monitor(&verilog.code, &watched);
            for property in watched.properties.iter().filter(|property| property.kind != PropertyKind::Assume)
            {
                let (mut known, mut by) = ("–".to_string(), "–".to_string());
                let rule = Rule {
                    module: entry.name,
                    verilog: &verilog.top,
                    source: &source,
                    of: "monitor",
                    text: &property.text,
                };
                if let Some(proof) = proof(project, &proofs, &rule) {
                    known = match proof.cycles {
                        Some(cycles) if proof.result == "bounded" => format!("open beyond {cycles} cycles"),
                        Some(cycles) => format!("{} in cycle {cycles}", proof.result),
                        None => proof.result.clone(),
                    };
                    by = format!("{}, {:.1} s", proof.method, proof.seconds);
                    proved += usize::from(proof.result == "proved");
                    days.insert(proof.measured.date.clone());
                }
                all += usize::from(property.kind != PropertyKind::Cover);
                let (module, what) = (pages.link(entry.name), cell(&property.text));
                let lemma = if property.kind == PropertyKind::Lemma { " (lemma)" } else { "" };
                let size = if size.is_empty() { "default".to_string() } else { size.join(" ") };
                writeln!(text, "| {module} | {size} | {what}{lemma} | {known} | {by} |")?;
            }
        }
    }
    let days = Vec::from_iter(days).join(", ");
    let head = format!(
        "{proved} of {all} are proved, by `gpurf prove` ({days}). Lemmas are there for the proofs of others."
    );
    Ok(format!("{head}\n\n{text}"))
}
