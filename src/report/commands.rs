//! What repeats each part of the page.

use gpurf_synth::Synthesis;
use maud::html;

use super::kept::{Kept, NotRun};
use super::page::{date, Section};
use super::table::{table, Cell};
use super::waveforms::Waveform;
use crate::compare::study::Study;

pub fn section(
    studies: &[Kept<Study>],
    missing: &[NotRun],
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
    let own = env!("CARGO_PKG_VERSION");
    let mut rows = vec![row("what workloads consist of", "gpurf workloads", None, own)];
    for study in studies {
        rows.push(row(
            &format!("study {}", study.of.name),
            &study.of.command,
            study.date(),
            &study.of.version,
        ));
    }
    for NotRun { study, command, .. } in missing {
        let line = Cell::Shown(html! { code { (command) } }, command.clone());
        rows.push(vec![format!("study {study}").into(), line, "not run yet".into(), "".into()]);
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
