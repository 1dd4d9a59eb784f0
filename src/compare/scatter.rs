// SPDX-License-Identifier: Apache-2.0
//! Points with their names, as SVG.

use std::ops::Range;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde::{Deserialize, Serialize};

use crate::chart::{legend, picture, titled, COLOURS};

/// Points in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// Labels of the axes.
    pub x: String,
    pub y: String,
    pub groups: Vec<PointGroup>,
}

/// Points of one colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointGroup {
    pub name: String,
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub name: String,
    pub x: f64,
    pub y: f64,
}

const SIZE: (u32, u32) = (1000, 640);
const FONT: u32 = 10;
/// Sizes of a name, and its distance from its point; all in pixels.
const LETTER: f64 = 5.6;
const LINE: i32 = 12;
const GAP: i32 = 7;
const RADIUS: i32 = 4;
/// Lines above or below the point in which a name is tried.
const LINES: i32 = 12;

impl Point {
    /// Returns true if it has no more of the first number, no less of the second, and is another.
    pub fn beats(&self, other: &Point) -> bool {
        self.x <= other.x && self.y >= other.y && (self.x, self.y) != (other.x, other.y)
    }
}

/// A point each, in the colour of its group; names beside them, where none hides another or a point.
pub fn scatter(title: &str, drawn: &Scatter) -> Result<String> {
    let points = || drawn.groups.iter().flat_map(|group| &group.points);
    let highest = points().map(|point| point.x).fold(1.0, f64::max);
    let lowest = points().map(|point| point.x).fold(0.0, f64::min);
    picture_of(title, drawn, lowest..1.25 * highest, None)
}

/// The same over powers of ten, with a line over the points of the first group: the most of the second number
/// for so much of the first.
pub fn front(title: &str, drawn: &Scatter) -> Result<String> {
    let logarithm = |point: &Point| Point { x: point.x.log10(), ..point.clone() };
    let groups = drawn.groups.iter().map(|group| PointGroup {
        name: group.name.clone(),
        points: group.points.iter().map(logarithm).collect(),
    });
    let drawn = Scatter { groups: groups.collect(), ..drawn.clone() };
    let points = || drawn.groups.iter().flat_map(|group| &group.points);
    let highest = points().map(|point| point.x).fold(f64::NEG_INFINITY, f64::max);
    let lowest = points().map(|point| point.x).fold(f64::INFINITY, f64::min);
    // Names of points at the right end need room.
    let across = lowest - 0.1..highest + 0.3;
    let mut best: Vec<(f64, f64)> = drawn.groups[0].points.iter().map(|point| (point.x, point.y)).collect();
    best.sort_by(|one, other| one.0.total_cmp(&other.0));
    best.extend(best.last().map(|last| (across.end, last.1)));
    let corners = best.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]).collect();
    picture_of(title, &drawn, across, Some(corners))
}

/// `line`: over powers of ten, the line beside the points.
fn picture_of(
    title: &str,
    drawn: &Scatter,
    across: Range<f64>,
    line: Option<Vec<(f64, f64)>>,
) -> Result<String> {
    let Scatter { x, y, groups } = drawn;
    let points = || groups.iter().flat_map(|group| &group.points);
    let highest = points().map(|point| point.y).fold(1.0, f64::max);
    let lowest = points().map(|point| point.y).fold(0.0, f64::min);
    picture(SIZE, |root| {
        let mut chart =
            titled(root, title, 16, (40, 50)).build_cartesian_2d(across, lowest..1.1 * highest)?;
        let power = |x: &f64| format!("{:.0}", 10f64.powf(*x));
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(x).y_desc(y).light_line_style(WHITE);
        if line.is_some() {
            mesh.x_label_formatter(&power);
        }
        mesh.draw()?;
        if let Some(line) = line {
            chart.draw_series(LineSeries::new(line, COLOURS[0].stroke_width(2)))?;
        }
        let places: Vec<(i32, i32)> =
            points().map(|point| chart.backend_coord(&(point.x, point.y))).collect();
        let names: Vec<&str> = points().map(|point| point.name.as_str()).collect();
        let text = TextStyle::from(("sans-serif", FONT).into_font()).pos(Pos::new(HPos::Left, VPos::Center));
        for (name, (place, stands)) in names.iter().zip(places.iter().zip(arranged(&names, &places))) {
            if let Some((left, middle)) = stands {
                let near = if left > place.0 { left - 2 } else { left + width(name) };
                root.draw(&PathElement::new([*place, (near, middle)], BLACK.mix(0.2)))?;
                root.draw_text(name, &text, (left, middle))?;
            }
        }
        for (number, group) in groups.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let circles =
                group.points.iter().map(|point| Circle::new((point.x, point.y), RADIUS, colour.filled()));
            let mark = move |(x, y)| Circle::new((x + 7, y), RADIUS, colour.filled());
            chart.draw_series(circles)?.label(&group.name).legend(mark);
        }
        legend(&mut chart, SeriesLabelPosition::LowerRight)
    })
}

/// The width of a name, in pixels.
fn width(name: &str) -> i32 {
    (LETTER * name.len() as f64) as i32
}

/// Where the left ends of the names stand: the nearest line right of the point, or left of it, that is free;
/// none if none is.
fn arranged(names: &[&str], places: &[(i32, i32)]) -> Vec<Option<(i32, i32)>> {
    let mut taken: Vec<[i32; 4]> =
        places.iter().map(|(x, y)| [x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS]).collect();
    let overlap = |one: &[i32; 4], other: &[i32; 4]| {
        one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
    };
    let stands = names.iter().zip(places).map(|(name, (x, y))| {
        let width = width(name);
        let lines = (0..=LINES).flat_map(|line| [line * LINE, -line * LINE]);
        let corners = lines.flat_map(|line| [(x + GAP, y + line), (x - GAP - width, y + line)]);
        let free = |(x, y): &(i32, i32)| {
            let text = [*x, y - LINE / 2, x + width, y + LINE / 2];
            let inside =
                text[0] > 50 && text[1] > 30 && text[2] < SIZE.0 as i32 && text[3] < SIZE.1 as i32 - 60;
            inside && !taken.iter().any(|other| overlap(&text, other))
        };
        let corner = corners.into_iter().find(free)?;
        taken.push([corner.0, corner.1 - LINE / 2, corner.0 + width, corner.1 + LINE / 2]);
        Some(corner)
    });
    stands.collect()
}
