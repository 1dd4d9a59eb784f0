//! Picture of the study, as SVG.

use anyhow::Result;
use plotters::prelude::*;

use super::{Row, DESIGNS, STEPS};
use crate::compare::bars::{failed, Drawn, COLOURS};

/// Instructions per cycle over the hold time, a line per design; where the hardware was synthesized, over its longest
/// path as well.
pub fn over_hold_time(rows: &[Row]) -> Result<String> {
    draw(rows).map_err(failed)
}

fn draw(rows: &[Row]) -> Drawn {
    let gain = |row: &Row, design: usize| row.designs[design].over_slowest;
    let highest = rows.iter().flat_map(|row| (0..DESIGNS.len()).map(|design| gain(row, design)));
    let high = highest.fold(1.0, f64::max) * 1.1;
    let path = |row: &Row, design: usize| row.hardware.get(design).and_then(|stage| stage.longest_path_ns);
    let longest = rows.iter().flat_map(|row| (0..DESIGNS.len()).filter_map(|design| path(row, design)));
    let longest = longest.fold(0.0, f64::max);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (900, 400)).into_drawing_area();
        root.fill(&WHITE)?;
        let areas = root.split_evenly((1, if longest > 0.0 { 2 } else { 1 }));
        let holds = f64::from(STEPS[0].hold);
        let places: [(&str, f64, &dyn Fn(&Row, usize) -> Option<f64>); 2] = [
            ("cycles that an instruction of one source holds its collector", holds, &|row, _| {
                Some(f64::from(row.step.hold))
            }),
            ("longest path of the operand stage, ns", longest, &path),
        ];
        for (area, (title, end, place)) in areas.iter().zip(places) {
            let mut chart = ChartBuilder::on(area)
                .caption("IPC over the baseline with the slowest stage, %", ("sans-serif", 14))
                .margin(12)
                .x_label_area_size(40)
                .y_label_area_size(50)
                .build_cartesian_2d(0.0..end * 1.1, 0.0_f64.min(high)..high)?;
            chart.configure_mesh().x_desc(title).light_line_style(WHITE).draw()?;
            for (number, (design, _)) in DESIGNS.iter().enumerate() {
                let colour = COLOURS[number];
                let points: Vec<(f64, f64)> =
                    rows.iter().filter_map(|row| Some((place(row, number)?, gain(row, number)))).collect();
                chart
                    .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?
                    .label(design.name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour.stroke_width(2)));
                chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
            }
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .draw()?;
        }
        root.present()?;
    }
    Ok(svg)
}
