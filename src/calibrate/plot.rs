// SPDX-License-Identifier: Apache-2.0
//! Our cycles over the reference's, as SVG.

use std::collections::BTreeSet;

use anyhow::Result;
use plotters::prelude::*;

use super::measure::MeasuredKernel;
use crate::chart::{legend, picture, titled, COLOURS};

/// A point per kernel, in the colour of its group; between the dashed lines the difference is at most a
/// tenth.
pub fn scatter(kernels: &[MeasuredKernel], variant: &str) -> Result<String> {
    let cycles = || kernels.iter().flat_map(|kernel| [kernel.cycles as f64, kernel.reference as f64]);
    let low = cycles().fold(f64::INFINITY, f64::min).max(1.0) / 1.5;
    let high = cycles().fold(1.0, f64::max) * 1.5;
    let groups: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.group.as_str()).collect();
    picture((640, 600), |area| {
        let mut chart = titled(area, "Cycles of kernels", 16, (40, 70))
            .build_cartesian_2d((low..high).log_scale(), (low..high).log_scale())?;
        chart
            .configure_mesh()
            .x_desc(format!("reference ({variant})"))
            .y_desc("ours")
            .light_line_style(WHITE)
            .x_label_formatter(&|cycles| format!("{cycles:.0}"))
            .y_label_formatter(&|cycles| format!("{cycles:.0}"))
            .draw()?;
        let line = |factor: f64| [low, high].map(|cycles| (cycles, (factor * cycles).clamp(low, high)));
        chart.draw_series(LineSeries::new(line(1.0), BLACK.mix(0.5)))?;
        for factor in [0.9, 1.1] {
            chart.draw_series(DashedLineSeries::new(line(factor), 4, 4, BLACK.mix(0.3).into()))?;
        }
        for (number, group) in groups.into_iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let of_group = kernels.iter().filter(|kernel| kernel.group == group);
            let points = of_group.map(|kernel| (kernel.reference as f64, kernel.cycles as f64));
            chart
                .draw_series(points.map(|point| Circle::new(point, 4, colour.filled())))?
                .label(if group.is_empty() { "(no group)" } else { group })
                .legend(move |(x, y)| Circle::new((x + 6, y), 4, colour.filled()));
        }
        legend(&mut chart, SeriesLabelPosition::UpperLeft)
    })
}
