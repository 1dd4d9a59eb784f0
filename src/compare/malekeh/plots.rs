//! The comparison's plots: a figure of F each, as far as the results have data for it.

use gpurf_blocks::Parameters;
use gpurf_sim::issue::{Curve, SthldController, Walk, WalkStep};
use gpurf_sim::sm::Design;

use super::metrics::Metric;
use super::variants::STATIC_STHLD;
use crate::compare::jobs::{Outcome, Variant};
use crate::compare::plot::{Line, Plot};

pub fn all(outcomes: &[Outcome], designs: &[Design], variants: &[Variant]) -> Vec<Plot> {
    let mut plots = vec![];
    for metric in [Metric::Ipc, Metric::HitRatio, Metric::Energy, Metric::CacheWrites, Metric::Pending] {
        let concerned = designs.iter().filter(|design| metric.concerns(&design.name()));
        let series = concerned.map(|design| metric.of(outcomes, &design.name())).collect();
        plots.push(Plot::bars(metric.file(), metric.title(), series));
    }
    if variants.iter().any(|variant| variant.label.starts_with("malekeh sthld=")) {
        plots.push(over_sthld(Metric::Ipc, "sthld_ipc", outcomes));
        plots.push(over_sthld(Metric::HitRatio, "sthld_hit_ratio", outcomes));
    }
    if designs.contains(&Design::MALEKEH) {
        plots.extend([walk(outcomes), curves()]);
    }
    plots.retain(Plot::has_data);
    plots
}

/// A metric of Malekeh over fixed STHLD, a line per workload and one for the average. F Fig. 7.
fn over_sthld(metric: Metric, file: &str, outcomes: &[Outcome]) -> Plot {
    let points: Vec<_> = STATIC_STHLD
        .iter()
        .map(|sthld| (f64::from(*sthld), metric.of(outcomes, &format!("malekeh sthld={sthld}"))))
        .collect();
    let of_workload = points[0].1.values.iter().map(|(workload, _)| {
        Line::new(workload, points.iter().filter_map(|(sthld, series)| Some((*sthld, series.get(workload)?))))
    });
    let average =
        Line::new("average", points.iter().map(|(sthld, series)| (*sthld, series.average()))).bold();
    let title = format!("Malekeh over fixed STHLD (F Fig. 7): {}", metric.title());
    Plot::lines(file, title, ["STHLD", "%"], of_workload.chain([average]).collect())
}

/// STHLD over time, a line per workload.
fn walk(outcomes: &[Outcome]) -> Plot {
    let of_malekeh = outcomes.iter().filter(|outcome| outcome.label == "malekeh");
    let line = |outcome: &Outcome| {
        let steps = outcome.intervals.iter().enumerate();
        Line::new(&outcome.workload, steps.map(|(at, interval)| (at as f64, f64::from(interval.sthld))))
    };
    let title = "STHLD over time (reconstructed state table)";
    Plot::lines("sthld_walk", title, ["interval", "STHLD"], of_malekeh.map(line).collect())
}

/// STHLD on a synthetic curve of IPC whose knee lies at 10, moves to 5 and to 20, with its level. F Fig. 9.
fn curves() -> Plot {
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
        Line::new("STHLD", points(|step| step.sthld)).bold(),
        Line::new("knee of the curve", points(|step| step.knee)),
    ];
    let title = "STHLD on a synthetic curve, 0.5% noise, 5% steps of level (reconstructed state table)";
    Plot::lines("sthld_curves", title, ["interval", "STHLD"], lines)
}
