// SPDX-License-Identifier: Apache-2.0
//! Look-up tables over the transition time of an input and the load of an output.

use std::collections::BTreeMap;

use super::parser::LibertyGroup;
use super::Units;

/// Values over transition time in nanoseconds and load in femtofarads, straight between the points and beyond
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// In nanoseconds; empty if the value does not depend on it.
    transitions: Vec<f64>,
    /// In femtofarads; empty if the value does not depend on it.
    loads: Vec<f64>,
    /// A row for each transition.
    values: Vec<f64>,
}

impl Table {
    /// The value at a transition time and a load.
    pub fn at(&self, transition: f64, load: f64) -> f64 {
        let ((t, along), (l, across)) = (place(&self.transitions, transition), place(&self.loads, load));
        let columns = self.loads.len().max(1);
        let value = |t: usize, l: usize| self.values[t * columns + l];
        let row = |t: usize| match self.loads.len() {
            0 | 1 => value(t, 0),
            _ => value(t, l) + across * (value(t, l + 1) - value(t, l)),
        };
        match self.transitions.len() {
            0 | 1 => row(0),
            _ => row(t) + along * (row(t + 1) - row(t)),
        }
    }

    /// Reads a group such as `rise_power (Power_7_7) { index_1 (...); values (...); }`; its values are
    /// multiplied by `scale`.
    pub(super) fn read(
        group: &LibertyGroup,
        templates: &Templates,
        units: &Units,
        scale: f64,
    ) -> Option<Table> {
        let template = templates.0.get(&group.name);
        let mut values: Vec<f64> = group.numbers("values")?.iter().map(|value| value * scale).collect();
        let mut axes: Vec<(Axis, Vec<f64>)> = vec![];
        for (place, index) in ["index_1", "index_2", "index_3"].iter().enumerate() {
            let from_template = || template.and_then(|template| template.get(place));
            let own = group.numbers(index);
            let Some(points) = own.or_else(|| from_template().map(|(_, points)| points.clone())) else {
                break;
            };
            // A scalar has points of no meaning.
            if group.name == "scalar" {
                break;
            }
            let axis = from_template()
                .map_or(if place == 0 { Axis::Transition } else { Axis::Load }, |found| found.0);
            axes.push((axis, points));
        }
        if axes.iter().any(|(axis, _)| *axis == Axis::Other)
            || axes.iter().map(|(_, points)| points.len()).product::<usize>() != values.len()
        {
            return None;
        }
        if let [(Axis::Load, loads), (Axis::Transition, transitions)] = &axes[..] {
            let (rows, columns) = (loads.len(), transitions.len());
            values = (0..rows * columns).map(|at| values[at % rows * columns + at / rows]).collect();
        }
        let points = |wanted: Axis, scale: f64| {
            let found = axes.iter().find(|(axis, _)| *axis == wanted);
            found.map_or(vec![], |(_, points)| points.iter().map(|point| point * scale).collect())
        };
        let (transitions, loads) =
            (points(Axis::Transition, units.time), points(Axis::Load, units.capacitance));
        Some(Table { transitions, loads, values })
    }
}

/// The interval that a value belongs to, and how far in it the value lies: below 0 or above 1 outside of all
/// points.
fn place(points: &[f64], value: f64) -> (usize, f64) {
    if points.len() < 2 {
        return (0, 0.0);
    }
    let above = points.iter().position(|point| *point > value).unwrap_or(points.len() - 1);
    let below = above.clamp(1, points.len() - 1) - 1;
    (below, (value - points[below]) / (points[below + 1] - points[below]))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Axis {
    Transition,
    Load,
    Other,
}

/// Variables and points of tables, by the name of their template.
pub struct Templates(BTreeMap<String, Vec<(Axis, Vec<f64>)>>);

impl Templates {
    pub fn of(library: &LibertyGroup) -> Self {
        let templates = library.groups.iter().filter(|group| group.kind.ends_with("_template"));
        let templates = templates.map(|group| {
            let axes = (1..=3).map_while(|place| {
                let axis = match group.get(&format!("variable_{place}"))? {
                    "input_transition_time" | "input_net_transition" => Axis::Transition,
                    "total_output_net_capacitance" => Axis::Load,
                    _ => Axis::Other,
                };
                Some((axis, group.numbers(&format!("index_{place}")).unwrap_or_default()))
            });
            (group.name.clone(), axes.collect())
        });
        Templates(templates.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn straight_lines_between_and_beyond_the_points() {
        let table = Table {
            transitions: vec![1.0, 2.0],
            loads: vec![10.0, 20.0, 40.0],
            values: vec![1., 2., 4., 3., 4., 6.],
        };
        assert_eq!(table.at(1.0, 10.0), 1.0);
        assert_eq!(table.at(1.5, 30.0), 4.0);
        assert_eq!(table.at(0.0, 50.0), 3.0);
        assert_eq!(table.at(3.0, 0.0), 4.0);
        let flat = Table { transitions: vec![], loads: vec![], values: vec![7.0] };
        assert_eq!(flat.at(3.0, 0.0), 7.0);
        let line = Table { transitions: vec![1.0, 2.0], loads: vec![], values: vec![1.0, 5.0] };
        assert_eq!(line.at(1.5, 100.0), 3.0);
    }
}
