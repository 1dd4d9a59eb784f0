//! Results for people, and as CSV.

use anyhow::Result;
use gpurf_sim::config::Config;
use gpurf_sim::energy::Energies;
use gpurf_sim::sm::Design;
use gpurf_sim::statistics::ratio;

use super::claims;
use super::metrics::Metric;
use crate::compare::csv::Column;
use crate::compare::finding::findings_table;
use crate::compare::jobs::{Outcome, Variant};
use crate::compare::series::{by_workload, percent, Series};
use crate::output::table;

pub const METRICS: [Metric; 7] = [
    Metric::Ipc,
    Metric::HitRatio,
    Metric::Energy,
    Metric::CacheWrites,
    Metric::Issue,
    Metric::Pending,
    Metric::Idle,
];

/// A table per metric, the claims under each.
pub fn print(outcomes: &[Outcome], designs: &[Design], variants: &[Variant]) -> Result<()> {
    for metric in METRICS {
        let concerned = designs.iter().filter(|design| metric.concerns(&design.name()));
        let series: Vec<_> = concerned.map(|design| metric.of(outcomes, &design.name())).collect();
        if !series.is_empty() {
            println!("{}\n{}", metric.title(), by_workload(outcomes, &series));
            print_claims(metric, &series);
        }
    }
    print_sizes(outcomes, designs);
    if designs.contains(&Design::MALEKEH) {
        print_sensitivity(outcomes);
        print_lost(outcomes);
    }
    let changed: Vec<_> = variants.iter().filter(|variant| variant.label != variant.design.name()).collect();
    if !changed.is_empty() {
        print_variants(outcomes, &changed);
    }
    Ok(())
}

fn print_claims(metric: Metric, series: &[Series]) {
    let findings = claims::findings(metric, series);
    if !findings.is_empty() {
        println!("{}", findings_table(&findings));
    }
    println!();
}

/// How the energy saved by Malekeh depends on the estimates.
fn print_sensitivity(outcomes: &[Outcome]) {
    let config = Config::default();
    let energies = Energies::default();
    let saving = |energies: &Energies| {
        let total = |label: &str, design: &Design| {
            let of_label = outcomes.iter().filter(|outcome| outcome.label == label);
            of_label.map(|outcome| energies.of(design, &config, &outcome.counters).total).collect::<Vec<_>>()
        };
        let (with, without) = (total("malekeh", &Design::MALEKEH), total("baseline", &Design::BASELINE));
        let changes = with.iter().zip(&without).map(|(with, without)| 100.0 * (with / without - 1.0));
        changes.sum::<f64>() / with.len() as f64
    };
    println!(
        "Energy under malekeh, average change over the baseline, %, with the energies of one part scaled"
    );
    let mut rows = table(&["part", "x 0.5", "x 1", "x 2"]);
    for part in ["banks", "crossbar", "collectors", "cache over collector", "tags", "arbitration"] {
        let at = |factor: f64| percent(saving(&energies.scaled(part, factor).expect("a part that there is")));
        rows.add_row([part.to_string(), at(0.5), at(1.0), at(2.0)]);
    }
    println!("{rows}\n");
}

/// Energy with what C Table III has, whose caches are of 8 KB, and with collectors that cost what their own size does.
fn print_sizes(outcomes: &[Outcome], designs: &[Design]) {
    let config = Config::default();
    let by_size = |design: &Design, outcome: &Outcome| {
        let energies = Energies::default().by_size(&design.parameters(&config, 0));
        energies.of(design, &config, &outcome.counters).total
    };
    println!("Energy, average change over the baseline, %");
    let mut rows = table(&["design", "C Table III", "collectors of their own size"]);
    for design in designs.iter().filter(|design| **design != Design::BASELINE) {
        let changes = Series::new(outcomes, &design.name(), "baseline", |outcome, baseline| {
            Some(100.0 * (by_size(design, outcome) / by_size(&Design::BASELINE, baseline) - 1.0))
        });
        let table_iii = Metric::Energy.of(outcomes, &design.name()).average();
        rows.add_row([design.name(), percent(table_iii), percent(changes.average())]);
    }
    println!("{rows}\n");
}

/// What a second port D would cache besides.
fn print_lost(outcomes: &[Outcome]) {
    let of_malekeh = outcomes.iter().filter(|outcome| outcome.label == "malekeh");
    let shares: Vec<f64> = of_malekeh
        .map(|Outcome { counters, .. }| 100.0 * ratio(counters.cache_writes_lost, counters.bank_writes))
        .collect();
    println!(
        "Near results that lost port D of a malekeh collector to another result of their cycle: {:.2}% of all \
         results on average, {:.2}% at most. A second port could save no more.\n",
        shares.iter().sum::<f64>() / shares.len() as f64,
        shares.iter().copied().fold(0.0, f64::max)
    );
}

/// Averages of what was changed, over the workloads that ran under it.
fn print_variants(outcomes: &[Outcome], variants: &[&Variant]) {
    println!("One thing changed at a time: averages");
    let mut rows = table(&["", "workloads", "IPC %", "against", "hit ratio %", "energy %", "cache writes %"]);
    let plain = Variant::plain(Design::MALEKEH);
    for variant in std::iter::once(&plain).chain(variants.iter().copied()) {
        let of = |metric: Metric| metric.against(&variant.reference, outcomes, &variant.label);
        let ipc = of(Metric::Ipc);
        if ipc.values.is_empty() {
            continue;
        }
        let average = |metric| percent(of(metric).average());
        rows.add_row([
            variant.label.clone(),
            ipc.values.len().to_string(),
            average(Metric::Ipc),
            variant.reference.clone(),
            average(Metric::HitRatio),
            average(Metric::Energy),
            average(Metric::CacheWrites),
        ]);
    }
    println!("{rows}\n");
}

/// Columns for spreadsheets.
pub const COLUMNS: [Column; 10] = [
    ("operand_reads", |outcome| outcome.counters.operand_reads.to_string()),
    ("hits", |outcome| outcome.counters.hits.to_string()),
    ("hit_ratio", |outcome| outcome.hit_ratio.to_string()),
    ("bank_reads", |outcome| outcome.counters.bank_reads.to_string()),
    ("bank_writes", |outcome| outcome.counters.bank_writes.to_string()),
    ("bank_conflicts", |outcome| outcome.counters.bank_conflicts.to_string()),
    ("cache_writes", |outcome| outcome.counters.cache_writes.to_string()),
    ("energy_pj", |outcome| outcome.energy_pj.total.to_string()),
    ("stalls_waiting", |outcome| outcome.stalls.waiting.to_string()),
    ("stalls_pending", |outcome| outcome.stalls.pending.to_string()),
];
