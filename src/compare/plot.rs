//! Plots of studies: the data first, the picture made of it.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::bars::bars;
use super::lines::lines;
use super::scatter::scatter;
use super::series::Series;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Name of the picture's file, without its ending.
    pub file: String,
    pub title: String,
    pub drawing: Drawing,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Drawing {
    /// A group per workload and one for the average.
    Bars(Vec<Series>),
    Lines(Lines),
    Scatter(Scatter),
}

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

/// Points in groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// What the axes show.
    pub x: String,
    pub y: String,
    pub groups: Vec<Group>,
}

/// Points of one colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub name: String,
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub name: String,
    pub x: f64,
    pub y: f64,
}

impl Plot {
    pub fn bars(file: impl Into<String>, title: impl Into<String>, series: Vec<Series>) -> Plot {
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Bars(series) }
    }

    pub fn lines(file: &str, title: impl Into<String>, axes: [&str; 2], lines: Vec<Line>) -> Plot {
        let [x, y] = axes.map(String::from);
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Lines(Lines { x, y, lines }) }
    }

    pub fn scatter(file: &str, title: impl Into<String>, axes: [&str; 2], groups: Vec<Group>) -> Plot {
        let [x, y] = axes.map(String::from);
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Scatter(Scatter { x, y, groups }) }
    }

    /// Whether there is anything to draw.
    pub fn has_data(&self) -> bool {
        match &self.drawing {
            Drawing::Bars(series) => series.iter().any(|series| !series.values.is_empty()),
            Drawing::Lines(Lines { lines, .. }) => lines.iter().any(|line| !line.points.is_empty()),
            Drawing::Scatter(Scatter { groups, .. }) => groups.iter().any(|group| !group.points.is_empty()),
        }
    }

    /// As SVG.
    pub fn picture(&self) -> Result<String> {
        match &self.drawing {
            Drawing::Bars(series) => bars(&self.title, series),
            Drawing::Lines(drawn) => lines(&self.title, drawn),
            Drawing::Scatter(drawn) => scatter(&self.title, drawn),
        }
    }
}
