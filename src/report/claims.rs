// SPDX-License-Identifier: Apache-2.0
//! The claims of all papers beside ours.

use gpurf_synth::{ArithmeticVerdict, Audit, Finding as Overhead};
use maud::html;

use super::claimed::{Claimed, NumberOrigin};
use super::page::Section;
use super::table::{table, Cell};
use crate::compare::finding::{Finding, Judgement};

/// Everything that a paper says, storage and areas first, then what evaluations report.
pub fn section(audits: &[Audit], claims: &[Claimed]) -> Section {
    let mut rows = vec![];
    for audit in audits {
        rows.extend(audit.findings.iter().map(|finding| overhead(&audit.paper, finding)));
    }
    rows.extend(claims.iter().map(measured));
    for audit in audits {
        let paper = &audit.paper;
        rows.extend(audit.not_measured.iter().map(|claim| {
            // A study has a reduction as a negative change, a quote may have it as a positive number.
            let size = claim.claimed.map(f64::abs);
            let is_it = |one: &&Claimed| {
                let Claimed { finding, .. } = one;
                finding.paper == *paper && Some(finding.claimed.abs()) == size && finding.judged().is_some()
            };
            let (here, verdict, from) = match claims.iter().find(is_it) {
                Some(one) => (numbers(&one.finding), verdict(&one.finding), from(&one.source)),
                None => {
                    let command = NumberOrigin::of(claim.measured_by.clone());
                    (Cell::Nothing, judged("middle", "see the command"), from(&command))
                }
            };
            let claimed = Cell::short(claim.claimed);
            row(paper, &claim.section, &claim.quote, claimed, &claim.unit, here, verdict, from)
        }));
    }
    let heads = ["paper", "§", "claim", "claimed", "unit", "here", "verdict", "from"];
    let body = html! {
        p { "A claim about storage is judged twice: whether the paper's own numbers give it, and whether the registers "
            "of this RTL do. A verdict on a claim of an evaluation says how far our number is from it. Numbers that were "
            "not measured for this page are recorded ones." }
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
    from: Cell,
) -> Vec<Cell> {
    vec![paper.into(), section.into(), claim.into(), claimed, unit.into(), here, verdict, from]
}

/// The command, and what is known of the run.
fn from(source: &NumberOrigin) -> Cell {
    let shown = html! {
        code { (source.command) }
        @if let Some(origin) = &source.origin { div.note { (origin) } }
    };
    Cell::Shown(shown, source.command.clone())
}

/// A claim of storage or area.
fn overhead(paper: &str, finding: &Overhead) -> Vec<Cell> {
    let class = match (&finding.verdict, finding.rtl_supports) {
        (ArithmeticVerdict::Contradicts, _) | (_, Some(false)) => "bad",
        (ArithmeticVerdict::AgreesIf(_), _) => "middle",
        (ArithmeticVerdict::Open, None) => "middle",
        (ArithmeticVerdict::Agrees | ArithmeticVerdict::Open, _) => "good",
    };
    let here = html! {
        @for (what, value) in &finding.computed { div { (short(*value)) " (" (what) ")" } }
        @if let Some(value) = finding.counted { div { (short(value)) " counted in the RTL" } }
        @if let Some(value) = finding.area { div { (short(value)) " by area" } }
    };
    let value = finding.counted.or(finding.area).or(finding.computed.first().map(|(_, value)| *value));
    let here = Cell::Shown(here, value.map_or(String::new(), |value| value.to_string()));
    let command = NumberOrigin::of(format!("gpurf overheads {paper}"));
    let claimed = Cell::short(finding.claimed);
    row(
        paper,
        &finding.section,
        &finding.quote,
        claimed,
        &finding.unit,
        here,
        judged(class, &finding.words()),
        from(&command),
    )
}

/// A claim of an evaluation.
fn measured(Claimed { finding, source }: &Claimed) -> Vec<Cell> {
    let claimed = Cell::short(Some(finding.claimed));
    let (here, verdict) = (numbers(finding), verdict(finding));
    row(&finding.paper, &finding.section, &finding.what, claimed, "", here, verdict, from(source))
}

fn numbers(finding: &Finding) -> Cell {
    let shown = html! {
        @for here in &finding.here {
            @if let Some(value) = here.value {
                div { (format!("{value:.1}")) @if here.condition != "here" { " (" (here.condition) ")" } }
            }
        }
    };
    Cell::Shown(shown, finding.judged().map_or(String::new(), |(_, value)| value.to_string()))
}

fn verdict(finding: &Finding) -> Cell {
    let class = match finding.judgement() {
        Judgement::WithinAThird | Judgement::AtMost | Judgement::AtLeast => "good",
        Judgement::SameDirection | Judgement::NotMeasured | Judgement::OnAPart => "middle",
        Judgement::DirectionOnly | Judgement::Differs => "bad",
    };
    judged(class, &finding.verdict())
}

fn judged(class: &str, words: &str) -> Cell {
    Cell::Shown(html! { span class=(class) { (words) } }, words.into())
}

/// Up to four decimals, none where they are zero.
fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
