//! Results for people, and as CSV.

use gpurf_sim::sm::Design;
use gpurf_sim::statistics::{ratio, ResidentBlocks};

use super::claims::{self, Claim, Workloads};
use super::kinds::{Kind, Profile};
use super::metrics::{Metric, METRICS};
use crate::compare::csv::Column;
use crate::compare::finding::{findings_table, Finding, Here};
use crate::compare::jobs::{Outcome, Variant};
use crate::compare::series::{by_workload, percent, Series};
use crate::output::table;

/// A table per metric, the averages by type and the claims under each.
pub fn print(outcomes: &[Outcome], designs: &[Design], profiles: &[Profile], ablations: &[Variant]) {
    for metric in METRICS {
        let concerned = designs.iter().filter(|design| metric.concerns(&design.name()));
        let series: Vec<_> = concerned.map(|design| metric.of(outcomes, &design.name())).collect();
        if !series.is_empty() {
            println!("{}\n{}", metric.title(), by_workload(outcomes, &series));
            print_claims(metric, &series, profiles);
        }
    }
    print_events(outcomes, designs);
    if !ablations.is_empty() {
        print_ablations(outcomes, ablations);
    }
}

/// The mean over the workloads of a type; `None` without any.
fn average(series: &Series, workloads: Workloads, profiles: &[Profile]) -> Option<f64> {
    let kind =
        |workload: &str| profiles.iter().find(|profile| profile.workload == workload).map(|found| found.kind);
    let of_type =
        series.values.iter().filter(|(name, _)| kind(name).is_some_and(|kind| workloads.include(kind)));
    let values: Vec<f64> = of_type.map(|(_, value)| *value).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn print_claims(metric: Metric, series: &[Series], profiles: &[Profile]) {
    let count = |kind: Kind| profiles.iter().filter(|profile| profile.kind == kind).count();
    let types = [Workloads::All, Workloads::S, Workloads::R];
    let mut rows = table(&["average", "all", "Type-S", "Type-R"]);
    rows.add_row([
        "workloads".to_string(),
        profiles.len().to_string(),
        count(Kind::S).to_string(),
        count(Kind::R).to_string(),
    ]);
    for one in series {
        let means = types.map(|workloads| average(one, workloads, profiles).map_or(String::new(), percent));
        rows.add_row([&[one.label.clone()][..], &means].concat());
    }
    println!("{rows}");
    let findings = findings(metric, series, profiles);
    if !findings.is_empty() {
        println!("{}", findings_table(&findings));
    }
    println!();
}

/// Claims about a metric beside the series of the designs that they are about.
pub fn findings(metric: Metric, series: &[Series], profiles: &[Profile]) -> Vec<Finding> {
    let here = |claim: &Claim| {
        let found = series.iter().find(|series| series.label == claim.design)?;
        Some(Here::only(average(found, claim.workloads, profiles)))
    };
    let claims = claims::of(metric).into_iter();
    claims.filter_map(|claim| Some(finding(metric, here(&claim)?, claim))).collect()
}

/// All claims, without numbers of ours.
pub fn claimed() -> Vec<Finding> {
    let of = |metric| claims::of(metric).into_iter().map(move |claim| finding(metric, vec![], claim));
    METRICS.into_iter().flat_map(of).collect()
}

fn finding(metric: Metric, here: Vec<Here>, claim: Claim) -> Finding {
    Finding {
        paper: "R".into(),
        section: claim.section,
        what: format!("{}, {}, workloads: {}", claim.design, metric.name(), claim.workloads.name()),
        claimed: claim.average,
        is_change: metric.is_change(),
        here,
    }
}

/// What switching took.
fn print_events(outcomes: &[Outcome], designs: &[Design]) {
    println!("Switches, all workloads");
    let mut rows = table(&[
        "design",
        "switched out",
        "resumed in place",
        "from PCRF, DRAM",
        "refused: no room",
        "refused: diverged",
        "registers saved",
        "look-ups missed %",
        "cycles switching %",
        "token errors",
    ]);
    for design in designs.iter().filter(|design| **design != Design::BASELINE) {
        let of_design = outcomes.iter().filter(|outcome| outcome.label == design.name());
        let mut sum = ResidentBlocks::default();
        let (mut cycles, mut errors) = (0, 0);
        for outcome in of_design {
            sum.add(&outcome.residency.unwrap_or_default());
            cycles += outcome.counters.cycles;
            errors += outcome.counters.token_errors;
        }
        rows.add_row([
            design.name(),
            sum.switched_out.to_string(),
            sum.resumed_in_place.to_string(),
            sum.resumed_from_store.to_string(),
            sum.refused_room.to_string(),
            sum.refused_diverged.to_string(),
            sum.registers_saved.to_string(),
            percent(100.0 * ratio(sum.vector_misses, sum.vector_hits + sum.vector_misses)),
            percent(100.0 * ratio(sum.switch_cycles, cycles)),
            errors.to_string(),
        ]);
    }
    println!("{rows}\n");
}

/// FineReg with one thing changed: averages.
fn print_ablations(outcomes: &[Outcome], variants: &[Variant]) {
    println!("FineReg with one thing changed: averages (ACRF and PCRF: R Fig. 17)");
    let mut rows = table(&["", "CTAs %", "of them active %", "IPC %", "depletion %"]);
    let labels = std::iter::once("finereg").chain(variants.iter().map(|variant| variant.label.as_str()));
    for label in labels {
        let of = |metric: Metric| percent(metric.of(outcomes, label).average());
        let active = Series::new(outcomes, label, "baseline", |outcome, _| {
            let residency = outcome.residency?;
            Some(100.0 * ratio(residency.active_cycles, residency.resident_cycles))
        });
        let active = percent(active.average());
        rows.add_row([label.to_string(), of(Metric::Ctas), active, of(Metric::Ipc), of(Metric::Depletion)]);
    }
    println!("{rows}\n");
}

/// Columns for spreadsheets.
pub const COLUMNS: [Column; 7] = [
    ("resident_cycles", |outcome| residency(outcome).resident_cycles.to_string()),
    ("active_cycles", |outcome| residency(outcome).active_cycles.to_string()),
    ("switched_out", |outcome| residency(outcome).switched_out.to_string()),
    ("resumed_in_place", |outcome| residency(outcome).resumed_in_place.to_string()),
    ("resumed_from_store", |outcome| residency(outcome).resumed_from_store.to_string()),
    ("registers_saved", |outcome| residency(outcome).registers_saved.to_string()),
    ("stalls_depletion", |outcome| outcome.stalls.depletion.to_string()),
];

fn residency(outcome: &Outcome) -> ResidentBlocks {
    outcome.residency.unwrap_or_default()
}
