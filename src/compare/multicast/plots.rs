//! The study's plots.

use gpurf_workloads::suite::hgemm::TILES;

use super::layers::tile_name;
use super::{against_reference, performance_change, traffic_change, Results, DESIGNS, TURING, VOLTA};
use crate::compare::jobs::Outcome;
use crate::compare::plot::{Line, Plot};
use crate::compare::series::Series;

pub fn all(results: &Results) -> Vec<Plot> {
    let traffic = |generation, file: &str| {
        let title = format!("Traffic of L1 and shared memory, change over the baseline, % ({generation})");
        Plot::bars(file, title, series(&results.tiles, generation, traffic_change))
    };
    let title = "IPC, change over the baseline, %, each fragment loaded twice";
    let mut plots = vec![
        traffic(TURING, "traffic_turing"),
        traffic(VOLTA, "traffic_volta"),
        Plot::bars("layers", title, series(&results.layers, VOLTA, performance_change)),
        occupancy(&results.tiles),
    ];
    plots.retain(Plot::has_data);
    plots
}

fn series(outcomes: &[Outcome], generation: &str, value: fn(&Outcome, &Outcome) -> f64) -> Vec<Series> {
    let of = |design: &str| {
        let label = format!("{design} {generation}");
        let values = outcomes.iter().filter(|outcome| outcome.label == label).filter_map(|outcome| {
            let reference = against_reference(outcomes, outcome, generation)?;
            Some((outcome.workload.clone(), value(outcome, reference)))
        });
        Series { label: design.into(), values: values.collect() }
    };
    DESIGNS[1..].iter().map(|design| of(&design.name())).collect()
}

/// Entries of the load request table in use over time, a line per tile.
fn occupancy(outcomes: &[Outcome]) -> Plot {
    let label = format!("iwma {VOLTA}");
    let line = |outcome: &Outcome| {
        let name = TILES.iter().map(tile_name).find(|name| *name == outcome.workload);
        let points =
            outcome.intervals.iter().map(|interval| (interval.cycle as f64, interval.lrt_peak.into()));
        Line::new(name.unwrap_or_default(), points)
    };
    let lines = outcomes.iter().filter(|outcome| outcome.label == label).map(line).collect();
    let title = "Most entries of the load request table in use, in 500 cycles each";
    Plot::lines("lrt", title, ["cycle", "entries"], lines)
}
