// SPDX-License-Identifier: Apache-2.0
//! The page in short: how the claims of each paper come out, and what letters and words stand for.

use anyhow::Result;
use gpurf_synth::{ArithmeticVerdict, Audit, Paper};
use maud::{html, Markup};

use super::claimed::Claimed;
use super::page::Section;
use super::plots;
use super::table::{table, Cell};
use crate::compare::finding::Judgement;
use crate::compare::study::Study;

/// Words that pages of this project take for granted.
const WORDS: [(&str, &str); 15] = [
    ("BOC", "bypassing operand collector: keeps operands for a window of instructions of one warp"),
    ("CCU", "caching collector unit: an operand collector that keeps registers for later instructions"),
    ("CTA", "cooperative thread array: a thread block"),
    ("far, near", "an operand that is read again late or not at all, and one that is read again soon"),
    ("GE", "gate equivalents: area over that of a NAND gate with two inputs"),
    ("hit ratio", "share of the source operands that need no read of a register bank"),
    ("IPC", "warp instructions per cycle of a streaming multiprocessor"),
    ("IWMU", "inter-warp multicasting unit: serves loads of several warps by one access"),
    ("LRT", "load request table of the IWMU: loads that wait for a partner"),
    ("OCU", "operand collector unit: gathers the source operands of an instruction"),
    ("PCRF", "pending CTA register file: live registers of thread blocks that do not run"),
    ("RMU", "register management unit: moves registers between the register file and the PCRF"),
    ("SM", "streaming multiprocessor"),
    ("STHLD", "stall threshold: the number of cycles for which a collector is kept for its warp"),
    ("token", "a register value in simulation, which names its writer; each operand's is checked"),
];

/// How many claims of a paper come out in which way.
#[derive(Default)]
struct Counts {
    holds: usize,
    partly: usize,
    differs: usize,
    open: usize,
}

/// `study`: the one that the page has just run.
pub fn section(audits: &[Audit], claims: &[Claimed], study: &Study) -> Result<Section> {
    let papers = Paper::all();
    let of_paper = |paper: &Paper| {
        let audit = audits.iter().find(|audit| audit.paper == paper.key);
        let claims: Vec<&Claimed> = claims.iter().filter(|one| one.finding.paper == paper.key).collect();
        (counts(audit, &claims), claims)
    };
    let rows: Vec<Vec<Cell>> = papers
        .iter()
        .map(|paper| {
            let (Counts { holds, partly, differs, open }, _) = of_paper(paper);
            let counts = [holds, partly, differs, open].map(|count| Cell::from(count as u64));
            [paper.key.as_str().into(), paper.title.as_str().into()].into_iter().chain(counts).collect()
        })
        .collect();
    let heads = ["letter", "paper", "holds", "partly", "differs", "no verdict"];
    let body = html! {
        (table(&heads, &rows))
        p.note { "A claim holds if our number is within a third of it, below its maximum or above its minimum, or if its arithmetic and the RTL "
            "agree with it. It holds partly if our number goes in the same direction and is not far from it, or if its "
            "arithmetic needs a reading of ours. There is no verdict on what was not measured, or only on a part of the inputs." }
        ul {
            @for paper in &papers {
                @let (_, claims) = of_paper(paper);
                @if let Some(sentence) = sentence(&claims) { li { strong { (paper.key) } ": " (sentence) } }
            }
        }
        (plots::overview(study)?)
        (legend())
    };
    Ok(Section { id: "summary", title: "Summary", body })
}

/// A claim of an evaluation counts once, as its first number comes out.
fn counts(audit: Option<&Audit>, claims: &[&Claimed]) -> Counts {
    let mut counts = Counts::default();
    for finding in audit.into_iter().flat_map(|audit| &audit.findings) {
        let place = match (&finding.verdict, finding.rtl_supports) {
            (ArithmeticVerdict::Contradicts, _) | (_, Some(false)) => &mut counts.differs,
            (ArithmeticVerdict::AgreesIf(_), _) => &mut counts.partly,
            (ArithmeticVerdict::Open, None) => &mut counts.open,
            (ArithmeticVerdict::Agrees | ArithmeticVerdict::Open, _) => &mut counts.holds,
        };
        *place += 1;
    }
    for (number, one) in claims.iter().enumerate() {
        if claims[..number].iter().any(|other| other.finding.is_of(&one.finding)) {
            continue;
        }
        let place = match one.finding.judgement() {
            Judgement::WithinAThird | Judgement::AtMost | Judgement::AtLeast => &mut counts.holds,
            Judgement::SameDirection => &mut counts.partly,
            Judgement::DirectionOnly | Judgement::Differs => &mut counts.differs,
            Judgement::OnAPart | Judgement::NotMeasured => &mut counts.open,
        };
        *place += 1;
    }
    counts
}

/// The paper's headlines beside our numbers.
fn sentence(claims: &[&Claimed]) -> Option<String> {
    let said = |one: &&Claimed| {
        let finding = &one.finding;
        let (_, value) = finding.judged()?;
        let [claimed, here] = [finding.claimed, value].map(|number| format!("{number:.1}").replace('-', "−"));
        let extent = one.source.extent.as_ref().map_or(String::new(), |extent| format!(" ({extent})"));
        Some(format!("{}: {claimed} claimed, {here} here{extent}, {}", finding.what, finding.verdict()))
    };
    let headlines: Vec<String> = claims.iter().filter(|one| one.finding.headline).filter_map(said).collect();
    (!headlines.is_empty()).then(|| headlines.join("; ") + ".")
}

fn legend() -> Markup {
    html! {
        details {
            summary { "words" }
            dl.words {
                @for judgement in Judgement::ALL { dt { (judgement) } dd { (judgement.meaning()) } }
                @for (word, meaning) in WORDS { dt { (word) } dd { (meaning) } }
            }
        }
    }
}
