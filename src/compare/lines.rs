// SPDX-License-Identifier: Apache-2.0
//! Lines with a legend beside them, as SVG.

use anyhow::Result;
use comfy_table::Table;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::{Deserialize, Serialize};

use super::series::percent;
use crate::chart::{picture, titled, COLOURS};
use crate::output::table;

/// Lines over one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// Labels of the axes.
    pub x: String,
    pub y: String,
    pub lines: Vec<PlotLine>,
    /// Numbers that are the same everywhere, each with its name: dashed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<(String, f64)>,
}

impl Lines {
    /// A row per place, below their names: the place, a number per line and that of each level.
    pub fn table(&self) -> Table {
        let names = self.lines.iter().map(|line| &line.name).chain(self.levels.iter().map(|level| &level.0));
        let header: Vec<&str> = std::iter::once(&self.x).chain(names).map(String::as_str).collect();
        let mut rows = table(&header);
        let mut places: Vec<f64> =
            self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let row = |at: f64| {
            let point = |line: &PlotLine| {
                let found = line.points.iter().find(|point| point.0 == at);
                found.map_or(String::new(), |point| percent(point.1))
            };
            let levels = self.levels.iter().map(|level| percent(level.1));
            let own = std::iter::once(at.to_string()).chain(self.lines.iter().map(point));
            own.chain(levels).collect::<Vec<_>>()
        };
        rows.add_rows(places.into_iter().map(row));
        rows
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlotLine {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Drawn thick, over the others.
    pub bold: bool,
}

impl PlotLine {
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> PlotLine {
        PlotLine { name: name.into(), points: points.into_iter().collect(), bold: false }
    }

    pub fn bold(self) -> PlotLine {
        PlotLine { bold: true, ..self }
    }
}

const SIZE: (u32, u32) = (900, 480);
/// Room for the legend at least, what a letter and an entry of it take.
const LEGEND: u32 = 190;
const LETTER: u32 = 7;
const ENTRY: i32 = 15;

/// A line each, and their names.
pub fn lines(title: &str, drawn: &Lines) -> Result<String> {
    let Lines { x, y, lines, levels } = drawn;
    let points = || lines.iter().flat_map(|line| &line.points);
    let extent = |values: &mut dyn Iterator<Item = f64>| {
        let (low, high) =
            values.fold((0.0, 1.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        low..high + 0.02 * (high - low)
    };
    let across = extent(&mut points().map(|point| point.0));
    let up = extent(&mut points().map(|point| point.1).chain(levels.iter().map(|level| level.1)));
    let names = lines.iter().map(|line| &line.name).chain(levels.iter().map(|level| &level.0));
    let longest = names.map(|name| name.chars().count() as u32).max().unwrap_or_default();
    let room = LEGEND.max(40 + LETTER * longest);
    let plot = SIZE.0 - LEGEND;
    let height = SIZE.1.max(40 + ENTRY as u32 * (lines.len() + levels.len()) as u32);
    picture((plot + room, height), |root| {
        let (area, legend) = root.split_horizontally(plot);
        let mut chart = titled(&area, title, 14, (40, 50)).build_cartesian_2d(across.clone(), up)?;
        chart.configure_mesh().x_desc(x).y_desc(y).light_line_style(WHITE).draw()?;
        let text = TextStyle::from(("sans-serif", 12).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
        let mut order: Vec<_> = lines.iter().enumerate().collect();
        order.sort_by_key(|(_, line)| line.bold);
        for (number, line) in order {
            let style = colour(number).stroke_width(if line.bold { 3 } else { 1 });
            chart.draw_series(LineSeries::new(line.points.iter().copied(), style))?;
            let middle = 40 + ENTRY * number as i32;
            legend.draw(&PathElement::new([(4, middle), (24, middle)], style))?;
            legend.draw_text(&line.name, &text, (30, middle))?;
        }
        for (number, (name, level)) in levels.iter().enumerate() {
            let style = BLACK.mix(0.8).stroke_width(1);
            let ends = [(across.start, *level), (across.end, *level)];
            chart.draw_series(DashedLineSeries::new(ends, 5, 4, style))?;
            let middle = 40 + ENTRY * (lines.len() + number) as i32;
            legend.draw(&PathElement::new([(4, middle), (9, middle)], style))?;
            legend.draw(&PathElement::new([(14, middle), (19, middle)], style))?;
            legend.draw_text(name, &text, (30, middle))?;
        }
        Ok(())
    })
}

/// The first few as elsewhere; beyond them, hues far apart from their neighbours'.
fn colour(number: usize) -> RGBColor {
    if let Some(colour) = COLOURS.get(number) {
        return *colour;
    }
    let golden = 0.618_034 * number as f64;
    let (red, green, blue) = HSLColor(golden.fract(), 0.65, if number % 2 == 0 { 0.35 } else { 0.55 }).rgb();
    RGBColor(red, green, blue)
}
