// SPDX-License-Identifier: Apache-2.0
//! Bars per workload, as SVG.

use anyhow::Result;
use plotters::prelude::*;

use super::series::Series;
use crate::chart::{legend, picture, titled, COLOURS};

/// Groups of bars, one group per workload and one for the average.
pub fn bars(title: &str, series: &[Series]) -> Result<String> {
    let workloads: Vec<&str> = series[0].values.iter().map(|(workload, _)| workload.as_str()).collect();
    let groups = workloads.len() + 1;
    let name = |group: usize| workloads.get(group).copied().unwrap_or("average");
    let value = |series: &Series, group: usize| match workloads.get(group) {
        Some(workload) => series.get(workload),
        None => Some(series.average()),
    };
    let low = series.iter().map(Series::minimum).fold(0.0, f64::min);
    let high = series.iter().map(Series::maximum).fold(0.0, f64::max);
    let margin = 0.05 * (high - low).max(1.0);
    picture((1200, 480), |area| {
        let mut chart = titled(area, title, 16, (110, 50))
            .build_cartesian_2d(0.0..groups as f64, low - margin..high + margin)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_label_formatter(&|value| format!("{value:.0}"))
            .light_line_style(WHITE)
            .draw()?;
        let width = 0.8 / series.len() as f64;
        for (number, one) in series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let rectangles = (0..groups).filter_map(|group| {
                let left = group as f64 + 0.1 + number as f64 * width;
                let value = value(one, group)?;
                Some(Rectangle::new([(left, 0.0), (left + width, value)], colour.filled()))
            });
            chart
                .draw_series(rectangles)?
                .label(&one.label)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)?;
        let style = TextStyle::from(("sans-serif", 12).into_font()).transform(FontTransform::Rotate90);
        for group in 0..groups {
            let (x, y) = chart.backend_coord(&(group as f64 + 0.5, low - margin));
            area.draw_text(name(group), &style, (x + 6, y + 8))?;
        }
        Ok(())
    })
}
