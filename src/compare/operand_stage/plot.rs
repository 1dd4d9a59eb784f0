//! The study's plots.

use super::{Row, DESIGNS};
use crate::compare::plot::{Line, Plot};

/// Where a design stands under a step, if that is known.
type Place = fn(&Row, usize) -> Option<f64>;

/// Instructions per cycle over the hold time, a line per design; where the hardware was synthesized, over its longest
/// path as well.
pub fn all(rows: &[Row]) -> Vec<Plot> {
    let hold: Place = |row, _| Some(row.step.hold as f64);
    let path: Place = |row, design| row.hardware.get(design)?.longest_path_ns;
    let mut plots = vec![
        plot("operand_stage", "cycles that an instruction of one source holds its collector", rows, hold),
        plot("operand_stage_path", "longest path of the operand stage, ns", rows, path),
    ];
    plots.retain(Plot::has_data);
    plots
}

fn plot(file: &str, axis: &str, rows: &[Row], place: Place) -> Plot {
    let line = |(number, (design, _)): (usize, &(gpurf_sim::sm::Design, &str))| {
        let point = |row: &Row| Some((place(row, number)?, row.designs[number].over_slowest));
        Line::new(&design.name(), rows.iter().filter_map(point)).bold()
    };
    let lines = DESIGNS.iter().enumerate().map(line).collect();
    Plot::lines(file, "IPC over the baseline with the slowest stage, %", [axis, "%"], lines)
}
