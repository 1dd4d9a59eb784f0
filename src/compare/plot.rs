// SPDX-License-Identifier: Apache-2.0
//! Plots of studies: the data first, the picture made of it.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::bars::bars;
use super::lines::lines;
pub use super::lines::{Lines, PlotLine};
use super::scatter::{front, scatter};
pub use super::scatter::{Point, PointGroup, Scatter};
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
    /// Lines that stand beside a paper's number.
    Curve(Lines),
    Scatter(Scatter),
    /// Points, and the line of those that no other beats.
    Front(Scatter),
}

impl Plot {
    pub fn bars(file: impl Into<String>, title: impl Into<String>, series: Vec<Series>) -> Plot {
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Bars(series) }
    }

    pub fn lines(file: &str, title: impl Into<String>, axes: [&str; 2], lines: Vec<PlotLine>) -> Plot {
        let [x, y] = axes.map(String::from);
        Plot {
            file: file.into(),
            title: title.into(),
            drawing: Drawing::Lines(Lines { x, y, lines, levels: vec![] }),
        }
    }

    /// Lines beside these numbers of a paper.
    pub fn curve(
        file: &str,
        title: &str,
        axes: &[String; 2],
        lines: Vec<PlotLine>,
        levels: Vec<(String, f64)>,
    ) -> Plot {
        let [x, y] = axes.clone();
        Plot {
            file: file.into(),
            title: title.into(),
            drawing: Drawing::Curve(Lines { x, y, lines, levels }),
        }
    }

    pub fn scatter(file: &str, title: impl Into<String>, axes: [&str; 2], groups: Vec<PointGroup>) -> Plot {
        let [x, y] = axes.map(String::from);
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Scatter(Scatter { x, y, groups }) }
    }

    /// Points by whether another one has less of the first number and more of the second.
    pub fn front(file: &str, title: &str, axes: &[String; 2], points: Vec<Point>) -> Plot {
        let [x, y] = axes.clone();
        let is_beaten = |one: &Point| points.iter().any(|other| other.beats(one));
        let group = |name: &str, beaten| PointGroup {
            name: name.into(),
            points: points.iter().filter(|one| is_beaten(one) == beaten).cloned().collect(),
        };
        let groups = vec![group("on the front", false), group("beaten", true)];
        Plot { file: file.into(), title: title.into(), drawing: Drawing::Front(Scatter { x, y, groups }) }
    }

    /// Returns true if records keep it, for the documents.
    pub fn is_recorded(&self) -> bool {
        matches!(self.drawing, Drawing::Curve(_) | Drawing::Front(_))
    }

    /// Returns true if there is anything to draw.
    pub fn has_data(&self) -> bool {
        match &self.drawing {
            Drawing::Bars(series) => series.iter().any(|series| !series.values.is_empty()),
            Drawing::Lines(Lines { lines, .. }) | Drawing::Curve(Lines { lines, .. }) => {
                lines.iter().any(|line| !line.points.is_empty())
            }
            Drawing::Scatter(Scatter { groups, .. }) | Drawing::Front(Scatter { groups, .. }) => {
                groups.iter().any(|group| !group.points.is_empty())
            }
        }
    }

    /// As SVG.
    pub fn picture(&self) -> Result<String> {
        match &self.drawing {
            Drawing::Bars(series) => bars(&self.title, series),
            Drawing::Lines(drawn) | Drawing::Curve(drawn) => lines(&self.title, drawn),
            Drawing::Scatter(drawn) => scatter(&self.title, drawn),
            Drawing::Front(drawn) => front(&self.title, drawn),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_on_the_front_unless_another_has_less_and_gives_more() {
        let point = |name: &str, x: f64, y: f64| Point { name: name.into(), x, y };
        let points = vec![
            point("small", 1.0, 0.0),
            point("worse", 1.0, -1.0),
            point("better", 2.0, 3.0),
            point("larger", 4.0, 3.0),
            point("same", 2.0, 3.0),
        ];
        let plot = Plot::front("file", "title", &["x".into(), "y".into()], points);
        let Drawing::Front(Scatter { groups, .. }) = &plot.drawing else { panic!("a front") };
        let names = |group: &PointGroup| group.points.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&groups[0]), ["small", "better", "same"]);
        assert_eq!(names(&groups[1]), ["worse", "larger"]);
        assert!(plot.is_recorded() && plot.picture().expect("drawn").contains("better"));
    }
}
