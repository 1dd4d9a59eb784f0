//! Lines with a legend beside them, as SVG.

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::{Deserialize, Serialize};

use crate::chart::{picture, titled, COLOURS};

/// Lines over one axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// What the axes show.
    pub x: String,
    pub y: String,
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// Drawn thick, over the others.
    pub bold: bool,
}

impl Line {
    pub fn new(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Line {
        Line { name: name.into(), points: points.into_iter().collect(), bold: false }
    }

    pub fn bold(self) -> Line {
        Line { bold: true, ..self }
    }
}

const SIZE: (u32, u32) = (900, 480);
/// Room for the legend, and what an entry of it takes.
const LEGEND: u32 = 190;
const ENTRY: i32 = 15;

/// A line each, and their names.
pub fn lines(title: &str, drawn: &Lines) -> Result<String> {
    let Lines { x, y, lines } = drawn;
    let points = || lines.iter().flat_map(|line| &line.points);
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let values = points().map(of);
        let (low, high) =
            values.fold((0.0, 1.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        low..high + 0.02 * (high - low)
    };
    let height = SIZE.1.max(40 + ENTRY as u32 * lines.len() as u32);
    picture((SIZE.0, height), |root| {
        let (area, legend) = root.split_horizontally(SIZE.0 - LEGEND);
        let mut chart = titled(&area, title, 14, (40, 50))
            .build_cartesian_2d(extent(|point| point.0), extent(|point| point.1))?;
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
