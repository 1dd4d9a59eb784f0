//! Picture of the study, as SVG.

use anyhow::Result;
use plotters::prelude::*;

use super::{Row, DESIGNS};
use crate::chart::{dash, legend, picture, titled, Area, Drawn, COLOURS};

/// Where a design stands under a step, if that is known.
type Place<'a> = &'a dyn Fn(&Row, usize) -> Option<f64>;

/// Instructions per cycle over the hold time, a line per design; where the hardware was synthesized, over its longest
/// path as well.
pub fn over_hold_time(rows: &[Row]) -> Result<String> {
    let path = |row: &Row, design: usize| row.hardware.get(design)?.longest_path_ns;
    let hold = |row: &Row, _: usize| Some(row.step.hold as f64);
    let charts: [(&str, Place); 2] = [
        ("cycles that an instruction of one source holds its collector", &hold),
        ("longest path of the operand stage, ns", &path),
    ];
    let known = rows.iter().all(|row| !row.hardware.is_empty());
    let charts = if known { &charts[..] } else { &charts[..1] };
    picture((450 * charts.len() as u32, 400), |root| {
        let areas = root.split_evenly((1, charts.len()));
        areas.iter().zip(charts).try_for_each(|(area, (title, place))| chart(area, title, rows, place))
    })
}

fn chart(area: &Area, title: &str, rows: &[Row], place: Place) -> Drawn {
    let points: Vec<Vec<(f64, f64)>> = (0..DESIGNS.len())
        .map(|design| {
            rows.iter()
                .filter_map(|row| Some((place(row, design)?, row.designs[design].over_slowest)))
                .collect()
        })
        .collect();
    let most = |of: fn(&(f64, f64)) -> f64| points.iter().flatten().map(of).fold(1.0, f64::max) * 1.1;
    let (right, top) = (most(|point| point.0), most(|point| point.1));
    let mut chart = titled(area, "IPC over the baseline with the slowest stage, %", 14, (40, 50))
        .build_cartesian_2d(0.0..right, 0.0..top)?;
    chart.configure_mesh().x_desc(title).light_line_style(WHITE).draw()?;
    for (number, (design, _)) in DESIGNS.iter().enumerate() {
        let style = COLOURS[number].stroke_width(2);
        chart
            .draw_series(LineSeries::new(points[number].iter().copied(), style))?
            .label(design.name)
            .legend(dash(style));
        chart.draw_series(
            points[number].iter().map(|point| Circle::new(*point, 3, COLOURS[number].filled())),
        )?;
    }
    legend(&mut chart, SeriesLabelPosition::UpperRight)
}
