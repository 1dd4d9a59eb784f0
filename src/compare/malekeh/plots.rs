//! Pictures of the comparison, as SVG.

use std::path::Path;

use anyhow::Result;
use gpurf_blocks::Parameters;
use gpurf_sim::issue::{Curve, SthldController, Walk, WalkStep};
use gpurf_sim::sm::Design;
use plotters::prelude::*;

use super::metrics::Metric;
use super::variants::STATIC_STHLD;
use crate::chart::{dash, legend, picture, titled, COLOURS};
use crate::compare::bars::bars;
use crate::compare::jobs::{Outcome, Variant};
use crate::output::write;

/// A picture for each figure that the results have data for.
pub fn write_all(
    folder: &Path,
    outcomes: &[Outcome],
    designs: &[Design],
    variants: &[Variant],
) -> Result<()> {
    for metric in [Metric::Ipc, Metric::HitRatio, Metric::Energy, Metric::CacheWrites, Metric::Pending] {
        let concerned = designs.iter().filter(|design| metric.concerns(design.name));
        let series: Vec<_> = concerned.map(|design| metric.of(outcomes, design.name)).collect();
        if !series.is_empty() {
            let picture = bars(metric.title(), &series)?;
            write(&folder.join(format!("{}.svg", metric.file())), picture.as_bytes())?;
        }
    }
    if variants.iter().any(|variant| variant.label.starts_with("malekeh sthld=")) {
        for (metric, name) in [(Metric::Ipc, "sthld_ipc.svg"), (Metric::HitRatio, "sthld_hit_ratio.svg")] {
            let picture = over_sthld(metric, outcomes)?;
            write(&folder.join(name), picture.as_bytes())?;
        }
    }
    if designs.contains(&Design::MALEKEH) {
        let picture = walk(outcomes)?;
        write(&folder.join("sthld_walk.svg"), picture.as_bytes())?;
        let picture = curves()?;
        write(&folder.join("sthld_curves.svg"), picture.as_bytes())?;
    }
    Ok(())
}

/// A metric of Malekeh over fixed STHLD, a line per workload and one for the average. F Fig. 7.
fn over_sthld(metric: Metric, outcomes: &[Outcome]) -> Result<String> {
    let points: Vec<_> = STATIC_STHLD
        .iter()
        .map(|sthld| (*sthld, metric.of(outcomes, &format!("malekeh sthld={sthld}"))))
        .collect();
    let low = points.iter().map(|(_, series)| series.minimum()).fold(0.0, f64::min);
    let high = points.iter().map(|(_, series)| series.maximum()).fold(1.0, f64::max);
    picture((900, 480), |area| {
        let mut chart =
            titled(area, &format!("Malekeh over fixed STHLD (F Fig. 7): {}", metric.title()), 14, (40, 50))
                .build_cartesian_2d(0.0..31.0, low..high)?;
        chart.configure_mesh().x_desc("STHLD").y_desc("%").light_line_style(WHITE).draw()?;
        for (workload, _) in &points[0].1.values {
            let line =
                points.iter().filter_map(|(sthld, series)| Some((f64::from(*sthld), series.get(workload)?)));
            chart.draw_series(LineSeries::new(line, RGBColor(170, 180, 195)))?;
        }
        let average = points.iter().map(|(sthld, series)| (f64::from(*sthld), series.average()));
        chart
            .draw_series(LineSeries::new(average, COLOURS[4].stroke_width(3)))?
            .label("average; grey: workloads")
            .legend(dash(COLOURS[4].stroke_width(3)));
        legend(&mut chart, SeriesLabelPosition::MiddleRight)
    })
}

/// STHLD over time, a line per workload.
fn walk(outcomes: &[Outcome]) -> Result<String> {
    let of_malekeh: Vec<_> = outcomes.iter().filter(|outcome| outcome.label == "malekeh").collect();
    let intervals = of_malekeh.iter().map(|outcome| outcome.intervals.len()).max().unwrap_or(1).max(2);
    picture((900, 480), |area| {
        let mut chart = titled(area, "STHLD over time (reconstructed state table)", 16, (40, 50))
            .build_cartesian_2d(0.0..intervals as f64, 0.0..32.0)?;
        chart.configure_mesh().x_desc("interval").y_desc("STHLD").light_line_style(WHITE).draw()?;
        for (number, outcome) in of_malekeh.iter().enumerate() {
            let line = outcome
                .intervals
                .iter()
                .enumerate()
                .map(|(at, interval)| (at as f64, f64::from(interval.sthld)));
            chart.draw_series(LineSeries::new(line, COLOURS[number % COLOURS.len()].mix(0.7)))?;
        }
        Ok(())
    })
}

/// STHLD on a synthetic curve of IPC whose knee lies at 10, moves to 5 and to 20, with its level. F Fig. 9.
fn curves() -> Result<String> {
    const INTERVAL: usize = 1000;
    const PHASE: usize = 60;
    let curve = |level, knee| (Curve { level, knee, slope: 0.05 }, PHASE);
    let mut controller = SthldController::new(&Parameters { interval: INTERVAL, ..Parameters::default() });
    let phases = [curve(2.0, 10), curve(1.9, 5), curve(2.0, 20)];
    let walk = Walk::new(&mut controller, INTERVAL, &phases, 0.005, 1);
    let line = |of: fn(&WalkStep) -> u32| {
        let steps = walk.steps.iter().enumerate();
        steps.flat_map(move |(at, step)| [at, at + 1].map(|x| (x as f64, f64::from(of(step)))))
    };
    picture((900, 360), |area| {
        let title = "STHLD on a synthetic curve, 0.5% noise, 5% steps of level (reconstructed state table)";
        let mut chart = titled(area, title, 16, (40, 50))
            .build_cartesian_2d(0.0..(phases.len() * PHASE) as f64, 0.0..32.0)?;
        chart.configure_mesh().x_desc("interval").y_desc("STHLD").light_line_style(WHITE).draw()?;
        let knee: fn(&WalkStep) -> u32 = |step| step.knee;
        for (name, colour, of) in
            [("knee of the curve", COLOURS[1], knee), ("STHLD", COLOURS[0], |step| step.sthld)]
        {
            chart
                .draw_series(LineSeries::new(line(of), colour.stroke_width(2)))?
                .label(name)
                .legend(dash(colour.stroke_width(2)));
        }
        legend(&mut chart, SeriesLabelPosition::MiddleRight)
    })
}
