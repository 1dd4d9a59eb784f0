//! Pictures of the study, as SVG.

use std::path::Path;

use anyhow::Result;
use gpurf_workloads::suite::hgemm::TILES;
use plotters::prelude::*;

use super::layers::tile_name;
use super::{against_reference, performance_change, traffic_change, Results, DESIGNS, TURING, VOLTA};
use crate::chart::{dash, legend, picture, titled, COLOURS};
use crate::compare::bars::bars;
use crate::compare::jobs::Outcome;
use crate::compare::series::Series;
use crate::output::write;

pub fn write_all(folder: &Path, results: &Results) -> Result<()> {
    for (generation, name) in [(TURING, "traffic_turing.svg"), (VOLTA, "traffic_volta.svg")] {
        let title = format!("Traffic of L1 and shared memory, change over the baseline, % ({generation})");
        draw(folder, name, &title, &series(&results.tiles, generation, traffic_change))?;
    }
    let title = "IPC, change over the baseline, %, each fragment loaded twice";
    draw(folder, "layers.svg", title, &series(&results.layers, VOLTA, performance_change))?;
    if !results.tiles.is_empty() {
        let picture = occupancy(&results.tiles)?;
        write(&folder.join("lrt.svg"), picture.as_bytes())?;
    }
    Ok(())
}

fn draw(folder: &Path, name: &str, title: &str, series: &[Series]) -> Result<()> {
    if series[0].values.is_empty() {
        return Ok(());
    }
    let picture = bars(title, series)?;
    write(&folder.join(name), picture.as_bytes())
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
    DESIGNS[1..].iter().map(|design| of(design.name)).collect()
}

/// Entries of the load request table in use over time, a line per tile.
fn occupancy(outcomes: &[Outcome]) -> Result<String> {
    let label = format!("iwma {VOLTA}");
    let of_iwma: Vec<_> = outcomes.iter().filter(|outcome| outcome.label == label).collect();
    let end = of_iwma.iter().map(|outcome| outcome.counters.cycles).max().unwrap_or(1);
    let most = of_iwma.iter().flat_map(|outcome| &outcome.intervals).map(|interval| interval.lrt_peak).max();
    picture((900, 480), |area| {
        let mut chart =
            titled(area, "Most entries of the load request table in use, in 500 cycles each", 16, (40, 50))
                .build_cartesian_2d(0..end, 0..most.unwrap_or(1) + 4)?;
        chart.configure_mesh().x_desc("cycle").y_desc("entries").light_line_style(WHITE).draw()?;
        for (number, outcome) in of_iwma.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let line = outcome.intervals.iter().map(|interval| (interval.cycle, interval.lrt_peak));
            let name = TILES.iter().map(tile_name).find(|name| *name == outcome.workload);
            chart
                .draw_series(LineSeries::new(line, colour))?
                .label(name.unwrap_or_default())
                .legend(dash(colour));
        }
        legend(&mut chart, SeriesLabelPosition::MiddleRight)
    })
}
