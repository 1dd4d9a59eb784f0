// SPDX-License-Identifier: Apache-2.0
//! Energies as bars: one for each module, its parts one on the other.

use anyhow::Result;
use gpurf_synth::power::Role;
use plotters::prelude::*;

use super::report::PowerReport;
use crate::chart::{legend, picture, titled, COLOURS};

/// Energy of a cycle of each module, split by what its cells are there for, and leakage.
pub fn energies(reports: &[PowerReport]) -> Result<String> {
    let parts: Vec<(&str, Vec<f64>)> = Role::ALL
        .into_iter()
        .map(|role| (role.name(), reports.iter().map(|report| report.dynamic_pj(role)).collect()))
        .chain([("leakage", reports.iter().map(PowerReport::leakage_pj).collect())])
        .collect();
    let sums = (0..reports.len()).map(|at| parts.iter().map(|(_, values)| values[at]).sum::<f64>());
    let high = 1.15 * sums.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    picture((240 + 90 * reports.len() as u32, 480), |area| {
        let mut chart = titled(area, "Energy per cycle (pJ)", 16, (110, 60))
            .build_cartesian_2d(0.0..reports.len() as f64 + 0.8, 0.0..high)?;
        chart.configure_mesh().disable_x_mesh().x_labels(0).light_line_style(WHITE).draw()?;
        let mut below = vec![0.0; reports.len()];
        for ((name, values), colour) in parts.iter().zip(COLOURS) {
            let rectangles = values.iter().enumerate().map(|(at, value)| {
                let corners = [(at as f64 + 0.15, below[at]), (at as f64 + 0.85, below[at] + value)];
                Rectangle::new(corners, colour.filled())
            });
            chart
                .draw_series(rectangles)?
                .label(*name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], colour.filled()));
            below.iter_mut().zip(values).for_each(|(below, value)| *below += value);
        }
        legend(&mut chart, SeriesLabelPosition::UpperRight)?;
        let style = TextStyle::from(("sans-serif", 12).into_font()).transform(FontTransform::Rotate90);
        for (at, report) in reports.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(at as f64 + 0.5, 0.0));
            area.draw_text(report.measured.module, &style, (x + 6, y + 8))?;
        }
        Ok(())
    })
}
