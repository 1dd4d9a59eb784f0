// SPDX-License-Identifier: Apache-2.0
//! Wires before there is a layout: length by fanout.

use super::parser::LibertyGroup;
use super::Units;

/// Length and capacitance of a net by the number of pins that it drives.
#[derive(Clone, Debug, PartialEq)]
pub struct WireLoad {
    /// Femtofarads per unit of length.
    capacitance: f64,
    /// Length that each further pin adds beyond the table.
    slope: f64,
    /// Length at a fanout, by rising fanout.
    lengths: Vec<(f64, f64)>,
}

impl WireLoad {
    /// Reads a group `wire_load (name) { ... }`.
    pub(super) fn read(group: &LibertyGroup, units: &Units) -> Self {
        let lengths = group.lists("fanout_length").filter_map(|list| {
            let number = |place: usize| list.get(place)?.trim().parse().ok();
            Some((number(0)?, number(1)?))
        });
        let mut lengths: Vec<(f64, f64)> = lengths.collect();
        lengths.sort_by(|a, b| a.0.total_cmp(&b.0));
        let capacitance = group.number("capacitance").unwrap_or(0.0) * units.capacitance;
        WireLoad { capacitance, slope: group.number("slope").unwrap_or(0.0), lengths }
    }

    /// Capacitance in femtofarads of a net that drives so many pins.
    pub fn of(&self, fanout: usize) -> f64 {
        let fanout = fanout as f64;
        let Some(last) = self.lengths.last() else {
            return self.capacitance * self.slope * fanout;
        };
        let length = match self.lengths.iter().position(|(at, _)| *at >= fanout) {
            None => last.1 + (fanout - last.0) * self.slope,
            // The wire of no pin has no length.
            Some(above) => {
                let (high, low) =
                    (self.lengths[above], if above == 0 { (0.0, 0.0) } else { self.lengths[above - 1] });
                low.1 + (fanout - low.0) / (high.0 - low.0) * (high.1 - low.1)
            }
        };
        self.capacitance * length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_the_table_and_grow_beyond_it() {
        let load =
            WireLoad { capacitance: 0.5, slope: 10.0, lengths: vec![(1.0, 2.0), (2.0, 6.0), (4.0, 8.0)] };
        assert_eq!([0, 1, 2, 3, 4, 6].map(|fanout| load.of(fanout)), [0.0, 1.0, 3.0, 3.5, 4.0, 14.0]);
    }
}
