// SPDX-License-Identifier: Apache-2.0
//! Common parts of the pictures of results.

use std::error::Error;

use anyhow::{anyhow, Result};
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;

pub const COLOURS: [RGBColor; 8] = [
    RGBColor(33, 113, 181),
    RGBColor(253, 141, 60),
    RGBColor(49, 163, 84),
    RGBColor(117, 107, 177),
    RGBColor(222, 45, 38),
    RGBColor(99, 99, 99),
    RGBColor(206, 219, 156),
    RGBColor(231, 186, 82),
];

pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Drawn = Result<(), Box<dyn Error>>;

/// A picture of this size, as SVG.
pub fn picture(size: (u32, u32), draw: impl FnOnce(&Area) -> Drawn) -> Result<String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let draw = || {
        area.fill(&WHITE)?;
        draw(&area)?;
        area.present()?;
        Ok(())
    };
    draw().map_err(|error: Box<dyn Error>| anyhow!("the picture cannot be drawn: {error}"))?;
    drop(area);
    Ok(svg)
}

/// A chart with a title of this height, and room for the labels of its axes: below, and on the left.
pub fn titled<'a, 'b>(
    area: &'a Area<'b>,
    title: &str,
    height: u32,
    labels: (u32, u32),
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", height)).margin(12);
    builder.x_label_area_size(labels.0).y_label_area_size(labels.1);
    builder
}

/// The names of all series, in a box.
pub fn legend<'a, 'b: 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, C>,
    position: SeriesLabelPosition,
) -> Drawn {
    let mut names = chart.configure_series_labels();
    names.position(position).background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3)).draw()?;
    Ok(())
}
