//! The claims of all papers beside ours.

use gpurf_synth::{Audit, Finding as Overhead, Verdict};
use maud::html;

use super::kept::{Kept, NotRun};
use super::page::Section;
use super::table::{table, Cell};
use crate::compare::finding::{Finding, Judgement};
use crate::compare::study::Study;

/// Everything that a paper says, storage and areas first, then what evaluations report.
pub fn section(audits: &[Audit], studies: &[Kept<Study>], missing: &[NotRun]) -> Section {
    let mut rows = vec![];
    for audit in audits {
        rows.extend(audit.findings.iter().map(|finding| overhead(&audit.paper, finding)));
    }
    for study in studies {
        rows.extend(study.of.findings.iter().map(|finding| measured(finding, &study.of.command)));
    }
    for study in missing {
        rows.extend(study.claims.iter().map(|claim| measured(claim, &study.command)));
    }
    for audit in audits {
        let paper = &audit.paper;
        rows.extend(audit.not_measured.iter().map(|claim| {
            let by = format!("by {}", claim.measured_by);
            let claimed = Cell::short(claim.claimed);
            let open = judged("middle", "see the command");
            row(paper, &claim.section, &claim.quote, claimed, &claim.unit, Cell::Nothing, open, &by)
        }));
    }
    let heads = ["paper", "§", "claim", "claimed", "unit", "here", "verdict", "command"];
    let body = html! {
        p { "A claim about storage is judged twice: whether the paper's own numbers give it, and whether the registers "
            "of this RTL do. A claim of an evaluation is within a third of what is measured here (or within one unit), "
            "or goes in the same direction, or differs." }
        input.filter type="search" placeholder="filter: words" aria-label="filter the claims" data-table="claims-table";
        div id="claims-table" { (table(&heads, &rows)) }
        @for audit in audits {
            @if !audit.contradictions.is_empty() {
                h3 { "Paper " (audit.paper) ", " em { (audit.title) } ", does not agree with itself" }
                ul { @for found in &audit.contradictions { li { (found.between.join(" and ")) ": " (found.what) } } }
            }
        }
    };
    Section { id: "claims", title: "Claims", body }
}

#[allow(clippy::too_many_arguments)]
fn row(
    paper: &str,
    section: &str,
    claim: &str,
    claimed: Cell,
    unit: &str,
    here: Cell,
    verdict: Cell,
    by: &str,
) -> Vec<Cell> {
    let by = Cell::Shown(html! { code { (by) } }, by.into());
    vec![paper.into(), section.into(), claim.into(), claimed, unit.into(), here, verdict, by]
}

/// A claim of storage or area.
fn overhead(paper: &str, finding: &Overhead) -> Vec<Cell> {
    let class = match (&finding.verdict, finding.rtl_supports) {
        (Verdict::Contradicts, _) | (_, Some(false)) => "bad",
        (Verdict::AgreesIf(_), _) => "middle",
        (Verdict::Open, None) => "middle",
        (Verdict::Agrees | Verdict::Open, _) => "good",
    };
    let here = html! {
        @for (what, value) in &finding.computed { div { (short(*value)) " (" (what) ")" } }
        @if let Some(value) = finding.counted { div { (short(value)) " counted in the RTL" } }
        @if let Some(value) = finding.area { div { (short(value)) " by area" } }
    };
    let value = finding.counted.or(finding.area).or(finding.computed.first().map(|(_, value)| *value));
    let here = Cell::Shown(here, value.map_or(String::new(), |value| value.to_string()));
    let by = format!("gpurf overheads {paper}");
    let claimed = Cell::short(finding.claimed);
    row(
        paper,
        &finding.section,
        &finding.quote,
        claimed,
        &finding.unit,
        here,
        judged(class, &finding.words()),
        &by,
    )
}

/// A claim of an evaluation.
fn measured(finding: &Finding, by: &str) -> Vec<Cell> {
    let judgement = finding.judgement();
    let class = match judgement {
        Judgement::WithinAThird | Judgement::AtMost => "good",
        Judgement::SameDirection | Judgement::NotMeasured => "middle",
        Judgement::Differs => "bad",
    };
    let shown = html! {
        @for here in &finding.here {
            @if let Some(value) = here.value {
                div { (format!("{value:.1}")) @if here.condition != "here" { " (" (here.condition) ")" } }
            }
        }
    };
    let value = finding.here.iter().find_map(|here| here.value);
    let here = Cell::Shown(shown, value.map_or(String::new(), |value| value.to_string()));
    let claimed = Cell::short(Some(finding.claimed));
    let verdict = judged(class, &judgement.to_string());
    row(&finding.paper, &finding.section, &finding.what, claimed, "", here, verdict, by)
}

fn judged(class: &str, words: &str) -> Cell {
    Cell::Shown(html! { span class=(class) { (words) } }, words.into())
}

/// Up to four decimals, none where they are zero.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
