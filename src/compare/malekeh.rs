// SPDX-License-Identifier: Apache-2.0
//! Parts of Malekeh's study beside its file: how the energy depends on estimates, where it goes by whose
//! energies, and the STHLD controller on a curve.

use comfy_table::Table;
use gpurf_blocks::Parameters;
use gpurf_sim::config::Config;
use gpurf_sim::energy::{measured, Energy, EventEnergies, KINDS};
use gpurf_sim::issue::{Curve, SthldController, Walk, WalkStep};

use super::definition::Named;
use super::evaluation::Evaluation;
use super::outcome::Outcome;
use super::plot::{Plot, PlotLine};
use super::series::{percent, Series};
use crate::output::table;

/// How each design's energy depends on the constants: its change over the baseline with half and with twice
/// of each.
pub fn sensitivity(evaluation: &Evaluation) -> Option<Table> {
    let (baseline, config) = (&evaluation.designs[0], &evaluation.config);
    let caching = |named: &&Named| named.design.has_caching_collectors();
    let designs: Vec<&Named> = evaluation.designs.iter().filter(caching).collect();
    let average = |named: &Named, energies: EventEnergies| {
        let change = |run: &Outcome, reference: &Outcome| {
            let with = energies.of(&named.design, config, &run.counters).total;
            let without = energies.of(&baseline.design, config, &reference.counters).total;
            Some(100.0 * (with / without - 1.0))
        };
        Series::new(&evaluation.outcomes, &named.label, &baseline.label, change).average()
    };
    let labels = designs.iter().map(|named| named.label.as_str());
    let mut rows = table(&["constant, x 0.5 and x 2"].into_iter().chain(labels).collect::<Vec<_>>());
    let as_they_are = |named: &&Named| percent(average(named, EventEnergies::default()));
    rows.add_row(["as they are".to_string()].into_iter().chain(designs.iter().map(as_they_are)));
    for (name, kind) in KINDS {
        let of_design = |named: &&Named| {
            let at = |factor| EventEnergies::default().scaled(kind, factor);
            let [half, twice] = [0.5, 2.0].map(|factor| percent(average(named, at(factor))));
            if half == twice {
                "–".to_string()
            } else {
                format!("{half}, {twice}")
            }
        };
        rows.add_row([name.to_string()].into_iter().chain(designs.iter().map(of_design)));
    }
    (!designs.is_empty()).then_some(rows)
}

/// A part of the energy.
type EnergyPart = fn(&Energy) -> f64;

/// Energies of the accesses of a design's hardware, if they were measured.
type EnergySet = fn(&Named, &Config) -> Option<EventEnergies>;

/// Parts of the energy.
const PARTS: [(&str, EnergyPart); 5] = [
    ("reads of banks", |energy| energy.bank_reads),
    ("writes of banks", |energy| energy.bank_writes),
    ("crossbar and arbitration", |energy| energy.crossbar + energy.arbitration),
    ("accesses of collectors, and tags", |energy| energy.collectors + energy.tags),
    ("cells in every cycle", |energy| energy.idle),
];

/// Where the energy of the baseline and of Malekeh goes by three sets of energies: averages over the
/// workloads, in percent of the baseline's.
pub fn parts(evaluation: &Evaluation) -> Option<Table> {
    let (config, baseline) = (&evaluation.config, evaluation.designs.first()?);
    let malekeh = evaluation.designs.iter().find(|named| named.label == "malekeh")?;
    let of = |named: &Named, part: EnergyPart, energies: EnergySet| {
        let share = |run: &Outcome, reference: &Outcome| {
            let own = energies(named, config)?.of(&named.design, config, &run.counters);
            let whole = energies(baseline, config)?.of(&baseline.design, config, &reference.counters);
            Some(100.0 * part(&own) / whole.total)
        };
        Series::new(&evaluation.outcomes, &named.label, &baseline.label, share).average()
    };
    let sets: [(&str, EnergySet); 3] = [
        ("netlists", |named, config| measured::energies(&named.design, config).copied()),
        ("C Table III", |_, _| Some(EventEnergies::default())),
        ("AccelWattch", |_, _| Some(EventEnergies::accelwattch())),
    ];
    let heads =
        sets.iter().flat_map(|(name, _)| [baseline, malekeh].map(|of| format!("{name}: {}", of.label)));
    let heads: Vec<String> = std::iter::once("% of the baseline's energy".to_string()).chain(heads).collect();
    let mut rows = table(&heads.iter().map(String::as_str).collect::<Vec<_>>());
    for (name, part) in PARTS.into_iter().chain([("all", (|energy: &Energy| energy.total) as EnergyPart)]) {
        let cells =
            sets.iter().flat_map(|(_, set)| [baseline, malekeh].map(|named| percent(of(named, part, *set))));
        rows.add_row(std::iter::once(name.to_string()).chain(cells));
    }
    Some(rows)
}

/// STHLD on a synthetic curve of IPC whose knee lies at 10, moves to 5 and to 20, with its level. F Fig. 9.
pub fn curves() -> Plot {
    const INTERVAL: usize = 1000;
    const PHASE: usize = 60;
    let curve = |level, knee| (Curve { level, knee, slope: 0.05 }, PHASE);
    let mut controller = SthldController::new(&Parameters { interval: INTERVAL, ..Parameters::default() });
    let phases = [curve(2.0, 10), curve(1.9, 5), curve(2.0, 20)];
    let walk = Walk::new(&mut controller, INTERVAL, &phases, 0.005, 1);
    let points = |of: fn(&WalkStep) -> u32| {
        let steps = walk.steps.iter().enumerate();
        steps.flat_map(move |(at, step)| [at, at + 1].map(|x| (x as f64, f64::from(of(step)))))
    };
    let lines = vec![
        PlotLine::new("STHLD", points(|step| step.sthld)).bold(),
        PlotLine::new("knee of the curve", points(|step| step.knee)),
    ];
    let title = "STHLD on a synthetic curve, 0.5% noise, 5% steps of level (reconstructed state table)";
    Plot::lines("sthld_curves", title, ["interval", "STHLD"], lines)
}
