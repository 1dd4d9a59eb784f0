// SPDX-License-Identifier: Apache-2.0
//! Commands that repeat each part of the page.

use gpurf_synth::Synthesis;
use maud::html;

use super::claimed::Claimed;
use super::kept::Kept;
use super::page::{date, Section};
use super::table::{table, Cell};
use super::waveforms::Waveform;
use crate::compare::study::Study;
use crate::program;

pub fn section(
    studies: &[Kept<Study>],
    claims: &[Claimed],
    areas: Option<&Kept<Vec<Synthesis>>>,
    waveforms: &[Waveform],
) -> Section {
    let row = |what: &str, line: &str, when: Option<String>, version: &str| {
        vec![
            what.into(),
            Cell::Shown(html! { code { (line) } }, line.into()),
            Cell::Shown(date(when.clone()), when.unwrap_or_default()),
            version.into(),
        ]
    };
    let own = program::version();
    let mut rows = vec![row("what workloads consist of", "gpurf workloads", None, own)];
    for study in studies {
        rows.push(row(
            &format!("study {}", study.of.name),
            &study.of.command,
            study.date(),
            &study.of.version,
        ));
    }
    let mut named: Vec<&str> = studies.iter().map(|study| study.of.command.as_str()).collect();
    for Claimed { source, .. } in claims {
        if named.contains(&source.command.as_str()) {
            continue;
        }
        named.push(&source.command);
        let line = Cell::Shown(html! { code { (source.command) } }, source.command.clone());
        let made = source.origin.as_deref().unwrap_or("not run yet");
        rows.push(vec!["claims of a study".into(), line, made.into(), "".into()]);
    }
    let written = areas.and_then(Kept::date);
    match areas {
        Some(_) => rows.push(row("areas", "gpurf overheads --json out/overheads.json", written, own)),
        None => rows.push(row("claims about storage", "gpurf overheads --no-area", None, own)),
    }
    for waveform in waveforms {
        rows.push(row("waveform", &waveform.command, None, own));
    }
    let body = html! {
        (table(&["part", "command", "made", "version"], &rows))
        p { "All of them, and this page: " code { "make compare && make overheads && gpurf report" } "." }
    };
    Section { id: "commands", title: "Commands", body }
}
